#pragma once
// Any ObjectGraph in MessagePack's own terms (specification of August 2017): this is MessagePack's
// declared fidelity, on top of what every tree loses (proto/model/tree_terms.h).
//
//   integers                  one kind: 32 bits when the value fits, else 64
// Floats, NaN with its bits, infinities, bytes and dates (the timestamp extension) are kept.
// Tested by tests/unit/proto/tree_formats_test.cpp.

#include "proto/model/tree_terms.h"

namespace perfrelay::msgpack {

inline constexpr TreeTerms k_terms{
    .floats = true, .not_finite = true, .dates = true, .bytes = true};

}  // namespace perfrelay::msgpack
