#pragma once
// Typer: a sink that goes through a schema's grammars with a document, and says of each value which
// datatype it has: what an encoder goes through (encoder_informed.h), and a decoder's work where
// the document is text. So an XML row of typed values delivers what an EXI row does.
//
// A `Handler` is told: start_document, start_element, end_element, end_document; of values without
// a type attribute(name, text, place) and characters(text); of others typed_attribute(name, type,
// value, place) and typed_characters(type, value, place); type_attribute(name, uri, local).
// Attributes come sorted as EXI 8.5.4.1.3.2 has them, xsi:type and xsi:nil first; texts whole;
// declarations, comments and the like not at all. Which value was `place` when it came, that of
// its first piece, is for whoever wants to know.
// Contract: XmlSink; `strict` as the stream's option (EXI 5.4). Tested by
// tests/unit/proto/exi/typed_rows_test.cpp.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/arena.h"
#include "proto/exi/names.h"
#include "proto/exi/schema/schema.h"
#include "proto/exi/typed_value.h"
#include "proto/model/xml_sink.h"

namespace perfrelay::exi {

// What a Typer keeps from document to document: its memory, and the schema's names.
struct TyperTables {
    explicit TyperTables(const Schema& of) : schema(of) { names.reset(of.uris, handed_on); }
    TyperTables(const TyperTables&) = delete;
    TyperTables& operator=(const TyperTables&) = delete;
    ~TyperTables() = default;

    static constexpr std::uint32_t k_unknown = UINT32_MAX - 1;  // not looked up yet

    struct Open {
        std::uint32_t next = 0;  // the state behind the element
        std::size_t scope = 0;   // declarations outside of it
    };
    struct Attribute {
        const QName* name = nullptr;
        std::string_view text;
        std::uint32_t number = 0;
        std::uint32_t place = 0;
    };
    struct Declared {
        std::string_view prefix;
        std::string_view uri;
    };
    struct Seen {
        std::uint32_t state = Schema::k_none;
        std::uint32_t at = 0;  // its production there
    };

    const Schema& schema;
    NameTable handed_on;
    Names names;
    std::vector<std::uint32_t> numbers;  // by QName::expanded
    std::vector<Seen> seen;              // by number: where an element of the name was last
    std::vector<Open> open;
    std::vector<Attribute> attributes;
    std::vector<Declared> scope;
    Arena attribute_text;
    Arena declared_text;
    std::string text;
    std::string scratch;
    Value value;
};

template <class Handler>
class Typer {
  public:
    Typer(TyperTables& tables, bool strict, Handler& handler)
        : t_(tables), strict_(strict), handler_(handler) {}

    std::uint32_t place = 0;

    void start_document() {
        t_.numbers.clear();
        t_.seen.assign(t_.names.size(), {});
        t_.open.clear();
        t_.attributes.clear();
        t_.scope.clear();
        t_.attribute_text.clear();
        t_.declared_text.clear();
        t_.text.clear();
        state_ = t_.schema.documents[1];
        handler_.start_document();
    }
    void end_document() { handler_.end_document(); }

    void start_element(const QName* name) {
        settle();
        const Schema& schema = t_.schema;
        const std::uint32_t number = number_of(*name);
        TyperTables::Open open{state_, t_.scope.size()};
        if (Schema::is_state(state_)) {
            const Schema::State& from = schema.state(state_);
            const std::uint32_t at = declared(from, number);
            if (at != Schema::k_none) {
                const Production& production = schema.productions[from.first + at];
                open.next = production.next;
                state_ = production.target;
            } else {
                open.next = behind_wildcard(from, *name);
                state_ = global(number);
            }
        } else {
            state_ = global(number);
        }
        t_.open.push_back(open);
        handler_.start_element(name);
    }

    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        t_.scope.push_back({t_.declared_text.copy(prefix), t_.declared_text.copy(uri)});
    }

    // All of an element are waited for: xsi:type says what the others are.
    void attribute(const QName* name, std::string_view text) {
        t_.attributes.push_back({name, t_.attribute_text.copy(text), number_of(*name), place});
    }

