#pragma once
// Integers of any size, as digits (EXI 7.1.5, 7.1.6): typed_items.h has those of 64 bits in hand.
// Tested by tests/unit/proto/exi/datatypes_test.cpp.

#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/arena.h"

namespace perfrelay::exi {

struct Value;

// Octets of one Unsigned Integer beyond 64 bits (EXI 7.1.6): making digits of it is quadratic.
inline constexpr std::size_t k_most_octets = 8192;

// Magnitudes of negative integers travel less one (EXI 7.1.5).
void add_one(Value& magnitude, Arena& arena);
std::string one_less(std::string_view digits);

// Decimal digits without leading zeros as groups of seven bits, the lowest first, and back.
void groups_of_digits(std::string_view digits, std::string& groups);
std::string digits_of_groups(std::string_view groups);

}  // namespace perfrelay::exi
