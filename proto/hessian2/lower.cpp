#include "proto/hessian2/lower.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "proto/model/graph_copy.h"
#include "proto/model/java_view.h"

namespace perfrelay::hessian2 {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

// Caucho's name for an array of Java ("[I", "[Ljava.lang.String;", "[[J"), or what was there.
std::string array_type(std::string_view name) {
    const std::size_t depth = name.find_first_not_of('[');
    if (depth == std::string_view::npos) return std::string(name);
    std::string_view element = name.substr(depth);
    static constexpr std::pair<std::string_view, std::string_view> k_names[] = {
        {"Z", "boolean"},
        {"B", "byte"},
        {"C", "char"},
        {"S", "short"},
        {"I", "int"},
        {"J", "long"},
        {"F", "float"},
        {"D", "double"},
        {"Ljava.lang.String;", "string"},
        {"Ljava.lang.Object;", "object"},
        {"Ljava.util.Date;", "date"}};
    for (const auto& [java, caucho] : k_names) {
        if (element == java) return std::string(depth, '[') + std::string(caucho);
    }
    if (element.starts_with('L') && element.ends_with(';')) {
        element = element.substr(1, element.size() - 2);
    }
    return std::string(depth, '[') + std::string(element);
}

// What Caucho writes before other fields: primitives, and classes of java.lang other than Object.
bool goes_first(const graph::JavaField& field) {
    if (field.type == '[') return false;
    if (field.type != 'L') return true;
    return field.signature != nullptr && field.signature->view().starts_with("Ljava/lang/") &&
           field.signature->view() != "Ljava/lang/Object;";
}

class Lowering : public GraphCopy<Lowering> {
  public:
    Lowering(const ObjectGraph& from, ObjectGraph& to)
        : GraphCopy(from, to), classes_(from.class_count()) {}

    bool map(const Value& from, Value& to) {
        switch (from.kind) {
            case ValueKind::undefined: to = Value::null(); return true;
            case ValueKind::int8:
            case ValueKind::int16:
                to = Value::int32(static_cast<std::int32_t>(from.integer));
                return true;
            case ValueKind::float32:
                to = Value::float64(static_cast<double>(from.as_float()));
                return true;
            case ValueKind::char16:
                to = Value::of(to_.intern(unit_text(static_cast<std::uint32_t>(from.integer))));
                return true;
            case ValueKind::text: to = Value::of(text(from.text)); return true;
            case ValueKind::node: return known(*from.node, to) || node(*from.node, to);
            default: to = from; return true;
        }
    }

  private:
    bool node(const Node& node, Value& to) {
        switch (node.kind) {
            case NodeKind::object: return object(node, to);
            case NodeKind::external: return external(node, to);
            case NodeKind::list: return list(node, to);
            case NodeKind::map: {
                Node& made = *become(node, NodeKind::map, to);
                const bool plain = node.name == nullptr || node.name->view() == "java.util.HashMap";
                made.name = plain ? nullptr : text(node.name);
                want_items(node.values(), made);
                return true;
            }
            case NodeKind::array: return array(node, to);
            case NodeKind::vector: return vector(node, to);
            case NodeKind::dictionary:
                want_items(node.values(), *become(node, NodeKind::map, to));
                return true;
            case NodeKind::date:
                if (node.has(Node::k_fractional)) {
                    return fail("Hessian has no dates of parts of milliseconds");
                }
                new_date(node.millis, to);
                return true;
            case NodeKind::bytes:
            case NodeKind::block: {
                // No identity: one node each time, which share their bytes.
                Node& made = *to_.new_node(NodeKind::bytes);
                const std::uint8_t*& kept = bytes_[node.id];
                if (kept == nullptr && node.count != 0) {
                    kept = as_bytes(to_.arena().copy(as_text(node.bytes()))).data();
                }
                made.data = kept;
                made.count = node.count;
                to = Value::of(&made);
                return true;
            }
            case NodeKind::xml: to = Value::of(text(node.text)); return true;
            case NodeKind::enumeration:
                one_field(node, node.name->view(), "name", Value::of(text(node.text)), to);
                return true;
            case NodeKind::class_ref:
                one_field(node, "java.lang.Class", "name", Value::of(text(node.name)), to);
                return true;
            case NodeKind::big_integer:
                one_field(node, "java.math.BigInteger", "value", Value::of(text(node.text)), to);
                return true;
            case NodeKind::big_decimal:
                one_field(node, "java.math.BigDecimal", "value", Value::of(text(node.text)), to);
                return true;
            case NodeKind::sequence:
                want_items(node.values(), *become(node, NodeKind::list, to));
                return true;
            case NodeKind::proxy: return fail("Hessian has no proxies");
            case NodeKind::class_desc: return fail("Hessian has no class descriptions as values");
            case NodeKind::reset: return fail("Hessian has no resets");
        }
        return false;
    }

