#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/model/bridge/shown_classes.h"
#include "proto/model/bridge/shown_graph.h"
#include "proto/model/bridge/shown_values.h"
#include "proto/model/java_view.h"
#include "proto/model/object_difference.h"

namespace perfrelay::bridge {

using graph::Annotation;
using graph::Class;
using graph::ElementKind;
using graph::JavaParts;
using graph::Node;
using graph::NodeKind;
using graph::Value;
using graph::ValueKind;
using Kind = XmlTape::Kind;

namespace {

constexpr std::uint32_t k_last_node_kind = static_cast<std::uint32_t>(NodeKind::reset);

class Restorer {
  public:
    Restorer(const XmlTape& document, const Limits& limits, ObjectGraph& graph)
        : document_(document), limits_(limits), graph_(graph), classes_(graph) {
        room_ = (document.events().size() + 1) * (k_most_left_out + 1);
    }

    Result<> run() {
        graph_.clear();
        const auto& events = document_.events();
        for (at_ = 0; at_ < events.size() && why_ == nullptr; ++at_) {
            switch (events[at_].kind()) {
                case Kind::start_element: start(); break;
                case Kind::characters:
                    if (!open_.empty()) open_.back().text += events[at_].text_view();
                    break;
                case Kind::end_element: end(); break;
                case Kind::entity_reference:
                    fail("objects as XML: a reference to an entity");
                    break;
                default: break;
            }
        }
        if (why_ != nullptr) return Error{.code = code_, .where = why_};
        if (!has_root_) return Error{.code = Errc::malformed, .where = "objects as XML: no root"};
        graph_.promise_unique_texts();
        return {};
    }

  private:
    enum class Role : std::uint8_t { graph, type, type_field, value, annotation };
    enum class Use : std::uint8_t { root, field, member, item, nothing };
    struct Open {
        Role role = Role::value;
        Use use = Use::nothing;
        Node* node = nullptr;  // of a value that is one
        ValueKind scalar = ValueKind::text;
        bool has_value = false;  // by an attribute: nothing in the element
        Value value = {};
        Annotation* annotations = nullptr;  // of an object of Java, one a level
        std::size_t base = 0;               // of its items in items_
        std::uint32_t field = 0;            // the next; of an annotation its level
        std::array<ShownSort, 3> usual{};   // of items, or keys and values; of members
        std::string text = {};
    };
    struct Attributes {
        std::unordered_map<std::string_view, std::string> all;
        const std::string* find(std::string_view name) const {
            const auto found = all.find(name);
            return found == all.end() ? nullptr : &found->second;
        }
        bool is(std::string_view name, std::string_view value) const {
            const std::string* const found = find(name);
            return found != nullptr && *found == value;
        }
    };

    void fail(const char* why, Errc code = Errc::malformed) {
        if (why_ == nullptr) {
            why_ = why;
            code_ = code;
        }
    }

    // Those behind the start tag at `at_`, unescaped.
    Attributes attributes() {
        Attributes found;
        const auto& events = document_.events();
        for (std::size_t at = at_ + 1; at < events.size(); ++at) {
            if (events[at].kind() == Kind::namespace_declaration) continue;
            if (events[at].kind() != Kind::attribute) break;
            std::string value;
            if (!unescape(events[at].text_view(), value)) fail("objects as XML: a wrong escape");
            found.all.emplace(events[at].name->local, std::move(value));
        }
        return found;
    }

    std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size()); }

    void start() {
        const QName& name = *document_.events()[at_].name;
        const Attributes said = attributes();
        if (why_ != nullptr) return;
        if (name.uri != k_graph_uri) return fail("objects as XML: an element of another namespace");
        if (depth() > limits_.max_depth) {
            return fail("objects as XML: too deep", Errc::limit_exceeded);
        }
        if (open_.empty()) {
            origin(said);
            open_.push_back({.role = Role::graph});
            return;
        }
        Open& parent = open_.back();
        switch (parent.role) {
            case Role::graph: name.local == "class" ? start_class(said) : root(said); return;
            case Role::type: class_field(name.local, said); return;
            case Role::type_field: return fail("objects as XML: something in a field of a class");
            case Role::annotation: return item(parent, said, 0);
            case Role::value: break;
        }
        if (parent.node == nullptr || parent.has_value) {
            return fail("objects as XML: elements in a text");
        }
        child(parent, name.local, said);
    }

