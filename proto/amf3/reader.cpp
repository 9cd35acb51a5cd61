#include "proto/amf3/reader.h"

#include <algorithm>

namespace perfrelay::amf3 {

using graph::Class;
using graph::ElementKind;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;

Result<> Reader::read(Bytes input, ObjectGraph& graph) {
    start(input, graph, ObjectGraph::Origin::amf3);
    frames_.clear();
    named_.clear();
    strings_.clear();
    objects_.clear();
    traits_.clear();
    return finish(document());
}

bool Reader::document() {
    Step step = value(graph_->root);
    while (step != Step::failed && !frames_.empty()) {
        Frame& frame = frames_.back();
        step = Step::done;
        while (step == Step::done && frame.next != frame.end)
            step = value(*frame.next++);
        if (step == Step::done && !finish_frame()) return false;
    }
    if (step == Step::failed) return false;
    return next_ == end_ || fail(Errc::malformed, "AMF3: bytes behind the value");
}

// The values of the last frame that were counted are there.
bool Reader::finish_frame() {
    Frame& frame = frames_.back();
    if (frame.phase != Phase::items) {
        // A 3.11, 3.12: names and values up to the empty name.
        const Text* const name = string();
        if (name == nullptr) return false;
        if (!name->empty()) {
            named_.push_back(Value::of(name));
            named_.emplace_back();  // its place: what is opened keeps its own members behind it
            const std::size_t at = named_.size() - 1;
            Value member;
            if (value(member) == Step::failed) return false;
            named_[at] = member;
            return true;
        }
        const auto members = graph_->copy(std::span(named_).subspan(frame.base));
        named_.resize(frame.base);
        frame.node->more = members.data();
        frame.node->more_count = static_cast<std::uint32_t>(members.size());
        if (frame.phase == Phase::assoc && frame.count != 0) {
            // A 3.11: the dense part comes last, though its count came first.
            if (!room_for(frame.count, 1)) return false;
            frame.phase = Phase::items;
            frame.next = graph_->new_values(frame.count);
            frame.end = frame.next + frame.count;
            frame.node->items = frame.next;
            frame.node->count = frame.count;
            return true;
        }
    }
    frames_.pop_back();
    if (!frames_.empty()) {
        pending_ -= static_cast<std::uint64_t>(frames_.back().end - frames_.back().next);
    }
    return true;
}

// A 1.3.1: up to three bytes of seven bits, a fourth of eight. Longer forms than needed are legal.
bool Reader::u29(std::uint32_t& to) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
        if (next_ == end_) return cut();
        const std::uint32_t byte = *next_++;
        if (i == 3) {
            value = (value << 8U) | byte;
        } else {
            value = (value << 7U) | (byte & 0x7FU);
            if (byte < 0x80) break;
        }
    }
    to = value;
    return true;
}

bool Reader::real(Value& to) {
    if (left() < sizeof(std::uint64_t)) return cut();
    to = Value::float64_bits(load_big_endian<std::uint64_t>(next_));
    next_ += sizeof(std::uint64_t);
    return true;
}

// A 1.3.2, 3.8: the empty string has no index.
const Text* Reader::string() {
    std::uint32_t header = 0;
    if (!u29(header)) return nullptr;
    if (header == 1) return graph_->empty_text();
    const std::uint32_t size = header >> 1U;
    if ((header & 1U) == 0) {
        if (size < strings_.size()) return strings_[size];
        fail(Errc::malformed, "AMF3 1.3.2: a reference to a string not seen yet");
        return nullptr;
    }
    if (size > left()) {
        cut();
        return nullptr;
    }
    if (size > limits_.max_text) {
        fail(Errc::limit_exceeded, "AMF3: too long a string");
        return nullptr;
    }
    const Text* const text = graph_->decode_text({next_, size}, NulForm::one_byte);
    if (text == nullptr) {
        fail(Errc::malformed, "AMF3 1.3.2: a string that is not UTF-8");
        return nullptr;
    }
    next_ += size;
    strings_.push_back(text);
    return text;
}

Reader::Step Reader::value(Value& to) {
    const auto step = [](bool done) { return done ? Step::done : Step::failed; };
    if (next_ == end_) return step(cut());
    switch (static_cast<Marker>(*next_++)) {
        case Marker::undefined: to = Value::undefined(); return Step::done;
        case Marker::null: to = Value::null(); return Step::done;
        case Marker::boolean_false: to = Value::boolean(false); return Step::done;
        case Marker::boolean_true: to = Value::boolean(true); return Step::done;
        case Marker::integer: {
            std::uint32_t bits = 0;
            if (!u29(bits)) return Step::failed;
            to = Value::int32(static_cast<std::int32_t>(bits << 3U) >> 3);  // A 3.6: the sign
            return Step::done;
        }
        case Marker::float64: return step(real(to));
        case Marker::string: {
            const Text* const text = string();
            if (text == nullptr) return Step::failed;
            to = Value::of(text);
            return Step::done;
        }
        case Marker::xml_doc: return xml(to, 0);
        case Marker::date: return date(to);
        case Marker::array: return array(to);
        case Marker::object: return object(to);
        case Marker::xml: return xml(to, Node::k_e4x);
        case Marker::byte_array: return byte_array(to);
        case Marker::vector_int: return numbers(to, ElementKind::int32);
        case Marker::vector_uint: return numbers(to, ElementKind::uint32);
        case Marker::vector_double: return numbers(to, ElementKind::float64);
        case Marker::vector_object: return vector(to);
        case Marker::dictionary: return dictionary(to);
    }
    --next_;
    return step(fail(Errc::malformed, "AMF3 3.1: an unknown marker"));
}

