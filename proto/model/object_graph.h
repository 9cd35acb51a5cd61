#pragma once
// ObjectGraph: a document of objects. Values of 16 bytes, nodes in an arena, real pointers with
// sharing and cycles, kinds enough for AMF3, Hessian 2 and Java serialization.
//
// Contract:
//  - texts, classes and nodes have dense ids (counted from 0 in order of creation), so that a codec
//    keeps its reference tables in vectors (ReferenceTable) and hashes no address; a finished graph
//    is immutable and may be encoded by many threads;
//  - a node is made before what it holds, so that what it holds can point back to it;
//  - texts are UTF-8 that may hold lone surrogates (three bytes each) but never a pair of them: a
//    pair is one character of four bytes, so that equal texts have equal bytes;
//  - two texts of equal content may be two (Java tells them apart by handle). `intern` merges;
//    `texts_are_unique` says that no two texts of the graph are equal;
//  - `clear` keeps the memory; nothing is freed one by one.
// The kinds are those of the neutral notation (neutral_json.h).
// Tested by tests/unit/proto/object_graph_test.cpp.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/arena.h"
#include "common/base/bytes.h"
#include "proto/model/wide_text.h"

namespace perfrelay {

namespace graph {

struct Class;
struct Node;
struct JavaParts;

// The bytes lie right behind it.
struct Text {
    std::uint32_t size;   // bytes
    std::uint32_t units;  // of UTF-16; equal to size if, and only if, every character is ASCII
    std::uint32_t id;
    std::uint32_t reserved;

    bool ascii() const { return size == units; }
    bool empty() const { return size == 0; }
    const char* data() const { return reinterpret_cast<const char*>(this + 1); }
    char* data() { return reinterpret_cast<char*>(this + 1); }
    std::string_view view() const { return {data(), size}; }
};

enum class ValueKind : std::uint8_t {
    undefined,
    null,
    boolean,
    int8,
    int16,
    int32,
    int64,
    char16,   // a UTF-16 unit
    float32,  // its bits
    float64,  // its bits
    text,
    node,
};

struct Value {
    ValueKind kind = ValueKind::null;
    union {
        std::int64_t integer = 0;  // boolean, int8 to int64, char16
        std::uint64_t bits;        // float32 (low half), float64
        const Text* text;
        Node* node;
    };

    static Value undefined() { return of(ValueKind::undefined, 0); }
    static Value null() { return {}; }
    static Value boolean(bool value) { return of(ValueKind::boolean, value ? 1 : 0); }
    static Value int8(std::int8_t value) { return of(ValueKind::int8, value); }
    static Value int16(std::int16_t value) { return of(ValueKind::int16, value); }
    static Value int32(std::int32_t value) { return of(ValueKind::int32, value); }
    static Value int64(std::int64_t value) { return of(ValueKind::int64, value); }
    static Value char16(std::uint16_t value) { return of(ValueKind::char16, value); }
    static Value float32(float value);
    static Value float64(double value);
    static Value float32_bits(std::uint32_t bits) { return of_bits(ValueKind::float32, bits); }
    static Value float64_bits(std::uint64_t bits) { return of_bits(ValueKind::float64, bits); }
    static Value of(const Text* text) {
        Value value;
        value.kind = ValueKind::text;
        value.text = text;
        return value;
    }
    static Value of(Node* node) {
        Value value;
        value.kind = ValueKind::node;
        value.node = node;
        return value;
    }

    bool is(ValueKind what) const { return kind == what; }
    bool is_integer() const { return kind >= ValueKind::int8 && kind <= ValueKind::int64; }
    bool truth() const { return integer != 0; }
    float as_float() const;
    double as_double() const;

  private:
    static Value of(ValueKind kind, std::int64_t integer) {
        Value value;
        value.kind = kind;
        value.integer = integer;
        return value;
    }
    static Value of_bits(ValueKind kind, std::uint64_t bits) {
        Value value;
        value.kind = kind;
        value.bits = bits;
        return value;
    }
};
static_assert(sizeof(Value) == 16);

enum class NodeKind : std::uint8_t {
    object,       // type; items = field values; more = dynamic members (AMF3); java (levels)
    external,     // type; items[0] = what the class wrote (AMF3)
    list,         // name or none; items
    map,          // name or none; items = key, value, key, value ..
    array,        // AMF3: items = dense; more = assoc: text, value, text, value ..
    vector,       // AMF3: element; name for vectors of objects; flag fixed; items
    dictionary,   // AMF3: flag weak; items = key, value ..
    date,         // millis, or with flag fractional the bits of a double
    bytes,        // data
    xml,          // text; flag e4x
    enumeration,  // name = its type, text = the constant
    class_ref,    // name
    class_desc,   // type: a Java class description that stands as a value
    proxy,        // name = its interfaces, joined by commas; items[0] = the handler
    big_integer,  // text
    big_decimal,  // text
    block,        // data: Java block data; no identity
    sequence,     // items: several top-level items of one stream; no identity
    reset,        // TC_RESET between them; no identity
};

enum class ElementKind : std::uint8_t { int32, uint32, float64, object };

struct Node {
    static constexpr std::uint8_t k_weak = 1;
    static constexpr std::uint8_t k_fixed = 2;
    static constexpr std::uint8_t k_e4x = 4;
    static constexpr std::uint8_t k_fractional = 8;

