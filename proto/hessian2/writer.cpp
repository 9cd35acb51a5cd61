#include "proto/hessian2/writer.h"

#include <cmath>
#include <string_view>

#include "proto/hessian2/wire.h"
#include "proto/model/wide_text.h"

namespace perfrelay::hessian2 {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

constexpr std::size_t k_most_scalar = 9;
constexpr std::uint32_t k_most_short = 31;     // units of a short string
constexpr std::uint32_t k_most_medium = 1023;  // units, or bytes
constexpr std::uint32_t k_most_short_bytes = 15;
constexpr std::size_t k_most_binary = 0xFFFF;
constexpr std::uint32_t k_most_short_items = 7;
constexpr std::uint32_t k_most_short_class = 15;

bool within(std::int64_t value, std::int64_t least, std::int64_t most) {
    return value >= least && value <= most;
}

// A number whose high part stands in the code: times 256 or 65536, plus the bytes behind it.
void split(FastOut& out, std::uint8_t zero, std::int64_t value, unsigned low_bytes) {
    out.u8(static_cast<std::uint8_t>(zero + (value >> (8U * low_bytes))));
    if (low_bytes == 2) out.u8(static_cast<std::uint8_t>(value >> 8U));
    if (low_bytes != 0) out.u8(static_cast<std::uint8_t>(value));
}

// H 4.5
void integer(FastOut& out, std::int64_t value) {
    out.room(k_most_scalar);
    if (within(value, -16, 47)) {
        split(out, k_int_1_zero, value, 0);
    } else if (within(value, -2048, 2047)) {
        split(out, k_int_2_zero, value, 1);
    } else if (within(value, -262144, 262143)) {
        split(out, k_int_3_zero, value, 2);
    } else {
        out.u8(k_int);
        out.u32(static_cast<std::uint32_t>(value));
    }
}

// H 4.7
void wide_integer(FastOut& out, std::int64_t value) {
    out.room(k_most_scalar);
    if (within(value, -8, 15)) {
        split(out, k_long_1_zero, value, 0);
    } else if (within(value, -2048, 2047)) {
        split(out, k_long_2_zero, value, 1);
    } else if (within(value, -262144, 262143)) {
        split(out, k_long_3_zero, value, 2);
    } else if (within(value, INT32_MIN, INT32_MAX)) {
        out.u8(k_long_4);
        out.u32(static_cast<std::uint32_t>(value));
    } else {
        out.u8(k_long);
        out.u64(static_cast<std::uint64_t>(value));
    }
}

// H 4.4, in the order in which Caucho tries. Ranges first: a cast from beyond is undefined.
void number(FastOut& out, const Value& bits) {
    const double value = bits.as_double();
    out.room(k_most_scalar);
    const bool negative_zero = value == 0 && std::signbit(value);
    if (value >= INT16_MIN && value <= INT16_MAX && std::trunc(value) == value && !negative_zero) {
        const int whole = static_cast<int>(value);
        if (whole == 0) return out.u8(k_double_0);
        if (whole == 1) return out.u8(k_double_1);
        if (within(whole, INT8_MIN, INT8_MAX)) {
            out.u8(k_double_byte);
            return out.u8(static_cast<std::uint8_t>(whole));
        }
        out.u8(k_double_short);
        return out.u16(static_cast<std::uint16_t>(whole));
    }
    const double thousandths = value * 1000;
    if (thousandths > -2147483649.0 && thousandths < 2147483648.0 && !negative_zero) {
        const auto mills = static_cast<std::int32_t>(thousandths);
        if (0.001 * mills == value) {
            out.u8(k_double_mill);
            return out.u32(static_cast<std::uint32_t>(mills));
        }
    }
    out.u8(k_double);
    out.u64(bits.bits);
}

// H 4.3: minutes when it is whole ones that 32 bits hold.
void date(FastOut& out, std::int64_t millis) {
    out.room(k_most_scalar);
    const std::int64_t minutes = millis / k_millis_a_minute;
    if (millis % k_millis_a_minute == 0 && within(minutes, INT32_MIN, INT32_MAX)) {
        out.u8(k_date_minutes);
        out.u32(static_cast<std::uint32_t>(minutes));
    } else {
        out.u8(k_date);
        out.u64(static_cast<std::uint64_t>(millis));
    }
}

// The code and length of a string's last piece.
void string_head(FastOut& out, std::size_t units) {
    if (units <= k_most_short) {
        out.u8(static_cast<std::uint8_t>(units));
    } else if (units <= k_most_medium) {
        out.u8(static_cast<std::uint8_t>(k_medium_string + (units >> 8U)));
        out.u8(static_cast<std::uint8_t>(units));
    } else {
        out.u8(k_string);
        out.u16(static_cast<std::uint16_t>(units));
    }
}

}  // namespace