    void new_date(std::int64_t millis, Value& to) {
        Node& made = *to_.new_node(NodeKind::date);
        made.millis = millis;
        to = Value::of(&made);
    }

    void one_field(const Node& node, std::string_view type, std::string_view field, Value value,
                   Value& to) {
        Node& made = *become(node, NodeKind::object, to);
        const Text* const name = to_.intern(field);
        made.type = own_class(to_.intern(type), {&name, 1});
        made.items = to_.new_values(1);
        made.count = 1;
        made.items[0] = value;
    }

    bool list(const Node& node, Value& to) {
        const std::string_view type = node.name != nullptr ? node.name->view() : std::string_view();
        if (type == "[C") return characters(node, to);
        Node& made = *become(node, NodeKind::list, to);
        if (type.starts_with('[')) {
            made.name = to_.intern(array_type(type));
        } else if (type != "java.util.ArrayList") {
            made.name = text(node.name);
        }
        want_items(node.values(), made);
        return true;
    }

    bool characters(const Node& node, Value& to) {
        std::string joined;
        if (!join_units(node.values(), joined)) return fail("no characters");
        to = Value::of(to_.intern(joined));
        return true;
    }

    bool external(const Node& node, Value& to) {
        const Value& body = node.items[0];
        if (body.is(ValueKind::node) && body.node->kind == NodeKind::array &&
            body.node->more_count == 0) {
            want_items(body.node->values(), *become(node, NodeKind::list, to));
            return true;
        }
        Node& made = *become(node, NodeKind::object, to);
        const Text* const name = to_.intern("value");
        made.type = own_class(text(node.type->name), {&name, 1});
        want_items(node.values(), made);
        return true;
    }

    bool array(const Node& node, Value& to) {
        if (node.more_count == 0) {
            want_items(node.values(), *become(node, NodeKind::list, to));
            return true;
        }
        Node& made = *become(node, NodeKind::map, to);
        const std::size_t named = node.more_count;
        made.items = to_.new_values(named + std::size_t{2} * node.count);
        made.count = node.more_count + 2 * node.count;
        for (std::uint32_t i = node.count; i-- > 0;) {
            Value* const entry = made.items + named + std::size_t{2} * i;
            *entry = Value::int32(static_cast<std::int32_t>(i));
            want({node.items + i, 1}, entry + 1);
        }
        want(node.more_values(), made.items);
        return true;
    }

    bool vector(const Node& node, Value& to) {
        Node& made = *become(node, NodeKind::list, to);
        static constexpr std::string_view k_types[] = {"[int", "[long", "[double"};
        if (node.element != graph::ElementKind::object) {
            made.name = to_.intern(k_types[static_cast<std::size_t>(node.element)]);
        } else if (!node.name->empty() && node.name->view() != "*") {
            made.name = to_.intern("[" + std::string(node.name->view()));
        }
        want_items(node.values(), made);
        return true;
    }

