#pragma once
// Texts as the values that a schema says they are (Binding::schema), and the texts that these come
// back as: the same value, in the spelling of lexical.h.
//
//   boolean           true, false
//   integer           int, or long beyond 32 bits; below 2^53, which every format's numbers keep
//   decimal           double, of 15 digits or fewer, which it keeps
//   float, double     double
//   date, dateTime    date: milliseconds since 1970, of whole ones, in the years 1 to 9999; without
//                     a zone in UTC. Comes back as a dateTime in UTC
//   base64Binary, hexBinary
//                     bytes; come back as base64
// What does not fit stays text. Source: XML Schema 1.0 part 2, 3.2 and 3.3.
// Tested by tests/unit/proto/bridge_test.cpp.

#include <string_view>

#include "proto/model/bridge/bridge.h"

namespace perfrelay::bridge {

// A list is a node with a value an item.
graph::Value schema_value(std::string_view text, ValueType type, ObjectGraph& graph);

// Whether `read` is what becomes of `written`, as a value of some type or a list of them.
bool same_schema_value(std::string_view written, std::string_view read);

}  // namespace perfrelay::bridge
