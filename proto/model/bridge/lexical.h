#pragma once
// Texts of XML as typed values, and values as texts.
//
// A text is typed only where it is the one spelling of a value, so that the text comes back:
//   true, false                            boolean
//   0, -17, 9007199254740991               int, or long beyond 32 bits; no sign +, no leading
//                                          noughts, below 2^53, which every format of numbers keeps
//   0.5, -12.75, 1e+30                     double, as std::to_chars has it (the shortest that reads
//                                          back); 1.0 and 1.50 stay texts
//   2009-09-01T12:30:00Z, ...00.250Z       date, in UTC, years 1 to 9999 (XML Schema 2 3.2.7.2)
// Numbers that formats widen (an int that becomes a double) are spelled as before.
// Tested by tests/unit/proto/bridge_test.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/model/object_graph.h"

namespace perfrelay::bridge {

// The boolean or number that `text` spells; nothing when it spells none.
std::optional<graph::Value> typed_scalar(std::string_view text);
// Milliseconds since 1970; nothing when it spells no date.
std::optional<std::int64_t> typed_date(std::string_view text);

// Appends. False, and nothing appended, when the value has no spelling (null, most nodes).
bool append_spelling(const graph::Value& value, std::string& out);
// False when the year is none of 1 to 9999.
bool append_date(std::int64_t millis, std::string& out);

}  // namespace perfrelay::bridge
