#pragma once
// AMF3's numbers and names (Adobe AMF 3 specification, January 2013; "A" in this folder).

#include <array>
#include <cstdint>
#include <string_view>

namespace perfrelay::amf3 {

// A 3.1
enum class Marker : std::uint8_t {
    undefined = 0x00,
    null = 0x01,
    boolean_false = 0x02,
    boolean_true = 0x03,
    integer = 0x04,
    float64 = 0x05,
    string = 0x06,
    xml_doc = 0x07,
    date = 0x08,
    array = 0x09,
    object = 0x0A,
    xml = 0x0B,
    byte_array = 0x0C,
    vector_int = 0x0D,
    vector_uint = 0x0E,
    vector_double = 0x0F,
    vector_object = 0x10,
    dictionary = 0x11,
};

// A 3.6: integers are of 29 bits in two's complement.
inline constexpr std::int32_t k_least_integer = -(1 << 28);
inline constexpr std::int32_t k_most_integer = (1 << 28) - 1;
// A 1.3.1 and 3.8 to 3.16: counts, lengths and references share a U29 with one flag bit.
inline constexpr std::uint32_t k_most_count = (1U << 28U) - 1;
// A 3.12: the members of a class share it with four.
inline constexpr std::uint32_t k_most_members = (1U << 25U) - 1;

inline constexpr std::string_view k_array_collection = "flex.messaging.io.ArrayCollection";
// The externalizable classes whose body is one value, known without being told.
inline constexpr std::array<std::string_view, 3> k_one_value_classes{
    k_array_collection, "flex.messaging.io.ArrayList", "flex.messaging.io.ObjectProxy"};

}  // namespace perfrelay::amf3
