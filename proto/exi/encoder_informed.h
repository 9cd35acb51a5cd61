#pragma once
// The parts of Encoder that are there with a schema (EXI 8.5): declared productions first, then the
// wildcards among them, then what is not declared; values typed where their datatype can have them.
// Included by encoder.h alone.

#include <algorithm>
#include <string>

#include "proto/exi/encoder.h"  // IWYU pragma: keep
#include "proto/model/whitespace.h"

namespace perfrelay::exi {

template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::start_state(bool fragment) const {
    if constexpr (informed) {
        const StateKind kind = fragment ? StateKind::fragment : StateKind::document;
        const std::size_t second = t_.levels[kind].empty() ? 0 : 1;
        return (fragment ? informed_.schema.fragments : informed_.schema.documents)[second];
    } else {
        return fragment ? Grammars::k_fragment : Grammars::k_document;
    }
}

template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::has_undeclared(Event event) const {
    const SecondLevel& level = t_.levels[informed_.schema.state(state_).kinds[informed_.strict]];
    return level.second_of[static_cast<std::size_t>(event)] != SecondLevel::k_absent;
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_declared(const Schema::State& from,
                                                                  std::uint32_t at) {
    writer_.bits(from.widths[informed_.strict], at);
}

// EXI 8.5.4.1.6, 8.5.4.1.7, 8.5.4.4.1
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_start(const QName* name) {
    const Schema& schema = informed_.schema;
    const Schema::State& from = schema.state(state_);
    const std::uint32_t number = known(name);
    EncoderTables::Open open{name, number, 0, false, false};
    std::uint32_t at =
        number == k_none ? Schema::k_none : schema.find(from, Event::start_element, number);
    if (at != Schema::k_none) {
        const Production& production = schema.productions[from.first + at];
        write_declared(from, at);
        open.next = production.next;
        state_ = production.target;
        return opened(open);
    }
    const std::uint32_t uri = names().find_uri(name->uri);
    at = uri == Names::k_none ? Schema::k_none : schema.find(from, Event::any_element_of, uri);
    if (at != Schema::k_none) {
        write_declared(from, at);
        open.number = write_local(uri, name->local);
        know(name, open.number);
        open.next = schema.productions[from.first + at].next;
    } else if (at = schema.find(from, Event::any_element, 0); at != Schema::k_none) {
        write_declared(from, at);
        open.number = write_qname(name);
        open.next = schema.productions[from.first + at].next;
    } else if (has_undeclared(Event::any_element)) {
        write_undeclared(Event::any_element);
        open.number = write_qname(name);
        open.next = from.content;
    } else {
        mismatch("element " + std::string(name->local));
        return opened(open);
    }
    state_ = grammars().element(open.number);
    opened(open);
}

// EXI 6: xsi:type and xsi:nil, which say in which grammar the others are; those sorted, as a schema
// has them.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_attributes() {
    const std::uint32_t firsts[] = {names().xsi_type(), names().xsi_nil()};
    if (sort_) {
        for (const std::uint32_t first : firsts) {
            for (const EncoderTables::Attribute& attribute : t_.attributes) {
                if (attribute.number == first) write_attribute(attribute);
            }
        }
    }
    const auto before = [](const EncoderTables::Attribute& a, const EncoderTables::Attribute& b) {
        return a.name->local != b.name->local ? a.name->local < b.name->local
                                              : a.name->uri < b.name->uri;
    };
    // In built-in grammars any order is as good; the peers sort there too.
    if (!std::is_sorted(t_.attributes.begin(), t_.attributes.end(), before))
        std::stable_sort(t_.attributes.begin(), t_.attributes.end(), before);
    for (const EncoderTables::Attribute& attribute : t_.attributes) {
        if (!sort_ || (attribute.number != firsts[0] && attribute.number != firsts[1]))
            write_attribute(attribute);
    }
    sort_ = false;
    t_.attributes.clear();
    if constexpr (!k_stable) t_.attribute_text.clear();
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_attribute(const QName* name,
                                                                      std::uint32_t number,
                                                                      std::string_view text) {
    const Schema& schema = informed_.schema;
    const Schema::State& from = schema.state(state_);
    if (number == names().xsi_type()) [[unlikely]] {
        if (!has_undeclared(Event::type_attribute)) return mismatch("attribute xsi:type");
        write_undeclared(Event::type_attribute);
        if (keep_.prefixes) write_prefix(name, number, false);
        return type_value(text);
    }
    if (number == names().xsi_nil() && has_undeclared(Event::nil_attribute)) [[unlikely]] {
        const std::string_view value = normalised(text, WhiteSpace::collapse, informed_.scratch);
        const bool good = value == "true" || value == "false" || value == "1" || value == "0";
        if (good || keep_.lexical_values) {
            write_undeclared(Event::nil_attribute);
            if (keep_.prefixes) write_prefix(name, number, false);
            return informed_nil(text);
        }
        if (!has_undeclared(Event::untyped_attribute))
            return mismatch("attribute xsi:nil=\"" + std::string(text) + '"');
        return untyped_attribute(name, number, text, from, from.attributes);
    }
    const std::uint32_t at =
        number == k_none ? Schema::k_none : schema.find(from, Event::attribute, number);
    if (at != Schema::k_none) {
        const Production& production = schema.productions[from.first + at];
        if (!representable(production.target, text)) {
            if (!has_undeclared(Event::untyped_attribute))
                return mismatch("attribute " + std::string(name->local) + "=\"" +
                                std::string(text) + '"');
            state_ = production.next;
            return untyped_attribute(name, number, text, from, at);
        }
        write_declared(from, at);
        if (keep_.prefixes) write_prefix(name, number, false);
        state_ = production.next;
        return typed_value(number, production.target);
    }
    if (number == names().xsi_nil()) return mismatch("attribute xsi:nil");
    const std::uint32_t type = number < schema.attributes.size() ? schema.attributes[number] : 0;
    if (!representable(type, text)) {
        if (!has_undeclared(Event::untyped_attribute))
            return mismatch("attribute " + std::string(name->local) + "=\"" + std::string(text) +
                            '"');
        return untyped_attribute(name, number, text, from, from.attributes);
    }
    const std::uint32_t uri = names().find_uri(name->uri);
    std::uint32_t any =
        uri == Names::k_none ? Schema::k_none : schema.find(from, Event::any_attribute_of, uri);
    if (any != Schema::k_none) {
        write_declared(from, any);
        number = write_local(uri, name->local);
        know(name, number);
        state_ = schema.productions[from.first + any].next;
    } else if (any = schema.find(from, Event::any_attribute, 0); any != Schema::k_none) {
        write_declared(from, any);
        number = write_qname(name);
        state_ = schema.productions[from.first + any].next;
    } else if (has_undeclared(Event::any_attribute)) {
        write_undeclared(Event::any_attribute);
        number = write_qname(name);
    } else {
        return mismatch("attribute " + std::string(name->local));
    }
    if (keep_.prefixes) write_prefix(name, number, false);
    typed_value(number, type);
}

// EXI 8.5.4.4.1: the third part says whether it is one that is declared, and which; then no name.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::untyped_attribute(const QName* name,
                                                                     std::uint32_t number,
                                                                     std::string_view text,
                                                                     const Schema::State& from,
                                                                     std::uint32_t at) {
    const SecondLevel& level = t_.levels[from.kinds[informed_.strict]];
    writer_.bits(from.widths[informed_.strict], from.count);
    writer_.bits(level.width, level.second_of[static_cast<std::size_t>(Event::untyped_attribute)]);
    writer_.bits(width_of(from.attributes + std::uint64_t{1}), at);
    if (at == from.attributes) number = write_qname(name);
    if (keep_.prefixes) write_prefix(name, number, false);
    value(number, text);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_nil(std::string_view text) {
    const std::string_view collapsed = normalised(text, WhiteSpace::collapse, informed_.scratch);
    const bool nil = collapsed == "true" || collapsed == "1";
    if (keep_.lexical_values) {
        const Datatype& datatype = informed_.datatypes[k_boolean_type];
        write_value(writer_, written_->values, names().xsi_nil(), keep(text),
                    WriteValues::Key(text),
                    datatype.set == 0 ? nullptr : &informed_.datatypes.set(datatype.set));
    } else {
        writer_.boolean(nil);
    }
    if (nil) state_ = informed_.schema.state(state_).empty;
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_text() {
    const Schema& schema = informed_.schema;
    const Schema::State& from = schema.state(state_);
    const std::uint32_t number = t_.open.back().number;
    const std::uint32_t at = schema.find(from, Event::characters, 0);
    if (at != Schema::k_none) {
        const Production& production = schema.productions[from.first + at];
        const bool typed = production.target != 0;
        // Of a text in parts, one that comes back as it is.
        bool& had_text = t_.open.back().had_text;
        const bool in_parts = part_ || had_text;
        had_text = true;
        if (typed && representable(production.target, text_) &&
            (!in_parts || comes_back(production.target, text_))) {
            write_declared(from, at);
            state_ = production.next;
            return typed_value(number, production.target);
        }
        if (!typed) {
            write_declared(from, at);
            state_ = production.next;
            return value(number, text_);
        }
    }
    if (!has_undeclared(Event::characters)) {
        // Strict: whitespace where there is no text means nothing to a schema, and has no code.
        if (at == Schema::k_none && is_whitespace(text_)) return;
        return mismatch("text \"" + std::string(text_.substr(0, 40)) + '"');
    }
    write_undeclared(Event::characters);
    state_ = from.content;
    value(number, text_);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_end() {
    const Schema& schema = informed_.schema;
    const Schema::State* from = &schema.state(state_);
    std::uint32_t at = schema.find(*from, Event::end_element, 0);
    if (at == Schema::k_none && has_undeclared(Event::end_element))
        return write_undeclared(Event::end_element);
    if (at == Schema::k_none) {
        // Strict: an empty text, where the datatype has one.
        const std::uint32_t text = schema.find(*from, Event::characters, 0);
        if (text == Schema::k_none) return mismatch("the end");
        const Production& production = schema.productions[from->first + text];
        if (!representable(production.target, {})) return mismatch("no text");
        write_declared(*from, text);
        typed_value(t_.open.back().number, production.target);
        state_ = production.next;
        from = &schema.state(state_);
        at = schema.find(*from, Event::end_element, 0);
        if (at == Schema::k_none) return mismatch("the end");
    }
    write_declared(*from, at);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::informed_end_document() {
    const Schema::State& from = informed_.schema.state(state_);
    const std::uint32_t at = informed_.schema.find(from, Event::end_document, 0);
    if (at == Schema::k_none) return mismatch("the end");
    write_declared(from, at);
}

// Whether the datatype can have the text: then it is the value that the next `typed_value` writes.
template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::representable(std::uint32_t type,
                                                                 std::string_view text) {
    const Datatype& datatype = informed_.datatypes[type];
    if (!parse_value(informed_.datatypes, datatype,
                     normalised(text, datatype.white_space, informed_.scratch), informed_.value)) {
        return false;
    }
    // As the peers have it, where there is a choice.
    if (informed_.value.unusual && has_undeclared(Event::characters)) return false;
    fold_to_utc(datatype);
    return true;
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::fold_to_utc(const Datatype& datatype) {
    if (options_.utc && is_date_time(datatype.representation))
        to_utc(datatype.representation, informed_.value);
}

// Whether what was just found representable comes back as the same text.
template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::comes_back(std::uint32_t type,
                                                              std::string_view text) {
    Arena arena;
    return text_of(informed_.datatypes, informed_.datatypes[type], informed_.value, arena) == text;
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::typed_value(std::uint32_t number,
                                                               std::uint32_t type) {
    if constexpr (k_in_channels) {
        // Its canonical text: it is parsed again when its channel comes.
        const std::string_view text =
            text_of(informed_.datatypes, informed_.datatypes[type], informed_.value, t_.text);
        values_.add(t_, *written_, number, keep_value(text), type);
        if (values_.full()) values_.end_block(t_, *written_, *this);
    } else {
        write_typed_value(writer_, number, type);
    }
}

template <Packing packing, class Values, bool k_stable, bool informed>
template <Packing other>
void Encoder<packing, Values, k_stable, informed>::write_typed_text(BitWriter<other>& writer,
                                                                    std::uint32_t name,
                                                                    std::string_view text,
                                                                    std::uint32_t type) {
    (void)parse_value(informed_.datatypes, informed_.datatypes[type], text, informed_.value);
    write_typed_value(writer, name, type);
}

// EXI 7.1.10, 7.1.11 for texts, whose table needs them kept.
template <Packing packing, class Values, bool k_stable, bool informed>
template <Packing other>
void Encoder<packing, Values, k_stable, informed>::write_typed_value(BitWriter<other>& writer,
                                                                     std::uint32_t name,
                                                                     std::uint32_t type) {
    const Datatypes& datatypes = informed_.datatypes;
    const Datatype& datatype = datatypes[type];
    const auto string = [&](const Datatype& of, std::string_view text) {
        write_value(writer, written_->values, name, text, WriteValues::Key(text),
                    of.set == 0 ? nullptr : &datatypes.set(of.set));
    };
    if (datatype.representation == Representation::string) {
        string(datatype, keep_value(informed_.value.text));
    } else if (datatype.representation == Representation::list) {
        const std::string_view all = keep_value(informed_.value.text);
        const Datatype& item = datatypes[datatype.other];
        std::string_view one;
        std::uint64_t count = 0;
        for (std::size_t at = 0; next_item(all, at, one);)
            ++count;
        writer.unsigned_integer(count);
        for (std::size_t at = 0; next_item(all, at, one);) {
            (void)parse_value(datatypes, item, one, informed_.value);
            fold_to_utc(item);
            if (item.representation == Representation::string) {
                string(item, one);
            } else {
                write_typed(writer, item, informed_.value, informed_.groups);
            }
        }
    } else {
        write_typed(writer, datatype, informed_.value, informed_.groups);
    }
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::go_to_type(std::uint32_t type) {
    const std::vector<std::uint32_t>& types = informed_.schema.types;
    if (type < types.size() && types[type] != Schema::k_none) state_ = types[type];
}

// As a decoder finds it, which knows only of declarations that are kept.
template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::lexical_type(
    std::string_view text) const {
    const std::vector<EncoderTables::Declared> none;
    return type_in_scope(written_->names, keep_.prefixes ? t_.scope : none, text);
}

// Strict streams only: where, what was found, and what the schema has there.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::mismatch(std::string found) {
    if (fault_.where[0] != '\0') return;
    fail("EXI 8.5.4.4.2: the document does not match the schema, which strict asks for");
    std::string& text = t_.mismatch;
    for (const EncoderTables::Open& open : t_.open)
        text.append("/").append(open.name->local);
    if (text.empty()) text = "the document";
    text += ": " + std::move(found) + " where the schema has";
    const Schema::State& from = informed_.schema.state(state_);
    constexpr std::uint32_t k_most_named = 8;
    for (std::uint32_t i = 0; i < from.count; ++i) {
        const Production& p = informed_.schema.productions[from.first + i];
        text += i == 0 ? " " : ", ";
        if (i == k_most_named) {
            text += "..";
            break;
        }
        switch (p.event) {
            case Event::start_element:
                text.append("element ").append(names()[p.name].qname->local);
                break;
            case Event::attribute:
                text.append("attribute ").append(names()[p.name].qname->local);
                break;
            case Event::characters: text += "text of its type"; break;
            case Event::end_element: text += "the end"; break;
            case Event::any_element:
            case Event::any_element_of: text += "any element"; break;
            default: text += "any attribute"; break;
        }
    }
}

}  // namespace perfrelay::exi
