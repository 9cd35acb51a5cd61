#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "proto/model/bridge/shown_graph.h"
#include "proto/model/java_view.h"
#include "proto/model/object_difference.h"

namespace perfrelay::bridge {

using graph::Annotation;
using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

// What a value is, apart from its content: `t` and `type`.
struct Sort {
    std::string_view t = "string";
    const char* type = nullptr;  // begins a text that the graph or the class keeps; null: none
    std::size_t type_size = 0;

    std::string_view type_view() const { return {type, type_size}; }
    bool operator==(const Sort& other) const {
        return t == other.t && (type == nullptr) == (other.type == nullptr) &&
               type_view() == other.type_view();
    }
};

struct ClassFacts {
    std::string key;  // its name, made unique
    std::vector<const Text*> names;
    std::vector<Sort> sorts;  // of each field, all levels
    std::uint64_t objects = 0;
    std::uint64_t filled = 0;  // values that are not null
    bool used = false;
    bool shows_nulls = false;
};

// Every node that can be reached, once: what is referred to twice, what classes hold.
class Survey {
  public:
    explicit Survey(const ObjectGraph& graph)
        : graph_(graph), references_(graph.node_count(), 0), classes_(graph.class_count()) {
        look_at({&graph.root, 1});
        while (!open_.empty()) {
            const Node& node = *open_.back();
            open_.pop_back();
            if (node.holds_values()) look_at(node.values());
            look_at(node.more_values());
            if (node.kind == NodeKind::object) object(node);
        }
        decide();
    }

    bool shared(const Node& node) const { return references_[node.id] > 1; }
    const ClassFacts& facts(const Class& type) const { return classes_[type.id]; }

    Sort sort_of(const Value& value) const {
        Sort sort;
        if (!value.is(ValueKind::node)) {
            sort.t = kind_name(value.kind);
            return sort;
        }
        const Node& node = *value.node;
        sort.t = kind_name(node.kind);
        std::string_view type;
        if (node.kind == NodeKind::object) {
            type = classes_[node.type->id].key;
        } else if (node.kind == NodeKind::external) {
            type = node.type->name->view();
        } else if (node.kind != NodeKind::class_desc && node.name != nullptr &&
                   node.kind != NodeKind::class_ref) {
            type = node.name->view();
        } else {
            return sort;
        }
        sort.type = type.data() == nullptr ? "" : type.data();
        sort.type_size = type.size();
        return sort;
    }

  private:
    void look_at(std::span<const Value> values) {
        for (const Value& value : values) {
            if (value.is(ValueKind::node) && ++references_[value.node->id] == 1) {
                open_.push_back(value.node);
            }
        }
    }

    void object(const Node& node) {
        ClassFacts& facts = classes_[node.type->id];
        use(*node.type);
        if (node.type->java != nullptr) {
            for (std::size_t i = 0; i < node.type->java->levels.size(); ++i) {
                use(*node.type->java->levels[i]);
                const Annotation& there = node.java->annotations[i];
                look_at({there.values, there.count});
            }
        }
        ++facts.objects;
        for (std::uint32_t i = 0; i < node.count; ++i) {
            if (node.items[i].is(ValueKind::null)) continue;
            ++facts.filled;
            // The first value's sort needs its class's key, which comes later.
            if (facts.sorts[i].t.empty()) {
                facts.sorts[i].t = "?";
                firsts_.push_back({node.type->id, i, &node.items[i]});
            }
        }
    }

    void use(const Class& type) {
        ClassFacts& facts = classes_[type.id];
        if (facts.used) return;
        facts.used = true;
        all_field_names(type, facts.names);
        facts.sorts.resize(facts.names.size());
        for (Sort& sort : facts.sorts)
            sort.t = {};
    }

