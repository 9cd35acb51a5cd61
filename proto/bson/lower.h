#pragma once
// Any ObjectGraph in BSON's own terms (bsonspec.org, version 1.1): this is BSON's declared
// fidelity, on top of what every tree loses (proto/model/tree_terms.h).
//
//   byte, short               int of 32 bits; a long stays one of 64
//   float                     double
//   a root that is no map     {"$root": value}: a document is a map
// NaN with its bits, infinities, bytes and dates are kept. Refused: names with a NUL.
// Tested by tests/unit/proto/tree_formats_test.cpp.

#include "proto/model/tree_terms.h"

namespace perfrelay::bson {

inline constexpr TreeTerms k_terms{.integer_widths = true,
                                   .not_finite = true,
                                   .dates = true,
                                   .bytes = true,
                                   .map_root = true,
                                   .nul_in_names = false};

}  // namespace perfrelay::bson
