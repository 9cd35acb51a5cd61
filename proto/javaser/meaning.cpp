#include "proto/javaser/meaning.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "proto/javaser/decimal.h"
#include "proto/model/fast_out.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Value;
using graph::ValueKind;

namespace {

// Sorted by name.
constexpr std::array<std::pair<std::string_view, Meaning>, 42> k_meanings{{
    {"java.math.BigDecimal", Meaning::big_decimal},
    {"java.math.BigInteger", Meaning::big_integer},
    {"java.util.ArrayDeque", Meaning::list_by_block},
    {"java.util.ArrayList", Meaning::list_by_size_field},
    {"java.util.Arrays$ArrayList", Meaning::array_field},
    {"java.util.CollSer", Meaning::coll_ser},
    {"java.util.Collections$EmptyList", Meaning::empty_list},
    {"java.util.Collections$EmptyMap", Meaning::empty_map},
    {"java.util.Collections$EmptySet", Meaning::empty_list},
    {"java.util.Collections$SingletonList", Meaning::single_item},
    {"java.util.Collections$SingletonMap", Meaning::single_entry},
    {"java.util.Collections$SingletonSet", Meaning::single_item},
    {"java.util.Collections$SynchronizedCollection", Meaning::wrapped},
    {"java.util.Collections$SynchronizedList", Meaning::wrapped},
    {"java.util.Collections$SynchronizedMap", Meaning::wrapped},
    {"java.util.Collections$SynchronizedRandomAccessList", Meaning::wrapped},
    {"java.util.Collections$SynchronizedSet", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableCollection", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableList", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableMap", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableRandomAccessList", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableSet", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableSortedMap", Meaning::wrapped},
    {"java.util.Collections$UnmodifiableSortedSet", Meaning::wrapped},
    {"java.util.Date", Meaning::date},
    {"java.util.EnumMap", Meaning::map_by_block},
    {"java.util.EnumSet$SerializationProxy", Meaning::array_field},
    {"java.util.HashMap", Meaning::hash_map},
    {"java.util.HashSet", Meaning::hash_set},
    {"java.util.Hashtable", Meaning::hash_map},
    {"java.util.IdentityHashMap", Meaning::map_by_block},
    {"java.util.LinkedHashMap", Meaning::hash_map},
    {"java.util.LinkedHashSet", Meaning::hash_set},
    {"java.util.LinkedList", Meaning::list_by_block},
    {"java.util.PriorityQueue", Meaning::list_by_size_field},
    {"java.util.Properties", Meaning::hash_map},
    {"java.util.Stack", Meaning::vector},
    {"java.util.TreeMap", Meaning::map_by_block},
    {"java.util.TreeSet", Meaning::tree_set},
    {"java.util.Vector", Meaning::vector},
    {"java.util.concurrent.ConcurrentHashMap", Meaning::concurrent_map},
    {"java.util.concurrent.CopyOnWriteArrayList", Meaning::list_by_block},
}};

// The raw form of a node, looked at.
class Raw {
  public:
    explicit Raw(const Node& node) : parts_(*node.java), type_(*node.java->type) {}

    // The one annotation that is there: none of these classes has two.
    std::span<const Value> annotation() const {
        for (std::size_t level = 0; level < type_.java->levels.size(); ++level) {
            const Annotation& here = parts_.annotations[level];
            if (here.present) return {here.values, here.count};
        }
        return {};
    }
    const Value* field(std::string_view name) const {
        std::uint32_t first = 0;
        for (const Class* const level : type_.java->levels) {
            for (std::uint32_t i = 0; i < level->own_values(); ++i) {
                if (level->fields[i]->view() == name) return parts_.fields + first + i;
            }
            first += level->own_values();
        }
        return nullptr;
    }
    const Value* int_field(std::string_view name) const {
        const Value* const found = field(name);
        return found != nullptr && found->is(ValueKind::int32) ? found : nullptr;
    }
    const Node* node_field(std::string_view name) const {
        const Value* const found = field(name);
        return found != nullptr && found->is(ValueKind::node) ? found->node : nullptr;
    }
    // The value of the first field that is a node.
    const Node* first_node() const {
        for (std::uint32_t i = 0; i < type_.java->all_fields; ++i) {
            if (parts_.fields[i].is(ValueKind::node)) return parts_.fields[i].node;
        }
        return nullptr;
    }
    std::uint32_t all_fields() const { return type_.java->all_fields; }
    const Value* fields() const { return parts_.fields; }

