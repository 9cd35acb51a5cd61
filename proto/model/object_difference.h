#pragma once
// difference: whether two graphs are the same document, and if not, where they part.
//
// The same: values of the same kind and content (doubles by their bits), the same kinds, names and
// fields of nodes in the same order, and the same identity: two places that show one node in one
// graph show one node in the other, cycles included. What a Java stream says beyond the meaning
// (suids, capacities) does not count. Iterative: depth costs memory, not stack.
// Tested by tests/unit/proto/object_graph_test.cpp.

#include <optional>
#include <string>

#include "proto/model/object_graph.h"

namespace perfrelay {

// The first difference in words with a place (".employees[3].town.name: text "a", expected "b""),
// or nothing.
std::optional<std::string> difference(const ObjectGraph& expected, const ObjectGraph& actual);

const char* kind_name(graph::NodeKind kind);
const char* kind_name(graph::ValueKind kind);

}  // namespace perfrelay
