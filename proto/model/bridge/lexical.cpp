#include "proto/model/bridge/lexical.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

#include "proto/model/base64.h"
#include "proto/model/java_view.h"

namespace perfrelay::bridge {

using graph::Node;
using graph::NodeKind;
using graph::Value;
using graph::ValueKind;

namespace {

constexpr double k_exact = 9007199254740992.0;  // 2^53
constexpr std::int64_t k_millis_a_day = 86'400'000;

template <class Number>
void append_number(Number number, std::string& out) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    out.append(text.data(), end);
}

template <class Number>
bool append_floating(Number number, std::string& out) {
    if (!std::isfinite(number)) {
        out += std::isnan(number) ? "NaN" : number > 0 ? "INF" : "-INF";
        return true;
    }
    const bool whole = std::trunc(number) == number && std::abs(number) < Number{k_exact};
    if (whole && !(number == 0 && std::signbit(number))) {
        append_number(static_cast<std::int64_t>(number), out);
    } else {
        append_number(number, out);
    }
    return true;
}

// Takes `digits` digits off the front; -1 when they are none.
int take_digits(std::string_view& text, std::size_t digits) {
    int number = 0;
    if (text.size() < digits) return -1;
    for (std::size_t i = 0; i < digits; ++i) {
        if (text[i] < '0' || text[i] > '9') return -1;
        number = number * 10 + (text[i] - '0');
    }
    text.remove_prefix(digits);
    return number;
}
bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

// XML Schema part 2, 3.2.7.3, 3.2.9.1: minutes; nothing is UTC.
bool take_zone(std::string_view& text, int& minutes) {
    minutes = 0;
    if (text.empty() || text == "Z") return true;
    const bool west = text.front() == '-';
    if (!take(text, '-') && !take(text, '+')) return false;
    const int hours = take_digits(text, 2);
    if (hours < 0 || hours > 14 || !take(text, ':')) return false;
    const int more = take_digits(text, 2);
    if (more < 0 || more > 59 || !text.empty()) return false;
    minutes = (west ? -1 : 1) * (hours * 60 + more);
    return true;
}

// hh:mm:ss and a fraction, in milliseconds. No leap second, no hour 24.
bool take_time(std::string_view& text, std::int64_t& millis) {
    const int hour = take_digits(text, 2);
    if (hour < 0 || hour > 23 || !take(text, ':')) return false;
    const int minute = take_digits(text, 2);
    if (minute < 0 || minute > 59 || !take(text, ':')) return false;
    const int second = take_digits(text, 2);
    if (second < 0 || second > 59) return false;
    int part = 0;
    if (take(text, '.')) {
        const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
        std::string digits(text.substr(0, size));
        text.remove_prefix(size);
        digits.erase(digits.find_last_not_of('0') + 1);
        if (size == 0 || digits.size() > 3) return false;
        digits.resize(3, '0');
        std::string_view three = digits;
        part = take_digits(three, 3);
    }
    millis = (std::int64_t{hour} * 3600 + minute * 60 + second) * 1000 + part;
    return true;
}

void append_digits(int number, int digits, std::string& out) {
    std::string text = std::to_string(number);
    out.append(static_cast<std::size_t>(digits) - text.size(), '0');
    out += text;
}

}  // namespace

std::optional<Value> typed_scalar(std::string_view text) {
    if (text == "true" || text == "false") return Value::boolean(text == "true");
    if (text.empty() || text.size() > 24) return std::nullopt;
    std::int64_t whole = 0;
    const char* const end = text.data() + text.size();
    std::optional<Value> value;
    if (const auto read = std::from_chars(text.data(), end, whole);
        read.ec == std::errc() && read.ptr == end) {
        if (std::abs(static_cast<double>(whole)) >= k_exact) return std::nullopt;
        value = whole == static_cast<std::int32_t>(whole)
                    ? Value::int32(static_cast<std::int32_t>(whole))
                    : Value::int64(whole);
    } else {
        double number = 0;
        const auto floating = std::from_chars(text.data(), end, number);
        if (floating.ec != std::errc() || floating.ptr != end || !std::isfinite(number))
            return std::nullopt;
        value = Value::float64(number);
    }
    std::string spelling;
    if (!append_spelling(*value, spelling) || spelling != text) return std::nullopt;
    return value;
}

