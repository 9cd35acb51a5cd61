#include "proto/amf3/writer.h"

#include <bit>

#include "proto/model/text_hash.h"
#include "proto/model/wide_text.h"

namespace perfrelay::amf3 {

using graph::Class;
using graph::ElementKind;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

constexpr std::size_t k_most_header = 5;  // a marker and a U29

void marker(FastOut& out, Marker marker) {
    out.u8(static_cast<std::uint8_t>(marker));
}

// A 1.3.1: seven bits a byte, but eight in a fourth.
void u29(FastOut& out, std::uint32_t value) {
    const auto more = [&](unsigned shift) {
        return static_cast<std::uint8_t>(((value >> shift) & 0x7FU) | 0x80U);
    };
    if (value < 0x80) {
        out.u8(static_cast<std::uint8_t>(value));
    } else if (value < 0x4000) {
        out.u8(more(7));
        out.u8(static_cast<std::uint8_t>(value & 0x7FU));
    } else if (value < 0x200000) {
        out.u8(more(14));
        out.u8(more(7));
        out.u8(static_cast<std::uint8_t>(value & 0x7FU));
    } else {
        out.u8(more(22));
        out.u8(more(15));
        out.u8(more(8));
        out.u8(static_cast<std::uint8_t>(value & 0xFFU));
    }
}

Marker marker_of(const Node& node) {
    switch (node.kind) {
        case NodeKind::array: return Marker::array;
        case NodeKind::date: return Marker::date;
        case NodeKind::bytes: return Marker::byte_array;
        case NodeKind::xml: return node.has(Node::k_e4x) ? Marker::xml : Marker::xml_doc;
        case NodeKind::dictionary: return Marker::dictionary;
        case NodeKind::vector:
            switch (node.element) {
                case ElementKind::int32: return Marker::vector_int;
                case ElementKind::uint32: return Marker::vector_uint;
                case ElementKind::float64: return Marker::vector_double;
                case ElementKind::object: return Marker::vector_object;
            }
            return Marker::vector_object;
        default: return Marker::object;
    }
}

bool has_marker(NodeKind kind) {
    switch (kind) {
        case NodeKind::object:
        case NodeKind::external:
        case NodeKind::array:
        case NodeKind::vector:
        case NodeKind::dictionary:
        case NodeKind::date:
        case NodeKind::bytes:
        case NodeKind::xml: return true;
        default: return false;
    }
}

}  // namespace

bool Writer::fail(const char* where) {
    why_ = where;
    return false;
}

Result<> Writer::write(const ObjectGraph& graph, Buffer& buffer) {
    why_ = nullptr;
    frames_.clear();
    unique_texts_ = graph.texts_are_unique();
    strings_.start(graph.text_count());
    objects_.start(graph.node_count());
    traits_.start(graph.class_count());
    if (!unique_texts_) {
        by_content_.assign(std::bit_ceil(graph.text_count() * std::size_t{2} + 2), {0, nullptr});
        text_count_ = 0;
    }
    FastOut out(buffer);
    bool good = value(out, graph.root);
    while (good && !frames_.empty()) {
        Frame& frame = frames_.back();
        if (frame.next == frame.end) {
            if (frame.named) {
                out.room(1);
                out.u8(0x01);
            }
            frames_.pop_back();
        } else if (frame.named) {
            const Value* const pair = frame.next;
            frame.next += 2;
            if (pair->text->empty()) {
                good = fail("AMF3 3.12: an empty name ends the members and cannot be one");
            } else {
                good = string(out, *pair->text) && value(out, pair[1]);
            }
        } else {
            good = value(out, *frame.next++);
        }
    }
    out.finish();
    if (good) return {};
    return Error{.code = Errc::unsupported, .where = why_};
}

void Writer::push(const Value* values, std::size_t count, bool named) {
    frames_.push_back({values, values + count, named});
}

void Writer::number(FastOut& out, std::uint64_t bits) {
    out.room(1 + sizeof bits);
    marker(out, Marker::float64);
    out.u64(bits);
}

// A 3.6: what 29 bits cannot hold is a double.
bool Writer::integer(FastOut& out, std::int64_t value) {
    if (value < k_least_integer || value > k_most_integer) {
        number(out, Value::float64(static_cast<double>(value)).bits);
        return true;
    }
    out.room(k_most_header);
    marker(out, Marker::integer);
    u29(out, static_cast<std::uint32_t>(value) & 0x1FFFFFFFU);
    return true;
}

bool Writer::value(FastOut& out, const Value& value) {
    switch (value.kind) {
        case ValueKind::undefined:
            out.room(1);
            marker(out, Marker::undefined);
            return true;
        case ValueKind::null:
            out.room(1);
            marker(out, Marker::null);
            return true;
        case ValueKind::boolean:
            out.room(1);
            marker(out, value.truth() ? Marker::boolean_true : Marker::boolean_false);
            return true;
        case ValueKind::int8:
        case ValueKind::int16:
        case ValueKind::int32: return integer(out, value.integer);
        case ValueKind::int64:
            number(out, Value::float64(static_cast<double>(value.integer)).bits);
            return true;
        case ValueKind::float32:
            number(out, Value::float64(static_cast<double>(value.as_float())).bits);
            return true;
        case ValueKind::float64: number(out, value.bits); return true;
        case ValueKind::text:
            out.room(1);
            marker(out, Marker::string);
            return string(out, *value.text);
        case ValueKind::node: return node(out, *value.node);
        case ValueKind::char16: break;
    }
    return fail("AMF3: a character is to be made a string first");
}

