#include "proto/javaser/lower.h"

#include <algorithm>
#include <string>

#include "proto/javaser/class_maker.h"
#include "proto/javaser/raw_forms.h"
#include "proto/model/graph_copy.h"
#include "proto/model/java_view.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

ValueKind element_kind(char type) {
    switch (type) {
        case 'Z': return ValueKind::boolean;
        case 'C': return ValueKind::char16;
        case 'S': return ValueKind::int16;
        case 'I': return ValueKind::int32;
        case 'J': return ValueKind::int64;
        case 'F': return ValueKind::float32;
        case 'D': return ValueKind::float64;
        default: return ValueKind::node;
    }
}

bool all_of_kind(const Node& node, ValueKind kind) {
    return std::all_of(node.items, node.items + node.count,
                       [kind](const Value& value) { return value.is(kind); });
}

// The name of a Java array for a list's type: its own, or what Hessian's name stands for.
std::string java_array(const Node& node) {
    const std::string_view name = node.name->view();
    const std::size_t depth = std::min(name.find_first_not_of('['), name.size());
    const std::string_view element = name.substr(depth);
    const std::string brackets(depth, '[');
    const bool primitive = element.size() == 1 && element_kind(element[0]) != ValueKind::node;
    if (primitive && depth == 1) {
        return all_of_kind(node, element_kind(element[0])) ? std::string(name)
                                                           : "[Ljava.lang.Object;";
    }
    if (primitive || (element.starts_with('L') && element.ends_with(';')) || element == "B") {
        return std::string(name);
    }
    static constexpr std::pair<std::string_view, char> k_primitives[] = {
        {"boolean", 'Z'}, {"int", 'I'},    {"short", 'I'},
        {"long", 'J'},    {"double", 'D'}, {"float", 'D'}};
    for (const auto& [word, type] : k_primitives) {
        if (element != word) continue;
        if (depth > 1) return brackets + type;
        return all_of_kind(node, element_kind(type)) ? brackets + type : "[Ljava.lang.Object;";
    }
    static constexpr std::pair<std::string_view, std::string_view> k_classes[] = {
        {"string", "java.lang.String"}, {"object", "java.lang.Object"}, {"date", "java.util.Date"}};
    for (const auto& [word, type] : k_classes) {
        if (element == word) return brackets + "L" + std::string(type) + ";";
    }
    return brackets + "L" + std::string(element) + ";";
}

class Lowering : public GraphCopy<Lowering> {
  public:
    Lowering(const ObjectGraph& from, ObjectGraph& to)
        : GraphCopy(from, to, false),
          classes_(from, to),
          raw_(to, classes_),
          mapped_(from.class_count()) {}

    // Where an object is due.
    bool map(const Value& from, Value& to) {
        switch (from.kind) {
            case ValueKind::undefined:
            case ValueKind::null: to = Value::null(); return true;
            case ValueKind::text: to = Value::of(text(from.text)); return true;
            case ValueKind::node: return known(*from.node, to) || node(*from.node, to);
            default: break;
        }
        to = Value::of(raw_.box(from));
        return true;
    }

  private:
    bool node(const Node& node, Value& to) {
        switch (node.kind) {
            case NodeKind::object: return object(node, to);
            case NodeKind::external: return external(node, to);
            case NodeKind::list: return list(node, to);
            case NodeKind::map:
                return collection(node, node.name, "java.util.HashMap", NodeKind::map,
                                  node.values(), to);
            case NodeKind::array: return array(node, to);
            case NodeKind::vector: return vector(node, to);
            case NodeKind::dictionary:
                return collection(node, nullptr, "java.util.LinkedHashMap", NodeKind::map,
                                  node.values(), to);
            case NodeKind::date:
                if (node.has(Node::k_fractional)) {
                    return fail("Java has no dates of parts of milliseconds");
                }
                raw_.date(*become(node, NodeKind::date, to), node.millis);
                return true;
            case NodeKind::bytes: {
                Node& made = *become(node, NodeKind::bytes, to);
                raw_.describe(made, classes_.array("[B"));
                made.name = nullptr;
                copy_bytes(node, made);
                return true;
            }
            case NodeKind::block: copy_bytes(node, *become(node, NodeKind::block, to)); return true;
            case NodeKind::xml: to = Value::of(text(node.text)); return true;
            case NodeKind::enumeration: {
                Node& made = *become(node, NodeKind::enumeration, to);
                raw_.describe(made, classes_.enumeration(node.name->view()));
                made.text = text(node.text);
                return true;
            }
            case NodeKind::class_ref:
                raw_.describe(*become(node, NodeKind::class_ref, to),
                              classes_.bare(node.name->view()));
                return true;
            case NodeKind::proxy: {
                Node& made = *become(node, NodeKind::proxy, to);
                const Class* const type = classes_.proxy(node.name->view());
                Value* const handler = to_.new_values(1);
                raw_.give(made, type, handler);
                made.name = type->name;
                want(node.values(), handler);
                return true;
            }
            case NodeKind::big_integer: {
                Node* const made = raw_.big_integer(node.text->view());
                if (made == nullptr) return fail("a big integer of no digits, or of too many");
                to = became(node, made);
                return true;
            }
            case NodeKind::big_decimal:
                return raw_.big_decimal(*become(node, NodeKind::object, to), node.text->view()) ||
                       fail("a big decimal of no digits, or of too many");
            case NodeKind::sequence:
                want_items(node.values(), *become(node, NodeKind::sequence, to));
                return true;
            case NodeKind::reset: become(node, NodeKind::reset, to); return true;
            case NodeKind::class_desc: return fail("a class description without its stream");
        }
        return false;
    }