    void decide() {
        std::set<std::string> keys;
        for (const Class* const type : graph_.classes()) {
            ClassFacts& facts = classes_[type->id];
            if (!facts.used) continue;
            facts.key = type->name->view();
            if (keys.contains(facts.key)) facts.key += "#" + std::to_string(type->id);
            while (!keys.insert(facts.key).second)
                facts.key += '#';
            std::vector<std::string_view> names;
            for (const Text* const field : facts.names)
                names.push_back(field->view());
            std::sort(names.begin(), names.end());
            facts.shows_nulls =
                std::adjacent_find(names.begin(), names.end()) != names.end() ||
                names.size() * facts.objects > (facts.filled + facts.objects) * k_most_left_out;
        }
        for (const First& first : firsts_)
            classes_[first.type].sorts[first.field] = sort_of(*first.value);
        for (ClassFacts& facts : classes_) {
            for (Sort& sort : facts.sorts) {
                if (sort.t.empty()) sort = Sort();
            }
        }
    }

    struct First {
        std::uint32_t type;
        std::uint32_t field;
        const Value* value;
    };
    const ObjectGraph& graph_;
    std::vector<std::uint32_t> references_;  // by node
    std::vector<ClassFacts> classes_;        // by class
    std::vector<const Node*> open_;
    std::vector<First> firsts_;
};

class GraphShower {
  public:
    GraphShower(const ObjectGraph& graph, const Limits& limits, XmlTape& document)
        : graph_(graph),
          survey_(graph),
          sink_(document),
          most_(limits.max_document),
          ids_(graph.node_count(), 0) {}

    Result<> run() {
        sink_.start_document();
        sink_.start_element(name("graph"));
        sink_.namespace_declaration("", k_graph_uri);
        static constexpr std::array<const char*, 4> k_origins{"", "amf3", "hessian2", "javaser"};
        if (graph_.origin != ObjectGraph::Origin::unknown) {
            attribute("origin", k_origins[static_cast<std::size_t>(graph_.origin)]);
        }
        for (const Class* const type : graph_.classes()) {
            if (survey_.facts(*type).used) show_class(*type);
        }
        Sort sort;
        value("root", graph_.root, sort);
        while (!open_.empty() && error_.where[0] == '\0')
            step();
        if (error_.where[0] != '\0') return error_;
        end("graph");
        sink_.end_document();
        return {};
    }

  private:
    enum class Step : std::uint8_t { fields, members, annotations, items, done };
    struct Open {
        const Node* node;
        const QName* name;
        Step step;
        std::uint32_t index = 0;
        std::uint32_t level = 0;
        std::array<Sort, 2> sorts = {};  // of the item, or key and value, before
    };

    const QName* name(std::string_view local) { return names_.intern(k_graph_uri, local, ""); }
    void end(std::string_view local) { sink_.end_element(name(local)); }
    void attribute(std::string_view local, std::string_view text) {
        sink_.attribute(names_.intern("", local, ""), counted(escaped(text, scratch_)));
    }
    void characters(std::string_view text) {
        if (!text.empty()) sink_.characters(counted(escaped(text, scratch_)));
    }
    // A text referred to a million times is a million texts here.
    std::string_view counted(std::string_view text) {
        written_ += text.size();
        if (written_ > most_) {
            error_ = {.code = Errc::limit_exceeded, .where = "objects as XML: too long a document"};
        }
        return text;
    }

    void show_sort(const Sort& sort, const Sort& usual) {
        if (sort == usual) return;
        attribute("t", sort.t);
        if (sort.type != nullptr) attribute("type", sort.type_view());
    }

    const QName* start_field(std::string_view field) {
        const bool plain = names_an_element(field);
        const QName* const qname = name(plain ? field : "_");
        sink_.start_element(qname);
        if (!plain) attribute("name", field);
        return qname;
    }

