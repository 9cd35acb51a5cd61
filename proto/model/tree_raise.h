#pragma once
// raise_tree: the objects that a tree shows, the way back of lower_to_tree (tree_terms.h).
//
//   {"$root": v, "$shared": [..]}  v, in which {"$ref": n} is the nth of the table: one node again
//   {"$root": v}                   v
//   {"$type", "$value"}            an externalizable
//   {"$type", ..}                  an object of that class; classes of equal names and fields are
//   one
//   {"$date": number}              a date, by its milliseconds
//   {"$entries": [[k, v], ..]}     a map
//   {.., "$items": [..]}           an array of AMF3 with named items
//   any other map, any list        itself; a name that begins with $$ has one $ less
// What only looks like one of these (a "$ref" that is no number of the table's) is taken as it is,
// so that any tree of anybody's is some graph; a number that the table does not have is an error,
// as is a table's place that refers to itself.
// Iterative. Tested by tests/unit/proto/tree_terms_test.cpp.

#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

// Into `to`, which is cleared, also by an error.
Result<> raise_tree(const ObjectGraph& tree, ObjectGraph& to);

}  // namespace perfrelay