Node* Reader::enter(NodeKind kind, Value& to) {
    Node* const node = graph_->new_node(kind);
    objects_.push_back(node);
    to = Value::of(node);
    return node;
}

// A 3.9 to 3.16: a reference carries the marker of what it refers to.
Reader::Step Reader::reference(Value& to, std::uint32_t index, NodeKind kind, NodeKind or_kind) {
    if (index >= objects_.size()) {
        return failed(Errc::malformed, "AMF3 1.3.2: a reference to an object not seen yet");
    }
    Node* const node = objects_[index];
    if (node->kind != kind && node->kind != or_kind) {
        return failed(Errc::malformed, "AMF3 3.1: a reference to an object of another kind");
    }
    to = Value::of(node);
    return Step::done;
}

// Whether that many values can come at all: every value still waited for needs a byte or more.
bool Reader::room_for(std::uint64_t values, std::uint64_t bytes_each) {
    std::uint64_t needed = pending_ + values * bytes_each;
    if (!frames_.empty()) {
        needed += static_cast<std::uint64_t>(frames_.back().end - frames_.back().next);
    }
    return needed <= left() ||
           fail(Errc::truncated, "AMF3: a count beyond the bytes that are left");
}

Reader::Step Reader::open(Node* node, Value* values, std::size_t count, Phase phase) {
    if (frames_.size() >= limits_.max_depth) {
        return failed(Errc::limit_exceeded, "AMF3: too deep a nesting");
    }
    if (!frames_.empty()) {
        pending_ += static_cast<std::uint64_t>(frames_.back().end - frames_.back().next);
    }
    frames_.push_back({.node = node,
                       .next = values,
                       .end = values + count,
                       .base = named_.size(),
                       .count = 0,
                       .phase = phase});
    return Step::opened;
}

Reader::Step Reader::items(Node* node, std::size_t count) {
    if (count == 0) return Step::done;
    if (!room_for(count, 1)) return Step::failed;
    node->items = graph_->new_values(count);
    node->count = static_cast<std::uint32_t>(count);
    return open(node, node->items, count, Phase::items);
}

// A 3.11: count, names and values up to the empty name, then the dense values.
Reader::Step Reader::array(Value& to) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) return reference(to, header >> 1U, NodeKind::array, NodeKind::array);
    Node* const node = enter(NodeKind::array, to);
    const std::uint32_t count = header >> 1U;
    if (next_ != end_ && *next_ == 0x01) {
        ++next_;
        return items(node, count);
    }
    const Step step = open(node, nullptr, 0, Phase::assoc);
    if (step == Step::opened) frames_.back().count = count;
    return step;
}

// A 3.12.
Reader::Step Reader::object(Value& to) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) {
        return reference(to, header >> 1U, NodeKind::object, NodeKind::external);
    }
    const Class* const type = traits(header);
    if (type == nullptr) return Step::failed;
    Node* const node = enter(type->is_external() ? NodeKind::external : NodeKind::object, to);
    node->type = type;
    if (type->is_external()) return items(node, 1);
    if (!type->is_dynamic()) return items(node, type->field_count);
    if (!room_for(type->field_count, 1)) return Step::failed;
    node->items = graph_->new_values(type->field_count);
    node->count = type->field_count;
    return open(node, node->items, type->field_count, Phase::fields);
}

const Class* Reader::traits(std::uint32_t header) {
    if ((header & 2U) == 0) {
        const std::uint32_t index = header >> 2U;
        if (index < traits_.size()) return traits_[index];
        fail(Errc::malformed, "AMF3 3.12: a reference to traits not seen yet");
        return nullptr;
    }
    const Text* const name = string();
    if (name == nullptr) return nullptr;
    // A 3.12: "U29O-traits-ext": the bits above are not significant, no member names follow.
    if ((header & 4U) != 0) {
        if (!is_one_value_class(name->view())) {
            fail(Errc::unsupported, "AMF3 3.12: an externalizable class whose body is not known");
            return nullptr;
        }
        return traits_.emplace_back(graph_->new_class(name, {}, Class::k_external));
    }
    const std::uint32_t count = header >> 4U;
    if (count > left()) {
        cut();
        return nullptr;
    }
    names_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        const Text* const member = string();
        if (member == nullptr) return nullptr;
        names_.push_back(member);
    }
    const std::uint8_t flags = (header & 8U) != 0 ? Class::k_dynamic : std::uint8_t{0};
    return traits_.emplace_back(graph_->new_class(name, names_, flags));
}

