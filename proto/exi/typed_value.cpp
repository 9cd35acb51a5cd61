#include "proto/exi/typed_value.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "proto/exi/big_integer.h"
#include "proto/exi/date_time.h"
#include "proto/exi/value_text.h"

namespace perfrelay::exi {

namespace {

using R = Representation;

// False when there are more digits than a decoder takes.
bool set_magnitude(std::string_view digits, Value& value) {
    digits = without_leading_zeros(digits);
    value.number = 0;
    value.digits = {};
    if (digits.empty()) return true;
    if (const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value.number);
        error == std::errc()) {
        return end == digits.data() + digits.size();
    }
    value.digits = digits;
    return digits.size() < k_most_octets * 2;
}

bool parse_integer(std::string_view text, Value& value) {
    Scan scan(text);
    value.negative = scan.take('-');
    if (!value.negative) (void)scan.take('+');
    const std::string_view digits = scan.digits();
    if (digits.empty() || !scan.end() || !set_magnitude(digits, value)) return false;
    if (value.number == 0 && value.digits.empty()) value.negative = false;
    return true;
}

bool parse_decimal(std::string_view text, Value& value) {
    Scan scan(text);
    value.negative = scan.take('-');
    if (!value.negative) (void)scan.take('+');
    const std::string_view whole = scan.digits();
    std::string_view fraction;
    if (scan.take('.')) {
        fraction = scan.digits();
        value.unusual = fraction.empty();
    }
    if ((whole.empty() && fraction.empty()) || !scan.end()) return false;
    value.fraction = without_trailing_zeros(fraction);
    if (!set_magnitude(whole, value) || value.fraction.size() >= k_most_octets * 2) return false;
    // Canonical EXI 4.5: zero is positive.
    if (value.number == 0 && value.digits.empty() && value.fraction.empty()) value.negative = false;
    return true;
}

bool parse_floating(std::string_view text, Value& value) {
    const auto special = [&](std::int64_t mantissa) {
        value.mantissa = mantissa;
        value.exponent = Value::k_special;
        return true;
    };
    if (text == "INF") return special(1);
    if (text == "-INF") return special(-1);
    if (text == "NaN") return special(0);
    Scan scan(text);
    const bool negative = scan.take('-');
    if (!negative) (void)scan.take('+');
    const std::string_view whole = scan.digits();
    std::string_view fraction;
    if (scan.take('.')) fraction = scan.digits();
    if (whole.empty() && fraction.empty()) return false;
    std::int64_t exponent = 0;
    if (scan.take('E') || scan.take('e')) {
        const bool below = scan.take('-');
        if (!below) (void)scan.take('+');
        const std::string_view digits = scan.digits();
        if (digits.empty()) return false;
        const std::string_view significant = without_leading_zeros(digits);
        if (significant.size() > 9) return false;
        for (const char c : significant)
            exponent = exponent * 10 + (c - '0');
        if (below) exponent = -exponent;
    }
    if (!scan.end()) return false;
    // The digits as one whole number, zeros off at both ends.
    fraction = without_trailing_zeros(fraction);
    std::string& all = value.scratch;
    all.assign(whole).append(fraction);
    exponent -= static_cast<std::int64_t>(fraction.size());
    std::string_view digits = without_leading_zeros(all);
    const std::string_view shorter = without_trailing_zeros(digits);
    exponent += static_cast<std::int64_t>(digits.size() - shorter.size());
    digits = shorter;
    value.mantissa = 0;
    value.exponent = 0;
    if (digits.empty()) return true;
    std::uint64_t magnitude = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    const std::uint64_t most = (std::uint64_t{1} << 63U) - (negative ? 0U : 1U);
    if (error != std::errc() || end != digits.data() + digits.size() || magnitude > most)
        return false;
    // EXI 7.1.4
    if (exponent <= Value::k_special || exponent >= -Value::k_special) return false;
    value.mantissa = static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
    value.exponent = static_cast<std::int32_t>(exponent);
    return true;
}

constexpr std::string_view k_base64 =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool parse_base64(std::string_view text, std::string& octets) {
    octets.clear();
    std::uint32_t held = 0;
    unsigned count = 0;
    unsigned padding = 0;
    for (const char c : text) {
        if (is_blank(c)) continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const std::size_t digit = k_base64.find(c);
        if (padding != 0 || digit == std::string_view::npos) return false;
        held = held << 6U | static_cast<std::uint32_t>(digit);
        if (++count % 4 == 0) {
            for (const unsigned shift : {16U, 8U, 0U})
                octets += static_cast<char>(held >> shift & 0xFFU);
            held = 0;
        }
    }
    const unsigned rest = count % 4;
    if (rest == 1 || padding != (4 - rest) % 4) return false;
    if (rest == 2) octets += static_cast<char>(held >> 4U & 0xFFU);
    if (rest == 3) {
        octets += static_cast<char>(held >> 10U & 0xFFU);
        octets += static_cast<char>(held >> 2U & 0xFFU);
    }
    return true;
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool parse_hex(std::string_view text, std::string& octets) {
    octets.clear();
    if (text.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]);
        const int low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return false;
        octets += static_cast<char>(high << 4 | low);
    }
    return true;
}

