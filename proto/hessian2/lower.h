#pragma once
// Any ObjectGraph in Hessian 2's own terms, as Caucho's library maps Java where the graph came from
// Java. This is the declared fidelity: what was made of the document comes back unchanged.
//
//   java.util.ArrayList       a list without type; other collections typed by their class
//   array of Java             "[int", "[string", "[object" .., else "[" and the class; char[] a
//   string java.util.HashMap         a map without type; others typed enumeration, class        an
//   object with the field "name" big number                an object with the field "value", its
//   digits (of an integer, our own) box of Java               the value within; Byte, Short, Float:
//   Caucho's handle objects byte, short               int float                     double char,
//   XML                 string object of Java            its fields, those of the subclass first,
//   primitives and java.lang's
//                             before others
//   date, bytes               one each time they occur: they have no identity
//   undefined                 null
//   AMF3's array              list; with named items a map, numbers as keys for the others
//   AMF3's vectors            lists "[int", "[long", "[double", or of their class
//   AMF3's dynamic object     a map, typed by its class
//   ArrayCollection           a list; other externalizables an object with the field "value"
//   several top-level items   list
//
// Refused: objects whose class wrote data of its own, proxies, resets, class descriptions, dates of
// no whole milliseconds.
// Tested by tests/unit/proto/hessian2/.

#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay::hessian2 {

// Into `to`, which is cleared. Errors: unsupported, with the reason.
Result<> lower(const ObjectGraph& from, ObjectGraph& to);

}  // namespace perfrelay::hessian2
