#include "proto/javaser/writer.h"

#include <algorithm>
#include <cstring>

#include "proto/model/wide_text.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::JavaClass;
using graph::JavaField;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

constexpr std::size_t k_most_head = 16;  // a type code and fixed numbers

void tc(FastOut& out, Tc code) {
    out.u8(static_cast<std::uint8_t>(code));
}

std::size_t modified_size(const Text& text) {
    if (!text.ascii()) return cesu8_size(text.view(), NulForm::two_bytes);
    const std::string_view view = text.view();
    return text.size + static_cast<std::size_t>(std::count(view.begin(), view.end(), '\0'));
}

// ASCII with NULs in it: each NUL is two bytes, what lies between is copied.
std::uint8_t* ascii_with_nuls(std::string_view text, std::uint8_t* out) {
    while (!text.empty()) {
        const std::size_t run = std::min(text.find('\0'), text.size());
        std::memcpy(out, text.data(), run);
        out += run;
        text.remove_prefix(run);
        if (text.empty()) break;
        *out++ = 0xC0;
        *out++ = 0x80;
        text.remove_prefix(1);
    }
    return out;
}

// `size` as modified_size says; there is room.
void modified_utf(FastOut& out, const Text& text, std::size_t size) {
    if (size == text.size) {
        out.bytes(text.data(), size);
    } else if (text.ascii()) {
        out.set_next(ascii_with_nuls(text.view(), out.next()));
    } else {
        out.set_next(write_cesu8(text.view(), NulForm::two_bytes, out.next()));
    }
}

bool is_array(const Node& node) {
    return node.kind == NodeKind::bytes ||
           (node.kind == NodeKind::list && node.java->type->name->view().starts_with('['));
}

}  // namespace

bool Writer::fail(const char* where) {
    why_ = where;
    return false;
}

void Writer::start(const ObjectGraph& graph) {
    next_handle_ = 0;
    texts_.start(graph.text_count());
    nodes_.start(graph.node_count());
    classes_.start(graph.class_count());
}

Result<> Writer::write(const ObjectGraph& graph, Buffer& buffer) {
    why_ = nullptr;
    frames_.clear();
    start(graph);
    FastOut out(buffer);
    out.room(k_most_head);
    out.u16(k_magic);
    out.u16(k_version);
    bool good = true;
    if (graph.root.is(ValueKind::node) && graph.root.node->kind == NodeKind::sequence) {
        for (const Value& item : graph.root.node->values())
            good = good && top_level(out, item, graph);
    } else {
        good = top_level(out, graph.root, graph);
    }
    out.finish();
    if (good) return {};
    return Error{.code = Errc::unsupported, .where = why_};
}

bool Writer::top_level(FastOut& out, const Value& value, const ObjectGraph& graph) {
    if (value.is(ValueKind::node) && value.node->kind == NodeKind::reset) {
        out.room(1);
        tc(out, Tc::reset);
        start(graph);
        return true;
    }
    return annotation_value(out, value) && run(out);
}

bool Writer::run(FastOut& out) {
    while (!frames_.empty()) {
        if (!step(out)) return false;
    }
    return true;
}

void Writer::push(State state, const Node* node, const Class* type) {
    Frame frame{.state = state};
    frame.node = node;
    frame.type = type;
    frames_.push_back(frame);
}

bool Writer::step(FastOut& out) {
    Frame& frame = frames_.back();
    switch (frame.state) {
        case State::desc_annotation: {
            const auto& annotation = frame.type->java->annotation;
            if (frame.index != annotation.size()) {
                return annotation_value(out, annotation[frame.index++]);
            }
            const Class* const super = frame.type->java->super;
            frames_.pop_back();
            out.room(1);
            tc(out, Tc::end_block_data);
            return desc(out, super);
        }
        case State::object_begin:
            nodes_.set(frame.node->id, next_handle_++);
            frame.values = frame.node->java->fields;
            return level(out, frame);
        case State::references: return references(out, frame);
        case State::annotation: {
            const Annotation& here = frame.node->java->annotations[frame.level];
            if (frame.index != here.count) return annotation_value(out, here.values[frame.index++]);
            out.room(1);
            tc(out, Tc::end_block_data);
            ++frame.level;
            return level(out, frame);
        }
        case State::array_begin: return array(out, frame);
        case State::items:
            if (frame.index == frame.node->count) {
                frames_.pop_back();
                return true;
            }
            return content(out, frame.node->items[frame.index++]);
        case State::enum_begin: {
            const Node& node = *frame.node;
            frames_.pop_back();
            nodes_.set(node.id, next_handle_++);
            return string(out, *node.text);
        }
        case State::class_begin:
            nodes_.set(frame.node->id, next_handle_++);
            frames_.pop_back();
            return true;
    }
    return false;
}