    void characters(std::string_view piece) {
        if (t_.text.empty()) text_place_ = place;
        t_.text += piece;
    }

    void end_element(const QName* name) {
        settle();
        const TyperTables::Open& last = t_.open.back();
        state_ = last.next;
        t_.scope.resize(last.scope);
        t_.open.pop_back();
        handler_.end_element(name);
    }

    void comment(std::string_view) {}
    void processing_instruction(std::string_view, std::string_view) {}
    void entity_reference(std::string_view) {}
    void doctype(const Doctype&) {}

  private:
    // A state of no schema: nothing in it has a type but the elements that are global.
    static constexpr std::uint32_t k_built_in = 0;

    std::uint32_t number_of(const QName& name) {
        if (name.expanded >= t_.numbers.size())
            t_.numbers.resize(name.expanded + 1, TyperTables::k_unknown);
        std::uint32_t& number = t_.numbers[name.expanded];
        if (number == TyperTables::k_unknown) [[unlikely]] {
            const std::uint32_t uri = t_.names.find_uri(name.uri);
            number = uri == Names::k_none ? Names::k_none : t_.names.find_local(uri, name.local);
        }
        return number;
    }

    std::uint32_t declared(const Schema::State& from, std::uint32_t number) {
        if (number == Names::k_none) return Schema::k_none;
        TyperTables::Seen& seen = t_.seen[number];
        if (seen.state != state_) {
            seen.state = state_;
            seen.at = t_.schema.find(from, Event::start_element, number);
        }
        return seen.at;
    }

    // EXI 8.5.4.1.7, 8.5.4.4.1
    std::uint32_t behind_wildcard(const Schema::State& from, const QName& name) const {
        const Schema& schema = t_.schema;
        const std::uint32_t uri = t_.names.find_uri(name.uri);
        std::uint32_t at = Schema::k_none;
        if (uri != Names::k_none) at = schema.find(from, Event::any_element_of, uri);
        if (at == Schema::k_none) at = schema.find(from, Event::any_element, 0);
        return at == Schema::k_none ? from.content : schema.productions[from.first + at].next;
    }
    std::uint32_t global(std::uint32_t number) const {
        if (number >= t_.schema.elements.size()) return k_built_in;
        const std::uint32_t state = t_.schema.elements[number];
        return state == Schema::k_none ? k_built_in : state;
    }

    void settle() {
        if (!t_.attributes.empty()) attributes();
        if (!t_.text.empty()) text();
    }

    void attributes() {
        const std::uint32_t firsts[] = {t_.names.xsi_type(), t_.names.xsi_nil()};
        const auto rank = [&](const TyperTables::Attribute& attribute) {
            return attribute.number == firsts[0] ? 0 : attribute.number == firsts[1] ? 1 : 2;
        };
        const auto before = [&](const auto& a, const auto& b) {
            const int first = rank(a);
            const int second = rank(b);
            if (first != second) return first < second;
            return a.name->local != b.name->local ? a.name->local < b.name->local
                                                  : a.name->uri < b.name->uri;
        };
        if (!std::is_sorted(t_.attributes.begin(), t_.attributes.end(), before))
            std::sort(t_.attributes.begin(), t_.attributes.end(), before);
        for (const TyperTables::Attribute& attribute : t_.attributes) {
            if (attribute.number == firsts[0]) {
                type(attribute);
            } else if (Schema::is_state(state_)) {
                informed(attribute);
            } else {
                handler_.attribute(attribute.name, attribute.text, attribute.place);
            }
        }
        t_.attributes.clear();
        t_.attribute_text.clear();
    }