bool Writer::fail(Errc code, const char* where) {
    error_ = {.code = code, .where = where};
    return false;
}

bool Writer::take(std::size_t bytes) {
    taken_ += bytes;
    return taken_ <= limits_.max_document ||
           fail(Errc::limit_exceeded,
                "Hessian: texts and binaries, written each time, are too long");
}

Result<> Writer::write(const ObjectGraph& graph, Buffer& buffer) {
    frames_.clear();
    taken_ = 0;
    objects_.start(graph.node_count());
    classes_.start(graph.class_count());
    types_.start(graph.text_count());
    FastOut out(buffer);
    bool good = value(out, graph.root);
    while (good && !frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.next != frame.end) {
            good = value(out, *frame.next++);
            continue;
        }
        if (frame.ended) {
            out.room(1);
            out.u8(k_end);
        }
        frames_.pop_back();
    }
    out.finish();
    if (good) return {};
    return error_;
}

bool Writer::value(FastOut& out, const Value& value) {
    switch (value.kind) {
        case ValueKind::undefined:
        case ValueKind::null:
            out.room(1);
            out.u8(k_null);
            return true;
        case ValueKind::boolean:
            out.room(1);
            out.u8(value.truth() ? k_true : k_false);
            return true;
        case ValueKind::int8:
        case ValueKind::int16:
        case ValueKind::int32: integer(out, value.integer); return true;
        case ValueKind::int64: wide_integer(out, value.integer); return true;
        case ValueKind::float32:
            number(out, Value::float64(static_cast<double>(value.as_float())));
            return true;
        case ValueKind::float64: number(out, value); return true;
        case ValueKind::text: return string(out, *value.text);
        case ValueKind::node: return node(out, *value.node);
        case ValueKind::char16: break;
    }
    return fail(Errc::unsupported, "Hessian: a character is to be made a string first");
}

// H 4.12
bool Writer::string(FastOut& out, const Text& text) {
    if (!take(text.size)) return false;
    if (text.units > k_chunk) return long_string(out, text.view(), text.units);
    constexpr std::size_t k_most_head = 3;
    out.room(k_most_head + text.size * std::size_t{2});
    string_head(out, text.units);
    if (text.ascii()) {
        out.bytes(text.data(), text.size);
    } else {
        out.set_next(write_cesu8(text.view(), NulForm::one_byte, out.next()));
    }
    return true;
}

// Chunks of as many units as Caucho takes, never ending within a pair.
bool Writer::long_string(FastOut& out, std::string_view text, std::size_t units) {
    constexpr std::size_t k_most_head = 3;
    while (units > 0) {
        const std::size_t wanted = std::min<std::size_t>(units, k_chunk);
        std::size_t taken = 0;
        std::size_t size = 0;
        while (taken < wanted) {
            const auto lead = static_cast<unsigned char>(text[size]);
            const std::size_t of_it = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
            if (of_it == 4 && taken + 2 > wanted) break;
            taken += of_it == 4 ? 2U : 1U;
            size += of_it;
        }
        out.room(k_most_head + 2 * size);
        if (units == taken) {
            string_head(out, units);
        } else {
            out.u8(k_string_chunk);
            out.u16(static_cast<std::uint16_t>(taken));
        }
        out.set_next(write_cesu8(text.substr(0, size), NulForm::one_byte, out.next()));
        text.remove_prefix(size);
        units -= taken;
    }
    return true;
}