    NodeKind kind = NodeKind::object;
    std::uint8_t flags = 0;
    ElementKind element = ElementKind::object;
    std::uint32_t id = 0;
    union {
        const Class* type = nullptr;
        const Text* name;
    };
    union {
        Value* items = nullptr;
        const std::uint8_t* data;
        const Text* text;
        std::int64_t millis;
        std::uint64_t millis_bits;
    };
    std::uint32_t count = 0;  // of items, or bytes of data
    std::uint32_t more_count = 0;
    Value* more = nullptr;
    const JavaParts* java = nullptr;  // what a Java stream said beyond the meaning

    bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
    std::span<const Value> values() const { return {items, count}; }
    std::span<const Value> more_values() const { return {more, more_count}; }
    Bytes bytes() const { return {data, count}; }
    bool holds_values() const;  // items are values, and not data, text or milliseconds
    // A date in milliseconds as a double, as AMF3 has it.
    double date_as_double() const;
    // Milliseconds when it is a whole number of them that 64 bits hold, else the double's bits.
    void set_date(double value);
};

struct JavaClass;

// What instances have in common: a class description, traits, a definition.
struct Class {
    static constexpr std::uint8_t k_dynamic = 1;
    static constexpr std::uint8_t k_external = 2;
    static constexpr std::uint8_t k_ordered = 4;

    const Text* name = nullptr;  // empty: anonymous
    std::uint32_t id = 0;
    std::uint32_t field_count = 0;  // its own
    const Text* const* fields = nullptr;
    std::uint8_t flags = 0;
    const JavaClass* java = nullptr;  // set: objects have levels

    bool is_dynamic() const { return (flags & k_dynamic) != 0; }
    bool is_external() const { return (flags & k_external) != 0; }
    // The order of the fields means something: a format that sorts them has to say what it was.
    bool is_ordered() const { return (flags & k_ordered) != 0; }
    std::span<const Text* const> field_names() const { return {fields, field_count}; }
    // Fields whose values an instance has at this level. A Java class that is not serializable by
    // default (externalizable, or neither) may name fields that no instance writes.
    std::uint32_t own_values() const;
    // Field values of an instance: its own and, with levels, those of the classes above.
    std::uint32_t all_fields() const;
};

// A class description of a Java stream (J 4.3, 6.4).
struct JavaField {
    char type = 'L';                  // B C D F I J S Z [ L
    const Text* signature = nullptr;  // for [ and L
};
struct JavaClass {
    static constexpr std::uint8_t k_write_method = 1;
    static constexpr std::uint8_t k_serializable = 2;
    static constexpr std::uint8_t k_externalizable = 4;
    static constexpr std::uint8_t k_block_data = 8;
    static constexpr std::uint8_t k_enum = 16;

    std::int64_t suid = 0;
    std::uint8_t flags = 0;
    bool is_proxy = false;
    const JavaField* fields = nullptr;  // as many as Class::field_count
    const Class* super = nullptr;
    std::span<const Text* const> interfaces;  // of a proxy
    std::span<const Value> annotation;        // what annotateClass wrote
    std::span<const Class* const> levels;     // topmost super first, itself last
    std::uint32_t all_fields = 0;
    std::uint8_t meaning = 0;                 // the Java codec's own number
    const struct Annotation* none = nullptr;  // when no level writes more than its fields

    bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
    // Whether instances have an annotation at this level.
    bool annotates() const {
        return has(k_externalizable) || (has(k_serializable) && has(k_write_method));
    }
};

// What writeObject or writeExternal added at a level.
struct Annotation {
    const Value* values = nullptr;
    std::uint32_t count = 0;
    bool present = false;
};
struct JavaParts {
    const Class* type = nullptr;              // the description, also when the node is a list ..
    const Value* fields = nullptr;            // type->all_fields()
    const Annotation* annotations = nullptr;  // one a level
};

inline std::uint32_t Class::own_values() const {
    return java == nullptr || java->has(JavaClass::k_serializable) ? field_count : 0;
}
inline std::uint32_t Class::all_fields() const {
    return java == nullptr ? field_count : java->all_fields;
}

}  // namespace graph

class ObjectGraph {
  public:
    // Where it came from: which kinds show their identity in the neutral notation.
    enum class Origin : std::uint8_t { unknown, amf3, hessian2, javaser };

    ObjectGraph() = default;
    ObjectGraph(ObjectGraph&&) noexcept = default;
    ObjectGraph& operator=(ObjectGraph&&) noexcept = default;
    ObjectGraph(const ObjectGraph&) = delete;
    ObjectGraph& operator=(const ObjectGraph&) = delete;
    ~ObjectGraph() = default;

    graph::Value root;
    Origin origin = Origin::unknown;
    bool has_java_parts = false;  // every node has what Java's stream says of it

