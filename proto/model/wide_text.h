#pragma once
// Texts of the object formats: UTF-8 within, and the forms that Java and Flash write.
//
// Within (object_graph.h): UTF-8 whose only liberty is a lone surrogate in three bytes. On the
// wire: UTF-8, CESU-8 (a character beyond U+FFFF is its two surrogates, three bytes each) and
// modified UTF-8 (CESU-8 whose NUL is C0 80; J 6.2). All three are read by one function. Tested by
// tests/unit/proto/object_graph_test.cpp.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace perfrelay {

// UTF-16 units of a text that is well-formed in the sense above.
std::size_t utf16_units(std::string_view text);

enum class NulForm : std::uint8_t { one_byte, two_bytes };

// Appends `from`, in any of the three forms, in ours. False when it is none of them.
// `nul` says whether C0 80 is accepted beside 00.
bool append_wide_text(std::string_view from, NulForm nul, std::string& to);

// The same in place (ours is never longer). The new size, or k_not_text; `units`: of UTF-16.
inline constexpr std::size_t k_not_text = ~std::size_t{0};
std::size_t normalise_wide_text(char* text, std::size_t size, NulForm nul, std::size_t& units);

// Bytes of `text` in CESU-8, or in modified UTF-8.
std::size_t cesu8_size(std::string_view text, NulForm nul);
// Writes them; behind the last.
std::uint8_t* write_cesu8(std::string_view text, NulForm nul, std::uint8_t* out);

inline bool is_surrogate(std::uint32_t unit) {
    return unit >= 0xD800 && unit <= 0xDFFF;
}

// Copies `size` bytes to `to`, where eight more may be overwritten. Whether all were ASCII.
inline bool copy_ascii(const std::uint8_t* from, std::size_t size, char* to) {
    constexpr std::uint64_t k_high = 0x8080808080808080U;
    std::uint64_t seen = 0;
    std::uint64_t word = 0;
    if (size >= sizeof word) {
        std::size_t done = 0;
        for (; done + sizeof word <= size; done += sizeof word) {
            std::memcpy(&word, from + done, sizeof word);
            std::memcpy(to + done, &word, sizeof word);
            seen |= word;
        }
        std::memcpy(&word, from + size - sizeof word, sizeof word);
        std::memcpy(to + size - sizeof word, &word, sizeof word);
        return ((seen | word) & k_high) == 0;
    }
    if (size >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, from, sizeof first);
        std::memcpy(&last, from + size - sizeof last, sizeof last);
        std::memcpy(to, &first, sizeof first);
        std::memcpy(to + size - sizeof last, &last, sizeof last);
        return ((first | last) & 0x80808080U) == 0;
    }
    std::uint8_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
        to[i] = static_cast<char>(from[i]);
        bits = static_cast<std::uint8_t>(bits | from[i]);
    }
    return bits < 0x80;
}

}  // namespace perfrelay