void Writer::handle(FastOut& out, std::uint32_t index) {
    out.room(k_most_head);
    tc(out, Tc::reference);
    out.u32(k_first_handle + index);
}

bool Writer::annotation_value(FastOut& out, const Value& value) {
    if (!value.is(ValueKind::node) || value.node->kind != NodeKind::block) {
        return content(out, value);
    }
    block(out, value.node->bytes());
    return true;
}

bool Writer::content(FastOut& out, const Value& value) {
    switch (value.kind) {
        case ValueKind::null:
            out.room(1);
            tc(out, Tc::null);
            return true;
        case ValueKind::text: return string(out, *value.text);
        case ValueKind::node: return node(out, *value.node);
        default: return fail("Java: a primitive is to be made an object first");
    }
}

bool Writer::string(FastOut& out, const Text& text) {
    const std::uint32_t known = texts_.find(text.id);
    if (known != ReferenceTable::k_none) {
        handle(out, known);
        return true;
    }
    texts_.set(text.id, next_handle_++);
    const std::size_t size = modified_size(text);
    out.room(k_most_head + size);
    if (size <= k_most_short_string) {
        tc(out, Tc::string);
        out.u16(static_cast<std::uint16_t>(size));
    } else {
        tc(out, Tc::long_string);
        out.u64(size);
    }
    modified_utf(out, text, size);
    return true;
}

bool Writer::short_utf(FastOut& out, const Text& text) {
    const std::size_t size = modified_size(text);
    if (size > k_most_short_string) return fail("Java 6.2: a name of more than 65,535 bytes");
    out.room(k_most_head + size);
    out.u16(static_cast<std::uint16_t>(size));
    modified_utf(out, text, size);
    return true;
}

void Writer::block(FastOut& out, Bytes bytes) {
    do {
        const std::size_t size = std::min<std::size_t>(bytes.size(), k_block);
        out.room(k_most_head + size);
        if (size <= k_most_short_block) {
            tc(out, Tc::block_data);
            out.u8(static_cast<std::uint8_t>(size));
        } else {
            tc(out, Tc::block_data_long);
            out.u32(static_cast<std::uint32_t>(size));
        }
        out.bytes(bytes.data(), size);
        bytes = bytes.subspan(size);
    } while (!bytes.empty());
}

bool Writer::node(FastOut& out, const Node& node) {
    if (node.kind == NodeKind::class_desc) return desc(out, node.type);
    const std::uint32_t known = nodes_.find(node.id);
    if (known != ReferenceTable::k_none) {
        handle(out, known);
        return true;
    }
    if (node.java == nullptr || node.kind == NodeKind::block) {
        return fail("Java: a node is to be given its parts first");
    }
    out.room(1);
    if (is_array(node)) {
        tc(out, Tc::array);
        push(State::array_begin, &node, nullptr);
    } else if (node.kind == NodeKind::enumeration) {
        tc(out, Tc::enumeration);
        push(State::enum_begin, &node, nullptr);
    } else if (node.kind == NodeKind::class_ref) {
        tc(out, Tc::class_object);
        push(State::class_begin, &node, nullptr);
    } else {
        tc(out, Tc::object);
        push(State::object_begin, &node, nullptr);
    }
    return desc(out, node.java->type);
}

bool Writer::desc(FastOut& out, const Class* type) {
    if (type == nullptr) {
        out.room(1);
        tc(out, Tc::null);
        return true;
    }
    const std::uint32_t known = classes_.find(type->id);
    if (known != ReferenceTable::k_none) {
        handle(out, known);
        return true;
    }
    return class_desc(out, *type);
}