    void origin(const Attributes& said) {
        if (said.is("origin", "amf3")) graph_.origin = ObjectGraph::Origin::amf3;
        if (said.is("origin", "hessian2")) graph_.origin = ObjectGraph::Origin::hessian2;
        if (said.is("origin", "javaser")) graph_.origin = ObjectGraph::Origin::javaser;
    }

    void root(const Attributes& said) {
        if (has_root_) return fail("objects as XML: two roots");
        has_root_ = true;
        ShownSort usual;
        value(said, usual, Use::root);
    }

    void child(Open& parent, std::string_view local, const Attributes& said) {
        const NodeKind kind = parent.node->kind;
        if (said.find("level") != nullptr && local == "annotation") return annotation(parent, said);
        if (local == "member" && said.find("name") != nullptr) {
            const bool may = kind == NodeKind::array ||
                             (kind == NodeKind::object && parent.node->type->is_dynamic());
            if (!may) return fail("objects as XML: a member of what has none");
            if (kind == NodeKind::array && parent.node->items != nullptr) return misplaced();
            items_.push_back(Value::of(graph_.intern(*said.find("name"))));
            value(said, parent.usual[2], Use::member);
            return;
        }
        if (kind == NodeKind::object) return field(parent, local, said);
        if (!parent.node->holds_values()) return fail("objects as XML: elements in a text");
        const bool pairs = kind == NodeKind::map || kind == NodeKind::dictionary;
        const std::size_t count = items_.size() - parent.base;
        if (kind == NodeKind::array) close_members(parent);
        item(parent, said, pairs ? count % 2 : 0);
    }

    void misplaced() { fail("objects as XML: something out of its order"); }

    void item(Open& parent, const Attributes& said, std::size_t sort) {
        value(said, parent.usual[sort], Use::item);
    }

    void field(Open& parent, std::string_view local, const Attributes& said) {
        const std::string* const escaped = said.find("name");
        const std::string_view name = local == "_" && escaped != nullptr ? *escaped : local;
        const ShownClass& type = classes_.facts(*parent.node->type);
        while (parent.field < type.names.size() && type.names[parent.field]->view() != name)
            ++parent.field;
        if (parent.field == type.names.size() || items_.size() != parent.base) return misplaced();
        ShownSort usual = type.sorts[parent.field];
        value(said, usual, Use::field);
    }

    void annotation(Open& parent, const Attributes& said) {
        std::uint32_t level = 0;
        const bool fits = parent.node->kind == NodeKind::object && parent.node->java != nullptr &&
                          read_number(*said.find("level"), level) &&
                          level < parent.node->type->java->levels.size();
        if (!fits) return fail("objects as XML: an annotation of no level");
        open_.push_back({.role = Role::annotation, .base = items_.size(), .field = level});
    }

    void start_class(const Attributes& said) {
        const std::string* const key = said.find("key");
        if (key == nullptr || has_root_) return fail("objects as XML: a class without a key");
        const std::string* const name = said.find("name");
        ShownClass type{.name = name != nullptr ? *name : *key};
        type.dynamic = said.is("dynamic", "true");
        type.java = said.find("java") != nullptr;
        type.writes = said.is("java", "writes");
        if (const std::string* const super = said.find("super")) type.super_key = *super;
        open_class_ = classes_.add(*key, std::move(type));
        if (open_class_ == nullptr) return fail("objects as XML: a class twice");
        open_.push_back({.role = Role::type});
    }

    void class_field(std::string_view local, const Attributes& said) {
        const std::string* const name = said.find("name");
        open_class_->names.push_back(
            graph_.intern(local == "_" && name != nullptr ? *name : local));
        ShownSort usual;
        open_class_->sorts.push_back(sort_of(said, usual));
        open_.push_back({.role = Role::type_field});
    }

    static ShownSort sort_of(const Attributes& said, const ShownSort& usual) {
        const std::string* const t = said.find("t");
        if (t == nullptr) return usual;
        const std::string* const type = said.find("type");
        return {.t = *t, .type = type == nullptr ? "" : *type, .has_type = type != nullptr};
    }

