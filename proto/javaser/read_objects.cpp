// Reader's part for objects, arrays and enum constants, once their class description is there.

#include <algorithm>

#include "proto/javaser/field_types.h"
#include "proto/javaser/meaning.h"
#include "proto/javaser/reader.h"
#include "proto/model/fast_out.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::JavaClass;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;

// J 6.4.1 "newObject": the description is in desc_, then the handle, then the data.
Reader::Step Reader::begin_object(Frame& frame) {
    if (!usable(desc_)) return Step::failed;
    const Class& type = *desc_;
    const JavaClass& java = *type.java;
    Node& node = *frame.node;
    node.type = &type;
    add_handle(&node);
    if (java.has(JavaClass::k_enum)) {
        return failed(Errc::malformed, "Java 1.12: an enum constant written as an object");
    }
    if (!java.has(JavaClass::k_serializable) && !java.has(JavaClass::k_externalizable)) {
        return failed(Errc::malformed, "Java 6.4: an object of a class that is not serializable");
    }
    if (java.has(JavaClass::k_externalizable) && !java.has(JavaClass::k_block_data)) {
        return failed(Errc::unsupported, "Java 6.3: externalizable data of protocol 1 has no end");
    }
    if (!room_for(java.all_fields, 1)) return Step::failed;
    JavaParts* const own = parts(node, &type);
    frame.values = graph_->new_values(java.all_fields);
    node.items = frame.values;
    node.count = java.all_fields;
    own->fields = frame.values;
    if (java.none != nullptr) {
        own->annotations = java.none;
    } else {
        frame.annotations = graph_->array<Annotation>(java.levels.size());
        std::fill(frame.annotations, frame.annotations + java.levels.size(), Annotation());
        own->annotations = frame.annotations;
    }
    frame.wanted = java.all_fields;
    frame.level = 0;
    return begin_level(frame);
}

Reader::Step Reader::begin_level(Frame& frame) {
    const Class& type = *frame.node->java->type;
    if (frame.level == type.java->levels.size()) {
        Node& node = *frame.node;
        pop();
        return finish_node(node) ? Step::done : Step::failed;
    }
    frame.state = State::primitives;
    frame.index = 0;
    return Step::done;
}

// J 4.3: primitives come before references, whatever the description's order.
Reader::Step Reader::primitive_fields(Frame& frame) {
    const Class& level = *frame.node->java->type->java->levels[frame.level];
    for (std::uint32_t i = 0; i < level.own_values(); ++i) {
        const char type = level.java->fields[i].type;
        if (!is_primitive(type)) continue;
        --frame.wanted;
        if (!primitive(type, frame.values[i])) return Step::failed;
    }
    frame.state = State::references;
    return next_reference(frame);
}

Reader::Step Reader::next_reference(Frame& frame) {
    const Class& level = *frame.node->java->type->java->levels[frame.level];
    while (frame.index != level.own_values()) {
        const std::uint32_t index = frame.index++;
        if (is_primitive(level.java->fields[index].type)) continue;
        --frame.wanted;
        const Step step = content(frame.values[index]);
        if (step != Step::done) return step;
    }
    frame.values += level.own_values();
    if (!level.java->annotates()) {
        ++frame.level;
        return begin_level(frame);
    }
    frame.state = State::annotation;
    frame.base = collected_.size();
    return Step::done;
}

// The end of an annotation.
Reader::Step Reader::end_level(Frame& frame) {
    const auto values = graph_->copy(std::span(collected_).subspan(frame.base));
    collected_.resize(frame.base);
    frame.annotations[frame.level] = {.values = values.data(),
                                      .count = static_cast<std::uint32_t>(values.size()),
                                      .present = true};
    ++frame.level;
    return begin_level(frame);
}

bool Reader::finish_node(Node& node) {
    const JavaClass& java = *node.java->type->java;
    if (!java.is_proxy) {
        interpret(*graph_, node);
        return true;
    }
    if (node.count != 1) {
        return fail(Errc::malformed, "Java 6.4: a proxy has one field, its handler");
    }
    node.kind = NodeKind::proxy;
    node.name = node.java->type->name;
    return true;
}

bool Reader::primitive(char type, Value& to) {
    if (left() < width_of(type)) return cut();
    switch (type) {
        case 'B': to = Value::int8(static_cast<std::int8_t>(*next_)); break;
        case 'Z': to = Value::boolean(*next_ != 0); break;
        case 'C': to = Value::char16(load_big_endian<std::uint16_t>(next_)); break;
        case 'S':
            to = Value::int16(static_cast<std::int16_t>(load_big_endian<std::uint16_t>(next_)));
            break;
        case 'I':
            to = Value::int32(static_cast<std::int32_t>(load_big_endian<std::uint32_t>(next_)));
            break;
        case 'J':
            to = Value::int64(static_cast<std::int64_t>(load_big_endian<std::uint64_t>(next_)));
            break;
        case 'F': to = Value::float32_bits(load_big_endian<std::uint32_t>(next_)); break;
        default: to = Value::float64_bits(load_big_endian<std::uint64_t>(next_)); break;
    }
    next_ += width_of(type);
    return true;
}

// J 6.4.1 "newArray".
Reader::Step Reader::begin_array(Frame& frame) {
    if (!usable(desc_)) return Step::failed;
    const Class& type = *desc_;
    const std::string_view name = type.name->view();
    if (name.size() < 2 || name[0] != '[' ||
        (is_primitive(name[1]) && (width_of(name[1]) == 0 || name.size() != 2))) {
        return failed(Errc::malformed, "Java 6.4: an array of a class that is no array's");
    }
    Node& node = *frame.node;
    node.name = type.name;
    parts(node, &type);
    add_handle(&node);
    std::int32_t size = 0;
    if (!number(size)) return Step::failed;
    if (size < 0) return failed(Errc::malformed, "Java 6.4: an array of negative length");
    const auto count = static_cast<std::uint32_t>(size);
    const char element = name[1];
    const std::size_t width = is_primitive(element) ? width_of(element) : 1;
    if (!room_for(count, width)) return Step::failed;
    node.count = count;
    if (element == 'B') {
        node.kind = NodeKind::bytes;
        node.name = nullptr;
        const std::string_view kept = graph_->arena().copy(as_text({next_, count}));
        node.data = as_bytes(kept).data();
        next_ += count;
        pop();
        return Step::done;
    }
    node.items = graph_->new_values(count);
    if (is_primitive(element)) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!primitive(element, node.items[i])) return Step::failed;
        }
        pop();
        return Step::done;
    }
    // Items may refer to the array before it is full.
    std::fill(node.items, node.items + count, Value());
    frame.values = node.items;
    frame.wanted = count;
    frame.index = 0;
    frame.state = State::items;
    return Step::done;
}

// J 1.12, 6.4.1 "newEnum".
Reader::Step Reader::begin_enum(Frame& frame) {
    if (!usable(desc_)) return Step::failed;
    if (!desc_->java->has(JavaClass::k_enum)) {
        return failed(Errc::malformed, "Java 1.12: an enum constant of a class that is no enum");
    }
    Node& node = *frame.node;
    node.name = desc_->name;
    parts(node, desc_);
    add_handle(&node);
    const Text* constant = nullptr;
    if (string_content(constant) != Step::done) return Step::failed;
    node.text = constant;
    pop();
    return Step::done;
}

}  // namespace perfrelay::javaser
