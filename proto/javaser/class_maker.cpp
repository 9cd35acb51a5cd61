#include "proto/javaser/class_maker.h"

#include <algorithm>
#include <numeric>

#include "proto/javaser/known_classes.h"
#include "proto/javaser/meaning.h"
#include "proto/model/java_view.h"

namespace perfrelay::javaser {

using graph::Class;
using graph::JavaClass;
using graph::JavaField;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

char type_of(ValueKind kind) {
    switch (kind) {
        case ValueKind::boolean: return 'Z';
        case ValueKind::int8: return 'B';
        case ValueKind::int16: return 'S';
        case ValueKind::int32: return 'I';
        case ValueKind::int64: return 'J';
        case ValueKind::char16: return 'C';
        case ValueKind::float32: return 'F';
        case ValueKind::float64: return 'D';
        default: return 'L';
    }
}

}  // namespace

ClassMaker::ClassMaker(const ObjectGraph& from, ObjectGraph& to)
    : to_(to), types_(from.class_count()) {
    for (std::uint32_t id = 0; id < from.node_count(); ++id) {
        const Node& node = from.node(id);
        if (node.kind != NodeKind::object) continue;
        if (node.type->java == nullptr) {
            learn(*node.type, node.items);
            continue;
        }
        const Value* values = node.items;
        for (const Class* const level : node.type->java->levels) {
            learn(*level, values);
            values += level->own_values();
        }
    }
}

void ClassMaker::learn(const Class& type, const Value* values) {
    std::string& types = types_[type.id];
    const bool first = types.empty();
    if (first) types.resize(type.own_values());
    for (std::uint32_t i = 0; i < type.own_values(); ++i) {
        const char here = type_of(values[i].kind);
        if (first) {
            types[i] = here;
        } else if (types[i] != here) {
            types[i] = 'L';
        }
    }
}