    void value(const Attributes& said, ShownSort& usual, Use use) {
        Open open{.role = Role::value, .use = use};
        if (const std::string* const ref = said.find("ref")) {
            std::uint32_t id = 0;
            if (!read_number(*ref, id) || id >= shared_.size()) {
                return fail("objects as XML: a ref to what was not there");
            }
            open.value = Value::of(shared_[id]);
            open.has_value = true;
            open_.push_back(std::move(open));
            return;
        }
        usual = sort_of(said, usual);
        for (std::uint32_t kind = 0; kind <= k_last_node_kind; ++kind) {
            if (usual.t == kind_name(static_cast<NodeKind>(kind))) {
                return node(static_cast<NodeKind>(kind), said, usual, std::move(open));
            }
        }
        open.scalar = ValueKind::node;
        for (std::uint32_t kind = 0; kind < static_cast<std::uint32_t>(ValueKind::node); ++kind) {
            if (usual.t == kind_name(static_cast<ValueKind>(kind))) {
                open.scalar = static_cast<ValueKind>(kind);
            }
        }
        if (open.scalar == ValueKind::node) return fail("objects as XML: an unknown t");
        if (const std::string* const bits = said.find("bits")) {
            std::uint64_t read = 0;
            if (!read_number(*bits, read, 16)) return fail("objects as XML: bits that are none");
            open.has_value = true;
            open.value = open.scalar == ValueKind::float32
                             ? Value::float32_bits(static_cast<std::uint32_t>(read))
                             : Value::float64_bits(read);
        }
        open_.push_back(std::move(open));
    }

    void node(NodeKind kind, const Attributes& said, const ShownSort& sort, Open open) {
        Node& made = *graph_.new_node(kind);
        open.node = &made;
        open.value = Value::of(&made);
        open.base = items_.size();
        if (const std::string* const id = said.find("id")) {
            std::uint32_t number = 0;
            if (!read_number(*id, number) || number != shared_.size()) {
                return fail("objects as XML: an id out of its order");
            }
            shared_.push_back(&made);
        }
        if (said.is("weak", "true")) made.flags |= Node::k_weak;
        if (said.is("fixed", "true")) made.flags |= Node::k_fixed;
        if (said.is("e4x", "true")) made.flags |= Node::k_e4x;
        switch (kind) {
            case NodeKind::object: object(sort, open); break;
            case NodeKind::external: made.type = classes_.external(sort.type); break;
            case NodeKind::vector: vector(said, made); [[fallthrough]];
            case NodeKind::list:
            case NodeKind::map:
            case NodeKind::enumeration:
            case NodeKind::proxy:
                if (sort.has_type) made.name = graph_.intern(sort.type);
                break;
            case NodeKind::date:
                if (const std::string* const bits = said.find("bits")) {
                    made.flags |= Node::k_fractional;
                    open.has_value = read_number(*bits, made.millis_bits, 16);
                    if (!open.has_value) return fail("objects as XML: bits that are none");
                }
                break;
            case NodeKind::class_desc: return fail("objects as XML: a class description");
            default: break;
        }
        const bool named = kind == NodeKind::enumeration || kind == NodeKind::proxy ||
                           (kind == NodeKind::vector && made.element == ElementKind::object);
        if (named && !sort.has_type) return fail("objects as XML: no type");
        if (why_ == nullptr) open_.push_back(std::move(open));
    }

    void object(const ShownSort& sort, Open& open) {
        Node& made = *open.node;
        const Class* const type = classes_.find(sort.type);
        if (type == nullptr) return fail("objects as XML: an object of no class");
        const std::uint32_t fields = type->all_fields();
        if (fields > room_) {
            return fail("objects as XML: too many empty fields", Errc::limit_exceeded);
        }
        room_ -= fields;
        made.type = type;
        made.count = fields;
        made.items = graph_.new_values(fields);
        std::fill_n(made.items, fields, Value::null());
        if (type->java == nullptr) return;
        const std::size_t levels = type->java->levels.size();
        open.annotations = graph_.array<Annotation>(levels);
        std::fill_n(open.annotations, levels, Annotation());
        made.java = graph_.arena().create(
            JavaParts{.type = type, .fields = made.items, .annotations = open.annotations});
    }

    void vector(const Attributes& said, Node& made) {
        static constexpr std::pair<std::string_view, ElementKind> k_elements[] = {
            {"int", ElementKind::int32},
            {"uint", ElementKind::uint32},
            {"double", ElementKind::float64},
            {"object", ElementKind::object}};
        for (const auto& [word, kind] : k_elements) {
            if (!said.is("elem", word)) continue;
            made.element = kind;
            return;
        }
        fail("objects as XML: a vector of nothing");
    }