bool Reader::is_one_value_class(std::string_view name) const {
    const auto known = [name](const auto& classes) {
        return std::find(classes.begin(), classes.end(), name) != classes.end();
    };
    return known(k_one_value_classes) || known(one_value_classes_);
}

// A 3.10: a double, kept as milliseconds when it is a whole number of them.
Reader::Step Reader::date(Value& to) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) return reference(to, header >> 1U, NodeKind::date, NodeKind::date);
    Node* const node = enter(NodeKind::date, to);
    Value read;
    if (!real(read)) return Step::failed;
    node->set_date(read.as_double());
    return Step::done;
}

// A 3.9, 3.13: text of its own, not in the string table.
Reader::Step Reader::xml(Value& to, std::uint8_t flags) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) {
        const Step step = reference(to, header >> 1U, NodeKind::xml, NodeKind::xml);
        if (step == Step::done && to.node->flags != flags) {
            return failed(Errc::malformed, "AMF3 3.1: a reference to an object of another kind");
        }
        return step;
    }
    const std::uint32_t size = header >> 1U;
    Node* const node = enter(NodeKind::xml, to);
    node->flags = flags;
    if (size > left()) return failed_cut();
    node->text =
        size == 0 ? graph_->empty_text() : graph_->decode_text({next_, size}, NulForm::one_byte);
    if (node->text == nullptr) {
        return failed(Errc::malformed, "AMF3 3.9: XML that is not UTF-8");
    }
    next_ += size;
    return Step::done;
}

// A 3.14.
Reader::Step Reader::byte_array(Value& to) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) return reference(to, header >> 1U, NodeKind::bytes, NodeKind::bytes);
    const std::uint32_t size = header >> 1U;
    if (size > left()) return failed_cut();
    Node* const node = enter(NodeKind::bytes, to);
    const std::string_view kept = graph_->arena().copy(as_text({next_, size}));
    node->data = as_bytes(kept).data();
    node->count = size;
    next_ += size;
    return Step::done;
}

// A 3.15: count, then the flag, then items without markers.
Reader::Step Reader::numbers(Value& to, ElementKind element) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) {
        const Step step = reference(to, header >> 1U, NodeKind::vector, NodeKind::vector);
        if (step == Step::done && to.node->element != element) {
            return failed(Errc::malformed, "AMF3 3.1: a reference to an object of another kind");
        }
        return step;
    }
    const std::uint32_t count = header >> 1U;
    Node* const node = enter(NodeKind::vector, to);
    node->element = element;
    if (next_ == end_) return failed_cut();
    if (*next_++ != 0) node->flags = Node::k_fixed;
    const std::size_t width = element == ElementKind::float64 ? 8 : 4;
    if (!room_for(count, width)) return Step::failed;
    Value* const values = graph_->new_values(count);
    for (std::uint32_t i = 0; i < count; ++i, next_ += width) {
        if (element == ElementKind::float64) {
            values[i] = Value::float64_bits(load_big_endian<std::uint64_t>(next_));
        } else if (element == ElementKind::int32) {
            values[i] =
                Value::int32(static_cast<std::int32_t>(load_big_endian<std::uint32_t>(next_)));
        } else {
            values[i] = Value::int64(load_big_endian<std::uint32_t>(next_));
        }
    }
    node->items = values;
    node->count = count;
    return Step::done;
}

Reader::Step Reader::vector(Value& to) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) {
        const Step step = reference(to, header >> 1U, NodeKind::vector, NodeKind::vector);
        if (step == Step::done && to.node->element != ElementKind::object) {
            return failed(Errc::malformed, "AMF3 3.1: a reference to an object of another kind");
        }
        return step;
    }
    Node* const node = enter(NodeKind::vector, to);
    if (next_ == end_) return failed_cut();
    if (*next_++ != 0) node->flags = Node::k_fixed;
    node->name = string();
    return node->name == nullptr ? Step::failed : items(node, header >> 1U);
}

// A 3.16: count, the flag for weak keys, then any values as keys.
Reader::Step Reader::dictionary(Value& to) {
    std::uint32_t header = 0;
    if (!u29(header)) return Step::failed;
    if ((header & 1U) == 0) {
        return reference(to, header >> 1U, NodeKind::dictionary, NodeKind::dictionary);
    }
    Node* const node = enter(NodeKind::dictionary, to);
    if (next_ == end_) return failed_cut();
    if (*next_++ != 0) node->flags = Node::k_weak;
    return items(node, std::size_t{2} * (header >> 1U));
}

}  // namespace perfrelay::amf3
