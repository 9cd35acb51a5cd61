#include "proto/model/bridge/shown_graph.h"
#include "proto/model/wide_text.h"
#include "proto/model/xml_chars.h"

namespace perfrelay::bridge {

namespace {

constexpr std::string_view k_digits = "0123456789ABCDEF";

void append_hex(std::uint32_t number, int digits, std::string& out) {
    for (int i = digits; i-- > 0;)
        out += k_digits[number >> (4 * i) & 0xFU];
}

// Three bytes that are a surrogate, U+FFFE or U+FFFF; 0 when they are none of them.
std::uint32_t forbidden_unit(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
    };
    if (at + 2 >= text.size() || (byte(0) != 0xED && byte(0) != 0xEF)) return 0;
    const std::uint32_t unit =
        (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    return is_surrogate(unit) || unit >= 0xFFFE ? unit : 0;
}

bool needs_escape(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == '\\' || (byte < 0x20 && !xml::is_space(text[at]))) return true;
        if (byte >= 0xED && forbidden_unit(text, at) != 0) return true;
    }
    return false;
}

// The number of `digits` digits at `at`, which moves past them; none: false.
bool take_hex(std::string_view text, std::size_t& at, int digits, std::uint32_t& number) {
    number = 0;
    for (int i = 0; i < digits; ++i, ++at) {
        const std::size_t digit =
            at < text.size() ? k_digits.find(text[at]) : std::string_view::npos;
        if (digit == std::string_view::npos) return false;
        number = number << 4U | static_cast<std::uint32_t>(digit);
    }
    return true;
}

}  // namespace

std::string_view escaped(std::string_view text, std::string& scratch) {
    if (!needs_escape(text)) return text;
    scratch.clear();
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte == '\\') {
            scratch += "\\\\";
        } else if (byte < 0x20 && !xml::is_space(text[at])) {
            scratch += "\\x";
            append_hex(byte, 2, scratch);
        } else if (const std::uint32_t unit = byte >= 0xED ? forbidden_unit(text, at) : 0;
                   unit != 0) {
            scratch += "\\u";
            append_hex(unit, 4, scratch);
            at += 2;
        } else {
            scratch += text[at];
        }
    }
    return scratch;
}

bool unescape(std::string_view text, std::string& out) {
    std::string raw;
    bool units = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at++];
        if (c != '\\') {
            raw += c;
            continue;
        }
        if (at == text.size()) return false;
        const char kind = text[at++];
        std::uint32_t number = 0;
        if (kind == '\\') {
            raw += '\\';
        } else if (kind == 'x' && take_hex(text, at, 2, number) && number < 0x80) {
            raw += static_cast<char>(number);
        } else if (kind == 'u' && take_hex(text, at, 4, number) && number >= 0x800) {
            raw += static_cast<char>(0xE0U | number >> 12U);
            raw += static_cast<char>(0x80U | (number >> 6U & 0x3FU));
            raw += static_cast<char>(0x80U | (number & 0x3FU));
            units = true;
        } else {
            return false;
        }
    }
    // Two surrogates side by side are one character.
    if (units) return append_wide_text(raw, NulForm::one_byte, out);
    out += raw;
    return true;
}

bool names_an_element(std::string_view field) {
    const auto is = [&](std::size_t at, char small) { return (field[at] | 0x20) == small; };
    // XML 1.0 2.3 reserves names that begin so.
    const bool reserved = field.size() >= 3 && is(0, 'x') && is(1, 'm') && is(2, 'l');
    return field != "_" && !reserved && xml::is_ncname(field);
}

}  // namespace perfrelay::bridge
