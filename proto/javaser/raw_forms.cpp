#include "proto/javaser/raw_forms.h"

#include <algorithm>
#include <bit>

#include "proto/javaser/decimal.h"
#include "proto/javaser/meaning.h"
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

}  // namespace

Annotation* RawForms::give(Node& node, const Class* type, std::initializer_list<Value> values) {
    Value* const fields = to_.copy({values.begin(), values.size()}).data();
    return give(node, type, fields);
}
Annotation* RawForms::give(Node& node, const Class* type, Value* fields) {
    const std::size_t levels = type->java->levels.size();
    auto* const annotations = to_.array<Annotation>(levels);
    for (std::size_t i = 0; i < levels; ++i) {
        annotations[i] = {};
        annotations[i].present = type->java->levels[i]->java->annotates();
    }
    node.java =
        to_.arena().create(JavaParts{.type = type, .fields = fields, .annotations = annotations});
    node.type = type;
    node.items = fields;
    node.count = type->java->all_fields;
    return annotations;
}
void RawForms::describe(Node& node, const Class* type) {
    node.java = to_.arena().create(JavaParts{.type = type});
    node.name = type->name;
}

Value RawForms::block(std::initializer_list<std::uint32_t> numbers) {
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

void RawForms::annotate(Annotation& annotation, std::initializer_list<Value> before,
                        std::span<const Value> items, std::initializer_list<Value> behind) {
    const std::size_t count = before.size() + items.size() + behind.size();
    Value* const values = to_.new_values(count);
    std::copy(before.begin(), before.end(), values);
    std::copy(behind.begin(), behind.end(), values + before.size() + items.size());
    want(items, values + before.size());
    annotation = {.values = values, .count = static_cast<std::uint32_t>(count), .present = true};
}

Node* RawForms::object_array(std::string_view name, std::span<const Value> items) {
    Node* const made = to_.new_node(NodeKind::list);
    describe(*made, classes_.array(name));
    made->items = to_.new_values(items.size());
    made->count = static_cast<std::uint32_t>(items.size());
    want(items, made->items);
    return made;
}

Node* RawForms::box(const Value& value) {
    Node* const made = to_.new_node(NodeKind::object);
    give(*made, classes_.known(box_of(value.kind)), {value});
    return made;
}

void RawForms::date(Node& made, std::int64_t date) {
    Annotation* const annotations = give(made, classes_.known("java.util.Date"), {});
    const auto millis = static_cast<std::uint64_t>(date);
    annotate(
        annotations[0],
        {block({static_cast<std::uint32_t>(millis >> 32U), static_cast<std::uint32_t>(millis)})},
        {});
    interpret(to_, made);
}

Node* RawForms::big_integer(std::string_view digits) {
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

bool RawForms::big_decimal(Node& made, std::string_view text) {
    const auto parsed = parse_decimal(text);
    Node* const unscaled = parsed ? big_integer(parsed->digits) : nullptr;
    if (unscaled == nullptr) return false;
    give(made, classes_.known("java.math.BigDecimal"),
         {Value::int32(parsed->scale), Value::of(unscaled)});
    interpret(to_, made);
    return true;
}

bool RawForms::fits(std::string_view type, NodeKind kind, std::size_t values) {
    switch (meaning_of(type)) {
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

void RawForms::collection(Node& made, const std::string& name, NodeKind kind,
                          std::span<const Value> items) {
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
        case Meaning::concurrent_map: annotate(*annotation, {}, items, {Value(), Value()}); break;
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

namespace {

// The JDK's own counts and constants, by the field's name.
std::int64_t default_integer(std::string_view name, std::uint32_t size, NodeKind kind) {
    const bool map = kind == NodeKind::map;
    if (name == "size") return map ? size / 2 : size;
    if (name == "elementCount") return size;
    if (name == "threshold") return std::int64_t{buckets(size / 2)} / 4 * 3;
    if (name == "tag") return map ? 3 : 1;
    if (name == "segmentMask") return 15;
    if (name == "segmentShift") return 28;
    return 0;
}

}  // namespace

// What the fields of a collection hold before anything else is known.
void RawForms::defaults(const Class& type, std::uint32_t size, NodeKind kind, Value* fields) {
    std::uint32_t at = 0;
    for (const Class* const level : type.java->levels) {
        for (std::uint32_t i = 0; i < level->own_values(); ++i, ++at) {
            Value& to = fields[at];
            switch (level->java->fields[i].type) {
                case 'F': to = Value::float32(k_load_factor); break;
                case 'Z': to = Value::boolean(false); break;
                case 'I':
                    to = Value::int32(0);
                    to.integer = default_integer(level->fields[i]->view(), size, kind);
                    break;
                default: to = Value::null(); break;
            }
        }
    }
}

// The class of an EnumMap's keys.
void RawForms::key_type(Value* fields, std::span<const Value> items) {
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
void RawForms::wrap(Node& made, const std::string& name, NodeKind kind,
                    std::span<const Value> items, Value* fields) {
    const bool set = name.find("Set") != std::string::npos;
    Node& inner = *to_.new_node(NodeKind::object);
    collection(inner,
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

}  // namespace perfrelay::javaser
