#pragma once
// lower_to_tree: any ObjectGraph as a tree of lists, maps and values, for formats that know nothing
// else (JSON, CBOR, MessagePack, BSON). The declared fidelity of those formats: what was made of
// the document comes back unchanged.
//
//   object                    a map: "$type" (its class, unless anonymous), its fields, those of
//   the
//                             topmost class first, its dynamic members. A field that a class
//                             further down names too is "Class.field"
//   any list, array, vector   a list; its type is not kept. With named items a map of them, the
//                             others a list in "$items"
//   any map, dictionary       a map when every key is a text, else {"$entries": [[key, value],
//   ..]};
//                             its type is not kept
//   ArrayCollection           a list; other externalizables {"$type", "$value"}
//   an object, list or map    that occurs once stands where it occurs; one that occurs more often,
//                             or within itself, is {"$ref": n} everywhere, and the whole document
//                             {"$root": value, "$shared": [0th, 1st, ..]}
//   a name beginning with $   one $ more
//   enumeration, class, XML,  its text. These, dates, bytes and boxes have no identity: they stand
//   big number, character     wherever they occur
//   box of Java               the value within
//   undefined                 null
//   several top-level items   a list
//
// and, as the format has no word for it (Terms):
//   integers                  of one kind, 32 bits when the value fits, else 64
//   float                     double
//   NaN, infinities           "NaN", "INF", "-INF", as XML Schema spells them
//   date                      {"$date": its milliseconds}. Dates of no whole milliseconds always
//   bytes                     their base64 (RFC 4648)
//
// Refused: lone surrogates, objects whose class wrote data of its own, proxies, resets, class
// descriptions.
// Iterative. Tested by tests/unit/proto/tree_terms_test.cpp.

#include <cstddef>
#include <string_view>

#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

// What a format has words for, beside null, booleans, integers, doubles, texts, lists and maps.
struct TreeTerms {
    bool integer_widths = false;  // tells 32 from 64 bits whatever the value
    bool floats = false;          // of 32 bits
    bool not_finite = false;
    bool dates = false;  // milliseconds of 64 bits
    bool bytes = false;
    bool map_root = false;     // the document is a map: any other is {"$root": value}
    bool nul_in_names = true;  // else a document with such a name is refused
    std::size_t most_levels = ~std::size_t{0};  // a deeper tree is refused
};

namespace tree_name {
inline constexpr std::string_view k_type = "$type";
inline constexpr std::string_view k_value = "$value";
inline constexpr std::string_view k_items = "$items";
inline constexpr std::string_view k_entries = "$entries";
inline constexpr std::string_view k_date = "$date";
inline constexpr std::string_view k_ref = "$ref";
inline constexpr std::string_view k_root = "$root";
inline constexpr std::string_view k_shared = "$shared";
}  // namespace tree_name

// Into `to`, which is cleared. Errors: unsupported, with the reason.
Result<> lower_to_tree(const ObjectGraph& from, const TreeTerms& terms, ObjectGraph& to);

}  // namespace perfrelay
