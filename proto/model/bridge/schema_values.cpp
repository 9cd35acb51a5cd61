#include "proto/model/bridge/schema_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proto/model/base64.h"
#include "proto/model/bridge/lexical.h"

namespace perfrelay::bridge {

using graph::Node;
using graph::NodeKind;
using graph::Value;
using Kind = ValueType::Kind;

namespace {

constexpr std::string_view k_blank = " \t\n\r";
constexpr std::int64_t k_exact = std::int64_t{1} << 53U;

// The facet whiteSpace of all of these types: collapse.
std::string_view trimmed(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(k_blank), text.size());
    const std::size_t end = text.find_last_not_of(k_blank) + 1;
    return text.substr(first, std::max(first, end) - first);
}

template <class Number>
bool read_all(std::string_view text, Number& number) {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.front() == '+') return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

std::optional<Value> integer(std::string_view text) {
    std::int64_t number = 0;
    if (!read_all(text, number) || number <= -k_exact || number >= k_exact) return std::nullopt;
    if (number == static_cast<std::int32_t>(number))
        return Value::int32(static_cast<std::int32_t>(number));
    return Value::int64(number);
}

// Of fifteen digits or fewer: their double is nearer to them than to any others.
std::optional<Value> decimal(std::string_view text) {
    constexpr std::size_t k_most_digits = 15;
    const std::string_view sign =
        text.starts_with('-') || text.starts_with('+') ? text.substr(0, 1) : "";
    const std::string_view digits = text.substr(sign.size());
    if (digits.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    const auto count = static_cast<std::size_t>(
        std::count_if(digits.begin(), digits.end(), [](char c) { return c != '.'; }));
    double number = 0;
    if (count > k_most_digits || !read_all(text, number)) return std::nullopt;
    if (number == 0) number = 0;  // a decimal has no negative zero
    // An exponent is no decimal's.
    std::string spelling;
    append_spelling(Value::float64(number), spelling);
    if (spelling.find('e') != std::string::npos) return std::nullopt;
    return Value::float64(number);
}

std::optional<Value> floating(std::string_view text) {
    if (text == "INF") return Value::float64(HUGE_VAL);
    if (text == "-INF") return Value::float64(-HUGE_VAL);
    if (text == "NaN") return Value::float64(NAN);
    double number = 0;
    if (!read_all(text, number) || !std::isfinite(number)) return std::nullopt;
    return Value::float64(number);
}

std::optional<Value> scalar(std::string_view text, Kind kind) {
    switch (kind) {
        case Kind::boolean:
            if (text == "true" || text == "1") return Value::boolean(true);
            if (text == "false" || text == "0") return Value::boolean(false);
            return std::nullopt;
        case Kind::integer: return integer(text);
        case Kind::decimal: return decimal(text);
        case Kind::floating: return floating(text);
        case Kind::text:
        case Kind::date:
        case Kind::base64:
        case Kind::hex: break;
    }
    return std::nullopt;
}

bool octets(std::string_view text, Kind kind, std::string& out) {
    if (kind == Kind::base64) return bytes_of_base64(text, out);
    out.clear();
    if (text.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < text.size(); i += 2) {
        std::uint8_t octet = 0;
        const char* const end = text.data() + i + 2;
        const auto read = std::from_chars(text.data() + i, end, octet, 16);
        if (read.ec != std::errc() || read.ptr != end) return false;
        out += static_cast<char>(octet);
    }
    return true;
}

std::vector<std::string_view> items_of(std::string_view list) {
    std::vector<std::string_view> items;
    for (std::size_t at = list.find_first_not_of(k_blank); at != std::string_view::npos;
         at = list.find_first_not_of(k_blank, at)) {
        const std::size_t end = std::min(list.find_first_of(k_blank, at), list.size());
        items.push_back(list.substr(at, end - at));
        at = end;
    }
    return items;
}

Value one_value(std::string_view text, Kind kind, ObjectGraph& graph) {
    const std::string_view value = trimmed(text);
    if (const auto found = scalar(value, kind)) return *found;
    if (kind == Kind::date) {
        if (const auto millis = date_of(value)) {
            Node* const date = graph.new_node(NodeKind::date);
            date->millis = *millis;
            return Value::of(date);
        }
    }
    std::string bytes;
    if ((kind == Kind::base64 || kind == Kind::hex) && octets(value, kind, bytes)) {
        Node* const node = graph.new_node(NodeKind::bytes);
        node->data = as_bytes(graph.arena().copy(bytes)).data();
        node->count = static_cast<std::uint32_t>(bytes.size());
        return Value::of(node);
    }
    return Value::of(graph.intern(text));
}

// What `written` comes back as when it is a value of `kind`; "" when it is none.
std::string comes_back(std::string_view written, Kind kind) {
    std::string out;
    if (const auto found = scalar(written, kind)) {
        append_spelling(*found, out);
    } else if (kind == Kind::date) {
        if (const auto millis = date_of(written)) append_date(*millis, out);
    } else if (std::string bytes; octets(written, kind, bytes)) {
        out = base64_of(as_bytes(bytes));
    }
    return out;
}

bool same_item(std::string_view written, std::string_view read) {
    if (written == read) return true;
    constexpr Kind k_kinds[] = {Kind::boolean, Kind::integer, Kind::decimal, Kind::floating,
                                Kind::date,    Kind::base64,  Kind::hex};
    return std::any_of(std::begin(k_kinds), std::end(k_kinds),
                       [&](Kind kind) { return comes_back(written, kind) == read; });
}

}  // namespace

Value schema_value(std::string_view text, ValueType type, ObjectGraph& graph) {
    if (!type.list) return one_value(text, type.kind, graph);
    Node* const list = graph.new_node(NodeKind::list);
    std::vector<Value> items;
    for (const std::string_view item : items_of(text))
        items.push_back(one_value(item, type.kind, graph));
    list->items = graph.copy(items).data();
    list->count = static_cast<std::uint32_t>(items.size());
    return Value::of(list);
}

bool same_schema_value(std::string_view written, std::string_view read) {
    if (same_item(trimmed(written), read)) return true;
    const std::vector<std::string_view> items = items_of(written);
    const std::vector<std::string_view> again = items_of(read);
    return std::equal(items.begin(), items.end(), again.begin(), again.end(), same_item);
}

}  // namespace perfrelay::bridge