    std::uint32_t text_count() const { return texts_; }
    std::uint32_t class_count() const { return static_cast<std::uint32_t>(classes_.size()); }
    std::uint32_t node_count() const { return nodes_; }
    const std::vector<graph::Class*>& classes() const { return classes_; }
    const graph::Node& node(std::uint32_t id) const {
        return node_blocks_[id / k_nodes_a_block].get()[id % k_nodes_a_block];
    }
    bool texts_are_unique() const { return unique_texts_; }
    void promise_unique_texts() { unique_texts_ = true; }

    // The empty text, always the same one.
    const graph::Text* empty_text() {
        if (empty_ == nullptr) empty_ = new_text(0);
        return empty_;
    }
    // Room for `size` bytes: fill them, then set `units`. The text may be cut shorter.
    graph::Text* new_text(std::size_t size) {
        // Eight bytes more, so that whoever fills it may write whole words.
        auto* text = static_cast<graph::Text*>(
            arena_.allocate(sizeof(graph::Text) + size + k_text_slack, alignof(graph::Text)));
        text->size = static_cast<std::uint32_t>(size);
        text->units = 0;
        text->id = texts_++;
        text->reserved = 0;
        return text;
    }
    static constexpr std::size_t k_text_slack = 8;

    // A text out of bytes in any of the three forms (wide_text.h); null when they are none.
    const graph::Text* decode_text(Bytes bytes, NulForm nul) {
        graph::Text* const text = new_text(bytes.size());
        if (copy_ascii(bytes.data(), bytes.size(), text->data())) {
            text->units = text->size;
            return text;
        }
        std::size_t units = 0;
        const std::size_t size = normalise_wide_text(text->data(), bytes.size(), nul, units);
        if (size == k_not_text) return nullptr;
        text->size = static_cast<std::uint32_t>(size);
        text->units = static_cast<std::uint32_t>(units);
        return text;
    }
    // A text of its own, also when it is empty.
    const graph::Text* own_text(std::string_view text);
    // The same, but the empty text is always the same one; `text` is well-formed in the sense
    // above.
    const graph::Text* text(std::string_view text);
    // The one text of that content among those interned.
    const graph::Text* intern(std::string_view text);

    graph::Node* new_node(graph::NodeKind kind) {
        if (nodes_ == node_blocks_.size() * k_nodes_a_block) add_node_block();
        graph::Node* node = node_blocks_[nodes_ / k_nodes_a_block].get() + nodes_ % k_nodes_a_block;
        *node = graph::Node();
        node->kind = kind;
        node->id = nodes_++;
        return node;
    }
    // Not initialised.
    graph::Value* new_values(std::size_t count) { return array<graph::Value>(count); }
    template <class T>
    T* array(std::size_t count) {
        // NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers, too
        return static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T)));
    }
    std::span<graph::Value> copy(std::span<const graph::Value> values) {
        graph::Value* to = new_values(values.size());
        if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
        return {to, values.size()};
    }
    graph::Class* new_class(const graph::Text* name, std::span<const graph::Text* const> fields,
                            std::uint8_t flags);
    Arena& arena() { return arena_; }

    void clear();

  private:
    static constexpr std::size_t k_nodes_a_block = 512;
    void add_node_block();
    void grow_interned();

    Arena arena_;
    std::vector<std::unique_ptr<graph::Node[]>> node_blocks_;
    std::vector<graph::Class*> classes_;
    std::vector<std::pair<std::uint32_t, const graph::Text*>> interned_;  // hash, text; open
    std::size_t interned_count_ = 0;
    const graph::Text* empty_ = nullptr;
    std::uint32_t texts_ = 0;
    std::uint32_t nodes_ = 0;
    bool unique_texts_ = false;
};

// Which index each id has on the wire, for one document after another, cleared in no time: an entry
// counts only when it is not below where the present document began.
class ReferenceTable {
  public:
    void start(std::size_t ids) {
        if (entries_.size() < ids) entries_.resize(ids, 0);
        begin_ += next_ + 1;
        next_ = 0;
        if (begin_ > k_wrap) {
            entries_.assign(entries_.size(), 0);
            begin_ = 1;
        }
    }
    static constexpr std::uint32_t k_none = 0xFFFFFFFFU;
    // The index of `id`, or k_none.
    std::uint32_t find(std::uint32_t id) const {
        const std::uint32_t entry = entries_[id];
        return entry >= begin_ ? entry - begin_ : k_none;
    }
    void set(std::uint32_t id, std::uint32_t index) {
        entries_[id] = begin_ + index;
        if (index >= next_) next_ = index + 1;
    }
    // The next index for `id`.
    std::uint32_t add(std::uint32_t id) {
        entries_[id] = begin_ + next_;
        return next_++;
    }
    // An index that no id has.
    std::uint32_t skip() { return next_++; }

  private:
    static constexpr std::uint32_t k_wrap = 0x7FFFFFFFU;
    std::vector<std::uint32_t> entries_;
    std::uint32_t begin_ = 1;
    std::uint32_t next_ = 0;
};

}  // namespace perfrelay
