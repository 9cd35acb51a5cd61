#include "proto/exi/typed_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace perfrelay::exi {

namespace {

using R = Representation;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// What is left of a text, taken from its front.
class Scan {
  public:
    explicit Scan(std::string_view text) : text_(text) {}

    bool end() const { return text_.empty(); }
    bool take(char c) {
        if (text_.empty() || text_[0] != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::string_view digits() {
        std::size_t count = 0;
        while (count < text_.size() && is_digit(text_[count]))
            ++count;
        const std::string_view found = text_.substr(0, count);
        text_.remove_prefix(count);
        return found;
    }
    // Exactly two digits, at most `most`.
    bool two(std::uint8_t& out, unsigned most) {
        if (text_.size() < 2 || !is_digit(text_[0]) || !is_digit(text_[1])) return false;
        const auto value = static_cast<unsigned>((text_[0] - '0') * 10 + (text_[1] - '0'));
        text_.remove_prefix(2);
        out = static_cast<std::uint8_t>(value);
        return value <= most;
    }

  private:
    std::string_view text_;
};

std::string_view without_leading_zeros(std::string_view digits) {
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}
std::string_view without_trailing_zeros(std::string_view digits) {
    const std::size_t last = digits.find_last_not_of('0');
    return digits.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

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

bool parse_year(Scan& scan, Value& value) {
    const bool negative = scan.take('-');
    const std::string_view digits = scan.digits();
    if (digits.size() < 4 || digits.size() > 18) return false;
    std::int64_t year = 0;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), year);
    value.year = negative ? -year : year;
    value.unusual = digits.size() > 4;
    return true;
}

bool parse_zone(Scan& scan, Value& value) {
    value.has_zone = !scan.end();
    value.zone = 0;
    if (scan.end() || scan.take('Z')) return scan.end();
    const bool negative = scan.take('-');
    if (!negative && !scan.take('+')) return false;
    std::uint8_t hours = 0;
    std::uint8_t minutes = 0;
    if (!scan.two(hours, 14) || !scan.take(':') || !scan.two(minutes, 59)) return false;
    const int zone = hours * 60 + minutes;
    value.zone = static_cast<std::int16_t>(negative ? -zone : zone);
    return scan.end();
}

unsigned days_of_month(const Value& value) {
    constexpr std::array<std::uint8_t, 12> k_days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = value.year % 4 == 0 && (value.year % 100 != 0 || value.year % 400 == 0);
    return k_days[value.month - 1U] + (leap && value.month == 2 ? 1U : 0U);
}

// There is no year 0 (XML Schema 1.0 part 2, 3.2.7).
void next_day(Value& value) {
    if (value.day < days_of_month(value)) {
        ++value.day;
        return;
    }
    value.day = 1;
    if (value.month++ < 12) return;
    value.month = 1;
    if (++value.year == 0) value.year = 1;
}
void day_before(Value& value) {
    if (value.day > 1) {
        --value.day;
        return;
    }
    if (value.month > 1) {
        --value.month;
    } else {
        value.month = 12;
        if (--value.year == 0) value.year = -1;
    }
    value.day = static_cast<std::uint8_t>(days_of_month(value));
}

// 24:00:00 is the next day's 00:00:00 (XML Schema part 2, 3.2.7; Canonical EXI 4.5).
void end_of_day(R type, Value& value) {
    if (value.hour != 24 || value.minute != 0 || value.second != 0 || !value.fraction.empty())
        return;
    value.hour = 0;
    if (type == R::date_time) next_day(value);
}

bool parse_date_time(R type, std::string_view text, Value& value) {
    Scan scan(text);
    value.fraction = {};
    value.year = 0;
    value.month = value.day = value.hour = value.minute = value.second = 0;
    const auto month = [&] { return scan.two(value.month, 12) && value.month != 0; };
    const auto day = [&] { return scan.two(value.day, 31) && value.day != 0; };
    const auto time = [&] {
        if (!scan.two(value.hour, 24) || !scan.take(':') || !scan.two(value.minute, 59) ||
            !scan.take(':') || !scan.two(value.second, 60)) {
            return false;
        }
        if (!scan.take('.')) return true;
        const std::string_view digits = scan.digits();
        value.fraction = without_trailing_zeros(digits);
        return !digits.empty() && digits.size() < k_most_octets;
    };
    bool good = false;
    switch (type) {
        case R::date_time:
            good = parse_year(scan, value) && scan.take('-') && month() && scan.take('-') &&
                   day() && scan.take('T') && time();
            break;
        case R::time: good = time(); break;
        case R::date:
            good = parse_year(scan, value) && scan.take('-') && month() && scan.take('-') && day();
            break;
        case R::g_year_month: good = parse_year(scan, value) && scan.take('-') && month(); break;
        case R::g_year: good = parse_year(scan, value); break;
        case R::g_month_day:
            good = scan.take('-') && scan.take('-') && month() && scan.take('-') && day();
            break;
        case R::g_day: good = scan.take('-') && scan.take('-') && scan.take('-') && day(); break;
        case R::g_month:
            good = scan.take('-') && scan.take('-') && month();
            // The erratum's form and the first edition's, "--01--".
            if (good && !scan.end() && text.substr(4, 2) == "--")
                good = scan.take('-') && scan.take('-');
            break;
        default: return false;
    }
    if (!good || !parse_zone(scan, value)) return false;
    end_of_day(type, value);
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

// Appends to a text whose room is known.
class Put {
  public:
    explicit Put(char* to) : begin_(to), to_(to) {}
    void one(char c) { *to_++ = c; }
    void all(std::string_view text) { to_ = std::copy(text.begin(), text.end(), to_); }
    void number(std::uint64_t value) { to_ = std::to_chars(to_, to_ + 20, value).ptr; }
    void two(unsigned value) {
        one(static_cast<char>('0' + value / 10));
        one(static_cast<char>('0' + value % 10));
    }
    std::size_t size() const { return static_cast<std::size_t>(to_ - begin_); }

  private:
    char* begin_;
    char* to_;
};

void put_magnitude(Put& put, const Value& value) {
    if (value.digits.empty()) {
        put.number(value.number);
    } else {
        put.all(value.digits);
    }
}

void put_date_time(Put& put, R type, const Value& value) {
    if (has_year(type)) {
        if (value.year < 0) put.one('-');
        const std::uint64_t year = value.year < 0 ? ~static_cast<std::uint64_t>(value.year) + 1
                                                  : static_cast<std::uint64_t>(value.year);
        for (std::uint64_t least = 1000; least > year && least > 1; least /= 10)
            put.one('0');
        put.number(year);
    }
    switch (type) {
        case R::date_time:
        case R::date:
            put.one('-');
            put.two(value.month);
            put.one('-');
            put.two(value.day);
            break;
        case R::g_year_month:
            put.one('-');
            put.two(value.month);
            break;
        case R::g_month_day:
            put.all("--");
            put.two(value.month);
            put.one('-');
            put.two(value.day);
            break;
        case R::g_month:
            put.all("--");
            put.two(value.month);
            break;
        case R::g_day:
            put.all("---");
            put.two(value.day);
            break;
        default: break;
    }
    if (type == R::date_time) put.one('T');
    if (has_time(type)) {
        put.two(value.hour);
        put.one(':');
        put.two(value.minute);
        put.one(':');
        put.two(value.second);
        if (!value.fraction.empty()) {
            put.one('.');
            put.all(value.fraction);
        }
    }
    if (!value.has_zone) return;
    if (value.zone == 0) return put.one('Z');
    put.one(value.zone < 0 ? '-' : '+');
    const auto zone = static_cast<unsigned>(value.zone < 0 ? -value.zone : value.zone);
    put.two(zone / 60);
    put.one(':');
    put.two(zone % 60);
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

constexpr std::size_t k_limb_bits = 28;  // four groups of seven
constexpr std::uint32_t k_limb_mask = (1U << k_limb_bits) - 1;
constexpr std::uint64_t k_billion = 1'000'000'000;

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
            to_utc(items.base.representation, value);
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

bool same_typed_value(std::string_view written, std::string_view read) {
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
            if (parse_value(none, datatype, a, value) &&
                text_of(none, datatype, value, arena) == b) {
                return true;
            }
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

void to_utc(Representation type, Value& value) {
    if (!has_time(type) || !value.has_zone || value.zone == 0) return;
    constexpr int k_day = 24 * 60;
    int minutes = value.hour * 60 + value.minute - value.zone;
    if (minutes >= k_day) {
        minutes -= k_day;
        if (type == R::date_time) next_day(value);
    } else if (minutes < 0) {
        minutes += k_day;
        if (type == R::date_time) day_before(value);
    }
    value.hour = static_cast<std::uint8_t>(minutes / 60);
    value.minute = static_cast<std::uint8_t>(minutes % 60);
    value.zone = 0;
}

void add_one(Value& magnitude, Arena& arena) {
    if (magnitude.digits.empty() && magnitude.number != UINT64_MAX) {
        ++magnitude.number;
        return;
    }
    std::string digits(magnitude.digits);
    if (digits.empty()) digits = std::to_string(magnitude.number);
    std::size_t at = digits.size();
    while (at != 0 && digits[at - 1] == '9')
        digits[--at] = '0';
    if (at == 0) {
        digits.insert(0, 1, '1');
    } else {
        ++digits[at - 1];
    }
    magnitude.number = 0;
    magnitude.digits = arena.copy(digits);
}

std::string one_less(std::string_view digits) {
    std::string less(digits);
    std::size_t at = less.size();
    while (at != 0 && less[at - 1] == '0')
        less[--at] = '9';
    if (at != 0) --less[at - 1];
    const std::size_t first = less.find_first_not_of('0');
    return first == std::string::npos ? "0" : less.substr(first);
}

void groups_of_digits(std::string_view digits, std::string& groups) {
    std::vector<std::uint32_t> limbs;
    for (std::size_t at = 0; at < digits.size();) {
        const std::size_t count = (digits.size() - at) % 9 == 0 ? 9 : (digits.size() - at) % 9;
        std::uint64_t carry = 0;
        (void)std::from_chars(digits.data() + at, digits.data() + at + count, carry);
        std::uint64_t scale = 1;
        for (std::size_t i = 0; i < count; ++i)
            scale *= 10;
        for (std::uint32_t& limb : limbs) {
            carry += limb * scale;
            limb = static_cast<std::uint32_t>(carry) & k_limb_mask;
            carry >>= k_limb_bits;
        }
        for (; carry != 0; carry >>= k_limb_bits)
            limbs.push_back(static_cast<std::uint32_t>(carry) & k_limb_mask);
        at += count;
    }
    groups.clear();
    for (const std::uint32_t limb : limbs) {
        for (unsigned shift = 0; shift < k_limb_bits; shift += 7)
            groups += static_cast<char>(limb >> shift & 0x7FU);
    }
    while (groups.size() > 1 && groups.back() == 0)
        groups.pop_back();
    if (groups.empty()) groups += '\0';
}

std::string digits_of_groups(std::string_view groups) {
    std::vector<std::uint32_t> limbs;  // of nine digits, the lowest first
    for (std::size_t i = groups.size(); i-- != 0;) {
        std::uint64_t carry = static_cast<unsigned char>(groups[i]);
        for (std::uint32_t& limb : limbs) {
            carry += std::uint64_t{limb} << 7U;
            limb = static_cast<std::uint32_t>(carry % k_billion);
            carry /= k_billion;
        }
        if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
    }
    std::string out;
    for (std::size_t i = limbs.size(); i-- != 0;) {
        const std::string part = std::to_string(limbs[i]);
        if (!out.empty()) out.append(9 - part.size(), '0');
        out += part;
    }
    return out.empty() ? "0" : out;
}

}  // namespace perfrelay::exi
