#pragma once
// RapidjsonFormat: JSON (RFC 8259) by RapidJSON, as an ObjectFormat (proto/codec/object_format.h).
//
// Writing: its Writer, told the tree value by value. Reading: its Reader in the iterative form, so
// that depth costs memory and not stack, with exact doubles. Every double is written with a point
// or an exponent, so that it comes back as one.
// Tested by tests/unit/proto/tree_formats_test.cpp.

#include <string>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/tree_builder.h"
#include "proto/model/tree_raise.h"

namespace perfrelay::json {

class RapidjsonFormat {
  public:
    explicit RapidjsonFormat(const Limits& limits) : builder_(limits) {}

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

}  // namespace perfrelay::json