  private:
    const JavaParts& parts_;
    const Class& type_;
};

bool is_block(const Value& value, std::size_t size) {
    return value.is(ValueKind::node) && value.node->kind == NodeKind::block &&
           value.node->count == size;
}

// The number at `at` in a block of exactly `size` bytes, or -1.
std::int64_t number_in(const Value& value, std::size_t size, std::size_t at) {
    if (!is_block(value, size)) return -1;
    return static_cast<std::int32_t>(load_big_endian<std::uint32_t>(value.node->data + at));
}

bool is_object_array(const Node* node) {
    return node != nullptr && node->kind == NodeKind::list && node->name != nullptr &&
           node->name->view().starts_with('[');
}

class Interpretation {
  public:
    Interpretation(ObjectGraph& graph, Node& node) : graph_(graph), node_(node), raw_(node) {}

    void run(Meaning meaning) {
        const std::span<const Value> items = raw_.annotation();
        switch (meaning) {
            case Meaning::none: break;
            case Meaning::list_by_size_field: {
                const Value* const size = raw_.int_field("size");
                if (size == nullptr || items.empty() || !is_block(items[0], 4)) break;
                if (size->integer != static_cast<std::int64_t>(items.size()) - 1) break;
                become(NodeKind::list, items.subspan(1));
                break;
            }
            case Meaning::list_by_block: by_block(items, 0, 4, 0, NodeKind::list); break;
            case Meaning::hash_set: by_block(items, 0, 12, 8, NodeKind::list); break;
            case Meaning::tree_set: by_block(items, 1, 4, 0, NodeKind::list); break;
            case Meaning::map_by_block: by_block(items, 0, 4, 0, NodeKind::map); break;
            case Meaning::hash_map: by_block(items, 0, 8, 4, NodeKind::map); break;
            case Meaning::concurrent_map:
                if (items.size() % 2 == 0 && items.size() >= 2 &&
                    items[items.size() - 1].is(ValueKind::null) &&
                    items[items.size() - 2].is(ValueKind::null)) {
                    become(NodeKind::map, items.first(items.size() - 2));
                }
                break;
            case Meaning::coll_ser: coll_ser(items); break;
            case Meaning::vector: vector(); break;
            case Meaning::array_field:
                // Arrays.asList calls it a, EnumSet elements.
                for (const char* const name : {"a", "elements"}) {
                    const Node* const array = raw_.node_field(name);
                    if (is_object_array(array)) become(NodeKind::list, array->values());
                }
                break;
            case Meaning::single_item:
                if (raw_.all_fields() == 1) become(NodeKind::list, {raw_.fields(), 1});
                break;
            case Meaning::single_entry:
                if (raw_.all_fields() == 2) become(NodeKind::map, {raw_.fields(), 2});
                break;
            case Meaning::empty_list: become(NodeKind::list, {}); break;
            case Meaning::empty_map: become(NodeKind::map, {}); break;
            case Meaning::wrapped: wrapped(); break;
            case Meaning::date: date(items); break;
            case Meaning::big_integer: big_integer(); break;
            case Meaning::big_decimal: big_decimal(); break;
        }
    }

  private:
    void become(NodeKind kind, std::span<const Value> items) {
        const graph::Text* const name = node_.java->type->name;
        node_.kind = kind;
        node_.name = name;
        // A view: the items stay where the raw form has them, and nobody writes to them.
        node_.items = const_cast<Value*>(items.data());  // NOLINT(*-const-cast)
        node_.count = static_cast<std::uint32_t>(items.size());
    }

