#pragma once
// CborFormat: CBOR (RFC 8949) by libcbor, as an ObjectFormat (proto/codec/object_format.h).
//
// Writing: its encoders, one item at a time, shortest heads, definite lengths, floats in the width
// they have. Reading: its stream decoder, which calls back item by item and keeps no stack: nesting
// is kept here. Every form is read, indefinite lengths and half floats too. Tags are read over, but
// those that refer back (25, 28, 29, 256) are refused, for without them the document is another.
// Tested by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <string>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/tree_builder.h"
#include "proto/model/tree_raise.h"

namespace perfrelay::cbor {

class CborFormat {
  public:
    explicit CborFormat(const Limits& limits) : builder_(limits) {}

    static std::string engine();

    Result<> lower(const ObjectGraph& document, ObjectGraph& own);
    Result<> raise(const ObjectGraph& own, ObjectGraph& document) {
        return raise_tree(own, document);
    }
    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);

  private:
    TreeBuilder builder_;
};

}  // namespace perfrelay::cbor