// H 4.1
bool Writer::binary(FastOut& out, Bytes bytes) {
    if (!take(bytes.size())) return false;
    constexpr std::size_t k_head = 3;
    for (; bytes.size() > k_most_binary; bytes = bytes.subspan(k_most_binary)) {
        out.room(k_head + k_most_binary);
        out.u8(k_binary_chunk);
        out.u16(static_cast<std::uint16_t>(k_most_binary));
        out.bytes(bytes.data(), k_most_binary);
    }
    out.room(k_head + bytes.size());
    if (bytes.size() <= k_most_short_bytes) {
        out.u8(static_cast<std::uint8_t>(k_short_binary + bytes.size()));
    } else if (bytes.size() <= k_most_medium) {
        out.u8(static_cast<std::uint8_t>(k_medium_binary + (bytes.size() >> 8U)));
        out.u8(static_cast<std::uint8_t>(bytes.size()));
    } else {
        out.u8(k_binary);
        out.u16(static_cast<std::uint16_t>(bytes.size()));
    }
    out.bytes(bytes.data(), bytes.size());
    return true;
}

// H 4.13, 5.3
bool Writer::type(FastOut& out, const Text& name) {
    const std::uint32_t known = types_.find(name.id);
    if (known != ReferenceTable::k_none) {
        integer(out, known);
        return true;
    }
    types_.add(name.id);
    return string(out, name);
}

bool Writer::node(FastOut& out, const Node& node) {
    if (node.kind == NodeKind::date) {
        if (node.has(Node::k_fractional)) {
            return fail(Errc::unsupported, "Hessian 4.3: a date is whole milliseconds");
        }
        date(out, node.millis);
        return true;
    }
    if (node.kind == NodeKind::bytes) return binary(out, node.bytes());
    const std::uint32_t known = objects_.find(node.id);
    if (known != ReferenceTable::k_none) {
        out.room(1);
        out.u8(k_reference);
        integer(out, known);
        return true;
    }
    objects_.add(node.id);
    out.room(1);
    switch (node.kind) {
        case NodeKind::object: return object(out, node);
        case NodeKind::list: return list(out, node);
        case NodeKind::map:
            out.u8(node.name == nullptr ? k_untyped_map : k_map);
            if (node.name != nullptr && !type(out, *node.name)) return false;
            frames_.push_back({node.items, node.items + node.count, true});
            return true;
        default: return fail(Errc::unsupported, "Hessian: a kind that Hessian has not");
    }
}

// H 4.6
bool Writer::list(FastOut& out, const Node& node) {
    const bool typed = node.name != nullptr;
    if (node.count <= k_most_short_items) {
        out.u8(static_cast<std::uint8_t>((typed ? k_short_list : k_short_untyped) + node.count));
        if (typed && !type(out, *node.name)) return false;
    } else {
        out.u8(typed ? k_list : k_untyped_list);
        if (typed && !type(out, *node.name)) return false;
        integer(out, node.count);
    }
    if (node.count != 0) frames_.push_back({node.items, node.items + node.count, false});
    return true;
}

// H 4.10: the definition first, when it is new.
bool Writer::object(FastOut& out, const Node& node) {
    const Class& type = *node.type;
    if (type.java != nullptr) {
        return fail(Errc::unsupported, "Hessian: a Java object is to be made a plain one first");
    }
    std::uint32_t index = classes_.find(type.id);
    if (index == ReferenceTable::k_none) {
        index = classes_.add(type.id);
        out.u8(k_class_definition);
        if (!string(out, *type.name)) return false;
        integer(out, type.field_count);
        for (const Text* const name : type.field_names()) {
            if (!string(out, *name)) return false;
        }
    }
    out.room(k_most_scalar);
    if (index <= k_most_short_class) {
        out.u8(static_cast<std::uint8_t>(k_short_object + index));
    } else {
        out.u8(k_object);
        integer(out, index);
    }
    if (node.count != 0) frames_.push_back({node.items, node.items + node.count, false});
    return true;
}

}  // namespace perfrelay::hessian2
