#pragma once
// The Java Object Serialization Stream's numbers (J 6.4.2; "J": Java Object Serialization
// Specification).

#include <cstdint>

namespace perfrelay::javaser {

inline constexpr std::uint16_t k_magic = 0xACED;
inline constexpr std::uint16_t k_version = 5;
inline constexpr std::uint32_t k_first_handle = 0x7E0000;

enum class Tc : std::uint8_t {
    null = 0x70,
    reference = 0x71,
    class_desc = 0x72,
    object = 0x73,
    string = 0x74,
    array = 0x75,
    class_object = 0x76,
    block_data = 0x77,
    end_block_data = 0x78,
    reset = 0x79,
    block_data_long = 0x7A,
    exception = 0x7B,
    long_string = 0x7C,
    proxy_class_desc = 0x7D,
    enumeration = 0x7E,
};

// J 6.4.2: what the JDK puts into one block; readers take any size.
inline constexpr std::uint32_t k_block = 1024;
inline constexpr std::uint32_t k_most_short_block = 255;
// J 6.2: longer strings have a length of 64 bits.
inline constexpr std::uint32_t k_most_short_string = 0xFFFF;

// A class of more superclasses than this is refused: each object would cost a step for each.
inline constexpr std::size_t k_most_levels = 128;

}  // namespace perfrelay::javaser
