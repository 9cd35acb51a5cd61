#include "proto/javaser/lower.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>

#include "proto/javaser/class_maker.h"
#include "proto/javaser/decimal.h"
#include "proto/javaser/meaning.h"
#include "proto/model/fast_out.h"
#include "proto/model/graph_copy.h"
#include "proto/model/java_view.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

constexpr float k_load_factor = 0.75F;

std::uint32_t load_bits() {
    return std::bit_cast<std::uint32_t>(k_load_factor);
}

// Buckets of a HashMap of that many entries.
std::uint32_t buckets(std::uint32_t entries) {
    std::uint32_t most = 16;
    while (entries * std::uint64_t{4} > most * std::uint64_t{3})
        most *= 2;
    return most;
}

const char* box_of(ValueKind kind) {
    switch (kind) {
        case ValueKind::boolean: return "java.lang.Boolean";
        case ValueKind::int8: return "java.lang.Byte";
        case ValueKind::int16: return "java.lang.Short";
        case ValueKind::int32: return "java.lang.Integer";
        case ValueKind::int64: return "java.lang.Long";
        case ValueKind::char16: return "java.lang.Character";
        case ValueKind::float32: return "java.lang.Float";
        default: return "java.lang.Double";
    }
}

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
        : GraphCopy(from, to, false), classes_(from, to), mapped_(from.class_count()) {}

    const char* why() const { return why_; }

    // Where an object is due.
    bool map(const Value& from, Value& to) {
        switch (from.kind) {
            case ValueKind::undefined:
            case ValueKind::null: to = Value::null(); return true;
            case ValueKind::text: to = Value::of(text(from.text)); return true;
            case ValueKind::node: return known(*from.node, to) || node(*from.node, to);
            default: break;
        }
        Node& box = *to_.new_node(NodeKind::object);
        to = Value::of(&box);
        give(box, classes_.known(box_of(from.kind)), {from});
        return true;
    }

  private:
    bool fail(const char* why) {
        why_ = why;
        return false;
    }

    // Java's parts for `node`: fields with these values, and nothing annotated yet.
    Annotation* give(Node& node, const Class* type, std::initializer_list<Value> values) {
        Value* const fields = to_.copy({values.begin(), values.size()}).data();
        return give(node, type, fields);
    }
    Annotation* give(Node& node, const Class* type, Value* fields) {
        const std::size_t levels = type->java->levels.size();
        auto* const annotations = to_.array<Annotation>(levels);
        for (std::size_t i = 0; i < levels; ++i) {
            annotations[i] = {};
            annotations[i].present = type->java->levels[i]->java->annotates();
        }
        node.java = to_.arena().create(
            JavaParts{.type = type, .fields = fields, .annotations = annotations});
        node.type = type;
        node.items = fields;
        node.count = type->java->all_fields;
        return annotations;
    }
    // The same for what has a description and no fields.
    void describe(Node& node, const Class* type) {
        node.java = to_.arena().create(JavaParts{.type = type});
        node.name = type->name;
    }

    Value block(std::initializer_list<std::uint32_t> numbers) {
        Node& made = *to_.new_node(NodeKind::block);
        auto* const bytes = to_.array<std::uint8_t>(numbers.size() * sizeof(std::uint32_t));
        std::uint8_t* next = bytes;
        for (const std::uint32_t number : numbers) {
            const std::uint32_t big = to_big_endian(number);
            std::memcpy(next, &big, sizeof big);
            next += sizeof big;
        }
        made.data = bytes;
        made.count = static_cast<std::uint32_t>(numbers.size() * sizeof(std::uint32_t));
        return Value::of(&made);
    }

    // An annotation: these, the items (to be mapped), and those.
    void annotate(Annotation& annotation, std::initializer_list<Value> before,
                  std::span<const Value> items, std::initializer_list<Value> behind = {}) {
        const std::size_t count = before.size() + items.size() + behind.size();
        Value* const values = to_.new_values(count);
        std::copy(before.begin(), before.end(), values);
        std::copy(behind.begin(), behind.end(), values + before.size() + items.size());
        want(items, values + before.size());
        annotation = {
            .values = values, .count = static_cast<std::uint32_t>(count), .present = true};
    }

    Node* object_array(std::string_view name, std::span<const Value> items) {
        Node* const made = to_.new_node(NodeKind::list);
        describe(*made, classes_.array(name));
        want_items(items, *made);
        return made;
    }

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
            case NodeKind::date: return date(node, to);
            case NodeKind::bytes: {
                Node& made = *become(node, NodeKind::bytes, to);
                describe(made, classes_.array("[B"));
                made.name = nullptr;
                copy_bytes(node, made);
                return true;
            }
            case NodeKind::block: copy_bytes(node, *become(node, NodeKind::block, to)); return true;
            case NodeKind::xml: to = Value::of(text(node.text)); return true;
            case NodeKind::enumeration: {
                Node& made = *become(node, NodeKind::enumeration, to);
                describe(made, classes_.enumeration(node.name->view()));
                made.text = text(node.text);
                return true;
            }
            case NodeKind::class_ref:
                describe(*become(node, NodeKind::class_ref, to), classes_.bare(node.name->view()));
                return true;
            case NodeKind::proxy: {
                Node& made = *become(node, NodeKind::proxy, to);
                const Class* const type = classes_.proxy(node.name->view());
                Value* const handler = to_.new_values(1);
                give(made, type, handler);
                made.name = type->name;
                want(node.values(), handler);
                return true;
            }
            case NodeKind::big_integer: return big_integer(node, to);
            case NodeKind::big_decimal: return big_decimal(node, to);
            case NodeKind::sequence:
                want_items(node.values(), *become(node, NodeKind::sequence, to));
                return true;
            case NodeKind::reset: become(node, NodeKind::reset, to); return true;
            case NodeKind::class_desc: return fail("a class description without its stream");
        }
        return false;
    }

    bool date(const Node& node, Value& to) {
        if (node.has(Node::k_fractional)) {
            return fail("Java has no dates of parts of milliseconds");
        }
        Node& made = *become(node, NodeKind::date, to);
        Annotation* const annotations = give(made, classes_.known("java.util.Date"), {});
        const auto millis = static_cast<std::uint64_t>(node.millis);
        annotate(annotations[0],
                 {block({static_cast<std::uint32_t>(millis >> 32U),
                         static_cast<std::uint32_t>(millis)})},
                 {});
        interpret(to_, made);
        return true;
    }

    Node* make_big_integer(std::string_view digits) {
        const bool negative = digits.starts_with('-');
        const auto magnitude = to_magnitude(digits.substr(negative ? 1 : 0));
        if (!magnitude) return nullptr;
        Node* const array = to_.new_node(NodeKind::bytes);
        describe(*array, classes_.array("[B"));
        array->name = nullptr;
        const std::string_view kept = to_.arena().copy(as_text(*magnitude));
        array->data = as_bytes(kept).data();
        array->count = static_cast<std::uint32_t>(kept.size());
        Node* const made = to_.new_node(NodeKind::object);
        const std::int32_t sign = magnitude->empty() ? 0 : negative ? -1 : 1;
        give(*made, classes_.known("java.math.BigInteger"),
             {Value::int32(-1), Value::int32(-1), Value::int32(-2), Value::int32(-2),
              Value::int32(sign), Value::of(array)});
        interpret(to_, *made);
        return made;
    }

    bool big_integer(const Node& node, Value& to) {
        Node* const made = make_big_integer(node.text->view());
        if (made == nullptr) return fail("a big integer of no digits, or of too many");
        to = became(node, made);
        return true;
    }

    bool big_decimal(const Node& node, Value& to) {
        const auto parsed = parse_decimal(node.text->view());
        Node* const unscaled = parsed ? make_big_integer(parsed->digits) : nullptr;
        if (unscaled == nullptr) return fail("a big decimal of no digits, or of too many");
        Node& made = *become(node, NodeKind::object, to);
        give(made, classes_.known("java.math.BigDecimal"),
             {Value::int32(parsed->scale), Value::of(unscaled)});
        interpret(to_, made);
        return true;
    }

    bool list(const Node& node, Value& to) {
        if (!is_array_type(node.name)) {
            return collection(node, node.name, "java.util.ArrayList", NodeKind::list, node.values(),
                              to);
        }
        const std::string name = java_array(node);
        Node& made = *become(node, NodeKind::list, to);
        describe(made, classes_.array(name));
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
        describe(made, classes_.array(k_types[static_cast<std::size_t>(node.element)]));
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
        give(made, classes_.with_one_field(node.type->name->view(), "value"), fields);
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
        Annotation* const annotations = give(made, mapped.type, fields);
        std::uint32_t behind = node.count;
        const auto& levels = mapped.type->java->levels;
        for (std::size_t level = levels.size(); level-- > 0;) {
            const Class& type = *levels[level];
            if (from.java != nullptr && node.java->annotations[level].present) {
                const Annotation& there = node.java->annotations[level];
                annotate(annotations[level], {}, {there.values, there.count});
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
        if (!fits(meaning_of(type), kind, items.size())) type = otherwise;
        Node& made = *become(node, NodeKind::object, to);
        fill(made, type, kind, items);
        return true;
    }

    static bool fits(Meaning meaning, NodeKind kind, std::size_t values) {
        switch (meaning) {
            case Meaning::list_by_size_field:
            case Meaning::list_by_block:
            case Meaning::hash_set:
            case Meaning::tree_set:
            case Meaning::vector:
            case Meaning::array_field: return kind == NodeKind::list;
            case Meaning::single_item: return kind == NodeKind::list && values == 1;
            case Meaning::empty_list: return kind == NodeKind::list && values == 0;
            case Meaning::map_by_block:
            case Meaning::hash_map:
            case Meaning::concurrent_map: return kind == NodeKind::map;
            case Meaning::single_entry: return kind == NodeKind::map && values == 2;
            case Meaning::empty_map: return kind == NodeKind::map && values == 0;
            case Meaning::coll_ser:
            case Meaning::wrapped: return true;
            default: return false;
        }
    }

    void fill(Node& made, const std::string& name, NodeKind kind, std::span<const Value> items) {
        const Class* const type = classes_.known(name);
        const auto size = static_cast<std::uint32_t>(items.size());
        const std::uint32_t entries = size / 2;
        Value* const fields = to_.new_values(type->java->all_fields);
        defaults(*type, size, kind, fields);
        Annotation* const all = give(made, type, fields);
        Annotation* annotation = all;
        for (std::size_t i = 0; i < type->java->levels.size(); ++i) {
            if (all[i].present) annotation = all + i;
        }
        switch (meaning_of(name)) {
            case Meaning::list_by_size_field: {
                const bool queue = name == "java.util.PriorityQueue";
                annotate(*annotation, {block({queue ? std::max(2U, size + 1) : size})}, items);
                break;
            }
            case Meaning::list_by_block:
            case Meaning::coll_ser: annotate(*annotation, {block({size})}, items); break;
            case Meaning::hash_set:
                annotate(*annotation, {block({buckets(size), load_bits(), size})}, items);
                break;
            case Meaning::tree_set: annotate(*annotation, {Value(), block({size})}, items); break;
            case Meaning::map_by_block:
                if (name == "java.util.EnumMap") key_type(fields, items);
                annotate(*annotation, {block({entries})}, items);
                break;
            case Meaning::hash_map:
                annotate(*annotation, {block({buckets(entries), entries})}, items);
                break;
            case Meaning::concurrent_map:
                annotate(*annotation, {}, items, {Value(), Value()});
                break;
            case Meaning::vector:
                fields[2] = Value::of(object_array("[Ljava.lang.Object;", items));
                break;
            case Meaning::array_field: {
                const bool enums = type->java->all_fields == 2;
                if (enums) key_type(fields, items);
                const char* const array = enums ? "[Ljava.lang.Enum;" : "[Ljava.lang.Object;";
                fields[enums ? 1 : 0] = Value::of(object_array(array, items));
                break;
            }
            case Meaning::single_item:
            case Meaning::single_entry: want(items, fields); break;
            case Meaning::wrapped: wrap(made, name, kind, items, fields); break;
            default: break;
        }
        interpret(to_, made);
    }

    // What the fields of a collection hold before anything else is known.
    static void defaults(const Class& type, std::uint32_t size, NodeKind kind, Value* fields) {
        std::uint32_t at = 0;
        for (const Class* const level : type.java->levels) {
            for (std::uint32_t i = 0; i < level->own_values(); ++i, ++at) {
                const std::string_view name = level->fields[i]->view();
                const auto count = static_cast<std::int32_t>(size);
                Value& to = fields[at];
                switch (level->java->fields[i].type) {
                    case 'F': to = Value::float32(k_load_factor); break;
                    case 'Z': to = Value::boolean(false); break;
                    case 'I':
                        to = Value::int32(0);
                        if (name == "size") to.integer = kind == NodeKind::map ? count / 2 : count;
                        if (name == "elementCount") to.integer = count;
                        if (name == "threshold") to.integer = buckets(size / 2) / 4 * 3;
                        if (name == "tag") to.integer = kind == NodeKind::map ? 3 : 1;
                        if (name == "segmentMask") to.integer = 15;
                        if (name == "segmentShift") to.integer = 28;
                        break;
                    default: to = Value::null(); break;
                }
            }
        }
    }

    // The class of an EnumMap's keys.
    void key_type(Value* fields, std::span<const Value> items) {
        if (items.empty() || !items[0].is(ValueKind::node) ||
            items[0].node->kind != NodeKind::enumeration) {
            return;
        }
        Node& made = *to_.new_node(NodeKind::class_ref);
        describe(made, classes_.enumeration(items[0].node->name->view()));
        fields[0] = Value::of(&made);
    }

    // The collection within an unmodifiable or synchronized one; every reference field but a mutex
    // is that one.
    void wrap(Node& made, const std::string& name, NodeKind kind, std::span<const Value> items,
              Value* fields) {
        const bool set = name.find("Set") != std::string::npos;
        Node& inner = *to_.new_node(NodeKind::object);
        fill(inner,
             kind == NodeKind::map ? "java.util.HashMap"
             : set                 ? "java.util.HashSet"
                                   : "java.util.ArrayList",
             kind, items);
        std::uint32_t at = 0;
        for (const Class* const level : made.java->type->java->levels) {
            for (std::uint32_t i = 0; i < level->own_values(); ++i, ++at) {
                const bool mutex = level->fields[i]->view() == "mutex";
                fields[at] = Value::of(mutex ? &made : &inner);
            }
        }
    }

    struct Mapped {
        const Class* type = nullptr;
        std::vector<std::uint32_t> order;
    };
    ClassMaker classes_;
    std::vector<Mapped> mapped_;
    const char* why_ = "";
};

}  // namespace

Result<> lower(const ObjectGraph& from, ObjectGraph& to) {
    to.clear();
    Lowering lowering(from, to);
    if (lowering.run()) {
        to.origin = ObjectGraph::Origin::javaser;
        to.has_java_parts = true;
        return {};
    }
    const Error error{.code = Errc::unsupported, .where = lowering.why()};
    to.clear();
    return error;
}

}  // namespace perfrelay::javaser