std::vector<ClassMaker::Field> ClassMaker::parse_fields(std::string_view fields) {
    std::vector<Field> out;
    while (!fields.empty()) {
        const std::string_view one = fields.substr(0, fields.find(' '));
        fields.remove_prefix(std::min(fields.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        const std::string type(one.substr(0, equals));
        out.push_back({.type = type[0],
                       .signature = type.size() > 1 ? type : "",
                       .name = std::string(one.substr(equals + 1))});
    }
    return out;
}

Class* ClassMaker::finish(Class* type, JavaClass java, const Class* super) {
    java.super = super;
    const std::size_t above = super == nullptr ? 0 : super->java->levels.size();
    auto* const levels = to_.array<const Class*>(above + 1);
    for (std::size_t i = 0; i < above; ++i)
        levels[i] = super->java->levels[i];
    levels[above] = type;
    java.levels = {levels, above + 1};
    JavaClass* const kept = to_.arena().create(java);
    type->java = kept;
    kept->all_fields = type->own_values() + (super == nullptr ? 0 : super->java->all_fields);
    kept->meaning = static_cast<std::uint8_t>(meaning_of(type->name->view()));
    return type;
}

const Class* ClassMaker::make(std::string_view name, std::int64_t suid, std::uint8_t flags,
                              const std::vector<Field>& fields, const Class* super,
                              std::span<const Value> annotation) {
    std::vector<const Text*> names;
    auto* const types = to_.array<JavaField>(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        names.push_back(to_.intern(fields[i].name));
        types[i] = {
            .type = fields[i].type,
            .signature = fields[i].signature.empty() ? nullptr : to_.intern(fields[i].signature)};
    }
    JavaClass java;
    java.suid = suid;
    java.flags = flags;
    java.fields = types;
    java.annotation = annotation;
    return finish(to_.new_class(to_.intern(name), names, 0), java, super);
}

const Class* ClassMaker::known(std::string_view name) {
    if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
    const KnownClass* const table = known_class(name);
    const Class* made = nullptr;
    if (table == nullptr) {
        made = make(name, 0, JavaClass::k_serializable, {}, nullptr);
    } else {
        const Class* const super = table->super.empty() ? nullptr : known(table->super);
        made = make(name, table->suid, table->flags, parse_fields(table->fields), super);
    }
    return by_name_.emplace(name, made).first->second;
}

const Class* ClassMaker::array(std::string_view name) {
    return known(name);
}

const Class* ClassMaker::enumeration(std::string_view name) {
    const std::string key = "enum " + std::string(name);
    if (const auto found = by_name_.find(key); found != by_name_.end()) return found->second;
    const std::uint8_t flags = JavaClass::k_serializable | JavaClass::k_enum;
    const Class* const made = make(name, 0, flags, {}, known("java.lang.Enum"));
    return by_name_.emplace(key, made).first->second;
}

const Class* ClassMaker::bare(std::string_view name) {
    if (known_class(name) != nullptr) return known(name);
    const std::string key = "class " + std::string(name);
    if (const auto found = by_name_.find(key); found != by_name_.end()) return found->second;
    return by_name_.emplace(key, make(name, 0, 0, {}, nullptr)).first->second;
}

const Class* ClassMaker::proxy(std::string_view interfaces) {
    const std::string key = "proxy " + std::string(interfaces);
    if (const auto found = by_name_.find(key); found != by_name_.end()) return found->second;
    std::vector<const Text*> names;
    for (std::string_view left = interfaces; !left.empty();) {
        const std::string_view one = left.substr(0, left.find(','));
        names.push_back(to_.intern(one));
        left.remove_prefix(std::min(left.size(), one.size() + 1));
    }
    auto* const kept = to_.array<const Text*>(names.size());
    std::copy(names.begin(), names.end(), kept);
    JavaClass java;
    java.is_proxy = true;
    java.flags = JavaClass::k_serializable;
    java.interfaces = {kept, names.size()};
    Class* const type = to_.new_class(to_.intern(interfaces), {}, 0);
    return by_name_.emplace(key, finish(type, java, known("java.lang.reflect.Proxy")))
        .first->second;
}

const Class* ClassMaker::with_one_field(std::string_view name, std::string_view field) {
    const std::string key = "one " + std::string(name);
    if (const auto found = by_name_.find(key); found != by_name_.end()) return found->second;
    const Class* const made = make(
        name, 0, JavaClass::k_serializable,
        {{.type = 'L', .signature = "Ljava/lang/Object;", .name = std::string(field)}}, nullptr);
    return by_name_.emplace(key, made).first->second;
}

ClassMaker::Field ClassMaker::field(const Class& from, std::uint32_t index) const {
    const std::string name(from.fields[index]->view());
    if (from.java != nullptr && from.java->fields != nullptr) {
        const JavaField& said = from.java->fields[index];
        return {.type = said.type,
                .signature = said.signature == nullptr ? "" : std::string(said.signature->view()),
                .name = name};
    }
    const std::string& types = types_[from.id];
    const char type = index < types.size() ? types[index] : 'L';
    return {.type = type, .signature = type == 'L' ? "Ljava/lang/Object;" : "", .name = name};
}

// A class with levels keeps the order of its fields.
const Class* ClassMaker::level(const Class& from, const Class* super, bool annotated) {
    const Class*& made = by_level_[from.id];
    if (made != nullptr) return made;
    if (const KnownClass* const table = known_class(from.name->view())) {
        const std::vector<Field> fields = parse_fields(table->fields);
        bool same = fields.size() == from.own_values();
        for (std::uint32_t i = 0; same && i < from.own_values(); ++i)
            same = fields[i].name == from.fields[i]->view();
        const bool table_annotates = (table->flags & JavaClass::k_write_method) != 0;
        if (same && table_annotates == annotated) return made = known(from.name->view());
    }
    std::vector<Field> fields;
    for (std::uint32_t i = 0; i < from.own_values(); ++i)
        fields.push_back(field(from, i));
    std::uint8_t flags = JavaClass::k_serializable;
    if (annotated) flags |= JavaClass::k_write_method;
    return made = make(from.name->view(), from.java->suid, flags, fields, super);
}

// What annotateClass wrote, were it these bytes.
std::span<const Value> ClassMaker::block(std::string_view bytes) {
    Node* const made = to_.new_node(NodeKind::block);
    made->data = as_bytes(to_.arena().copy(bytes)).data();
    made->count = static_cast<std::uint32_t>(bytes.size());
    const Value value = Value::of(made);
    return to_.copy({&value, 1});
}

const Class* ClassMaker::of_objects(const Class& from, std::vector<std::uint32_t>& order) {
    order.clear();
    if (from.java != nullptr) {
        const Class* made = nullptr;
        for (const Class* const one : from.java->levels)
            made = level(*one, made, one->java->annotates());
        return made;
    }
    // J 4.3: primitives first, then references, each by name.
    std::vector<Field> fields;
    for (std::uint32_t i = 0; i < from.field_count; ++i)
        fields.push_back(field(from, i));
    order.resize(fields.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const bool a_refers = fields[a].type == 'L';
        const bool b_refers = fields[b].type == 'L';
        return a_refers != b_refers ? b_refers : fields[a].name < fields[b].name;
    });
    std::vector<Field> sorted;
    sorted.reserve(order.size());
    for (const std::uint32_t index : order)
        sorted.push_back(fields[index]);
    const bool moved = !std::is_sorted(order.begin(), order.end());
    const auto annotation =
        from.is_ordered() && moved ? block(order_annotation(order)) : std::span<const Value>();
    return make(from.name->view(), 0, JavaClass::k_serializable, sorted, nullptr, annotation);
}

}  // namespace perfrelay::javaser
