#pragma once
// Any ObjectGraph with Java's parts: class descriptions and the raw form of collections, so that
// writer.h can write it. This is the declared fidelity for graphs that did not come from a Java
// stream (those have their parts already and are written as they are).
//
//   list, ArrayCollection     the collection of its type when that is one of the JDK's, else
//                             java.util.ArrayList
//   typed array of Hessian    an array of Java, when its items are of that type
//   map                       the map of its type when that is one of the JDK's, else
//                             java.util.HashMap, in the same order
//   AMF3's dynamic or anonymous object, array with named items, dictionary
//                             java.util.LinkedHashMap
//   AMF3's vectors            int[], long[], double[], Object[]
//   other externalizable      an object with the field "value"
//   number, boolean, char where an object is due
//                             java.lang.Integer and its like
//   object                    one of a class whose description says what its objects hold; fields
//                             in the order of J 4.3, and where theirs means something a block of
//                             their places in the class's annotation (java_view.h)
//   undefined                 null
//   XML                       string
//
// Refused: dates of no whole milliseconds, class descriptions as values.
// Tested by tests/unit/proto/javaser/ and tests/conformance/.

#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay::javaser {

// Into `to`, which is cleared. Errors: unsupported, with the reason.
Result<> lower(const ObjectGraph& from, ObjectGraph& to);

}  // namespace perfrelay::javaser
