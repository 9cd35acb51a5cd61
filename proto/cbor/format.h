#pragma once
// CborFormat: CBOR (RFC 8949) by libcbor, as an ObjectFormat.
//
// Writing: its encoders, one item at a time, shortest heads, definite lengths, floats in the width
// they have. Reading: its stream decoder, which calls back item by item and keeps no stack: nesting
// is kept here. Every form is read, indefinite lengths and half floats too. Tags are read over, but
// those that refer back (25, 28, 29, 256) are refused, for without them the document is another.
// Tested by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <string>

#include "proto/cbor/lower.h"
#include "proto/model/tree_format.h"

namespace perfrelay::cbor {

class CborFormat : public TreeFormat {
  public:
    explicit CborFormat(const Limits& limits) : TreeFormat(limits, k_terms) {}

    static std::string engine();

    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);
};

}  // namespace perfrelay::cbor