void put_magnitude(Put& put, const Value& value) {
    if (value.digits.empty()) {
        put.number(value.number);
    } else {
        put.all(value.digits);
    }
}

void put_base64(Put& put, std::string_view octets) {
    for (std::size_t i = 0; i < octets.size(); i += 3) {
        std::uint32_t held = 0;
        const std::size_t count = std::min<std::size_t>(3, octets.size() - i);
        for (std::size_t j = 0; j < 3; ++j)
            held = held << 8U | (j < count ? static_cast<unsigned char>(octets[i + j]) : 0U);
        for (std::size_t j = 0; j < 4; ++j)
            put.one(j <= count ? k_base64[held >> (18U - 6U * static_cast<unsigned>(j)) & 63U]
                               : '=');
    }
}

void put_hex(Put& put, std::string_view octets) {
    constexpr std::string_view k_hex = "0123456789ABCDEF";
    for (const char c : octets) {
        put.one(k_hex[static_cast<unsigned char>(c) >> 4U]);
        put.one(k_hex[static_cast<unsigned char>(c) & 15U]);
    }
}

}  // namespace

std::string_view normalised(std::string_view text, WhiteSpace facet, std::string& scratch) {
    if (facet == WhiteSpace::preserve) return text;
    if (facet == WhiteSpace::replace) {
        if (text.find_first_of("\t\n\r") == std::string_view::npos) return text;
        scratch.assign(text);
        std::replace_if(scratch.begin(), scratch.end(), is_blank, ' ');
        return scratch;
    }
    bool plain = text.empty() || (!is_blank(text.front()) && !is_blank(text.back()));
    for (std::size_t i = 0; plain && i < text.size(); ++i)
        plain = !is_blank(text[i]) || (text[i] == ' ' && text[i + 1] != ' ');
    if (plain) return text;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!is_blank(text[i])) {
            out += text[i];
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    if (!out.empty() && out.back() == ' ') out.pop_back();
    scratch = std::move(out);
    return scratch;
}

bool next_item(std::string_view list, std::size_t& at, std::string_view& item) {
    if (at >= list.size()) return false;
    const std::size_t end = std::min(list.find(' ', at), list.size());
    item = list.substr(at, end - at);
    at = end + 1;
    return true;
}

bool parse_value(const Datatypes& datatypes, const Datatype& datatype, std::string_view text,
                 Value& value) {
    value.unusual = false;
    switch (datatype.representation) {
        case R::string: value.text = text; return true;
        case R::boolean:
        case R::boolean_pattern: {
            constexpr std::array<std::string_view, 4> k_texts{"false", "0", "true", "1"};
            const auto at = std::find(k_texts.begin(), k_texts.end(), text);
            value.number = static_cast<std::uint64_t>(at - k_texts.begin());
            if (datatype.representation == R::boolean) value.number /= 2;
            return at != k_texts.end();
        }
        case R::decimal: return parse_decimal(text, value);
        case R::floating: return parse_floating(text, value);
        case R::integer: return parse_integer(text, value);
        case R::unsigned_integer: return parse_integer(text, value) && !value.negative;
        case R::n_bit: {
            if (!parse_integer(text, value) || !value.digits.empty()) return false;
            const std::uint64_t signed_bits = value.negative ? ~value.number + 1 : value.number;
            if (value.number > INT64_MAX) return false;
            // What the bits can hold, valid or not (EXI 8.5.4.1.3.1).
            value.number = signed_bits - static_cast<std::uint64_t>(datatype.minimum);
            value.negative = false;
            return value.number < std::uint64_t{1} << datatype.width;
        }
        case R::base64_binary:
            if (!parse_base64(text, value.scratch)) return false;
            value.text = value.scratch;
            return true;
        case R::hex_binary:
            if (!parse_hex(text, value.scratch)) return false;
            value.text = value.scratch;
            return true;
        case R::list: {
            value.text = text;
            std::string_view item;
            const Datatype& of = datatypes[datatype.other];
            Value one;
            for (std::size_t at = 0; next_item(text, at, item);) {
                if (!parse_value(datatypes, of, item, one)) return false;
                value.unusual = value.unusual || one.unusual;
            }
            return true;
        }
        case R::enumeration: {
            const Datatypes::Enumeration& items = datatypes.enumeration(datatype);
            if (!parse_value(datatypes, items.base, text, value)) return false;
            value.canonical.clear();
            if (has_time(items.base.representation)) to_utc(items.base.representation, value);
            const std::string_view key =
                items.base.representation == R::string
                    ? text
                    : text_of(datatypes, items.base, value, value.canonical);
            const std::uint32_t item = Datatypes::find_item(items, key);
            value.number = item;
            return item != k_no_component;
        }
        case R::foreign: return false;
        default: return parse_date_time(datatype.representation, text, value);
    }
}

