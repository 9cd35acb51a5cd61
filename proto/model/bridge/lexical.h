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
// Numbers that formats widen (an int that becomes a double) are spelled as before. Only spelled,
// and never read here: NaN, INF, -INF; bytes as base64. Tested by tests/unit/proto/bridge_test.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/model/object_graph.h"

namespace perfrelay::bridge {

// The boolean or number that `text` spells; nothing when it spells none.
std::optional<graph::Value> typed_scalar(std::string_view text);
// Milliseconds since 1970; nothing when it is not the one spelling of a date.
std::optional<std::int64_t> typed_date(std::string_view text);
// The same of an xs:date or xs:dateTime in any spelling (XML Schema 1.0 part 2, 3.2.7, 3.2.9), in
// UTC without a zone; nothing of years but 1 to 9999, parts of milliseconds, leap seconds, hour 24.
std::optional<std::int64_t> date_of(std::string_view text);

// Appends. False, and nothing appended, when the value has no spelling (null, most nodes).
bool append_spelling(const graph::Value& value, std::string& out);
// False when the year is none of 1 to 9999.
bool append_date(std::int64_t millis, std::string& out);

}  // namespace perfrelay::bridge
