#pragma once
// Graphs of objects as documents of XML, and back (README.md, "Objects to XML").
// Tested by tests/unit/proto/bridge_test.cpp.

#include <optional>
#include <string>
#include <string_view>

#include "proto/model/bridge/bridge.h"

namespace perfrelay::bridge {

inline constexpr std::string_view k_graph_uri = "urn:perfrelay:graph";

// Clears `document`. Errors: unsupported, a class description of Java as a value.
Result<> show_graph(const ObjectGraph& graph, const Limits& limits, XmlTape& document);

// Clears `graph`. Errors: malformed, limit_exceeded.
Result<> restore_graph(const XmlTape& document, const Limits& limits, ObjectGraph& graph);

// What XML has no character for, and the backslash, as \xHH or \uHHHH and as two; all else as it
// is. `scratch` holds what had to be changed.
std::string_view escaped(std::string_view text, std::string& scratch);
// Appends; false when `text` is no such text.
bool unescape(std::string_view text, std::string& out);

// Whether a field's name is its element's; any other is <_ name="...">.
bool names_an_element(std::string_view field);

// Fields that may be left out, being null, for each that is not: beyond that nulls are shown, and a
// reader makes no room for what nobody wrote.
inline constexpr std::uint64_t k_most_left_out = 16;

}  // namespace perfrelay::bridge
