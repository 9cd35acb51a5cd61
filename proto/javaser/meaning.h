#pragma once
// What objects of the JDK's own classes mean: collections, maps, dates, big numbers. The stream
// shows their fields and what writeObject added; the graph shows lists, maps, dates and numbers,
// beside the raw form, from which a stream is written again byte for byte.
//
// The classes are those of JDK 17's stream; the table is in meaning.cpp. An object whose raw form
// is not what its class writes stays a generic object: nothing is lost, nothing is executed.
// Tested by tests/unit/proto/javaser/ and tests/conformance/.

#include <cstdint>
#include <string_view>

#include "proto/model/object_graph.h"

namespace perfrelay::javaser {

enum class Meaning : std::uint8_t {
    none,
    // Items in the annotation of a level, behind a block of numbers.
    list_by_size_field,  // ArrayList, PriorityQueue: field size, block(capacity)
    list_by_block,       // LinkedList, ArrayDeque: block(size)
    hash_set,            // block(capacity, load factor, size)
    tree_set,            // comparator, block(size)
    map_by_block,        // TreeMap, EnumMap, IdentityHashMap: block(size)
    hash_map,            // HashMap, Hashtable: block(buckets, size)
    concurrent_map,      // keys and values up to two nulls
    coll_ser,            // List.of, Set.of, Map.of: field tag, block(length)
    // Fields.
    vector,        // elementCount, elementData
    array_field,   // Arrays.asList, EnumSet: an array
    single_item,   // Collections.singletonList: element
    single_entry,  // Collections.singletonMap: k, v
    empty_list,    // no fields
    empty_map,     // no fields
    wrapped,       // a collection or map in the first reference field
    date,          // block(milliseconds)
    big_integer,   // signum, magnitude
    big_decimal,   // scale, intVal
};

// The meaning of instances of exactly that class.
Meaning meaning_of(std::string_view class_name);

// `node` is complete (java is set, kind is object): gives it its meaning, if its raw form allows.
void interpret(ObjectGraph& graph, graph::Node& node);

}  // namespace perfrelay::javaser
