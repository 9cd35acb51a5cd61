#pragma once
// A document of XML becomes objects (README.md, "XML to objects"); unbind.h is the way back.
// Tested by tests/unit/proto/bridge_test.cpp.

#include "proto/model/bridge/bridge.h"

namespace perfrelay::bridge {

// Clears `graph`. `document` is a whole document; `types` as for to_objects.
void bind(const XmlTape& document, Binding binding, std::span<const ValueType> types,
          ObjectGraph& graph);

}  // namespace perfrelay::bridge