    void show_class(const Class& type) {
        const ClassFacts& facts = survey_.facts(type);
        sink_.start_element(name("class"));
        attribute("key", facts.key);
        if (facts.key != type.name->view()) attribute("name", type.name->view());
        if (type.is_dynamic()) attribute("dynamic", "true");
        if (facts.shows_nulls) attribute("nulls", "true");
        if (type.java != nullptr) {
            const auto& levels = type.java->levels;
            attribute("java", type.java->annotates() ? "writes" : "true");
            if (levels.size() > 1) {
                attribute("super", survey_.facts(*levels[levels.size() - 2]).key);
            }
        }
        // The fields of the classes above stand there; what they hold is said here for all.
        for (std::size_t i = 0; i < facts.names.size(); ++i) {
            const QName* const field = start_field(facts.names[i]->view());
            show_sort(facts.sorts[i], Sort());
            sink_.end_element(field);
        }
        end("class");
    }

    void value(std::string_view element, const Value& value, Sort& usual) {
        const QName* const qname = name(element);
        sink_.start_element(qname);
        this->value(qname, value, usual, true);
    }

    // Behind the start of its element. `learn`: the next one's usual sort is this one's.
    void value(const QName* element, const Value& value, Sort& usual, bool learn) {
        const bool is_node = value.is(ValueKind::node);
        if (is_node && ids_[value.node->id] != 0) {
            attribute("ref", std::to_string(ids_[value.node->id] - 1));
            sink_.end_element(element);
            return;
        }
        const Sort sort = survey_.sort_of(value);
        show_sort(sort, usual);
        if (learn) usual = sort;
        if (is_node) {
            node(element, *value.node);
            return;
        }
        scalar(value);
        sink_.end_element(element);
    }

    void scalar(const Value& value) {
        std::array<char, 40> text{};
        char* const begin = text.data();
        char* const last = begin + text.size();
        switch (value.kind) {
            case ValueKind::undefined:
            case ValueKind::null:
            case ValueKind::node: return;
            case ValueKind::text: characters(value.text->view()); return;
            case ValueKind::boolean: characters(value.truth() ? "true" : "false"); return;
            case ValueKind::float32:
                if (std::isnan(value.as_float())) return bits(value.bits & 0xFFFFFFFFU);
                characters({begin, std::to_chars(begin, last, value.as_float()).ptr});
                return;
            case ValueKind::float64:
                if (std::isnan(value.as_double())) return bits(value.bits);
                characters({begin, std::to_chars(begin, last, value.as_double()).ptr});
                return;
            default: characters({begin, std::to_chars(begin, last, value.integer).ptr}); return;
        }
    }