std::optional<std::int64_t> date_of(std::string_view text) {
    const int year = take_digits(text, 4);
    if (year < 1 || !take(text, '-')) return std::nullopt;
    const int month = take_digits(text, 2);
    if (month < 0 || !take(text, '-')) return std::nullopt;
    const int day = take_digits(text, 2);
    if (day < 0) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    std::int64_t millis = 0;
    int zone = 0;
    if (!date.ok() || (take(text, 'T') && !take_time(text, millis)) || !take_zone(text, zone))
        return std::nullopt;
    millis +=
        std::chrono::sys_days(date).time_since_epoch().count() * k_millis_a_day - zone * 60'000LL;
    std::string spelling;
    if (!append_date(millis, spelling)) return std::nullopt;
    return millis;
}

std::optional<std::int64_t> typed_date(std::string_view text) {
    constexpr std::size_t k_seconds = 20;
    constexpr std::size_t k_millis = 24;
    if (text.size() != k_seconds && text.size() != k_millis) return std::nullopt;
    const auto millis = date_of(text);
    std::string spelling;
    if (!millis || !append_date(*millis, spelling) || spelling != text) return std::nullopt;
    return millis;
}

bool append_date(std::int64_t millis, std::string& out) {
    constexpr std::int64_t k_first = -62'135'596'800'000;  // year 1
    constexpr std::int64_t k_end = 253'402'300'800'000;    // year 10000
    if (millis < k_first || millis >= k_end) return false;
    const auto day = std::chrono::floor<std::chrono::days>(
        std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(millis)));
    const std::chrono::year_month_day date(day);
    const auto of_day = static_cast<int>(millis - day.time_since_epoch().count() * k_millis_a_day);
    append_digits(static_cast<int>(date.year()), 4, out);
    out += '-';
    append_digits(static_cast<int>(static_cast<unsigned>(date.month())), 2, out);
    out += '-';
    append_digits(static_cast<int>(static_cast<unsigned>(date.day())), 2, out);
    out += 'T';
    append_digits(of_day / 3'600'000, 2, out);
    out += ':';
    append_digits(of_day / 60'000 % 60, 2, out);
    out += ':';
    append_digits(of_day / 1000 % 60, 2, out);
    if (of_day % 1000 != 0) {
        out += '.';
        append_digits(of_day % 1000, 3, out);
    }
    out += 'Z';
    return true;
}

bool append_spelling(const Value& value, std::string& out) {
    switch (value.kind) {
        case ValueKind::text: out += value.text->view(); return true;
        case ValueKind::boolean: out += value.truth() ? "true" : "false"; return true;
        case ValueKind::int8:
        case ValueKind::int16:
        case ValueKind::int32:
        case ValueKind::int64: append_number(value.integer, out); return true;
        case ValueKind::char16:
            out += unit_text(static_cast<std::uint32_t>(value.integer));
            return true;
        case ValueKind::float32: return append_floating(value.as_float(), out);
        case ValueKind::float64: return append_floating(value.as_double(), out);
        case ValueKind::undefined:
        case ValueKind::null: return false;
        case ValueKind::node: break;
    }
    const Node& node = *value.node;
    if (node.kind == NodeKind::date) {
        return !node.has(Node::k_fractional) && append_date(node.millis, out);
    }
    if (node.kind == NodeKind::bytes) {
        out += base64_of(node.bytes());
        return true;
    }
    const auto box = unboxed(node);
    return box && append_spelling(*box, out);
}

}  // namespace perfrelay::bridge
