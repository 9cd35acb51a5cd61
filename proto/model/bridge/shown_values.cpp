#include "proto/model/bridge/shown_values.h"

#include <string>

#include "proto/model/bridge/shown_graph.h"

namespace perfrelay::bridge {

using graph::Value;
using graph::ValueKind;

namespace {

template <class Number>
bool read_whole(std::string_view text, Value (*make)(Number), Value& to) {
    Number number{};
    if (!read_number(text, number)) return false;
    to = make(number);
    return true;
}

template <class Number>
bool read_floating(std::string_view text, Value (*make)(Number), Value& to) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) return false;
    to = make(number);
    return true;
}

}  // namespace

bool read_scalar(ValueKind kind, std::string_view text, ObjectGraph& graph, Value& to) {
    switch (kind) {
        case ValueKind::undefined: to = Value::undefined(); return text.empty();
        case ValueKind::null: to = Value::null(); return text.empty();
        case ValueKind::boolean:
            to = Value::boolean(text == "true");
            return text == "true" || text == "false";
        case ValueKind::int8: return read_whole(text, Value::int8, to);
        case ValueKind::int16: return read_whole(text, Value::int16, to);
        case ValueKind::int32: return read_whole(text, Value::int32, to);
        case ValueKind::int64: return read_whole(text, Value::int64, to);
        case ValueKind::char16: return read_whole(text, Value::char16, to);
        case ValueKind::float32: return read_floating(text, Value::float32, to);
        case ValueKind::float64: return read_floating(text, Value::float64, to);
        case ValueKind::text: {
            std::string plain;
            if (!unescape(text, plain)) return false;
            to = Value::of(graph.intern(plain));
            return true;
        }
        case ValueKind::node: break;
    }
    return false;
}

bool read_hex(std::string_view text, ObjectGraph& graph, graph::Node& node) {
    if (text.size() % 2 != 0) return false;
    auto* const bytes = graph.array<std::uint8_t>(text.size() / 2);
    for (std::size_t i = 0; i < text.size() / 2; ++i) {
        if (!read_number(text.substr(2 * i, 2), bytes[i], 16)) return false;
    }
    node.data = bytes;
    node.count = static_cast<std::uint32_t>(text.size() / 2);
    return true;
}

}  // namespace perfrelay::bridge
