#pragma once
// Values out of the texts that show them (README.md, "Objects to XML").
// Tested by tests/unit/proto/bridge_test.cpp.

#include <charconv>
#include <string_view>
#include <system_error>

#include "proto/model/object_graph.h"

namespace perfrelay::bridge {

// All of `text` is a number of that type; false when it is none.
template <class Number>
bool read_number(std::string_view text, Number& number, int base = 10) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number, base);
    return read.ec == std::errc() && read.ptr == end;
}

// `text` as it stands in the document: escapes are those of a text. False when it is no value of
// that kind, which is none of a node.
bool read_scalar(graph::ValueKind kind, std::string_view text, ObjectGraph& graph,
                 graph::Value& to);

// Hexadecimal digits into the data of `node`.
bool read_hex(std::string_view text, ObjectGraph& graph, graph::Node& node);

}  // namespace perfrelay::bridge
