#include "proto/javaser/reader.h"

#include <algorithm>

#include "proto/javaser/meaning.h"
#include "proto/model/fast_out.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::JavaClass;
using graph::JavaField;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

bool is_primitive(char type) {
    return type != 'L' && type != '[';
}

// Bytes of a primitive in the stream; 0: no such type.
std::size_t width_of(char type) {
    switch (type) {
        case 'B':
        case 'Z': return 1;
        case 'C':
        case 'S': return 2;
        case 'F':
        case 'I': return 4;
        case 'D':
        case 'J': return 8;
        default: return 0;
    }
}

}  // namespace

bool Reader::fail(Errc code, const char* where) {
    if (*error_.where == '\0') {
        error_ = {.code = code, .offset = static_cast<std::size_t>(next_ - begin_), .where = where};
    }
    return false;
}

Result<> Reader::read(Bytes input, ObjectGraph& graph) {
    graph.clear();
    graph.origin = ObjectGraph::Origin::javaser;
    graph.has_java_parts = true;
    begin_ = next_ = input.data();
    end_ = begin_ + input.size();
    graph_ = &graph;
    error_ = {};
    desc_ = nullptr;
    frames_.clear();
    pending_ = 0;
    collected_.clear();
    desc_nodes_.clear();
    handles_.clear();
    if (document()) return {};
    graph.clear();
    return error_;
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

template <class T>
bool Reader::number(T& to) {
    if (left() < sizeof(T)) return cut();
    to = static_cast<T>(load_big_endian<std::make_unsigned_t<T>>(next_));
    next_ += sizeof(T);
    return true;
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
        case Tc::class_: return open_node(NodeKind::class_ref, State::class_desc, to);
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

// J 6.4.1 "classDesc": the result is in desc_, at once or when the frame that was pushed is done.
Reader::Step Reader::class_desc() {
    if (next_ == end_) {
        cut();
        return Step::failed;
    }
    switch (static_cast<Tc>(*next_++)) {
        case Tc::null: desc_ = nullptr; return Step::done;
        case Tc::class_desc: return new_class_desc();
        case Tc::proxy_class_desc: return new_proxy_desc();
        case Tc::reference: {
            std::uint32_t wire = 0;
            if (!number(wire)) return Step::failed;
            if (wire < k_first_handle || wire - k_first_handle >= handles_.size()) {
                return failed(Errc::malformed, "Java 6.4: a handle not given yet");
            }
            const Handle& handle = handles_[wire - k_first_handle];
            if (handle.kind != Handle::Kind::type) {
                return failed(Errc::malformed, "Java 6.4: a handle of no class description");
            }
            desc_ = handle.type;
            return Step::done;
        }
        default: break;
    }
    --next_;
    return failed(Errc::malformed, "Java 6.4: no class description where one is due");
}

Reader::Step Reader::new_class_desc() {
    const Text* const name = short_utf();
    if (name == nullptr) return Step::failed;
    JavaClass* const java = graph_->arena().create(JavaClass());
    Class* const type = graph_->new_class(name, {}, 0);
    type->java = java;
    if (!number(java->suid)) return Step::failed;
    // J 6.4: newHandle stands here, before the flags.
    Handle handle{};
    handle.kind = Handle::Kind::type;
    handle.type = type;
    handles_.push_back(handle);
    if (!number(java->flags) || !fields(*type, *java)) return Step::failed;
    const bool conflict =
        java->has(JavaClass::k_serializable) && java->has(JavaClass::k_externalizable);
    if (conflict) {
        return failed(Errc::malformed, "Java 6.4: a class both serializable and externalizable");
    }
    if (java->has(JavaClass::k_enum) && (java->suid != 0 || type->field_count != 0)) {
        return failed(Errc::malformed, "Java 1.12: an enum has no fields and no version");
    }
    Frame frame{.state = State::desc_annotation};
    frame.type = type;
    frame.java = java;
    frame.base = collected_.size();
    return push(frame);
}

bool Reader::fields(Class& type, JavaClass& java) {
    std::uint16_t count = 0;
    if (!number(count)) return false;
    names_.clear();
    field_types_.clear();
    for (std::uint16_t i = 0; i < count; ++i) {
        std::uint8_t code = 0;
        if (!number(code)) return false;
        JavaField field{.type = static_cast<char>(code)};
        if (is_primitive(field.type) && width_of(field.type) == 0) {
            return fail(Errc::malformed, "Java 6.4: an unknown field type");
        }
        const Text* const name = short_utf();
        if (name == nullptr) return false;
        if (!is_primitive(field.type) && string_content(field.signature) != Step::done) {
            return false;
        }
        names_.push_back(name);
        field_types_.push_back(field);
    }
    auto* const names = graph_->array<const Text*>(count);
    auto* const types = graph_->array<JavaField>(count);
    std::copy(names_.begin(), names_.end(), names);
    std::copy(field_types_.begin(), field_types_.end(), types);
    type.fields = names;
    type.field_count = count;
    java.fields = types;
    return true;
}

// J 6.4: the handle comes at once, before the names of the interfaces.
Reader::Step Reader::new_proxy_desc() {
    JavaClass* const java = graph_->arena().create(JavaClass());
    java->is_proxy = true;
    java->flags = JavaClass::k_serializable;
    Class* const type = graph_->new_class(graph_->empty_text(), {}, 0);
    type->java = java;
    Handle handle{};
    handle.kind = Handle::Kind::type;
    handle.type = type;
    handles_.push_back(handle);
    std::int32_t count = 0;
    if (!number(count)) return Step::failed;
    constexpr std::int32_t k_most_interfaces = 65535;  // as many as a class file can name
    if (count < 0 || count > k_most_interfaces) {
        return failed(Errc::malformed, "Java 6.4: a proxy of no possible number of interfaces");
    }
    names_.clear();
    std::string joined;
    for (std::int32_t i = 0; i < count; ++i) {
        const Text* const name = short_utf();
        if (name == nullptr) return Step::failed;
        names_.push_back(name);
        joined += (i == 0 ? "" : ",") + std::string(name->view());
    }
    auto* const names = graph_->array<const Text*>(names_.size());
    std::copy(names_.begin(), names_.end(), names);
    java->interfaces = {names, names_.size()};
    type->name = graph_->text(joined);
    Frame frame{.state = State::desc_annotation};
    frame.type = type;
    frame.java = java;
    frame.base = collected_.size();
    return push(frame);
}

// The superclass is in desc_: which levels instances have.
bool Reader::finish_desc(const Frame& frame) {
    JavaClass& java = *frame.java;
    const Class* const super = desc_;
    if (super != nullptr && super->java->levels.empty()) {
        return fail(Errc::malformed, "Java 6.4: a class that is its own superclass");
    }
    java.super = super;
    // Only the class itself writes when it is externalizable.
    const bool alone = super == nullptr || java.has(JavaClass::k_externalizable);
    const std::size_t above = alone ? 0 : super->java->levels.size();
    if (above >= k_most_levels) {
        return fail(Errc::limit_exceeded, "Java: too long a chain of superclasses");
    }
    auto* const levels = graph_->array<const Class*>(above + 1);
    bool annotated = java.annotates();
    for (std::size_t i = 0; i < above; ++i) {
        levels[i] = super->java->levels[i];
        annotated = annotated || levels[i]->java->annotates();
    }
    levels[above] = frame.type;
    java.all_fields = frame.type->own_values() + (alone ? 0 : super->java->all_fields);
    java.meaning = static_cast<std::uint8_t>(meaning_of(frame.type->name->view()));
    if (!annotated) {
        auto* const none = graph_->array<Annotation>(above + 1);
        std::fill(none, none + above + 1, Annotation());
        java.none = none;
    }
    java.levels = {levels, above + 1};
    desc_ = frame.type;
    return true;
}

bool Reader::usable(const Class* type) {
    if (type == nullptr) return fail(Errc::malformed, "Java 6.4: an object of no class");
    return !type->java->levels.empty() ||
           fail(Errc::malformed, "Java 6.4: a class used before its description is complete");
}

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