    // EXI 8.4.3, 8.5.4.4.1
    void type(const TyperTables::Attribute& attribute) {
        const std::string_view text = normalised(attribute.text, WhiteSpace::collapse, t_.scratch);
        const std::size_t colon = text.find(':');
        const std::string_view prefix = text.substr(0, colon == std::string_view::npos ? 0 : colon);
        std::string_view uri = prefix == "xml" ? k_xml_uri : std::string_view();
        for (auto it = t_.scope.rbegin(); it != t_.scope.rend(); ++it) {
            if (it->prefix != prefix) continue;
            uri = it->uri;
            break;
        }
        // No namespace for the prefix: all of it is the local name.
        const bool prefixed = !prefix.empty() && !uri.empty();
        const std::string_view local = prefixed ? text.substr(colon + 1) : text;
        handler_.type_attribute(attribute.name, uri, local);
        const std::uint32_t id = t_.names.find_uri(uri);
        if (id == Names::k_none) return;
        const std::uint32_t number = t_.names.find_local(id, local);
        const std::vector<std::uint32_t>& types = t_.schema.types;
        if (number < types.size() && types[number] != Schema::k_none) state_ = types[number];
    }

    void informed(const TyperTables::Attribute& attribute) {
        const Schema& schema = t_.schema;
        const Schema::State& from = schema.state(state_);
        const auto untyped = [&] {
            handler_.attribute(attribute.name, attribute.text, attribute.place);
        };
        if (attribute.number == t_.names.xsi_nil()) {
            const std::string_view text =
                normalised(attribute.text, WhiteSpace::collapse, t_.scratch);
            const bool nil = text == "true" || text == "1";
            if (!nil && text != "false" && text != "0") return untyped();
            handler_.attribute(attribute.name, nil ? "true" : "false", attribute.place);
            if (nil) state_ = from.empty;
            return;
        }
        std::uint32_t type = 0;
        std::uint32_t at = Schema::k_none;
        if (attribute.number != Names::k_none)
            at = schema.find(from, Event::attribute, attribute.number);
        bool fits = false;
        if (at != Schema::k_none) {
            const Production& production = schema.productions[from.first + at];
            type = production.target;
            state_ = production.next;
            fits = representable(type, attribute.text);
        } else {
            if (attribute.number < schema.attributes.size())
                type = schema.attributes[attribute.number];
            fits = representable(type, attribute.text);
            // What does not fit goes by an undeclared production, and stays (EXI 8.5.4.4.1).
            if (fits) state_ = behind_attribute(from, *attribute.name);
        }
        if (type == 0 || !fits) return untyped();
        handler_.typed_attribute(attribute.name, type, t_.value, attribute.place);
    }
    std::uint32_t behind_attribute(const Schema::State& from, const QName& name) const {
        const Schema& schema = t_.schema;
        const std::uint32_t uri = t_.names.find_uri(name.uri);
        std::uint32_t at = Schema::k_none;
        if (uri != Names::k_none) at = schema.find(from, Event::any_attribute_of, uri);
        if (at == Schema::k_none) at = schema.find(from, Event::any_attribute, 0);
        return at == Schema::k_none ? state_ : schema.productions[from.first + at].next;
    }

    void text() {
        if (Schema::is_state(state_)) {
            informed_text();
        } else {
            handler_.characters(t_.text);
        }
        t_.text.clear();
    }
    void informed_text() {
        const Schema& schema = t_.schema;
        const Schema::State& from = schema.state(state_);
        const std::uint32_t at = schema.find(from, Event::characters, 0);
        if (at != Schema::k_none) {
            const Production& production = schema.productions[from.first + at];
            const std::uint32_t type = production.target;
            if (type == 0) {
                state_ = production.next;
                return handler_.characters(t_.text);
            }
            if (representable(type, t_.text)) {
                state_ = production.next;
                return handler_.typed_characters(type, t_.value, text_place_);
            }
        }
        // Strict has no place for it but as whitespace, which then says nothing.
        if (!strict_) state_ = from.content;
        handler_.characters(t_.text);
    }

    bool representable(std::uint32_t type, std::string_view text) {
        if (type == 0) return true;
        const Datatypes& datatypes = t_.schema.datatypes;
        const Datatype& datatype = datatypes[type];
        const bool fits = parse_value(datatypes, datatype,
                                      normalised(text, datatype.white_space, t_.scratch), t_.value);
        return fits && (strict_ || !t_.value.unusual);
    }

    TyperTables& t_;
    const bool strict_;
    Handler& handler_;
    std::uint32_t state_ = k_built_in;
    std::uint32_t text_place_ = 0;
};

}  // namespace perfrelay::exi