    void end() {
        Open open = std::move(open_.back());
        open_.pop_back();
        switch (open.role) {
            case Role::graph:
            case Role::type:
            case Role::type_field: return;
            case Role::annotation: {
                const auto items = take_items(open.base);
                open_.back().annotations[open.field] = {
                    .values = items.data(),
                    .count = static_cast<std::uint32_t>(items.size()),
                    .present = true};
                return;
            }
            case Role::value: break;
        }
        if (open.node != nullptr && !open.has_value) {
            close(open);
        } else if (!open.has_value && !read_scalar(open.scalar, open.text, graph_, open.value)) {
            return fail("objects as XML: a text that is no value of its t");
        }
        if (why_ == nullptr) deliver(open);
    }

    std::span<Value> take_items(std::size_t base) {
        const auto taken = graph_.copy({items_.data() + base, items_.size() - base});
        items_.resize(base);
        return taken;
    }

    // The members of an array are complete when its first item, or its end, comes.
    void close_members(Open& open) {
        Node& node = *open.node;
        if (node.items != nullptr) return;
        const auto members = take_items(open.base);
        node.more = members.data();
        node.more_count = static_cast<std::uint32_t>(members.size());
        node.items = graph_.new_values(0);
    }

    void close(Open& open) {
        Node& node = *open.node;
        std::string text;
        if (!unescape(open.text, text)) return fail("objects as XML: a wrong escape");
        switch (node.kind) {
            case NodeKind::object: {
                const auto members = take_items(open.base);
                node.more = members.data();
                node.more_count = static_cast<std::uint32_t>(members.size());
                return;
            }
            case NodeKind::array: close_members(open); [[fallthrough]];
            case NodeKind::external:
            case NodeKind::list:
            case NodeKind::map:
            case NodeKind::vector:
            case NodeKind::dictionary:
            case NodeKind::proxy:
            case NodeKind::sequence: return close_items(open);
            case NodeKind::date:
                if (!read_number(text, node.millis))
                    fail("objects as XML: a date of no milliseconds");
                return;
            case NodeKind::bytes:
            case NodeKind::block: {
                if (!read_hex(text, graph_, node)) fail("objects as XML: no hexadecimal digits");
                return;
            }
            case NodeKind::xml:
            case NodeKind::enumeration:
            case NodeKind::big_integer:
            case NodeKind::big_decimal: node.text = graph_.intern(text); return;
            case NodeKind::class_ref: node.name = graph_.intern(text); return;
            case NodeKind::class_desc:
            case NodeKind::reset: return;
        }
    }

    void close_items(Open& open) {
        Node& node = *open.node;
        const auto items = take_items(open.base);
        node.items = items.data();
        node.count = static_cast<std::uint32_t>(items.size());
        const bool pairs = node.kind == NodeKind::map || node.kind == NodeKind::dictionary;
        const bool one = node.kind == NodeKind::external || node.kind == NodeKind::proxy;
        if ((pairs && node.count % 2 != 0) || (one && node.count != 1)) return misplaced();
        if (node.kind != NodeKind::vector || node.element == ElementKind::object) return;
        static constexpr ValueKind k_kinds[] = {ValueKind::int32, ValueKind::int64,
                                                ValueKind::float64};
        const ValueKind kind = k_kinds[static_cast<std::size_t>(node.element)];
        const bool all = std::all_of(items.begin(), items.end(),
                                     [kind](const Value& value) { return value.is(kind); });
        if (!all) fail("objects as XML: an item of another kind than its vector");
    }

    void deliver(const Open& done) {
        Open& parent = open_.back();
        switch (done.use) {
            case Use::root: graph_.root = done.value; return;
            case Use::field: parent.node->items[parent.field++] = done.value; return;
            case Use::member:
            case Use::item: items_.push_back(done.value); return;
            case Use::nothing: return;
        }
    }

    const XmlTape& document_;
    const Limits& limits_;
    ObjectGraph& graph_;
    std::size_t at_ = 0;
    std::uint64_t room_;  // values that objects may have
    std::vector<Open> open_;
    std::vector<Value> items_;  // of the nodes that are open, those of the innermost last
    std::vector<Node*> shared_;
    ShownClasses classes_;
    ShownClass* open_class_ = nullptr;
    bool has_root_ = false;
    const char* why_ = nullptr;
    Errc code_ = Errc::malformed;
};

}  // namespace

bool shows_graph(const XmlTape& document) {
    for (const XmlTape::Event& event : document.events()) {
        if (event.kind() != Kind::start_element) continue;
        return event.name->uri == k_graph_uri && event.name->local == "graph";
    }
    return false;
}

Result<> restore_graph(const XmlTape& document, const Limits& limits, ObjectGraph& graph) {
    auto done = Restorer(document, limits, graph).run();
    if (!done) graph.clear();
    return done;
}

}  // namespace perfrelay::bridge
