#include "proto/hessian2/reader.h"

#include "proto/hessian2/wire.h"

namespace perfrelay::hessian2 {

using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;

Result<> Reader::read(Bytes input, ObjectGraph& graph) {
    start(input, graph, ObjectGraph::Origin::hessian2);
    frames_.clear();
    collected_.clear();
    objects_.clear();
    classes_.clear();
    types_.clear();
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
    return next_ == end_ || fail(Errc::malformed, "Hessian: bytes behind the value");
}

// The counted values of the last frame are there; one that is not counted has one more, or ends.
bool Reader::finish_frame() {
    const Frame frame = frames_.back();
    if (frame.phase != Phase::items) {
        if (next_ == end_) return cut();
        const bool key = (collected_.size() - frame.base) % 2 == 0;
        // H 4.6, 4.8: the end stands where an item or a key would.
        if (*next_ != k_end || (frame.phase == Phase::map && !key)) {
            collected_.emplace_back();  // its place: what is opened keeps its own behind it
            const std::size_t at = collected_.size() - 1;
            Value item;
            if (value(item) == Step::failed) return false;
            collected_[at] = item;
            return true;
        }
        ++next_;
        const auto items = graph_->copy(std::span(collected_).subspan(frame.base));
        collected_.resize(frame.base);
        frame.node->items = items.data();
        frame.node->count = static_cast<std::uint32_t>(items.size());
    }
    frames_.pop_back();
    if (!frames_.empty()) {
        pending_ -= static_cast<std::uint64_t>(frames_.back().end - frames_.back().next);
    }
    return true;
}

Reader::Step Reader::value(Value& to) {
    // H 3: definitions come before the value that is due, and are none.
    while (next_ != end_ && *next_ == k_class_definition) {
        ++next_;
        if (!class_definition()) return Step::failed;
    }
    if (next_ == end_) return failed_cut();
    return by_code(*next_++, to);
}

// Reads a T; what `make` makes of it is the value.
template <class T, class Make>
Reader::Step Reader::scalar(Value& to, Make make) {
    T read = 0;
    if (!number(read)) return Step::failed;
    to = make(read);
    return Step::done;
}

// H 6: the compact forms, ranges of codes; every other code is a form of its own.
Reader::Step Reader::by_code(std::uint8_t code, Value& to) {
    if (code < k_short_binary || (code & 0xFCU) == k_medium_string) return string_value(code, to);
    if (code < k_medium_string || (code & 0xFCU) == k_medium_binary) return binary_value(code, to);
    if (code >= k_short_object && code < k_short_list) return object(to, code - k_short_object);
    if (code >= k_short_untyped && code < k_int_1) return list(to, nullptr, code - k_short_untyped);
    if (code >= k_short_list && code < k_short_untyped) {
        const Text* const name = type();
        return name == nullptr ? Step::failed : list(to, name, code - k_short_list);
    }
    if (code >= k_int_1 && code < k_long_1) {
        --next_;
        std::int64_t read = 0;
        if (!integer(read)) return Step::failed;
        to = Value::int32(static_cast<std::int32_t>(read));
        return Step::done;
    }
    // H 4.7: the code holds the high part, the bytes behind it the low one, unsigned.
    if (code >= k_long_2) {
        return scalar<std::uint8_t>(to, [code](std::uint8_t low) {
            return Value::int64((code - k_long_2_zero) * 256 + low);
        });
    }
    if (code >= k_long_1) {
        to = Value::int64(code - k_long_1_zero);
        return Step::done;
    }
    if ((code & 0xF8U) == k_long_3) {
        return scalar<std::uint16_t>(to, [code](std::uint16_t low) {
            return Value::int64((code - k_long_3_zero) * 65536 + low);
        });
    }
    return by_letter(code, to);
}

Reader::Step Reader::by_letter(std::uint8_t code, Value& to) {
    std::int64_t wide = 0;
    std::int32_t half = 0;
    std::int64_t count = 0;
    switch (code) {
        case k_null: to = Value::null(); return Step::done;
        case k_true: to = Value::boolean(true); return Step::done;
        case k_false: to = Value::boolean(false); return Step::done;
        case k_int: return scalar<std::int32_t>(to, Value::int32);
        case k_long: return scalar<std::int64_t>(to, Value::int64);
        case k_long_4: return scalar<std::int32_t>(to, Value::int64);
        case k_double: return scalar<std::uint64_t>(to, Value::float64_bits);
        case k_double_0: to = Value::float64(0); return Step::done;
        case k_double_1: to = Value::float64(1); return Step::done;
        case k_double_byte: return scalar<std::int8_t>(to, Value::float64);
        case k_double_short: return scalar<std::int16_t>(to, Value::float64);
        case k_double_mill:
            // As Caucho reads it: 0.001 * n, which is not always n / 1000.
            return scalar<std::int32_t>(to, [](int n) { return Value::float64(0.001 * n); });
        case k_date:
            if (!number(wide)) return Step::failed;
            return date(to, wide);
        case k_date_minutes:
            // H 4.3: 32 bits, and signed: also before 1970.
            if (!number(half)) return Step::failed;
            return date(to, half * k_millis_a_minute);
        case k_string:
        case k_string_chunk: return string_value(code, to);
        case k_binary:
        case k_binary_chunk: return binary_value(code, to);
        case k_untyped_map: return open_ended(to, NodeKind::map, nullptr);
        case k_map: return typed_map(to);
        case k_variable_untyped_list: return open_ended(to, NodeKind::list, nullptr);
        case k_variable_list: {
            const Text* const name = type();
            return name == nullptr ? Step::failed : open_ended(to, NodeKind::list, name);
        }
        case k_untyped_list:
            if (!integer(count)) return Step::failed;
            return list(to, nullptr, count);
        case k_list: {
            const Text* const name = type();
            if (name == nullptr || !integer(count)) return Step::failed;
            return list(to, name, count);
        }
        case k_object:
            if (!integer(count)) return Step::failed;
            return object(to, count);
        case k_reference: return reference(to);
        default: break;
    }
    --next_;
    return failed(Errc::malformed, code == k_end ? "Hessian 4.6: an end where a value is due"
                                                 : "Hessian 6: a reserved code");
}

// H 4.5: wherever the grammar says int, its four forms.
bool Reader::integer(std::int64_t& to) {
    if (next_ == end_) return cut();
    const std::uint8_t code = *next_++;
    if (code >= k_int_1 && code < k_int_2) {
        to = code - k_int_1_zero;
        return true;
    }
    if (code >= k_int_2 && code < k_int_3) {
        std::uint8_t low = 0;
        if (!number(low)) return false;
        to = (code - k_int_2_zero) * 256 + low;
        return true;
    }
    if (code >= k_int_3 && code < k_long_1) {
        std::uint16_t low = 0;
        if (!number(low)) return false;
        to = (code - k_int_3_zero) * 65536 + low;
        return true;
    }
    if (code == k_int) {
        std::int32_t read = 0;
        if (!number(read)) return false;
        to = read;
        return true;
    }
    --next_;
    return fail(Errc::malformed, "Hessian 4.5: no int where one is due");
}

Reader::Step Reader::date(Value& to, std::int64_t millis) {
    Node* const node = graph_->new_node(NodeKind::date);
    node->millis = millis;
    to = Value::of(node);
    return Step::done;
}

bool Reader::string_code(std::uint8_t code, std::uint32_t& units, bool& last) {
    last = code != k_string_chunk;
    if (code < k_short_binary) {
        units = code;
        return true;
    }
    if ((code & 0xFCU) == k_medium_string) {
        std::uint8_t low = 0;
        if (!number(low)) return false;
        units = (code - k_medium_string) * 256U + low;
        return true;
    }
    if (code == k_string || code == k_string_chunk) {
        std::uint16_t length = 0;
        if (!number(length)) return false;
        units = length;
        return true;
    }
    --next_;
    return fail(Errc::malformed, "Hessian 4.12: no string where one is due");
}

// That many UTF-16 units of bytes into gathered_. A character of four bytes is two units.
bool Reader::units(std::uint32_t count) {
    const std::uint8_t* const first = next_;
    std::uint32_t seen = 0;
    while (seen < count) {
        if (next_ == end_) return cut();
        const std::uint8_t lead = *next_;
        const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        seen += size == 4 ? 2 : 1;
        if (left() < size) return cut();
        next_ += size;
    }
    if (seen != count) return fail(Errc::malformed, "Hessian 4.12: a length within a character");
    gathered_.append(reinterpret_cast<const char*>(first), static_cast<std::size_t>(next_ - first));
    return gathered_.size() <= limits_.max_text ||
           fail(Errc::limit_exceeded, "Hessian: too long a string");
}

const Text* Reader::string() {
    if (next_ == end_) {
        cut();
        return nullptr;
    }
    return string(*next_++);
}

const Text* Reader::string(std::uint8_t code) {
    std::uint32_t count = 0;
    bool last = false;
    if (!string_code(code, count, last)) return nullptr;
    if (last && count == 0) return graph_->empty_text();
    // Nearly always: one piece of ASCII, where units are bytes.
    if (last && count <= left()) {
        Text* const text = graph_->new_text(count);
        if (copy_ascii(next_, count, text->data())) {
            text->units = count;
            next_ += count;
            return text;
        }
    }
    gathered_.clear();
    if (!units(count)) return nullptr;
    while (!last) {
        if (next_ == end_) {
            cut();
            return nullptr;
        }
        if (!string_code(*next_++, count, last) || !units(count)) return nullptr;
    }
    const Text* const text = gathered_.empty()
                                 ? graph_->empty_text()
                                 : graph_->decode_text(as_bytes(gathered_), NulForm::one_byte);
    if (text == nullptr) fail(Errc::malformed, "Hessian 4.12: a string that is not UTF-8");
    return text;
}

Reader::Step Reader::string_value(std::uint8_t code, Value& to) {
    const Text* const text = string(code);
    if (text == nullptr) return Step::failed;
    to = Value::of(text);
    return Step::done;
}

bool Reader::binary_code(std::uint8_t code, std::uint32_t& size, bool& last) {
    last = code != k_binary_chunk;
    if (code >= k_short_binary && code < k_medium_string) {
        size = code - k_short_binary;
    } else if ((code & 0xFCU) == k_medium_binary) {
        std::uint8_t low = 0;
        if (!number(low)) return false;
        size = (code - k_medium_binary) * 256U + low;
    } else if (code == k_binary || code == k_binary_chunk) {
        std::uint16_t length = 0;
        if (!number(length)) return false;
        size = length;
    } else {
        --next_;
        return fail(Errc::malformed, "Hessian 4.1: no binary data behind a chunk of it");
    }
    return size <= left() || cut();
}

Reader::Step Reader::binary_value(std::uint8_t code, Value& to) {
    gathered_.clear();
    for (bool last = false; !last;) {
        std::uint32_t size = 0;
        if (!binary_code(code, size, last)) return Step::failed;
        gathered_.append(reinterpret_cast<const char*>(next_), size);
        next_ += size;
        if (last) break;
        if (next_ == end_) {
            cut();
            return Step::failed;
        }
        code = *next_++;
    }
    Node* const node = graph_->new_node(NodeKind::bytes);
    const std::string_view kept = graph_->arena().copy(gathered_);
    node->data = as_bytes(kept).data();
    node->count = static_cast<std::uint32_t>(kept.size());
    to = Value::of(node);
    return Step::done;
}

// H 4.13, 5.3: a string the first time, then its number.
const Text* Reader::type() {
    if (next_ == end_) {
        cut();
        return nullptr;
    }
    const std::uint8_t code = *next_;
    if (code == k_int || (code >= k_int_1 && code < k_long_1)) {
        std::int64_t index = 0;
        if (!integer(index)) return nullptr;
        if (index >= 0 && static_cast<std::uint64_t>(index) < types_.size()) {
            return types_[static_cast<std::size_t>(index)];
        }
        fail(Errc::malformed, "Hessian 5.3: a reference to a type not seen yet");
        return nullptr;
    }
    const Text* const name = string();
    if (name != nullptr) types_.push_back(name);
    return name;
}

// H 4.10.1, 5.2.
bool Reader::class_definition() {
    const Text* const name = string();
    std::int64_t count = 0;
    if (name == nullptr || !integer(count)) return false;
    if (count < 0) return fail(Errc::malformed, "Hessian 4.10: a negative number of fields");
    if (static_cast<std::uint64_t>(count) > left()) return cut();
    names_.clear();
    for (std::int64_t i = 0; i < count; ++i) {
        const Text* const field = string();
        if (field == nullptr) return false;
        names_.push_back(field);
    }
    classes_.push_back(graph_->new_class(name, names_, 0));
    return true;
}

Node* Reader::enter(NodeKind kind, Value& to) {
    Node* const node = graph_->new_node(kind);
    objects_.push_back(node);
    to = Value::of(node);
    return node;
}

bool Reader::room_for(std::uint64_t values) {
    std::uint64_t needed = pending_ + values;
    if (!frames_.empty()) {
        needed += static_cast<std::uint64_t>(frames_.back().end - frames_.back().next);
    }
    return needed <= left() ||
           fail(Errc::truncated, "Hessian: a count beyond the bytes that are left");
}

Reader::Step Reader::open(Node* node, Value* values, std::size_t count, Phase phase) {
    if (frames_.size() >= limits_.max_depth) {
        return failed(Errc::limit_exceeded, "Hessian: too deep a nesting");
    }
    if (!frames_.empty()) {
        pending_ += static_cast<std::uint64_t>(frames_.back().end - frames_.back().next);
    }
    frames_.push_back({.node = node,
                       .next = values,
                       .end = values + count,
                       .base = collected_.size(),
                       .phase = phase});
    return Step::opened;
}

Reader::Step Reader::list(Value& to, const Text* type, std::int64_t count) {
    if (count < 0) return failed(Errc::malformed, "Hessian 4.6: a negative length");
    Node* const node = enter(NodeKind::list, to);
    node->name = type;
    if (count == 0) return Step::done;
    if (!room_for(static_cast<std::uint64_t>(count))) return Step::failed;
    node->items = graph_->new_values(static_cast<std::size_t>(count));
    node->count = static_cast<std::uint32_t>(count);
    return open(node, node->items, node->count, Phase::items);
}

Reader::Step Reader::open_ended(Value& to, NodeKind kind, const Text* type) {
    Node* const node = enter(kind, to);
    node->name = type;
    return open(node, nullptr, 0, kind == NodeKind::map ? Phase::map : Phase::list);
}

Reader::Step Reader::typed_map(Value& to) {
    const Text* const name = type();
    return name == nullptr ? Step::failed : open_ended(to, NodeKind::map, name);
}

// H 4.10: exactly the fields of its definition, and no end.
Reader::Step Reader::object(Value& to, std::int64_t index) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= classes_.size()) {
        return failed(Errc::malformed, "Hessian 5.2: a reference to a class not defined yet");
    }
    Node* const node = enter(NodeKind::object, to);
    node->type = classes_[static_cast<std::size_t>(index)];
    const std::uint32_t count = node->type->field_count;
    if (count == 0) return Step::done;
    if (!room_for(count)) return Step::failed;
    node->items = graph_->new_values(count);
    node->count = count;
    return open(node, node->items, count, Phase::items);
}

Reader::Step Reader::reference(Value& to) {
    std::int64_t index = 0;
    if (!integer(index)) return Step::failed;
    if (index < 0 || static_cast<std::uint64_t>(index) >= objects_.size()) {
        return failed(Errc::malformed, "Hessian 5.1: a reference to an object not seen yet");
    }
    to = Value::of(objects_[static_cast<std::size_t>(index)]);
    return Step::done;
}

}  // namespace perfrelay::hessian2
