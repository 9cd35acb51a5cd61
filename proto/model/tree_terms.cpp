#include "proto/model/tree_terms.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "proto/model/base64.h"
#include "proto/model/graph_copy.h"
#include "proto/model/java_view.h"
#include "proto/model/tree_walk.h"

namespace perfrelay {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

// In a graph's text a surrogate is half of a pair: a pair is one character (object_graph.h).
bool has_surrogate(std::string_view text) {
    for (std::size_t at = text.find('\xED'); at != std::string_view::npos;
         at = text.find('\xED', at + 1)) {
        if (static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
    }
    return false;
}

bool is_characters(const Node& node) {
    return node.kind == NodeKind::list && node.name != nullptr && node.name->view() == "[C";
}

// What stays a node of lists or maps, and so has an identity.
bool is_container(const Node& node) {
    switch (node.kind) {
        case NodeKind::object: return !unboxed(node);
        case NodeKind::list: return !is_characters(node);
        case NodeKind::external:
        case NodeKind::map:
        case NodeKind::array:
        case NodeKind::vector:
        case NodeKind::dictionary:
        case NodeKind::sequence: return true;
        default: return false;
    }
}

// A collection that only wraps an array of AMF3.
bool is_wrapped_list(const Node& node) {
    if (node.kind != NodeKind::external || !node.items[0].is(ValueKind::node)) return false;
    const std::string_view name = node.type->name->view();
    const Node& body = *node.items[0].node;
    return body.kind == NodeKind::array && body.more_count == 0 &&
           (name == "flex.messaging.io.ArrayCollection" || name == "flex.messaging.io.ArrayList");
}

// Which nodes occur more than once, by id.
class Occurrences {
  public:
    explicit Occurrences(const ObjectGraph& graph)
        : seen_(graph.node_count(), false), shared_(graph.node_count(), false) {
        meet({&graph.root, 1});
        while (!open_.empty()) {
            const Node& node = *open_.back();
            open_.pop_back();
            meet(node.values());
            meet(node.more_values());
        }
    }
    bool shared(const Node& node) const { return shared_[node.id]; }
    std::uint32_t shared_count() const { return count_; }

  private:
    void meet(std::span<const Value> values) {
        for (const Value& value : values) {
            if (!value.is(ValueKind::node) || !is_container(*value.node)) continue;
            const std::uint32_t id = value.node->id;
            if (!seen_[id]) {
                seen_[id] = true;
                open_.push_back(value.node);
            } else if (!shared_[id]) {
                shared_[id] = true;
                ++count_;
            }
        }
    }

    std::vector<bool> seen_;
    std::vector<bool> shared_;
    std::uint32_t count_ = 0;
    std::vector<const Node*> open_;
};

class Flattening : public GraphCopy<Flattening> {
  public:
    Flattening(const ObjectGraph& from, const TreeTerms& terms, ObjectGraph& to)
        : GraphCopy(from, to),
          terms_(terms),
          occurrences_(from),
          references_(from.node_count(), k_none),
          classes_(from.class_count()) {}

    Result<> flatten() {
        if (auto done = run(); !done) return done;
        if (occurrences_.shared_count() != 0) {
            Node& shared = *to_.new_node(NodeKind::list);
            shared.items = table_;
            shared.count = occurrences_.shared_count();
            const Value root = to_.root;
            Value* const values = new_map(2, to_.root);
            set_entry(values, tree_name::k_root, root);
            set_entry(values + 2, tree_name::k_shared, Value::of(&shared));
        } else if (terms_.map_root &&
                   (!to_.root.is(ValueKind::node) || to_.root.node->kind != NodeKind::map)) {
            const Value root = to_.root;
            set_entry(new_map(1, to_.root), tree_name::k_root, root);
        }
        if (terms_.most_levels != ~std::size_t{0} && tree_depth(to_) > terms_.most_levels) {
            to_.clear();
            return Error{.code = Errc::unsupported,
                         .where = "nested more deeply than this format's library can take"};
        }
        return {};
    }

    bool map(const Value& from, Value& to) {
        switch (from.kind) {
            case ValueKind::undefined:
            case ValueKind::null: to = Value::null(); return true;
            case ValueKind::boolean: to = from; return true;
            case ValueKind::int8:
            case ValueKind::int16:
            case ValueKind::int32: to = integer(from.integer, false); return true;
            case ValueKind::int64: to = integer(from.integer, true); return true;
            case ValueKind::char16: {
                const auto unit = static_cast<std::uint32_t>(from.integer);
                if (is_surrogate(unit)) return fail(k_surrogate);
                to = Value::of(to_.intern(unit_text(unit)));
                return true;
            }
            case ValueKind::float32:
                to = terms_.floats && (terms_.not_finite || std::isfinite(from.as_float()))
                         ? from
                         : real(static_cast<double>(from.as_float()));
                return true;
            case ValueKind::float64:
                to = terms_.not_finite ? from : real(from.as_double());
                return true;
            case ValueKind::text: return text_value(from.text, to);
            case ValueKind::node: return node(from, to);
        }
        return false;
    }

  private:
    static constexpr std::uint32_t k_none = 0xFFFFFFFFU;
    static constexpr const char* k_surrogate =
        "half of a surrogate pair, which is no character of UTF-8";

    Value integer(std::int64_t value, bool wide) const {
        const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                          value <= std::numeric_limits<std::int32_t>::max();
        return (terms_.integer_widths ? !wide : fits)
                   ? Value::int32(static_cast<std::int32_t>(value))
                   : Value::int64(value);
    }
    Value real(double value) {
        if (terms_.not_finite || std::isfinite(value)) return Value::float64(value);
        const char* const name = std::isnan(value) ? "NaN" : value < 0 ? "-INF" : "INF";
        return Value::of(to_.intern(name));
    }

    // Null when it is no UTF-8.
    const Text* checked(const Text* from) {
        if (!has_surrogate(from->view())) return text(from);
        fail(k_surrogate);
        return nullptr;
    }
    bool text_value(const Text* from, Value& to) {
        const Text* const made = checked(from);
        if (made != nullptr) to = Value::of(made);
        return made != nullptr;
    }
    // A name of the document's own.
    const Text* own_name(const Text* from) {
        const Text* const made = checked(from);
        if (made == nullptr) return nullptr;
        if (!terms_.nul_in_names && made->view().find('\0') != std::string_view::npos) {
            fail("a name with a NUL, which ends names in this format");
            return nullptr;
        }
        return made->view().starts_with('$') ? to_.intern("$" + std::string(made->view())) : made;
    }

    Value* new_map(std::size_t entries, Value& to) {
        Node& made = *to_.new_node(NodeKind::map);
        made.count = static_cast<std::uint32_t>(2 * entries);
        made.items = to_.new_values(made.count);
        to = Value::of(&made);
        return made.items;
    }
    void set_entry(Value* entry, std::string_view name, Value value) {
        entry[0] = Value::of(to_.intern(name));
        entry[1] = value;
    }
    // The values at every other place of `to`, from the second on.
    void want_entries(std::span<const Value> values, std::size_t step, Value* to) {
        for (std::size_t i = values.size(); i >= step; i -= step)
            want(values.subspan(i - 1, 1), to + (i / step) * 2 - 1);
    }

    // `from` holds a node and stays where it is.
    bool node(const Value& from, Value& to) {
        const Node& node = *from.node;
        if (!is_container(node)) return leaf(node, to);
        if (!occurrences_.shared(node)) return container(node, to);
        std::uint32_t& reference = references_[node.id];
        // Its place in the table is wanted once, right after it was given.
        if (reference != k_none && &to == table_ + reference) return container(node, to);
        if (table_ == nullptr) table_ = to_.new_values(occurrences_.shared_count());
        if (reference == k_none) {
            reference = next_reference_++;
            want({&from, 1}, table_ + reference);
        }
        set_entry(new_map(1, to), tree_name::k_ref,
                  Value::int32(static_cast<std::int32_t>(reference)));
        return true;
    }

    bool leaf(const Node& node, Value& to) {
        switch (node.kind) {
            case NodeKind::object: return map(*unboxed(node), to);
            case NodeKind::list: return characters(node, to);
            case NodeKind::date: return date(node, to);
            case NodeKind::bytes:
            case NodeKind::block:
                if (terms_.bytes) {
                    Node& made = *to_.new_node(NodeKind::bytes);
                    copy_bytes(node, made);
                    to = Value::of(&made);
                } else {
                    to = Value::of(to_.intern(base64_of(node.bytes())));
                }
                return true;
            case NodeKind::enumeration:
            case NodeKind::xml:
            case NodeKind::big_integer:
            case NodeKind::big_decimal: return text_value(node.text, to);
            case NodeKind::class_ref: return text_value(node.name, to);
            case NodeKind::proxy: return fail("a proxy, which only Java can be handed");
            case NodeKind::class_desc: return fail("a class description as a value");
            case NodeKind::reset: return fail("a reset of Java's stream");
            default: return false;
        }
    }

    bool date(const Node& node, Value& to) {
        if (terms_.dates && !node.has(Node::k_fractional)) {
            Node& made = *to_.new_node(NodeKind::date);
            made.millis = node.millis;
            to = Value::of(&made);
            return true;
        }
        set_entry(new_map(1, to), tree_name::k_date,
                  node.has(Node::k_fractional) ? real(node.date_as_double())
                                               : integer(node.millis, true));
        return true;
    }

    bool characters(const Node& node, Value& to) {
        std::string joined;
        if (!join_units(node.values(), joined)) return fail("no characters");
        if (has_surrogate(joined)) return fail(k_surrogate);
        to = Value::of(to_.intern(joined));
        return true;
    }

    bool container(const Node& node, Value& to) {
        switch (node.kind) {
            case NodeKind::object: return object(node, to);
            case NodeKind::external: return external(node, to);
            case NodeKind::map:
            case NodeKind::dictionary: return entries(node, to);
            case NodeKind::array:
                if (node.more_count != 0) return named_array(node, to);
                break;
            default: break;
        }
        Node& made = *to_.new_node(NodeKind::list);
        to = Value::of(&made);
        want_items(node.values(), made);
        return true;
    }

    bool object(const Node& node, Value& to) {
        if (has_own_data(node)) return fail("an object whose class wrote data of its own");
        const std::vector<const Text*>* const names = member_names(*node.type);
        if (names == nullptr) return false;
        const bool typed = !node.type->name->empty();
        Value* next = new_map((typed ? 1U : 0U) + node.count + node.more_count / 2, to);
        if (typed) {
            const Text* const type = checked(node.type->name);
            if (type == nullptr) return false;
            set_entry(next, tree_name::k_type, Value::of(type));
            next += 2;
        }
        Value* const fields = next;
        for (const Text* const one : *names) {
            *next = Value::of(one);
            next += 2;
        }
        if (!named(node, next)) return false;
        want_entries(node.values(), 1, fields);
        return true;
    }

    // Named members, from `to` on.
    bool named(const Node& node, Value* to) {
        for (std::uint32_t i = 0; i < node.more_count; i += 2) {
            const Text* const key = own_name(node.more[i].text);
            if (key == nullptr) return false;
            to[i] = Value::of(key);
        }
        want_entries(node.more_values(), 2, to);
        return true;
    }

    bool external(const Node& node, Value& to) {
        if (is_wrapped_list(node)) {
            // The array's own identity is the collection's, unless others hold it too.
            const Node& array = *node.items[0].node;
            if (occurrences_.shared(array)) return this->node(node.items[0], to);
            return container(array, to);
        }
        const Text* const type = checked(node.type->name);
        if (type == nullptr) return false;
        Value* const values = new_map(2, to);
        set_entry(values, tree_name::k_type, Value::of(type));
        set_entry(values + 2, tree_name::k_value, Value::null());
        want({node.items, 1}, values + 3);
        return true;
    }

    bool named_array(const Node& node, Value& to) {
        Value* const values = new_map(node.more_count / 2 + (node.count != 0 ? 1U : 0U), to);
        if (node.count != 0) {
            Node& items = *to_.new_node(NodeKind::list);
            set_entry(values + node.more_count, tree_name::k_items, Value::of(&items));
            want_items(node.values(), items);
        }
        return named(node, values);
    }

    // The text that a key is, or null.
    static const Text* key_text(const Value& key) {
        if (key.is(ValueKind::text)) return key.text;
        if (key.is(ValueKind::node) && key.node->kind == NodeKind::enumeration) {
            return key.node->text;
        }
        return nullptr;
    }

    bool entries(const Node& node, Value& to) {
        bool texts = true;
        for (std::uint32_t i = 0; i < node.count; i += 2)
            texts = texts && key_text(node.items[i]) != nullptr;
        if (!texts) return pairs(node, to);
        Value* const values = new_map(node.count / 2, to);
        for (std::uint32_t i = 0; i < node.count; i += 2) {
            const Text* const key = own_name(key_text(node.items[i]));
            if (key == nullptr) return false;
            values[i] = Value::of(key);
        }
        want_entries(node.values(), 2, values);
        return true;
    }

    bool pairs(const Node& node, Value& to) {
        Node& all = *to_.new_node(NodeKind::list);
        set_entry(new_map(1, to), tree_name::k_entries, Value::of(&all));
        all.count = node.count / 2;
        all.items = to_.new_values(all.count);
        for (std::uint32_t i = all.count; i-- > 0;) {
            Node& pair = *to_.new_node(NodeKind::list);
            all.items[i] = Value::of(&pair);
            want_items(node.values().subspan(std::size_t{2} * i, 2), pair);
        }
        return true;
    }

    // The names of all fields of an instance in the tree; null when one cannot be.
    const std::vector<const Text*>* member_names(const Class& type) {
        Names& names = classes_[type.id];
        if (names.known) return &names.all;
        all_field_names(type, fields_);
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            const Text* made = own_name(fields_[i]);
            if (made == nullptr) return nullptr;
            for (std::size_t k = i + 1; k < fields_.size(); ++k) {
                if (fields_[k]->view() != fields_[i]->view()) continue;
                made = to_.intern(class_of(type, i) + "." + std::string(fields_[i]->view()));
                break;
            }
            names.all.push_back(made);
        }
        names.known = true;
        return &names.all;
    }
    // The name of the class in whose level the field is.
    static std::string class_of(const Class& type, std::size_t field) {
        if (type.java == nullptr) return std::string(type.name->view());
        for (const Class* const level : type.java->levels) {
            if (field < level->own_values()) return std::string(level->name->view());
            field -= level->own_values();
        }
        return {};
    }

    struct Names {
        bool known = false;
        std::vector<const Text*> all;
    };

    TreeTerms terms_;
    Occurrences occurrences_;
    std::vector<std::uint32_t> references_;
    std::vector<Names> classes_;
    std::vector<const Text*> fields_;
    Value* table_ = nullptr;
    std::uint32_t next_reference_ = 0;
};

}  // namespace

Result<> lower_to_tree(const ObjectGraph& from, const TreeTerms& terms, ObjectGraph& to) {
    return Flattening(from, terms, to).flatten();
}

}  // namespace perfrelay
