#pragma once
// What objects of Java mean to formats that have no Java: boxes are the values within, a class with
// its superclasses is one class with all their fields, a character is a text of one unit.
// Tested by the formats' tests.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/model/object_graph.h"
#include "proto/model/wide_text.h"

namespace perfrelay {

// The value in an object of java.lang.Integer and its like.
inline std::optional<graph::Value> unboxed(const graph::Node& node) {
    if (node.kind != graph::NodeKind::object || node.type->java == nullptr || node.count != 1) {
        return std::nullopt;
    }
    static constexpr std::array<std::pair<std::string_view, graph::ValueKind>, 8> k_boxes{{
        {"java.lang.Boolean", graph::ValueKind::boolean},
        {"java.lang.Byte", graph::ValueKind::int8},
        {"java.lang.Character", graph::ValueKind::char16},
        {"java.lang.Double", graph::ValueKind::float64},
        {"java.lang.Float", graph::ValueKind::float32},
        {"java.lang.Integer", graph::ValueKind::int32},
        {"java.lang.Long", graph::ValueKind::int64},
        {"java.lang.Short", graph::ValueKind::int16},
    }};
    for (const auto& [name, kind] : k_boxes) {
        if (node.type->name->view() == name && node.items[0].kind == kind) return node.items[0];
    }
    return std::nullopt;
}

// Whether a class of the object wrote more than its fields, which only Java's own stream can keep.
inline bool has_own_data(const graph::Node& node) {
    if (node.type->java == nullptr || node.java == nullptr) return false;
    for (std::size_t level = 0; level < node.type->java->levels.size(); ++level) {
        if (node.java->annotations[level].count != 0) return true;
    }
    return false;
}

// The names of all fields of an instance, in the order of its values.
inline void all_field_names(const graph::Class& type, std::vector<const graph::Text*>& names) {
    names.clear();
    if (type.java == nullptr) {
        names.assign(type.fields, type.fields + type.field_count);
        return;
    }
    for (const graph::Class* const level : type.java->levels)
        names.insert(names.end(), level->fields, level->fields + level->own_values());
}

// A UTF-16 unit as a text of our kind; a surrogate is its three bytes.
inline std::string unit_text(std::uint32_t unit) {
    std::string out;
    if (unit < 0x80) {
        out += static_cast<char>(unit);
    } else if (unit < 0x800) {
        out += static_cast<char>(0xC0U | (unit >> 6U));
        out += static_cast<char>(0x80U | (unit & 0x3FU));
    } else {
        out += static_cast<char>(0xE0U | (unit >> 12U));
        out += static_cast<char>(0x80U | ((unit >> 6U) & 0x3FU));
        out += static_cast<char>(0x80U | (unit & 0x3FU));
    }
    return out;
}

// What an array of such units spells, surrogates joined; false when they are no characters.
inline bool join_units(std::span<const graph::Value> units, std::string& to) {
    std::string raw;
    for (const graph::Value& unit : units)
        raw += unit_text(static_cast<std::uint32_t>(unit.integer));
    return append_wide_text(raw, NulForm::one_byte, to);
}

inline bool is_array_type(const graph::Text* name) {
    return name != nullptr && name->view().starts_with('[');
}

// A class whose fields have an order of their own (Class::is_ordered) says in Java's stream, which
// has them sorted, what it was: in what annotateClass may write (J 4.3.2), a block of each field's
// place, a byte each, or two (big-endian) when there are more than 256.
inline std::string order_annotation(std::span<const std::uint32_t> places) {
    std::string bytes;
    for (const std::uint32_t place : places) {
        if (places.size() > 256) bytes += static_cast<char>(place >> 8U & 0xFFU);
        bytes += static_cast<char>(place & 0xFFU);
    }
    return bytes;
}

// The fields of an instance in the order that its class means: as they are, or as an annotation of
// that kind says. False when it says no order of them.
inline bool document_order(const graph::Class& type, std::vector<std::uint32_t>& order) {
    const std::uint32_t fields = type.all_fields();
    order.resize(fields);
    for (std::uint32_t i = 0; i < fields; ++i)
        order[i] = i;
    if (type.java == nullptr || type.java->annotation.size() != 1) return true;
    const graph::Value& said = type.java->annotation[0];
    if (!said.is(graph::ValueKind::node) || said.node->kind != graph::NodeKind::block) return true;
    const std::size_t width = fields > 256 ? 2 : 1;
    const Bytes bytes = said.node->bytes();
    if (bytes.size() != width * fields) return false;
    std::vector<bool> taken(fields, false);
    for (std::uint32_t i = 0; i < fields; ++i) {
        std::uint32_t place = bytes[width * i];
        if (width == 2) place = place << 8U | bytes[2 * std::size_t{i} + 1];
        if (place >= fields || taken[place]) return false;
        taken[place] = true;
        order[place] = i;
    }
    return true;
}

}  // namespace perfrelay
