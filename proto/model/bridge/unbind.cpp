#include "proto/model/bridge/unbind.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/model/bridge/lexical.h"
#include "proto/model/bridge/names.h"
#include "proto/model/java_view.h"
#include "proto/model/xml_chars.h"

namespace perfrelay::bridge {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using graph::ValueKind;

namespace {

// A class's fields as parts of an element, in the order of the document.
struct Part {
    enum class Kind : std::uint8_t { declaration, attribute, attributes, text, content, child };
    Kind kind;
    std::uint32_t field;    // of the object's values
    std::string_view name;  // of a child as it is written, of an attribute without "@"; a prefix
};
struct Parts {
    std::vector<Part> all;  // those of the start tag first
    std::size_t inner = 0;  // where the others begin
};

// What a list has become in a format's terms; null when `value` is none.
const Node* as_list(const Value& value) {
    if (!value.is(ValueKind::node)) return nullptr;
    const Node* node = value.node;
    if (node->kind == NodeKind::external && node->count == 1 &&
        node->items[0].is(ValueKind::node)) {
        node = node->items[0].node;
    }
    const bool list = node->kind == NodeKind::list || node->kind == NodeKind::array;
    return list && node->more_count == 0 ? node : nullptr;
}

const Node* as_object(const Value& value) {
    const bool object = value.is(ValueKind::node) && value.node->kind == NodeKind::object &&
                        value.node->more_count == 0;
    return object && !unboxed(*value.node) ? value.node : nullptr;
}

bool is_nothing(const Value& value) {
    return value.is(ValueKind::null) || value.is(ValueKind::undefined);
}

class Unbinder {
  public:
    Unbinder(const ObjectGraph& graph, const Limits& limits, XmlTape& document)
        : graph_(graph),
          most_(limits.max_document),
          sink_(document),
          parts_(graph.class_count()),
          seen_(graph.node_count()) {}

    Result<> run() {
        const Node& root = *graph_.root.node;
        sink_.start_document();
        std::vector<const Text*> names;
        all_field_names(*root.type, names);
        if (is_nothing(root.items[0])) return wrong("a bound document without a root element");
        bool fine = element(names[0]->view(), root.items[0]);
        while (fine && !open_.empty())
            fine = step();
        if (!fine) return Error{.code = code_, .where = why_};
        sink_.end_document();
        return {};
    }

  private:
    struct Open {
        const Node* node;
        const Parts* parts;
        std::size_t part;
        const Node* list = nullptr;  // of the present part, if it is one
        std::uint32_t item = 0;
        const QName* name = nullptr;
        std::size_t mark = 0;
    };

    Error wrong(const char* why) { return {.code = Errc::malformed, .where = why}; }
    bool fail(const char* why) {
        why_ = why;
        return false;
    }

    // Elements are nested in one another and nowhere twice; else some would have no end, and
    // others, twice as often at each level, none in sight.
    bool first_time(const Node& node) {
        if (seen_[node.id]) return fail("a bound element in two places");
        seen_[node.id] = true;
        return true;
    }
    // A text that is referred to a million times is a million texts here.
    bool fits(std::string_view text) {
        written_ += text.size();
        if (written_ <= most_) return true;
        code_ = Errc::limit_exceeded;
        return fail("a bound document too long");
    }

    const Parts* parts_of(const Class& type) {
        std::unique_ptr<Parts>& known = parts_[type.id];
        if (known != nullptr) return known.get();
        std::vector<const Text*> names;
        all_field_names(type, names);
        std::vector<std::uint32_t> order;
        if (!document_order(type, order)) return nullptr;
        auto made = std::make_unique<Parts>();
        std::vector<Part> inner;
        for (const std::uint32_t field : order) {
            const Part part = part_of(names[field]->view(), field);
            const bool outer = part.kind <= Part::Kind::attributes;
            (outer ? made->all : inner).push_back(part);
        }
        made->inner = made->all.size();
        made->all.insert(made->all.end(), inner.begin(), inner.end());
        known = std::move(made);
        return known.get();
    }

    static Part part_of(std::string_view name, std::uint32_t field) {
        if (name == k_text) return {Part::Kind::text, field, name};
        if (name == k_content) return {Part::Kind::content, field, name};
        if (name == k_attributes) return {Part::Kind::attributes, field, name};
        if (!name.starts_with('@')) return {Part::Kind::child, field, name};
        if (name == k_declaration) return {Part::Kind::declaration, field, ""};
        if (name.starts_with("@xmlns:")) return {Part::Kind::declaration, field, name.substr(7)};
        return {Part::Kind::attribute, field, name.substr(1)};
    }

