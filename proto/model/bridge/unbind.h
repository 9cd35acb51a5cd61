#pragma once
// Objects that were bound become their document again (README.md, "XML to objects").
//
// They may have been put into a format's own terms meanwhile: lists as arrays or as an
// externalizable of one, numbers widened or boxed, fields sorted (java_view.h says what they were).
// Whoever made the objects, what comes out is a well-formed document, or an error.
// Tested by tests/unit/proto/bridge_test.cpp.

#include "proto/model/bridge/bridge.h"

namespace perfrelay::bridge {

// Clears `document`. `graph` is_bound.
Result<> unbind(const ObjectGraph& graph, const Limits& limits, XmlTape& document);

}  // namespace perfrelay::bridge