std::string_view text_of(const Datatypes& datatypes, const Datatype& datatype, const Value& value,
                         Arena& arena) {
    constexpr std::size_t k_number = 24;  // a sign and 64 bits, or a point and a digit
    const auto write = [&](std::size_t most, const auto& put_it) {
        Put put(arena.prepare(most));
        put_it(put);
        return arena.commit(put.size());
    };
    switch (datatype.representation) {
        case R::string:
        case R::list:
        case R::foreign: return value.text;
        case R::boolean: return value.number != 0 ? "true" : "false";
        case R::boolean_pattern: {
            constexpr std::array<std::string_view, 4> k_texts{"false", "0", "true", "1"};
            return k_texts[value.number & 3U];
        }
        case R::decimal:
            return write(value.digits.size() + value.fraction.size() + k_number, [&](Put& put) {
                if (value.negative) put.one('-');
                put_magnitude(put, value);
                put.one('.');
                put.all(value.fraction.empty() ? "0" : value.fraction);
            });
        case R::floating:
            if (value.exponent == Value::k_special)
                return value.mantissa == 1 ? "INF" : value.mantissa == -1 ? "-INF" : "NaN";
            return write(2 * k_number, [&](Put& put) {
                // The shortest mantissa: others may have been sent.
                std::int64_t mantissa = value.mantissa;
                std::int32_t exponent = mantissa == 0 ? 0 : value.exponent;
                for (; mantissa != 0 && mantissa % 10 == 0; mantissa /= 10)
                    ++exponent;
                if (mantissa < 0) put.one('-');
                const auto bits = static_cast<std::uint64_t>(mantissa);
                put.number(mantissa < 0 ? ~bits + 1 : bits);
                put.one('E');
                if (exponent < 0) put.one('-');
                put.number(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
            });
        case R::integer:
        case R::unsigned_integer:
            return write(value.digits.size() + k_number, [&](Put& put) {
                if (value.negative) put.one('-');
                put_magnitude(put, value);
            });
        case R::n_bit:
            return write(k_number, [&](Put& put) {
                const std::uint64_t bits =
                    value.number + static_cast<std::uint64_t>(datatype.minimum);
                const bool negative = static_cast<std::int64_t>(bits) < 0;
                if (negative) put.one('-');
                put.number(negative ? ~bits + 1 : bits);
            });
        case R::base64_binary:
            return write(value.text.size() / 3 * 4 + 4,
                         [&](Put& put) { put_base64(put, value.text); });
        case R::hex_binary:
            return write(value.text.size() * 2, [&](Put& put) { put_hex(put, value.text); });
        case R::enumeration: return datatypes.enumeration(datatype).items[value.number];
        default:
            return write(value.fraction.size() + 64,
                         [&](Put& put) { put_date_time(put, datatype.representation, value); });
    }
}

namespace {

bool same_value(std::string_view written, std::string_view read, bool utc) {
    static const Datatypes none({}, {}, false);
    std::string scratch;
    if (normalised(written, WhiteSpace::replace, scratch) == read) return true;
    const std::string_view collapsed = normalised(written, WhiteSpace::collapse, scratch);
    if (collapsed == read) return true;
    const auto same = [&](std::string_view a, std::string_view b) {
        Value value;
        Arena arena;
        for (unsigned i = 0; i <= static_cast<unsigned>(R::g_month); ++i) {
            Datatype datatype;
            datatype.representation = static_cast<R>(i);
            if (datatype.representation == R::n_bit || datatype.representation == R::string)
                continue;
            if (!parse_value(none, datatype, a, value)) continue;
            if (utc && is_date_time(datatype.representation))
                to_utc(datatype.representation, value);
            if (text_of(none, datatype, value, arena) == b) return true;
        }
        return false;
    };
    if (same(collapsed, read)) return true;
    std::string_view a;
    std::string_view b;
    std::size_t at = 0;
    std::size_t of = 0;
    while (next_item(collapsed, at, a)) {
        if (!next_item(read, of, b) || (a != b && !same(a, b))) return false;
    }
    return !next_item(read, of, b);
}

}  // namespace

bool same_typed_value(std::string_view written, std::string_view read) {
    return same_value(written, read, false);
}
bool same_utc_value(std::string_view written, std::string_view read) {
    return same_value(written, read, true);
}

}  // namespace perfrelay::exi
