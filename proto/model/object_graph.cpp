#include "proto/model/object_graph.h"

#include <bit>
#include <cmath>
#include <limits>

#include "proto/model/text_hash.h"
#include "proto/model/wide_text.h"

namespace perfrelay {

namespace graph {

Value Value::float32(float value) {
    return float32_bits(std::bit_cast<std::uint32_t>(value));
}

Value Value::float64(double value) {
    return float64_bits(std::bit_cast<std::uint64_t>(value));
}

float Value::as_float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

double Value::as_double() const {
    return std::bit_cast<double>(bits);
}

bool Node::holds_values() const {
    switch (kind) {
        case NodeKind::object:
        case NodeKind::external:
        case NodeKind::list:
        case NodeKind::map:
        case NodeKind::array:
        case NodeKind::vector:
        case NodeKind::dictionary:
        case NodeKind::proxy:
        case NodeKind::sequence: return true;
        default: return false;
    }
}

double Node::date_as_double() const {
    return has(k_fractional) ? std::bit_cast<double>(millis_bits) : static_cast<double>(millis);
}

void Node::set_date(double value) {
    constexpr double k_beyond = 9223372036854775808.0;  // 2^63: the cast is undefined from here on
    const bool whole = value >= -k_beyond && value < k_beyond && std::trunc(value) == value;
    if (whole && !(value == 0 && std::signbit(value))) {
        flags &= static_cast<std::uint8_t>(~k_fractional);
        millis = static_cast<std::int64_t>(value);
    } else {
        flags |= k_fractional;
        // No date is one value (ECMA-262, time values), however its NaN was made.
        const double one = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
        millis_bits = std::bit_cast<std::uint64_t>(one);
    }
}

}  // namespace graph

const graph::Text* ObjectGraph::text(std::string_view text) {
    return text.empty() ? empty_text() : own_text(text);
}

const graph::Text* ObjectGraph::own_text(std::string_view text) {
    graph::Text* const made = new_text(text.size());
    if (!text.empty()) std::memcpy(made->data(), text.data(), text.size());
    made->units = static_cast<std::uint32_t>(utf16_units(text));
    return made;
}

const graph::Text* ObjectGraph::intern(std::string_view text) {
    if (text.empty()) return empty_text();
    if (interned_count_ * 2 >= interned_.size()) grow_interned();
    const std::uint32_t hash = text_hash(text);
    const std::size_t mask = interned_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        auto& [its_hash, its_text] = interned_[at];
        if (its_text == nullptr) {
            its_hash = hash;
            its_text = this->text(text);
            ++interned_count_;
            return its_text;
        }
        if (its_hash == hash && its_text->view() == text) return its_text;
    }
}

void ObjectGraph::grow_interned() {
    constexpr std::size_t k_first = 256;
    decltype(interned_) larger(interned_.empty() ? k_first : interned_.size() * 2, {0, nullptr});
    const std::size_t mask = larger.size() - 1;
    for (const auto& entry : interned_) {
        if (entry.second == nullptr) continue;
        std::size_t at = entry.first & mask;
        while (larger[at].second != nullptr)
            at = (at + 1) & mask;
        larger[at] = entry;
    }
    interned_.swap(larger);
}

graph::Class* ObjectGraph::new_class(const graph::Text* name,
                                     std::span<const graph::Text* const> fields,
                                     std::uint8_t flags) {
    auto* names = array<const graph::Text*>(fields.size());
    if (!fields.empty()) std::memcpy(names, fields.data(), fields.size_bytes());
    graph::Class made;
    made.name = name;
    made.id = static_cast<std::uint32_t>(classes_.size());
    made.field_count = static_cast<std::uint32_t>(fields.size());
    made.fields = names;
    made.flags = flags;
    return classes_.emplace_back(arena_.create(made));
}

void ObjectGraph::add_node_block() {
    node_blocks_.push_back(std::make_unique<graph::Node[]>(k_nodes_a_block));
}

void ObjectGraph::clear() {
    arena_.clear();
    classes_.clear();
    if (interned_count_ != 0) interned_.assign(interned_.size(), {0, nullptr});
    interned_count_ = 0;
    empty_ = nullptr;
    texts_ = 0;
    nodes_ = 0;
    unique_texts_ = false;
    root = {};
    origin = Origin::unknown;
    has_java_parts = false;
}

}  // namespace perfrelay