    // Items, or keys and values, as many as a block says that stands behind `before` values.
    void by_block(std::span<const Value> values, std::size_t before, std::size_t bytes,
                  std::size_t at, NodeKind kind) {
        if (values.size() <= before) return;
        const std::int64_t count = number_in(values[before], bytes, at);
        const std::span<const Value> items = values.subspan(before + 1);
        const std::int64_t wanted = kind == NodeKind::map ? count * 2 : count;
        if (count >= 0 && static_cast<std::int64_t>(items.size()) == wanted) become(kind, items);
    }

    // The low byte of the tag: 1 list, 2 set, 3 map, 4 list that may hold nulls.
    void coll_ser(std::span<const Value> values) {
        const Value* const tag = raw_.int_field("tag");
        if (tag == nullptr || values.empty()) return;
        const std::int64_t kind = tag->integer & 0xFF;
        const std::int64_t count = number_in(values[0], 4, 0);
        if (count != static_cast<std::int64_t>(values.size()) - 1 || kind < 1 || kind > 4) return;
        if (kind == 3 && count % 2 != 0) return;
        become(kind == 3 ? NodeKind::map : NodeKind::list, values.subspan(1));
    }

    void vector() {
        const Value* const count = raw_.int_field("elementCount");
        const Node* const array = raw_.node_field("elementData");
        if (count == nullptr || !is_object_array(array) || count->integer < 0 ||
            count->integer > array->count) {
            return;
        }
        become(NodeKind::list, array->values().first(static_cast<std::size_t>(count->integer)));
    }

    void wrapped() {
        const Node* const inner = raw_.first_node();
        if (inner == nullptr || inner == &node_) return;
        if (inner->kind == NodeKind::list || inner->kind == NodeKind::map) {
            become(inner->kind, inner->values());
        }
    }

    void date(std::span<const Value> values) {
        if (values.size() != 1 || !is_block(values[0], 8)) return;
        node_.kind = NodeKind::date;
        node_.name = nullptr;
        node_.count = 0;
        node_.millis =
            static_cast<std::int64_t>(load_big_endian<std::uint64_t>(values[0].node->data));
    }

    void number(NodeKind kind, const std::string& text) {
        node_.kind = kind;
        node_.name = nullptr;
        node_.count = 0;
        node_.text = graph_.text(text);
    }

    void big_integer() {
        const Value* const sign = raw_.int_field("signum");
        const Node* const magnitude = raw_.node_field("magnitude");
        if (sign == nullptr || magnitude == nullptr || magnitude->kind != NodeKind::bytes ||
            magnitude->count > k_longest_magnitude) {
            return;
        }
        const std::string digits = to_digits(magnitude->bytes());
        if ((digits == "0") != (sign->integer == 0)) return;
        number(NodeKind::big_integer, (sign->integer < 0 ? "-" : "") + digits);
    }

    void big_decimal() {
        const Value* const scale = raw_.int_field("scale");
        const Node* const unscaled = raw_.node_field("intVal");
        if (scale == nullptr || unscaled == nullptr || unscaled->kind != NodeKind::big_integer) {
            return;
        }
        number(NodeKind::big_decimal,
               decimal_text(unscaled->text->view(), static_cast<std::int32_t>(scale->integer)));
    }

    ObjectGraph& graph_;
    Node& node_;
    Raw raw_;
};

}  // namespace

Meaning meaning_of(std::string_view class_name) {
    const auto* const found = std::lower_bound(
        k_meanings.begin(), k_meanings.end(), class_name,
        [](const auto& entry, std::string_view name) { return entry.first < name; });
    return found != k_meanings.end() && found->first == class_name ? found->second : Meaning::none;
}

void interpret(ObjectGraph& graph, Node& node) {
    const auto meaning = static_cast<Meaning>(node.java->type->java->meaning);
    if (meaning != Meaning::none) Interpretation(graph, node).run(meaning);
}

}  // namespace perfrelay::javaser
