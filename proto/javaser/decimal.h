#pragma once
// Java's big numbers: magnitudes in bytes, digits in text.
// Tested by tests/unit/proto/javaser/.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"

namespace perfrelay::javaser {

// Longer magnitudes stay raw: conversion takes the square of their length.
inline constexpr std::size_t k_longest_magnitude = 8192;

// Digits of a big-endian magnitude; "0" for none.
std::string to_digits(Bytes magnitude);
// The magnitude of digits, without leading zeros; nothing when they are no digits or too many.
std::optional<std::vector<std::uint8_t>> to_magnitude(std::string_view digits);

// java.math.BigDecimal.toString of unscaled digits (with their sign) and a scale.
std::string decimal_text(std::string_view unscaled, std::int32_t scale);
// The inverse: unscaled digits with their sign, and the scale.
struct Unscaled {
    std::string digits;
    std::int32_t scale;
};
std::optional<Unscaled> parse_decimal(std::string_view text);

}  // namespace perfrelay::javaser
