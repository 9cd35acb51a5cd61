#include "proto/model/wide_text.h"

namespace perfrelay {

namespace {

constexpr std::uint32_t k_bad = 0xFFFFFFFFU;

std::uint8_t byte_of(char c) {
    return static_cast<std::uint8_t>(c);
}

bool is_continuation(char c) {
    return (byte_of(c) & 0xC0U) == 0x80;
}

// The character (or surrogate) that starts at `at`, which moves behind it; k_bad when malformed.
std::uint32_t next_character(std::string_view text, std::size_t& at, NulForm nul) {
    const std::uint32_t lead = byte_of(text[at]);
    if (lead < 0x80) {
        ++at;
        return lead;
    }
    std::size_t more = 0;
    std::uint32_t least = 0;
    if (lead >= 0xC0 && lead < 0xE0) {
        more = 1;
        least = 0x80;
    } else if (lead >= 0xE0 && lead < 0xF0) {
        more = 2;
        least = 0x800;
    } else if (lead >= 0xF0 && lead < 0xF5) {
        more = 3;
        least = 0x10000;
    }
    if (more == 0 || text.size() - at <= more) return k_bad;
    std::uint32_t character = lead & (0x3FU >> more);
    for (std::size_t i = 1; i <= more; ++i) {
        if (!is_continuation(text[at + i])) return k_bad;
        character = (character << 6U) | (byte_of(text[at + i]) & 0x3FU);
    }
    const bool nul_of_two = character == 0 && more == 1 && nul == NulForm::two_bytes;
    if ((character < least && !nul_of_two) || character > 0x10FFFF) return k_bad;
    at += more + 1;
    return character;
}

char* put_character(std::uint32_t character, char* out) {
    const auto tail = [&](unsigned shift) {
        *out++ = static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
    };
    if (character < 0x80) {
        *out++ = static_cast<char>(character);
    } else if (character < 0x800) {
        *out++ = static_cast<char>(0xC0U | (character >> 6U));
        tail(0);
    } else if (character < 0x10000) {
        *out++ = static_cast<char>(0xE0U | (character >> 12U));
        tail(6);
        tail(0);
    } else {
        *out++ = static_cast<char>(0xF0U | (character >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
    return out;
}

}  // namespace

std::size_t utf16_units(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        units += is_continuation(c) ? 0U : 1U;
        units += byte_of(c) >= 0xF0 ? 1U : 0U;
    }
    return units;
}

std::size_t normalise_wide_text(char* text, std::size_t size, NulForm nul, std::size_t& units) {
    units = 0;
    const std::string_view from(text, size);
    char* out = text;
    std::size_t at = 0;
    while (at != size) {
        // Runs of ASCII, eight at a time. What is written lies before what is read.
        while (size - at >= sizeof(std::uint64_t)) {
            constexpr std::uint64_t k_high = 0x8080808080808080U;
            std::uint64_t word = 0;
            std::memcpy(&word, text + at, sizeof word);
            if ((word & k_high) != 0) break;
            std::memcpy(out, &word, sizeof word);
            at += sizeof word;
            out += sizeof word;
            units += sizeof word;
        }
        if (at == size) break;
        if (byte_of(text[at]) < 0x80) {
            *out++ = text[at++];
            ++units;
            continue;
        }
        std::uint32_t character = next_character(from, at, nul);
        if (character == k_bad) return k_not_text;
        // A high surrogate followed by a low one, each in three bytes, is one character.
        if (character >= 0xD800 && character < 0xDC00 && at != size) {
            std::size_t behind = at;
            const std::uint32_t low = next_character(from, behind, nul);
            if (low >= 0xDC00 && low <= 0xDFFF) {
                character = 0x10000 + ((character - 0xD800) << 10U) + (low - 0xDC00);
                at = behind;
            }
        }
        units += character < 0x10000 ? 1U : 2U;
        out = put_character(character, out);  // never longer than what it was read from
    }
    return static_cast<std::size_t>(out - text);
}

bool append_wide_text(std::string_view from, NulForm nul, std::string& to) {
    const std::size_t start = to.size();
    to += from;
    std::size_t units = 0;
    const std::size_t size = normalise_wide_text(to.data() + start, from.size(), nul, units);
    to.resize(size == k_not_text ? start : start + size);
    return size != k_not_text;
}

std::size_t cesu8_size(std::string_view text, NulForm nul) {
    std::size_t size = text.size();
    for (const char c : text) {
        size += byte_of(c) >= 0xF0 ? 2U : 0U;
        size += c == 0 && nul == NulForm::two_bytes ? 1U : 0U;
    }
    return size;
}

std::uint8_t* write_cesu8(std::string_view text, NulForm nul, std::uint8_t* out) {
    const auto unit = [&](std::uint32_t surrogate) {
        *out++ = static_cast<std::uint8_t>(0xE0U | (surrogate >> 12U));
        *out++ = static_cast<std::uint8_t>(0x80U | ((surrogate >> 6U) & 0x3FU));
        *out++ = static_cast<std::uint8_t>(0x80U | (surrogate & 0x3FU));
    };
    for (std::size_t at = 0; at != text.size();) {
        const std::uint8_t lead = byte_of(text[at]);
        if (lead < 0x80 && lead != 0) {
            *out++ = lead;
            ++at;
            continue;
        }
        if (lead >= 0xF0) {
            const std::uint32_t beyond = next_character(text, at, NulForm::one_byte) - 0x10000U;
            unit(0xD800U + (beyond >> 10U));
            unit(0xDC00U + (beyond & 0x3FFU));
            continue;
        }
        if (lead == 0 && nul == NulForm::two_bytes) {
            *out++ = 0xC0;
            *out++ = 0x80;
        } else {
            *out++ = lead;
        }
        ++at;
    }
    return out;
}

}  // namespace perfrelay