// J 6.4.1 "newClassDesc".
bool Writer::class_desc(FastOut& out, const Class& type) {
    const JavaClass& java = *type.java;
    out.room(k_most_head);
    if (java.is_proxy) {
        tc(out, Tc::proxy_class_desc);
        classes_.set(type.id, next_handle_++);
        out.u32(static_cast<std::uint32_t>(java.interfaces.size()));
        for (const Text* const name : java.interfaces) {
            if (!short_utf(out, *name)) return false;
        }
        push(State::desc_annotation, nullptr, &type);
        return true;
    }
    tc(out, Tc::class_desc);
    if (!short_utf(out, *type.name)) return false;
    out.room(k_most_head);
    out.u64(static_cast<std::uint64_t>(java.suid));
    classes_.set(type.id, next_handle_++);
    out.u8(java.flags);
    if (type.field_count > k_most_short_string) return fail("Java 6.4: more than 65,535 fields");
    out.u16(static_cast<std::uint16_t>(type.field_count));
    for (std::uint32_t i = 0; i < type.field_count; ++i) {
        const JavaField& field = java.fields[i];
        out.room(1);
        out.u8(static_cast<std::uint8_t>(field.type));
        if (!short_utf(out, *type.fields[i])) return false;
        if (field.signature != nullptr && !string(out, *field.signature)) return false;
    }
    push(State::desc_annotation, nullptr, &type);
    return true;
}

// The next level of an object, or its end.
bool Writer::level(FastOut& out, Frame& frame) {
    if (frame.level == frame.node->java->type->java->levels.size()) {
        frames_.pop_back();
        return true;
    }
    return primitives(out, frame);
}

// J 4.3: primitives come before references, whatever the description's order.
bool Writer::primitives(FastOut& out, Frame& frame) {
    const Class& level = *frame.node->java->type->java->levels[frame.level];
    for (std::uint32_t i = 0; i < level.own_values(); ++i) {
        const JavaField& field = level.java->fields[i];
        if (field.type == 'L' || field.type == '[') continue;
        if (!primitive(out, field.type, frame.values[i])) return false;
    }
    frame.state = State::references;
    frame.index = 0;
    return true;
}

bool Writer::references(FastOut& out, Frame& frame) {
    const Class& level = *frame.node->java->type->java->levels[frame.level];
    while (frame.index != level.own_values()) {
        const std::uint32_t index = frame.index++;
        const JavaField& field = level.java->fields[index];
        if (field.type != 'L' && field.type != '[') continue;
        const Value& value = frame.values[index];
        if (value.is(ValueKind::node)) return content(out, value);  // it may open a frame
        if (!content(out, value)) return false;
    }
    frame.values += level.own_values();
    if (level.java->annotates()) {
        frame.state = State::annotation;
        frame.index = 0;
        return true;
    }
    ++frame.level;
    return this->level(out, frame);
}

bool Writer::primitive(FastOut& out, char type, const Value& value) {
    static constexpr std::pair<char, ValueKind> k_kinds[] = {
        {'B', ValueKind::int8},    {'C', ValueKind::char16}, {'D', ValueKind::float64},
        {'F', ValueKind::float32}, {'I', ValueKind::int32},  {'J', ValueKind::int64},
        {'S', ValueKind::int16},   {'Z', ValueKind::boolean}};
    const auto* const expected =
        std::find_if(std::begin(k_kinds), std::end(k_kinds),
                     [type](const auto& kind) { return kind.first == type; });
    if (expected == std::end(k_kinds) || !value.is(expected->second)) {
        return fail("Java: a field's value is not of its type");
    }
    out.room(sizeof(std::uint64_t));
    switch (type) {
        case 'B':
        case 'Z': out.u8(static_cast<std::uint8_t>(value.integer)); break;
        case 'C':
        case 'S': out.u16(static_cast<std::uint16_t>(value.integer)); break;
        case 'I': out.u32(static_cast<std::uint32_t>(value.integer)); break;
        case 'F': out.u32(static_cast<std::uint32_t>(value.bits)); break;
        default: out.u64(value.bits); break;
    }
    return true;
}

// J 6.4.1 "newArray".
bool Writer::array(FastOut& out, Frame& frame) {
    const Node& node = *frame.node;
    nodes_.set(node.id, next_handle_++);
    out.room(k_most_head);
    out.u32(node.count);
    const char element = node.java->type->name->view()[1];
    if (element == 'L' || element == '[') {
        frame.state = State::items;
        return true;
    }
    frames_.pop_back();
    if (node.kind == NodeKind::bytes) {
        out.room(node.count);
        out.bytes(node.data, node.count);
        return true;
    }
    for (const Value& value : node.values()) {
        if (!primitive(out, element, value)) return false;
    }
    return true;
}

}  // namespace perfrelay::javaser