    // Appends a text, or a list's items with blanks between.
    bool spell(const Value& value) {
        const Node* const list = as_list(value);
        if (list == nullptr) return append_spelling(value, text_);
        for (std::uint32_t i = 0; i < list->count; ++i) {
            if (i != 0) text_ += ' ';
            if (!append_spelling(list->items[i], text_)) return false;
        }
        return true;
    }

    // One value as an element of that name.
    bool element(std::string_view name, const Value& value) {
        if (const Node* const node = as_object(value)) return object(name, *node);
        text_.clear();
        if (!append_spelling(value, text_)) return fail("a bound element of no text and no fields");
        const QName* const qname = resolve(name, true);
        if (qname == nullptr) return false;
        sink_.start_element(qname);
        if (!characters()) return false;
        sink_.end_element(qname);
        return true;
    }

    bool object(std::string_view name, const Node& node) {
        if (!first_time(node)) return false;
        const Parts* const parts = parts_of(*node.type);
        if (parts == nullptr) return fail("a bound class whose order is none");
        Open open{.node = &node, .parts = parts, .part = parts->inner};
        open.mark = scope_.mark();
        if (!declare(open)) return false;
        open.name = resolve(name, true);
        if (open.name == nullptr) return false;
        sink_.start_element(open.name);
        for (const auto& [prefix, uri] : declared_)
            sink_.namespace_declaration(prefix, uri);
        if (!attributes(open)) return false;
        open_.push_back(open);
        return true;
    }

    template <class Each>
    bool each_attribute(const Open& open, Each each) {
        for (std::size_t i = 0; i < open.parts->inner; ++i) {
            const Part& part = open.parts->all[i];
            const Value& value = open.node->items[part.field];
            if (is_nothing(value)) continue;
            if (part.kind != Part::Kind::attributes) {
                if (!each(part, value)) return false;
                continue;
            }
            const Node* const list = as_list(value);
            if (list == nullptr || list->count % 2 != 0) return fail("bound attributes in no list");
            for (std::uint32_t at = 0; at < list->count; at += 2) {
                const Value& name = list->items[at];
                if (!name.is(ValueKind::text)) return fail("a bound attribute without a name");
                const Part listed = part_of(name.text->view(), 0);
                if (listed.kind > Part::Kind::attribute)
                    return fail("a bound attribute without a name");
                if (!each(listed, list->items[at + 1])) return false;
            }
        }
        return true;
    }

    bool declare(const Open& open) {
        declared_.clear();
        const auto each = [this](const Part& part, const Value& value) {
            if (part.kind != Part::Kind::declaration) return true;
            if (!value.is(ValueKind::text)) return fail("a bound declaration without a uri");
            const std::string_view uri = value.text->view();
            if (!fit_to_declare(part.name, uri)) return fail("a bound declaration of no namespace");
            declared_.emplace_back(part.name, uri);
            return true;
        };
        if (!each_attribute(open, each)) return false;
        std::vector<std::string_view> prefixes;
        for (const auto& [prefix, uri] : declared_) {
            scope_.declare(prefix, uri);
            prefixes.push_back(prefix);
        }
        std::sort(prefixes.begin(), prefixes.end());
        const bool twice = std::adjacent_find(prefixes.begin(), prefixes.end()) != prefixes.end();
        return !twice || fail("a bound prefix declared twice");
    }

    // Namespaces in XML 1.0 sections 2.2, 3.
    static bool fit_to_declare(std::string_view prefix, std::string_view uri) {
        if (!is_text(uri) || prefix == "xmlns" || uri == "http://www.w3.org/2000/xmlns/")
            return false;
        if ((prefix == "xml") != (uri == k_xml_uri)) return false;
        return prefix.empty() || (xml::is_ncname(prefix) && !uri.empty());
    }

