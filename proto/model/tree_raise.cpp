#include "proto/model/tree_raise.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "proto/model/graph_copy.h"
#include "proto/model/tree_terms.h"

namespace perfrelay {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

bool is_text(const Value& value, std::string_view text) {
    return value.is(ValueKind::text) && value.text->view() == text;
}
bool is_list(const Value& value) {
    return value.is(ValueKind::node) && value.node->kind == NodeKind::list;
}

// The value beside the key, when the map has it at that place.
const Value* entry(const Node& map, std::uint32_t at, std::string_view key) {
    if (map.kind != NodeKind::map || at >= map.count / 2) return nullptr;
    return is_text(map.items[std::size_t{2} * at], key) ? map.items + std::size_t{2} * at + 1
                                                        : nullptr;
}
const Value* only_entry(const Node& map, std::string_view key) {
    return map.count == 2 ? entry(map, 0, key) : nullptr;
}

class Raising : public GraphCopy<Raising> {
  public:
    Raising(const ObjectGraph& tree, ObjectGraph& to) : GraphCopy(tree, to), tree_(tree) {
        if (!tree.root.is(ValueKind::node)) return;
        const Node& root = *tree.root.node;
        root_ = only_entry(root, tree_name::k_root);
        if (root_ != nullptr || root.count != 4) return;
        const Value* const table = entry(root, 1, tree_name::k_shared);
        if (table == nullptr || !is_list(*table)) return;
        root_ = entry(root, 0, tree_name::k_root);
        if (root_ != nullptr) table_ = table->node->values();
    }

    bool map(const Value& from, Value& to) {
        const Value* meant = &from;
        if (meant == &tree_.root && root_ != nullptr) meant = root_;
        // A place of the table may refer on, but not round.
        for (std::size_t steps = 0; const Value* const reference = reference_in(*meant); ++steps) {
            if (reference->integer < 0 ||
                static_cast<std::uint64_t>(reference->integer) >= table_.size()) {
                return fail("a $ref beyond the $shared table");
            }
            if (steps == table_.size()) return fail("a $ref that leads to itself");
            meant = &table_[static_cast<std::size_t>(reference->integer)];
        }
        if (meant->is(ValueKind::text)) {
            to = Value::of(text(meant->text));
            return true;
        }
        if (!meant->is(ValueKind::node)) {
            to = *meant;
            return true;
        }
        return known(*meant->node, to) || node(*meant->node, to);
    }

  private:
    // The number in a reference to the table, or null.
    const Value* reference_in(const Value& value) const {
        if (table_.empty() || !value.is(ValueKind::node)) return nullptr;
        const Value* const number = only_entry(*value.node, tree_name::k_ref);
        return number != nullptr && number->is_integer() ? number : nullptr;
    }

    bool node(const Node& node, Value& to) {
        switch (node.kind) {
            case NodeKind::map: break;
            case NodeKind::list:
                want_items(node.values(), *become(node, node.kind, to));
                return true;
            case NodeKind::date: {
                Node& made = *become(node, node.kind, to);
                made.flags = node.flags;
                made.millis_bits = node.millis_bits;
                return true;
            }
            case NodeKind::bytes: copy_bytes(node, *become(node, node.kind, to)); return true;
            case NodeKind::big_integer:
                become(node, node.kind, to)->text = text(node.text);
                return true;
            default: return fail("no tree");
        }
        if (const Value* const millis = only_entry(node, tree_name::k_date)) {
            if (date(node, *millis, to)) return true;
        }
        if (const Value* const pairs = only_entry(node, tree_name::k_entries)) {
            if (is_pairs(*pairs)) return entries(node, *pairs->node, to);
        }
        if (const Value* const type = entry(node, 0, tree_name::k_type)) {
            if (type->is(ValueKind::text) && has_names(node)) return object(node, *type->text, to);
        }
        if (const Value* const items = entry(node, node.count / 2 - 1, tree_name::k_items)) {
            if (is_list(*items) && has_names(node)) return array(node, *items->node, to);
        }
        Node& made = *become(node, NodeKind::map, to);
        made.count = node.count;
        made.items = to_.new_values(node.count);
        return take_entries(node.values(), made.items);
    }

