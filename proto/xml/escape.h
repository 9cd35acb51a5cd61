#pragma once
// Copying character data into an output buffer, escaping what XML needs escaped.
//
// XML 1.0 2.4 (& < and ]]> in text), 2.11 (a carriage return must be a reference to survive), 3.3.3
// (in an attribute so must tab and line feed), 2.2 (characters that no document may hold).
// Looks at 16 bytes at a time where the machine has SSE2, and at 8, 4 and 1 for what is left, never
// past the end of the text. Contract: `append_*` return false, and write something harmless, when
// the text has a character that no document may hold.
// Tested by tests/unit/proto/xml/writer_test.cpp.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/base/bytes.h"

namespace perfrelay::xml {

enum class Place { text, attribute };

// Bytes that cannot simply be copied: to be escaped, to be refused, or to be looked at (">" that
// may end "]]>", 0xEF that may begin U+FFFE).
template <Place place>
constexpr bool is_special(unsigned char c) {
    if (place == Place::attribute) return c < 0x20 || c == '&' || c == '<' || c == '"' || c == 0xEF;
    return (c < 0x20 && c != '\t' && c != '\n') || c == '&' || c == '<' || c == '>' || c == 0xEF;
}

template <Place place>
constexpr std::array<bool, 256> make_special_table() {
    std::array<bool, 256> table{};
    for (std::size_t c = 0; c < table.size(); ++c)
        table[c] = is_special<place>(static_cast<unsigned char>(c));
    return table;
}

template <Place place>
inline constexpr std::array<bool, 256> k_special = make_special_table<place>();

// The top bit of every byte of `word` that is special; exact, no carry crosses a byte.
template <Place place>
inline std::uint64_t special_in_word(std::uint64_t word) {
    constexpr std::uint64_t k_ones = 0x0101010101010101U;
    constexpr std::uint64_t k_sevens = 0x7FU * k_ones;
    constexpr std::uint64_t k_tops = 0x80U * k_ones;
    const auto equals = [&](std::uint64_t c) {
        const std::uint64_t other = word ^ (k_ones * c);
        return ~(((other & k_sevens) + k_sevens) | other) & k_tops;
    };
    std::uint64_t low = ~(((word & k_sevens) + 0x60U * k_ones) | word) & k_tops;
    if constexpr (place == Place::text) low &= ~(equals('\n') | equals('\t'));
    return low | equals('&') | equals('<') | equals(0xEF) |
           equals(place == Place::text ? '>' : '"');
}

// The first special byte of `text`, or its size.
template <Place place>
inline std::size_t find_special(const char* text, std::size_t from, std::size_t size) {
    std::size_t at = from;
#ifdef __SSE2__
    const auto all = [](char c) { return _mm_set1_epi8(c); };
    for (; size - at >= 16; at += 16) {
        const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
        const auto equals = [&](char c) { return _mm_cmpeq_epi8(block, all(c)); };
        __m128i low = _mm_cmpeq_epi8(_mm_max_epu8(block, all(0x1F)), all(0x1F));
        if constexpr (place == Place::text) {
            low = _mm_andnot_si128(_mm_or_si128(equals('\t'), equals('\n')), low);
        }
        // '<' and '>' differ in one bit.
        const __m128i angle = place == Place::text
                                  ? _mm_cmpeq_epi8(_mm_or_si128(block, all(2)), all('>'))
                                  : _mm_or_si128(equals('<'), equals('"'));
        const __m128i other = _mm_or_si128(equals('&'), equals('\xEF'));
        const int mask = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(low, angle), other));
        if (mask != 0)
            return at + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(mask)));
    }
#endif
    while (at < size && !k_special<place>[static_cast<unsigned char>(text[at])])
        ++at;
    return at;
}

// Copies up to 16 bytes with two overlapping moves; true when none is special. `to` has room.
template <Place place>
inline bool copy_short(char* to, const char* from, std::size_t size) {
    if (size >= 8) {
        std::uint64_t first = 0;
        std::uint64_t last = 0;
        std::memcpy(&first, from, 8);
        std::memcpy(&last, from + size - 8, 8);
        if ((special_in_word<place>(first) | special_in_word<place>(last)) != 0) return false;
        std::memcpy(to, &first, 8);
        std::memcpy(to + size - 8, &last, 8);
        return true;
    }
    if (size >= 4) {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
        std::memcpy(&first, from, 4);
        std::memcpy(&last, from + size - 4, 4);
        if (special_in_word<place>((static_cast<std::uint64_t>(last) << 32U) | first) != 0) {
            return false;
        }
        std::memcpy(to, &first, 4);
        std::memcpy(to + size - 4, &last, 4);
        return true;
    }
    bool special = false;
    for (std::size_t i = 0; i < size; ++i) {
        special |= k_special<place>[static_cast<unsigned char>(from[i])];
        to[i] = from[i];
    }
    return !special;
}

// The slow way, from the first special byte on.
template <Place place>
bool append_escaped(Buffer& out, std::string_view text, std::size_t clean);

extern template bool append_escaped<Place::text>(Buffer&, std::string_view, std::size_t);
extern template bool append_escaped<Place::attribute>(Buffer&, std::string_view, std::size_t);

// Copies `text` to `to`, which has room for it. True when all of it could be copied as it is.
template <Place place>
inline bool copy_clean(char* to, std::string_view text, std::size_t& clean) {
    if (text.size() <= 16) {
        clean = 0;
        return copy_short<place>(to, text.data(), text.size());
    }
    clean = find_special<place>(text.data(), 0, text.size());
    std::memcpy(to, text.data(), clean);
    return clean == text.size();
}

template <Place place>
inline bool append_text(Buffer& out, std::string_view text) {
    char* to = reinterpret_cast<char*>(out.prepare(text.size()));
    std::size_t clean = 0;
    if (copy_clean<place>(to, text, clean)) {
        out.commit(text.size());
        return true;
    }
    out.commit(clean);
    return append_escaped<place>(out, text, clean);
}

}  // namespace perfrelay::xml
