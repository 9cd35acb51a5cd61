#pragma once
// RapidjsonFormat: JSON (RFC 8259) by RapidJSON, as an ObjectFormat.
//
// Writing: its Writer, told the tree value by value. Reading: its Reader in the iterative form, so
// that depth costs memory and not stack, with exact doubles. Every double is written with a point
// or an exponent, so that it comes back as one.
// Tested by tests/unit/proto/tree_formats_test.cpp.

#include <string>

#include "proto/json/lower.h"
#include "proto/model/tree_format.h"

namespace perfrelay::json {

class RapidjsonFormat : public TreeFormat {
  public:
    explicit RapidjsonFormat(const Limits& limits) : TreeFormat(limits, k_terms) {}

    static std::string engine();

    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);
};

}  // namespace perfrelay::json
