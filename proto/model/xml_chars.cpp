#include "proto/model/xml_chars.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace perfrelay::xml {

namespace {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

// XML 1.0 2.3 [4] NameStartChar, without the colon.
constexpr Range k_name_start[] = {
    {'A', 'Z'},       {'_', '_'},       {'a', 'z'},       {0xC0, 0xD6},     {0xD8, 0xF6},
    {0xF8, 0x2FF},    {0x370, 0x37D},   {0x37F, 0x1FFF},  {0x200C, 0x200D}, {0x2070, 0x218F},
    {0x2C00, 0x2FEF}, {0x3001, 0xD7FF}, {0xF900, 0xFDCF}, {0xFDF0, 0xFFFD}, {0x10000, 0xEFFFF},
};

// [4a] NameChar: what it adds.
constexpr Range k_name_more[] = {
    {'-', '.'}, {'0', '9'}, {0xB7, 0xB7}, {0x300, 0x36F}, {0x203F, 0x2040},
};

template <std::size_t count>
bool contains(const Range (&ranges)[count], std::uint32_t c) {
    return std::any_of(std::begin(ranges), std::end(ranges),
                       [c](const Range& range) { return c >= range.first && c <= range.last; });
}

// The code point at `at`, which moves past it; 0 when the bytes are not UTF-8.
std::uint32_t next_character(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t index) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[index]));
    };
    const std::uint32_t lead = byte(at);
    if (lead < 0x80) {
        ++at;
        return lead;
    }
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at <= more) return 0;
    std::uint32_t value = lead & (0x3FU >> more);
    for (std::size_t i = 1; i <= more; ++i) {
        if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
        value = (value << 6U) | (byte(at + i) & 0x3FU);
    }
    at += more + 1;
    return value;
}

// 1: starts a name, 2: goes on with it; ASCII without the colon.
constexpr std::array<std::uint8_t, 128> make_ascii() {
    std::array<std::uint8_t, 128> table{};
    for (std::size_t c = 0; c < table.size(); ++c) {
        for (const Range& range : k_name_start) {
            if (c >= range.first && c <= range.last) table[c] = 3;
        }
        for (const Range& range : k_name_more) {
            if (c >= range.first && c <= range.last) table[c] = 2;
        }
    }
    return table;
}
constexpr std::array<std::uint8_t, 128> k_ascii = make_ascii();

bool all_name_characters(std::string_view text, bool colon) {
    if (text.empty()) return false;
    for (std::size_t at = 0; at < text.size();) {
        const bool first = at == 0;
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte < 0x80 && (k_ascii[byte] & (first ? 1U : 2U)) != 0) {
            ++at;
            continue;
        }
        const std::uint32_t c = next_character(text, at);
        if (c == 0) return false;
        const bool good = (colon && c == ':') || contains(k_name_start, c) ||
                          (!first && contains(k_name_more, c));
        if (!good) return false;
    }
    return true;
}

}  // namespace

bool is_blank(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_space);
}

bool is_name(std::string_view text) {
    return all_name_characters(text, true);
}

bool is_ncname(std::string_view text) {
    return all_name_characters(text, false);
}

std::size_t find_forbidden(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (c < 0x20 && !is_space(text[at])) return at;
        if (c == 0xEF && text.size() - at > 2 && text[at + 1] == '\xBF' &&
            static_cast<unsigned char>(text[at + 2]) >= 0xBE) {
            return at;
        }
    }
    return std::string_view::npos;
}

std::string_view normalize_line_ends(std::string_view text, std::string& scratch) {
    if (text.find('\r') == std::string_view::npos) return text;
    scratch.clear();
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\r') {
            scratch += text[at];
        } else if (at + 1 == text.size() || text[at + 1] != '\n') {
            scratch += '\n';
        }
    }
    return scratch;
}

}  // namespace perfrelay::xml
