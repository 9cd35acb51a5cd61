#pragma once
// Any ObjectGraph in JSON's own terms (RFC 8259): this is JSON's declared fidelity, on top of what
// every tree loses (proto/model/tree_terms.h).
//
//   integers                  one kind: 32 bits when the value fits, else 64
//   float                     double
//   NaN, infinities           "NaN", "INF", "-INF": JSON has no such numbers (section 6)
//   date                      {"$date": its milliseconds}
//   bytes                     their base64
// Tested by tests/unit/proto/tree_formats_test.cpp.

#include "proto/model/tree_terms.h"

namespace perfrelay::json {

inline constexpr TreeTerms k_terms{};

}  // namespace perfrelay::json