std::uint32_t Writer::index_of(const Text& text) {
    if (unique_texts_) {
        const std::uint32_t known = strings_.find(text.id);
        if (known == ReferenceTable::k_none) strings_.add(text.id);
        return known;
    }
    const std::size_t mask = by_content_.size() - 1;
    for (std::size_t at = text_hash(text.view()) & mask;; at = (at + 1) & mask) {
        auto& [index, known] = by_content_[at];
        if (known == nullptr) {
            index = text_count_++;
            known = &text;
            return ReferenceTable::k_none;
        }
        if (known->view() == text.view()) return index;
    }
}

// A 3.8, without the marker. The empty string is never referred to.
bool Writer::string(FastOut& out, const Text& text) {
    out.room(k_most_header);
    if (text.empty()) {
        out.u8(0x01);
        return true;
    }
    const std::uint32_t known = index_of(text);
    if (known != ReferenceTable::k_none) {
        u29(out, known << 1U);
        return true;
    }
    return plain_text(out, text);
}

bool Writer::plain_text(FastOut& out, const Text& text) {
    const bool as_it_is = text.ascii() || form_ == TextForm::utf8;
    const std::size_t size = as_it_is ? text.size : cesu8_size(text.view(), NulForm::one_byte);
    if (size > k_most_count) return fail("AMF3 3.8: a string of 2^28 bytes or more");
    out.room(k_most_header + size);
    u29(out, (static_cast<std::uint32_t>(size) << 1U) | 1U);
    if (as_it_is) {
        out.bytes(text.data(), size);
    } else {
        out.set_next(write_cesu8(text.view(), NulForm::one_byte, out.next()));
    }
    return true;
}

bool Writer::node(FastOut& out, const Node& node) {
    if (!has_marker(node.kind)) return fail("AMF3: a kind that AMF3 has not");
    out.room(k_most_header);
    marker(out, marker_of(node));
    const std::uint32_t known = objects_.find(node.id);
    if (known != ReferenceTable::k_none) {
        u29(out, known << 1U);
        return true;
    }
    objects_.add(node.id);
    if (node.count > k_most_count) return fail("AMF3: 2^28 items or more");
    switch (node.kind) {
        case NodeKind::object:
        case NodeKind::external: return object(out, node);
        case NodeKind::array:
            // A 3.11: the dense values last, so pushed first.
            u29(out, (node.count << 1U) | 1U);
            if (node.count != 0) push(node.items, node.count, false);
            members(out, node);
            return true;
        case NodeKind::vector: return vector(out, node);
        case NodeKind::dictionary:
            // A 3.16
            u29(out, ((node.count / 2) << 1U) | 1U);
            out.room(1);
            out.u8(node.has(Node::k_weak) ? 1 : 0);
            push(node.items, node.count, false);
            return true;
        case NodeKind::date:
            // A 3.10
            u29(out, 1);
            out.room(sizeof(std::uint64_t));
            out.u64(Value::float64(node.date_as_double()).bits);
            return true;
        case NodeKind::bytes:
            u29(out, (node.count << 1U) | 1U);
            out.room(node.count);
            out.bytes(node.data, node.count);
            return true;
        default: return plain_text(out, *node.text);  // A 3.9, 3.13: XML is no string of the table
    }
}

// A 3.12.
bool Writer::object(FastOut& out, const Node& node) {
    const Class& type = *node.type;
    const std::uint32_t known = traits_.find(type.id);
    if (known != ReferenceTable::k_none) {
        out.room(k_most_header);
        u29(out, (known << 2U) | 1U);
    } else if (!traits(out, type)) {
        return false;
    }
    // The members that the class does not name come last, so they are pushed first.
    if (type.is_dynamic() && node.count == 0) {
        members(out, node);
    } else {
        if (type.is_dynamic()) push(node.more, node.more_count, true);
        if (node.count != 0) push(node.items, node.count, false);
    }
    return true;
}

// Named members that come next.
void Writer::members(FastOut& out, const Node& node) {
    if (node.more_count != 0) return push(node.more, node.more_count, true);
    out.room(1);
    out.u8(0x01);
}

bool Writer::traits(FastOut& out, const Class& type) {
    if (type.java != nullptr) return fail("AMF3: a Java object is to be made a plain one first");
    traits_.add(type.id);
    out.room(k_most_header);
    if (type.is_external()) {
        u29(out, 7);
        return string(out, *type.name);
    }
    if (type.field_count > k_most_members) return fail("AMF3 3.12: 2^25 members or more");
    u29(out, (type.field_count << 4U) | (type.is_dynamic() ? 8U : 0U) | 3U);
    if (!string(out, *type.name)) return false;
    for (const Text* const name : type.field_names()) {
        if (!string(out, *name)) return false;
    }
    return true;
}

// A 3.15.
bool Writer::vector(FastOut& out, const Node& node) {
    const std::size_t width = node.element == ElementKind::float64 ? 8 : 4;
    out.room(k_most_header + width * node.count);
    u29(out, (node.count << 1U) | 1U);
    out.u8(node.has(Node::k_fixed) ? 1 : 0);
    if (node.element == ElementKind::object) {
        if (!string(out, *node.name)) return false;
        push(node.items, node.count, false);
        return true;
    }
    for (const Value& value : node.values()) {
        if (width == 8) {
            out.u64(value.bits);
        } else {
            out.u32(static_cast<std::uint32_t>(value.integer));
        }
    }
    return true;
}

}  // namespace perfrelay::amf3