    // What decimal digits cannot say: a NaN, a date that is no whole number of milliseconds.
    void bits(std::uint64_t bits) {
        std::array<char, 16> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), bits, 16).ptr;
        attribute("bits", {text.data(), end});
    }

    void node(const QName* element, const Node& node) {
        if (survey_.shared(node)) {
            ids_[node.id] = ++shared_;
            attribute("id", std::to_string(shared_ - 1));
        }
        switch (node.kind) {
            case NodeKind::object: open(element, node, Step::fields); return;
            case NodeKind::array: open(element, node, Step::members); return;
            case NodeKind::dictionary:
                if (node.has(Node::k_weak)) attribute("weak", "true");
                open(element, node, Step::items);
                return;
            case NodeKind::vector: {
                static constexpr std::array<const char*, 4> k_elements{"int", "uint", "double",
                                                                       "object"};
                attribute("elem", k_elements[static_cast<std::size_t>(node.element)]);
                if (node.has(Node::k_fixed)) attribute("fixed", "true");
                open(element, node, Step::items);
                return;
            }
            case NodeKind::external:
            case NodeKind::list:
            case NodeKind::map:
            case NodeKind::proxy:
            case NodeKind::sequence: open(element, node, Step::items); return;
            case NodeKind::date:
                if (node.has(Node::k_fractional)) {
                    bits(node.millis_bits);
                } else {
                    characters(std::to_string(node.millis));
                }
                break;
            case NodeKind::bytes:
            case NodeKind::block: hex(node.bytes()); break;
            case NodeKind::xml:
                if (node.has(Node::k_e4x)) attribute("e4x", "true");
                characters(node.text->view());
                break;
            case NodeKind::enumeration:
            case NodeKind::big_integer:
            case NodeKind::big_decimal: characters(node.text->view()); break;
            case NodeKind::class_ref: characters(node.name->view()); break;
            case NodeKind::reset: break;
            case NodeKind::class_desc:
                error_ = {.code = Errc::unsupported,
                          .where = "a class description of Java that stands as a value"};
                break;
        }
        sink_.end_element(element);
    }

    void hex(Bytes bytes) {
        std::string text;
        for (const std::uint8_t byte : bytes) {
            text += "0123456789abcdef"[byte >> 4U];
            text += "0123456789abcdef"[byte & 0xFU];
        }
        characters(text);
    }

    void open(const QName* element, const Node& node, Step step) {
        open_.push_back({.node = &node, .name = element, .step = step});
    }

    // What is shown may open another: `open` is not used behind that.
    void step() {
        Open& open = open_.back();
        const Node& node = *open.node;
        switch (open.step) {
            case Step::fields: field(open, node); return;
            case Step::members: member(open, node); return;
            case Step::annotations: annotation(open, node); return;
            case Step::items: item(open, node); return;
            case Step::done:
                sink_.end_element(open.name);
                open_.pop_back();
                return;
        }
    }

    void field(Open& open, const Node& node) {
        const ClassFacts& facts = survey_.facts(*node.type);
        if (open.index == node.count) {
            open.step = Step::members;
            open.index = 0;
            return;
        }
        const std::uint32_t index = open.index++;
        const Value& value = node.items[index];
        if (value.is(ValueKind::null) && !facts.shows_nulls) return;
        const QName* const qname = start_field(facts.names[index]->view());
        Sort usual = facts.sorts[index];
        this->value(qname, value, usual, false);
    }

    void member(Open& open, const Node& node) {
        if (open.index == node.more_count) {
            const bool java = node.kind == NodeKind::object && node.type->java != nullptr;
            open.step = node.kind == NodeKind::array ? Step::items
                        : java                       ? Step::annotations
                                                     : Step::done;
            open.index = 0;
            return;
        }
        const std::uint32_t index = open.index;
        open.index += 2;
        const QName* const qname = name("member");
        sink_.start_element(qname);
        attribute("name", node.more[index].text->view());
        value(qname, node.more[index + 1], open.sorts[0], true);
    }

    void annotation(Open& open, const Node& node) {
        if (open.level == node.type->java->levels.size()) {
            open.step = Step::done;
            return;
        }
        const Annotation& there = node.java->annotations[open.level];
        if (!there.present) {
            ++open.level;
            return;
        }
        if (open.index == 0) {
            sink_.start_element(name("annotation"));
            attribute("level", std::to_string(open.level));
            open.sorts[0] = Sort();
        }
        if (open.index == there.count) {
            end("annotation");
            ++open.level;
            open.index = 0;
            return;
        }
        value("item", there.values[open.index++], open.sorts[0]);
    }

    void item(Open& open, const Node& node) {
        if (open.index == node.count) {
            open.step = Step::done;
            return;
        }
        const bool pairs = node.kind == NodeKind::map || node.kind == NodeKind::dictionary;
        const std::uint32_t index = open.index++;
        Sort& usual = open.sorts[pairs ? index % 2 : 0];
        value(!pairs ? "item" : index % 2 == 0 ? "key" : "value", node.items[index], usual);
    }

    const ObjectGraph& graph_;
    Survey survey_;
    NameTable names_;
    TapeSink<true> sink_;
    std::uint64_t most_;
    std::uint64_t written_ = 0;
    std::vector<std::uint32_t> ids_;  // 1 + what is shown; 0: not yet, or never again
    std::uint32_t shared_ = 0;
    std::vector<Open> open_;
    std::string scratch_;
    Error error_;
};

}  // namespace

Result<> show_graph(const ObjectGraph& graph, const Limits& limits, XmlTape& document) {
    auto done = GraphShower(graph, limits, document).run();
    if (!done) document.clear();
    return done;
}

}  // namespace perfrelay::bridge
