#include "proto/javaser/reader.h"

#include <algorithm>

namespace perfrelay::javaser {

using graph::Class;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

Result<> Reader::read(Bytes input, ObjectGraph& graph) {
    start(input, graph, ObjectGraph::Origin::javaser);
    graph.has_java_parts = true;
    desc_ = nullptr;
    frames_.clear();
    collected_.clear();
    desc_nodes_.clear();
    handles_.clear();
    return finish(document());
}

// J 6.4.1: magic, version, then contents up to the end.
bool Reader::document() {
    std::uint16_t magic = 0;
    std::uint16_t version = 0;
    if (!number(magic)) return false;
    if (magic != k_magic) {
        constexpr std::uint16_t k_base64_of_magic = 0x724F;  // "rO0AB.."
        constexpr std::uint16_t k_magic_as_utf8 = 0xC2AC;    // Latin-1 turned into UTF-8
        next_ = begin_;
        if (magic == k_base64_of_magic) {
            return fail(Errc::malformed, "Java 6.4: no stream, but it may be one in base64");
        }
        if (magic == k_magic_as_utf8) {
            return fail(Errc::malformed,
                        "Java 6.4: no stream, but it may be one turned into UTF-8");
        }
        return fail(Errc::malformed, "Java 6.4: a stream begins with ac ed");
    }
    if (!number(version)) return false;
    if (version != k_version) return fail(Errc::unsupported, "Java 6.4: not version 5");
    if (next_ == end_) return fail(Errc::truncated, "Java 6.4: a stream without contents");

    while (next_ != end_) {
        if (!top_level()) return false;
        while (!frames_.empty()) {
            if (step() == Step::failed) return false;
        }
    }
    if (collected_.size() == 1) {
        graph_->root = collected_[0];
        return true;
    }
    Node* const all = graph_->new_node(NodeKind::sequence);
    const auto items = graph_->copy(collected_);
    all->items = items.data();
    all->count = static_cast<std::uint32_t>(items.size());
    graph_->root = Value::of(all);
    return true;
}

// An object, block data, or a reset, which is legal between those only.
bool Reader::top_level() {
    collected_.emplace_back();
    const std::size_t place = collected_.size() - 1;
    Value item;
    if (at(Tc::reset)) {
        ++next_;
        handles_.clear();
        std::fill(desc_nodes_.begin(), desc_nodes_.end(), nullptr);
        item = Value::of(graph_->new_node(NodeKind::reset));
    } else if (at(Tc::block_data) || at(Tc::block_data_long)) {
        if (!block(item)) return false;
    } else if (content(item) == Step::failed) {
        return false;
    }
    collected_[place] = item;
    return true;
}

Reader::Step Reader::step() {
    Frame& frame = frames_.back();
    switch (frame.state) {
        case State::object_desc: return begin_object(frame);
        case State::array_desc: return begin_array(frame);
        case State::enum_desc: return begin_enum(frame);
        case State::class_desc:
            if (!usable(desc_)) return Step::failed;
            frame.node->name = desc_->name;
            parts(*frame.node, desc_);
            add_handle(frame.node);
            pop();
            return Step::done;
        case State::bare_desc:
            if (desc_ == nullptr) return failed(Errc::malformed, "Java 6.4: no class description");
            frame.node->type = desc_;
            if (desc_nodes_.size() <= desc_->id) desc_nodes_.resize(desc_->id + std::size_t{1});
            desc_nodes_[desc_->id] = frame.node;
            pop();
            return Step::done;
        case State::primitives: return primitive_fields(frame);
        case State::references: return next_reference(frame);
        case State::items: {
            if (frame.wanted == 0) {
                pop();
                return Step::done;
            }
            --frame.wanted;
            return content(frame.values[frame.index++]);
        }
        case State::annotation:
            if (!at(Tc::end_block_data)) return collect();
            ++next_;
            return end_level(frame);
        case State::desc_annotation:
            if (!at(Tc::end_block_data)) return collect();
            ++next_;
            {
                const auto values = graph_->copy(std::span(collected_).subspan(frame.base));
                collected_.resize(frame.base);
                frame.java->annotation = values;
                frame.state = State::desc_super;
            }
            return class_desc();
        case State::desc_super: {
            const Frame done = frame;
            pop();
            return finish_desc(done) ? Step::done : Step::failed;
        }
    }
    return Step::failed;
}

Reader::Step Reader::push(const Frame& frame) {
    if (frames_.size() >= limits_.max_depth) {
        return failed(Errc::limit_exceeded, "Java: too deep a nesting");
    }
    if (!frames_.empty()) pending_ += frames_.back().wanted;
    frames_.push_back(frame);
    return Step::opened;
}

void Reader::pop() {
    frames_.pop_back();
    if (!frames_.empty()) pending_ -= frames_.back().wanted;
}

// Whether that many values can come at all: every value still waited for needs a byte or more.
bool Reader::room_for(std::uint64_t values, std::uint64_t bytes_each) {
    const std::uint64_t needed =
        pending_ + values * bytes_each + (frames_.empty() ? 0 : frames_.back().wanted);
    return needed <= left() ||
           fail(Errc::truncated, "Java: a count beyond the bytes that are left");
}

// J 6.2: modified UTF-8. Plain NULs and characters of four bytes are taken too.
const Text* Reader::utf(std::size_t size) {
    if (size > left()) {
        cut();
        return nullptr;
    }
    if (size > limits_.max_text) {
        fail(Errc::limit_exceeded, "Java: too long a string");
        return nullptr;
    }
    // Each string is one of its own, the empty one too: handles tell them apart.
    const Text* const text = graph_->decode_text({next_, size}, NulForm::two_bytes);
    if (text == nullptr) fail(Errc::malformed, "Java 6.2: a string that is not modified UTF-8");
    next_ += text == nullptr ? 0 : size;
    return text;
}

const Text* Reader::short_utf() {
    std::uint16_t size = 0;
    return number(size) ? utf(size) : nullptr;
}

void Reader::add_handle(Node* node) {
    Handle handle{};
    handle.kind = Handle::Kind::node;
    handle.node = node;
    handles_.push_back(handle);
}

JavaParts* Reader::parts(Node& node, const Class* type) {
    JavaParts* const made = graph_->arena().create(JavaParts{.type = type});
    node.java = made;
    return made;
}

Reader::Step Reader::open_node(NodeKind kind, State state, Value& to) {
    Node* const node = graph_->new_node(kind);
    to = Value::of(node);
    Frame frame{.state = state};
    frame.node = node;
    if (push(frame) == Step::failed || class_desc() == Step::failed) return Step::failed;
    return Step::opened;
}

// J 6.4.1 "object": everything that can be a value.
Reader::Step Reader::content(Value& to) {
    if (next_ == end_) {
        cut();
        return Step::failed;
    }
    switch (static_cast<Tc>(*next_++)) {
        case Tc::null: to = Value::null(); return Step::done;
        case Tc::reference: return reference(to);
        case Tc::string:
        case Tc::long_string: {
            const Text* text = nullptr;
            const bool is_long = next_[-1] == static_cast<std::uint8_t>(Tc::long_string);
            const Step step = new_string(is_long, text);
            if (step == Step::done) to = Value::of(text);
            return step;
        }
        case Tc::object: return open_node(NodeKind::object, State::object_desc, to);
        case Tc::array: return open_node(NodeKind::list, State::array_desc, to);
        case Tc::enumeration: return open_node(NodeKind::enumeration, State::enum_desc, to);
        case Tc::class_object: return open_node(NodeKind::class_ref, State::class_desc, to);
        case Tc::class_desc:
        case Tc::proxy_class_desc:
            --next_;
            return open_node(NodeKind::class_desc, State::bare_desc, to);
        case Tc::exception:
            --next_;
            return failed(Errc::malformed, "Java 6.4: its writer broke the stream off (exception)");
        case Tc::reset:
            --next_;
            return failed(Errc::malformed, "Java 6.4: a reset within an object");
        case Tc::block_data:
        case Tc::block_data_long:
        case Tc::end_block_data:
            --next_;
            return failed(Errc::malformed, "Java 6.4: block data where an object is due");
    }
    --next_;
    return failed(Errc::malformed, "Java 6.4.2: an unknown type code");
}

Reader::Step Reader::reference(Value& to) {
    std::uint32_t wire = 0;
    if (!number(wire)) return Step::failed;
    if (wire < k_first_handle || wire - k_first_handle >= handles_.size()) {
        return failed(Errc::malformed, "Java 6.4: a handle not given yet");
    }
    const Handle& handle = handles_[wire - k_first_handle];
    switch (handle.kind) {
        case Handle::Kind::node: to = Value::of(handle.node); return Step::done;
        case Handle::Kind::text: to = Value::of(handle.text); return Step::done;
        case Handle::Kind::type: break;
    }
    // A class description as a value: one node for each.
    const std::uint32_t id = handle.type->id;
    if (desc_nodes_.size() <= id) desc_nodes_.resize(id + std::size_t{1});
    if (desc_nodes_[id] == nullptr) {
        desc_nodes_[id] = graph_->new_node(NodeKind::class_desc);
        desc_nodes_[id]->type = handle.type;
    }
    to = Value::of(desc_nodes_[id]);
    return Step::done;
}

Reader::Step Reader::new_string(bool is_long, const Text*& to) {
    std::uint64_t size = 0;
    std::uint16_t short_size = 0;
    if (!(is_long ? number(size) : number(short_size))) return Step::failed;
    // J 6.4: the handle comes before the text, which holds no objects.
    to = utf(is_long ? static_cast<std::size_t>(size) : short_size);
    if (to == nullptr) return Step::failed;
    Handle handle{};
    handle.kind = Handle::Kind::text;
    handle.text = to;
    handles_.push_back(handle);
    return Step::done;
}

// A string where nothing else can be.
Reader::Step Reader::string_content(const Text*& to) {
    if (at(Tc::string) || at(Tc::long_string) || at(Tc::reference)) {
        Value value;
        if (content(value) != Step::done) return Step::failed;
        if (value.is(ValueKind::text)) {
            to = value.text;
            return Step::done;
        }
    }
    if (next_ == end_) cut();
    return failed(Errc::malformed, "Java 6.4: no string where one is due");
}

// Blocks that follow one another are one: what was written may run across.
bool Reader::block(Value& to) {
    block_.clear();
    while (at(Tc::block_data) || at(Tc::block_data_long)) {
        const bool is_long = at(Tc::block_data_long);
        ++next_;
        std::uint8_t short_size = 0;
        std::int32_t size = 0;
        if (!(is_long ? number(size) : number(short_size))) return false;
        if (!is_long) size = short_size;
        if (size < 0) return fail(Errc::malformed, "Java 6.4: a block of negative length");
        if (static_cast<std::size_t>(size) > left()) return cut();
        block_.append(reinterpret_cast<const char*>(next_), static_cast<std::size_t>(size));
        next_ += size;
    }
    Node* const node = graph_->new_node(NodeKind::block);
    const std::string_view kept = graph_->arena().copy(block_);
    node->data = as_bytes(kept).data();
    node->count = static_cast<std::uint32_t>(kept.size());
    to = Value::of(node);
    return true;
}

Reader::Step Reader::collect() {
    collected_.emplace_back();  // its place: what is opened keeps its own behind it
    const std::size_t place = collected_.size() - 1;
    Value value;
    Step step = Step::done;
    if (at(Tc::block_data) || at(Tc::block_data_long)) {
        if (!block(value)) return Step::failed;
    } else {
        step = content(value);
    }
    if (step != Step::failed) collected_[place] = value;
    return step;
}

}  // namespace perfrelay::javaser