    // False when that is no number.
    bool date(const Node& node, const Value& millis, Value& to) {
        if (!millis.is_integer() && !millis.is(ValueKind::float64)) return false;
        Node& made = *become(node, NodeKind::date, to);
        if (millis.is_integer()) {
            made.millis = millis.integer;
        } else {
            made.set_date(millis.as_double());
        }
        return true;
    }

    static bool is_pairs(const Value& value) {
        if (!is_list(value)) return false;
        for (const Value& pair : value.node->values()) {
            if (!is_list(pair) || pair.node->count != 2) return false;
        }
        return true;
    }
    static bool has_names(const Node& node) {
        for (std::uint32_t i = 0; i < node.count; i += 2) {
            if (!node.items[i].is(ValueKind::text)) return false;
        }
        return true;
    }

    const Text* name(const Text* from) {
        const std::string_view view = from->view();
        return view.starts_with("$$") ? to_.intern(view.substr(1)) : text(from);
    }
    // Keys, those of texts as names, and values, to `to`.
    bool take_entries(std::span<const Value> values, Value* to) {
        for (std::size_t i = values.size(); i >= 2; i -= 2) {
            want(values.subspan(i - 1, 1), to + i - 1);
            if (values[i - 2].is(ValueKind::text)) {
                to[i - 2] = Value::of(name(values[i - 2].text));
            } else {
                want(values.subspan(i - 2, 1), to + i - 2);
            }
        }
        return true;
    }

    bool entries(const Node& node, const Node& pairs, Value& to) {
        Node& made = *become(node, NodeKind::map, to);
        made.count = 2 * pairs.count;
        made.items = to_.new_values(made.count);
        for (std::size_t i = pairs.count; i-- > 0;)
            want(pairs.items[i].node->values(), made.items + 2 * i);
        return true;
    }

    bool object(const Node& node, const Text& type, Value& to) {
        if (const Value* const body =
                node.count == 4 ? entry(node, 1, tree_name::k_value) : nullptr) {
            Node& made = *become(node, NodeKind::external, to);
            made.type = class_of(type, {}, Class::k_external);
            want_items({body, 1}, made);
            return true;
        }
        Node& made = *become(node, NodeKind::object, to);
        made.type = class_of(type, node.values().subspan(2), 0);
        made.count = node.count / 2 - 1;
        made.items = to_.new_values(made.count);
        for (std::size_t i = made.count; i-- > 0;)
            want({node.items + 2 * i + 3, 1}, made.items + i);
        return true;
    }

    bool array(const Node& node, const Node& items, Value& to) {
        Node& made = *become(node, NodeKind::array, to);
        const auto named = node.values().first(node.count - 2);
        want_items(items.values(), made);
        made.more_count = static_cast<std::uint32_t>(named.size());
        made.more = to_.new_values(named.size());
        return take_entries(named, made.more);
    }

    // The one of that name and those fields: names beside values.
    const Class* class_of(const Text& type, std::span<const Value> entries, std::uint8_t flags) {
        names_.clear();
        std::string key(1, static_cast<char>(flags));
        const auto add = [&key](const Text* text) {
            key.append(reinterpret_cast<const char*>(&text->id), sizeof text->id);
        };
        const Text* const own = text(&type);
        add(own);
        for (std::size_t i = 0; i < entries.size(); i += 2) {
            names_.push_back(name(entries[i].text));
            add(names_.back());
        }
        const Class*& known = classes_[key];
        if (known == nullptr) known = to_.new_class(own, names_, flags);
        return known;
    }

    const ObjectGraph& tree_;
    const Value* root_ = nullptr;   // behind "$root"
    std::span<const Value> table_;  // behind "$shared"
    std::unordered_map<std::string, const Class*> classes_;
    std::vector<const Text*> names_;
};

}  // namespace

Result<> raise_tree(const ObjectGraph& tree, ObjectGraph& to) {
    return Raising(tree, to).run(Errc::malformed);
}

}  // namespace perfrelay