    bool list(const Node& node, Value& to) {
        if (!is_array_type(node.name)) {
            return collection(node, node.name, "java.util.ArrayList", NodeKind::list, node.values(),
                              to);
        }
        const std::string name = java_array(node);
        Node& made = *become(node, NodeKind::list, to);
        raw_.describe(made, classes_.array(name));
        if (name.size() == 2) {
            const auto items = to_.copy(node.values());
            made.items = items.data();
            made.count = node.count;
        } else {
            want_items(node.values(), made);
        }
        return true;
    }

    bool array(const Node& node, Value& to) {
        if (node.more_count == 0) {
            return collection(node, nullptr, "java.util.ArrayList", NodeKind::list, node.values(),
                              to);
        }
        std::vector<Value> entries(node.more, node.more + node.more_count);
        for (std::uint32_t i = 0; i < node.count; ++i) {
            entries.push_back(Value::int32(static_cast<std::int32_t>(i)));
            entries.push_back(node.items[i]);
        }
        return kept_entries(node, entries, to);
    }

    // A LinkedHashMap of entries that are no array of the graph: they are kept until mapped.
    bool kept_entries(const Node& node, const std::vector<Value>& entries, Value& to) {
        return collection(node, nullptr, "java.util.LinkedHashMap", NodeKind::map,
                          to_.copy(entries), to);
    }

    bool vector(const Node& node, Value& to) {
        static constexpr std::string_view k_types[] = {"[I", "[J", "[D", "[Ljava.lang.Object;"};
        Node& made = *become(node, NodeKind::list, to);
        raw_.describe(made, classes_.array(k_types[static_cast<std::size_t>(node.element)]));
        if (node.element == graph::ElementKind::object) {
            want_items(node.values(), made);
        } else {
            made.items = to_.copy(node.values()).data();
            made.count = node.count;
        }
        return true;
    }

    bool external(const Node& node, Value& to) {
        const Value& body = node.items[0];
        if (body.is(ValueKind::node) && body.node->kind == NodeKind::array &&
            body.node->more_count == 0) {
            return collection(node, nullptr, "java.util.ArrayList", NodeKind::list,
                              body.node->values(), to);
        }
        Node& made = *become(node, NodeKind::object, to);
        Value* const fields = to_.new_values(1);
        raw_.give(made, classes_.with_one_field(node.type->name->view(), "value"), fields);
        want(node.values(), fields);
        return true;
    }

    bool object(const Node& node, Value& to) {
        const Class& from = *node.type;
        if (from.java == nullptr && (from.is_dynamic() || from.name->empty())) {
            std::vector<Value> entries;
            for (std::uint32_t i = 0; i < node.count; ++i) {
                entries.push_back(Value::of(from.fields[i]));
                entries.push_back(node.items[i]);
            }
            entries.insert(entries.end(), node.more, node.more + node.more_count);
            return kept_entries(node, entries, to);
        }
        Mapped& mapped = mapped_[from.id];
        if (mapped.type == nullptr) mapped.type = classes_.of_objects(from, mapped.order);
        Node& made = *become(node, NodeKind::object, to);
        Value* const fields = to_.new_values(node.count);
        Annotation* const annotations = raw_.give(made, mapped.type, fields);
        std::uint32_t behind = node.count;
        const auto& levels = mapped.type->java->levels;
        for (std::size_t level = levels.size(); level-- > 0;) {
            const Class& type = *levels[level];
            if (from.java != nullptr && node.java->annotations[level].present) {
                const Annotation& there = node.java->annotations[level];
                raw_.annotate(annotations[level], {}, {there.values, there.count});
                take_wanted();
            }
            behind -= type.own_values();
            for (std::uint32_t i = type.own_values(); i-- > 0;) {
                const std::uint32_t at = behind + i;
                const Value& value = node.items[mapped.order.empty() ? at : mapped.order[at]];
                if (type.java->fields[i].type == 'L' || type.java->fields[i].type == '[') {
                    want({&value, 1}, fields + at);
                } else {
                    fields[at] = value;
                }
            }
        }
        return true;
    }

    // A list or map in the raw form of the JDK's class `name`, or else `otherwise`.
    bool collection(const Node& node, const Text* name, const char* otherwise, NodeKind kind,
                    std::span<const Value> items, Value& to) {
        std::string type = name == nullptr ? otherwise : std::string(name->view());
        if (!RawForms::fits(type, kind, items.size())) type = otherwise;
        raw_.collection(*become(node, NodeKind::object, to), type, kind, items);
        take_wanted();
        return true;
    }

    void take_wanted() {
        for (const auto& [values, place] : raw_.wanted())
            want(values, place);
        raw_.wanted().clear();
    }

    struct Mapped {
        const Class* type = nullptr;
        std::vector<std::uint32_t> order;
    };
    ClassMaker classes_;
    RawForms raw_;
    std::vector<Mapped> mapped_;
};

}  // namespace

Result<> lower(const ObjectGraph& from, ObjectGraph& to) {
    to.clear();
    auto done = Lowering(from, to).run();
    if (done) {
        to.origin = ObjectGraph::Origin::javaser;
        to.has_java_parts = true;
    }
    return done;
}

}  // namespace perfrelay::javaser