    bool object(const Node& node, Value& to) {
        if (const auto box = unboxed(node)) return boxed(node, *box, to);
        if (has_own_data(node)) return fail("an object whose class wrote data of its own");
        if (node.type->is_dynamic() || node.type->name->empty()) return named_values(node, to);
        Mapped& mapped = classes_[node.type->id];
        if (mapped.type == nullptr) map_class(*node.type, mapped);
        Node& made = *become(node, NodeKind::object, to);
        made.type = mapped.type;
        want_items(node.values(), mapped.order, made);
        return true;
    }

    bool boxed(const Node& node, const Value& box, Value& to) {
        Value value;
        if (!map(box, value)) return false;
        static constexpr std::pair<ValueKind, std::string_view> k_handles[] = {
            {ValueKind::int8, "com.caucho.hessian.io.ByteHandle"},
            {ValueKind::int16, "com.caucho.hessian.io.ShortHandle"},
            {ValueKind::float32, "com.caucho.hessian.io.FloatHandle"}};
        for (const auto& [kind, handle] : k_handles) {
            if (box.is(kind)) {
                one_field(node, handle, "_value", value, to);
                return true;
            }
        }
        to = value;
        return true;
    }

    // An object whose members are not its class's alone: a map.
    bool named_values(const Node& node, Value& to) {
        Node& made = *become(node, NodeKind::map, to);
        if (!node.type->name->empty()) made.name = text(node.type->name);
        all_field_names(*node.type, names_);
        made.count = 2 * node.count + node.more_count;
        made.items = to_.new_values(made.count);
        want(node.more_values(), made.items + std::size_t{2} * node.count);
        for (std::uint32_t i = node.count; i-- > 0;) {
            made.items[std::size_t{2} * i] = Value::of(text(names_[i]));
            want({node.items + i, 1}, made.items + std::size_t{2} * i + 1);
        }
        return true;
    }

    // A class of the new graph, and which field goes where; empty: as they are.
    struct Mapped {
        const Class* type = nullptr;
        std::vector<std::uint32_t> order;
    };

    void map_class(const Class& type, Mapped& mapped) {
        all_field_names(type, names_);
        if (type.java != nullptr) {
            caucho_order(type, mapped.order);
            const std::vector<const Text*> unordered = names_;
            for (std::size_t i = 0; i < names_.size(); ++i)
                names_[i] = unordered[mapped.order[i]];
        }
        for (const Text*& name : names_)
            name = text(name);
        mapped.type = to_.new_class(text(type.name), names_, 0);
    }

    static void caucho_order(const Class& type, std::vector<std::uint32_t>& order) {
        std::vector<std::uint32_t> later;
        auto behind = static_cast<std::uint32_t>(type.all_fields());
        const auto& levels = type.java->levels;
        for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
            const Class& own = **level;
            behind -= own.own_values();
            for (std::uint32_t i = 0; i < own.own_values(); ++i) {
                const bool first = own.java->fields != nullptr && goes_first(own.java->fields[i]);
                (first ? order : later).push_back(behind + i);
            }
        }
        order.insert(order.end(), later.begin(), later.end());
    }

    // For objects that were none: the one class of that name and field.
    const Class* own_class(const Text* name, std::span<const Text* const> fields) {
        std::string key(reinterpret_cast<const char*>(&name->id), sizeof name->id);
        key.append(reinterpret_cast<const char*>(&fields[0]->id), sizeof fields[0]->id);
        const Class*& known = own_classes_[key];
        if (known == nullptr) known = to_.new_class(name, fields, 0);
        return known;
    }

    std::vector<Mapped> classes_;
    std::unordered_map<std::string, const Class*> own_classes_;
    std::unordered_map<std::uint32_t, const std::uint8_t*> bytes_;
    std::vector<const Text*> names_;
};

}  // namespace

Result<> lower(const ObjectGraph& from, ObjectGraph& to) {
    auto done = Lowering(from, to).run();
    if (done) to.origin = ObjectGraph::Origin::hessian2;
    return done;
}

}  // namespace perfrelay::hessian2