    bool attributes(const Open& open) {
        ++element_;
        return each_attribute(open, [this](const Part& part, const Value& value) {
            if (part.kind != Part::Kind::attribute) return true;
            const QName* const name = resolve(part.name, false);
            if (name == nullptr) return false;
            if (name->expanded >= last_seen_.size()) last_seen_.resize(name->expanded + 1, 0);
            if (std::exchange(last_seen_[name->expanded], element_) == element_) {
                return fail("a bound attribute twice");
            }
            text_.clear();
            if (!spell(value) || !is_text(text_)) {
                return fail("a bound attribute that is no text");
            }
            if (!fits(text_)) return false;
            sink_.attribute(name, text_);
            return true;
        });
    }

    // Characters that XML can hold.
    static bool is_text(std::string_view text) {
        if (xml::find_forbidden(text) != std::string_view::npos) return false;
        // A lone surrogate.
        for (std::size_t at = text.find('\xED'); at != std::string_view::npos;
             at = text.find('\xED', at + 1)) {
            if (static_cast<unsigned char>(text[at + 1]) >= 0xA0) return false;
        }
        return true;
    }

    bool characters() {
        if (!is_text(text_)) return fail("a bound text with characters that XML has not");
        if (!fits(text_)) return false;
        if (!text_.empty()) sink_.characters(text_);
        return true;
    }

    const QName* resolve(std::string_view written, bool element) {
        const WrittenName name = split_name(written);
        std::string_view uri;
        const bool valid = xml::is_ncname(name.local) && name.prefix != "xmlns" &&
                           (name.prefix.empty() || xml::is_ncname(name.prefix));
        if (name.uri) {
            uri = *name.uri;
        } else if (element || !name.prefix.empty()) {
            const auto known = scope_.uri_of(name.prefix);
            if (!known) {
                fail("a bound name whose prefix is not declared");
                return nullptr;
            }
            uri = *known;
        }
        if (!valid || !is_text(uri) || (uri.empty() && !name.prefix.empty())) {
            fail("a bound name that XML cannot have");
            return nullptr;
        }
        return names_.intern(uri, name.local, name.prefix);
    }

    bool step() {
        Open& open = open_.back();
        if (open.list != nullptr) {
            if (open.item == open.list->count) {
                open.list = nullptr;
                ++open.part;
                return true;
            }
            const Part& part = open.parts->all[open.part];
            const Value& item = open.list->items[open.item++];
            return part.kind == Part::Kind::content ? content(item) : element(part.name, item);
        }
        if (open.part == open.parts->all.size()) {
            sink_.end_element(open.name);
            scope_.leave(open.mark);
            open_.pop_back();
            return true;
        }
        const Part& part = open.parts->all[open.part];
        const Value& value = open.node->items[part.field];
        if (is_nothing(value)) {
            ++open.part;
            return true;
        }
        if (part.kind == Part::Kind::text) {
            ++open.part;
            text_.clear();
            return spell(value) ? characters() : fail("a bound text that is none");
        }
        open.list = as_list(value);
        if (open.list != nullptr) {
            open.item = 0;
            return first_time(*open.list);
        }
        if (part.kind == Part::Kind::content) return fail("bound content in no list");
        ++open.part;
        return element(part.name, value);
    }

    bool content(const Value& item) {
        const Node* const node = as_object(item);
        if (node == nullptr) {
            text_.clear();
            return append_spelling(item, text_) ? characters() : fail("bound content of no text");
        }
        const std::string_view name = node->type->name->view();
        if (name != k_entity_reference) return element(element_of_class(name), item);
        if (node->count != 1 || !node->items[0].is(ValueKind::text) ||
            !xml::is_ncname(node->items[0].text->view())) {
            return fail("a bound reference without a name");
        }
        sink_.entity_reference(node->items[0].text->view());
        return true;
    }

    const ObjectGraph& graph_;
    std::uint64_t most_;
    std::uint64_t written_ = 0;
    NameTable names_;
    TapeSink<true> sink_;
    Scope scope_;
    std::vector<std::unique_ptr<Parts>> parts_;  // by class
    std::vector<bool> seen_;                     // by node
    std::vector<Open> open_;
    std::vector<std::pair<std::string_view, std::string_view>> declared_;
    std::vector<std::uint64_t> last_seen_;  // by expanded name: the element with that attribute
    std::uint64_t element_ = 0;
    std::string text_;
    const char* why_ = "";
    Errc code_ = Errc::malformed;
};

}  // namespace

Result<> unbind(const ObjectGraph& graph, const Limits& limits, XmlTape& document) {
    auto done = Unbinder(graph, limits, document).run();
    if (!done) document.clear();
    return done;
}

}  // namespace perfrelay::bridge
