#pragma once
// Hessian 2.0's codes ("H": Hessian 2.0 Serialization Protocol, Caucho; where the text errs, what
// Caucho's implementation writes, see README.md).

#include <cstdint>

namespace perfrelay::hessian2 {

// H 6: the first byte of a value. Ranges are named by their first code.
inline constexpr std::uint8_t k_short_string = 0x00;   // 00-1f: 0 to 31 units
inline constexpr std::uint8_t k_short_binary = 0x20;   // 20-2f: 0 to 15 bytes
inline constexpr std::uint8_t k_medium_string = 0x30;  // 30-33 and a byte: up to 1023 units
inline constexpr std::uint8_t k_medium_binary = 0x34;  // 34-37 and a byte: up to 1023 bytes
inline constexpr std::uint8_t k_long_3 = 0x38;         // 38-3f and two bytes
inline constexpr std::uint8_t k_binary_chunk = 0x41;
inline constexpr std::uint8_t k_binary = 0x42;
inline constexpr std::uint8_t k_class_definition = 0x43;
inline constexpr std::uint8_t k_double = 0x44;
inline constexpr std::uint8_t k_false = 0x46;
inline constexpr std::uint8_t k_untyped_map = 0x48;
inline constexpr std::uint8_t k_int = 0x49;
inline constexpr std::uint8_t k_date = 0x4A;
inline constexpr std::uint8_t k_date_minutes = 0x4B;
inline constexpr std::uint8_t k_long = 0x4C;
inline constexpr std::uint8_t k_map = 0x4D;
inline constexpr std::uint8_t k_null = 0x4E;
inline constexpr std::uint8_t k_object = 0x4F;
inline constexpr std::uint8_t k_reference = 0x51;
inline constexpr std::uint8_t k_string_chunk = 0x52;
inline constexpr std::uint8_t k_string = 0x53;
inline constexpr std::uint8_t k_true = 0x54;
inline constexpr std::uint8_t k_variable_list = 0x55;
inline constexpr std::uint8_t k_list = 0x56;
inline constexpr std::uint8_t k_variable_untyped_list = 0x57;
inline constexpr std::uint8_t k_untyped_list = 0x58;
inline constexpr std::uint8_t k_long_4 = 0x59;  // a long of 32 bits
inline constexpr std::uint8_t k_end = 0x5A;
inline constexpr std::uint8_t k_double_0 = 0x5B;
inline constexpr std::uint8_t k_double_1 = 0x5C;
inline constexpr std::uint8_t k_double_byte = 0x5D;
inline constexpr std::uint8_t k_double_short = 0x5E;
inline constexpr std::uint8_t k_double_mill = 0x5F;    // 32 bits, thousandths
inline constexpr std::uint8_t k_short_object = 0x60;   // 60-6f: class 0 to 15
inline constexpr std::uint8_t k_short_list = 0x70;     // 70-77: typed, 0 to 7 items
inline constexpr std::uint8_t k_short_untyped = 0x78;  // 78-7f
inline constexpr std::uint8_t k_int_1 = 0x80;          // 80-bf, zero at 90
inline constexpr std::uint8_t k_int_2 = 0xC0;          // c0-cf and a byte, zero at c8
inline constexpr std::uint8_t k_int_3 = 0xD0;          // d0-d7 and two bytes, zero at d4
inline constexpr std::uint8_t k_long_1 = 0xD8;         // d8-ef, zero at e0
inline constexpr std::uint8_t k_long_2 = 0xF0;         // f0-ff and a byte, zero at f8

inline constexpr std::uint8_t k_int_1_zero = 0x90;
inline constexpr std::uint8_t k_int_2_zero = 0xC8;
inline constexpr std::uint8_t k_int_3_zero = 0xD4;
inline constexpr std::uint8_t k_long_1_zero = 0xE0;
inline constexpr std::uint8_t k_long_2_zero = 0xF8;
inline constexpr std::uint8_t k_long_3_zero = 0x3C;

// H 4.12: a chunk's length has 16 bits; Caucho cuts at this.
inline constexpr std::uint32_t k_chunk = 0x8000;
inline constexpr std::int64_t k_millis_a_minute = 60000;

}  // namespace perfrelay::hessian2
