#pragma once
// Any ObjectGraph in CBOR's own terms (RFC 8949): this is CBOR's declared fidelity, on top of what
// every tree loses (proto/model/tree_terms.h).
//
//   integers                  one kind: 32 bits when the value fits, else 64
//   date                      {"$date": its milliseconds}: tag 1 counts seconds
// Floats, NaN with its bits, infinities and bytes are kept.
// Tested by tests/unit/proto/tree_formats_test.cpp.

#include "proto/model/tree_terms.h"

namespace perfrelay::cbor {

inline constexpr TreeTerms k_terms{.floats = true, .not_finite = true, .bytes = true};

}  // namespace perfrelay::cbor
