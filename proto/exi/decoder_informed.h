#pragma once
// The parts of Decoder that are there with a schema (EXI 8.5): its states, xsi:type and xsi:nil,
// wildcards of a namespace, untyped values. Included by decoder.h alone.

#include "proto/exi/decoder.h"  // IWYU pragma: keep

namespace perfrelay::exi {

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
std::uint32_t Decoder<packing, Values, Sink, Trace, informed>::start_state(bool fragment) const {
    if constexpr (informed) {
        const StateKind kind = fragment ? StateKind::fragment : StateKind::document;
        const std::size_t second = t_.levels[kind].empty() ? 0 : 1;
        return (fragment ? informed_.schema.fragments : informed_.schema.documents)[second];
    } else {
        return fragment ? Grammars::k_fragment : Grammars::k_document;
    }
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::ask_for_state(std::uint32_t state) const {
    if (Schema::is_state(state)) __builtin_prefetch(&informed_.schema.state(state));
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::ask_for_productions(
    std::uint32_t state) const {
    if (Schema::is_state(state))
        __builtin_prefetch(informed_.schema.productions_of(informed_.schema.state(state)));
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
Production Decoder<packing, Values, Sink, Trace, informed>::informed_code() {
    const Schema::State& from = informed_.schema.state(state_);
    const unsigned width = from.widths[informed_.strict];
    const std::uint32_t first = reader_.bits(width);
    trace_part(first, width);
    if (width == 0 && ++informed_.free > k_most_free) [[unlikely]] {
        const std::uint64_t now = reader_.position();
        if (now == informed_.free_at)
            reader_.fail(Errc::limit_exceeded, "EXI 6.2: more events without a bit than the limit");
        informed_.free_at = now;
        informed_.free = 0;
    }
    if (first < from.count) [[likely]]
        return informed_.schema.productions[from.first + first];
    if (first == from.count && from.kinds[informed_.strict] != StateKind::bare)
        return informed_second(from);
    return no_such_code();
}

// EXI 8.5.4.4
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
Production Decoder<packing, Values, Sink, Trace, informed>::informed_second(
    const Schema::State& from) {
    Event event = Event::end_document;
    if (!second_part(t_.levels[from.kinds[informed_.strict]], event)) return no_such_code();
    switch (event) {
        case Event::any_attribute:
        case Event::type_attribute:
        case Event::nil_attribute: return {.event = event, .next = state_};
        case Event::untyped_attribute: {
            const unsigned width = width_of(from.attributes + std::uint64_t{1});
            const std::uint32_t third = reader_.bits(width);
            trace_part(third, width);
            if (third > from.attributes) return no_such_code();
            if (third == from.attributes) return {.event = event, .next = state_};
            Production typed = informed_.schema.productions[from.first + third];
            typed.target = 0;
            return typed;
        }
        default: return {.event = event, .next = from.content};
    }
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::informed_event(const Production& taken) {
    switch (taken.event) {
        case Event::any_element_of: {
            const std::uint32_t name = items_.local_name(*learned_, taken.name);
            if (reader_.failed()) return;
            const std::uint32_t target = learned_->grammars.element(name);
            start_element({Event::start_element, 0, name, taken.next, target});
            break;
        }
        case Event::any_attribute_of: {
            const std::uint32_t name = items_.local_name(*learned_, taken.name);
            if (!reader_.failed()) wildcard_attribute(name, taken.next);
            break;
        }
        case Event::untyped_attribute: {
            const std::uint32_t name = items_.qname(*learned_);
            if (reader_.failed()) return;
            if (name == learned_->names.xsi_type()) {
                reader_.fail(Errc::malformed, "EXI 8.5.4.4.1: xsi:type by AT(*)");
                return;
            }
            attribute(name, taken.next, 0);
            break;
        }
        case Event::type_attribute: attribute(learned_->names.xsi_type(), taken.next, 0); break;
        default: {
            const std::uint32_t name = learned_->names.xsi_nil();
            const QName* qname = learned_->names[name].qname;
            if (options_.preserve.prefixes) {
                qname = prefixed_attribute(name);
                if (qname == nullptr) return;
            }
            trace_name(qname);
            nil_attribute(qname);
            break;
        }
    }
}

// EXI 8.5.4.1.3.2: typed by the global attribute of that name.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::wildcard_attribute(std::uint32_t name,
                                                                         std::uint32_t next) {
    if (name == learned_->names.xsi_type() || name == learned_->names.xsi_nil()) {
        reader_.fail(Errc::malformed, "EXI 8.5.4.1.3.2: xsi:type or xsi:nil by AT(*)");
        return;
    }
    const std::vector<std::uint32_t>& globals = informed_.schema.attributes;
    attribute(name, next, name < globals.size() ? globals[name] : 0);
}

// EXI 8.5.4.4.1, 9.2.1: always with the structure.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::nil_attribute(const QName* name) {
    std::string_view text;
    if (options_.preserve.lexical_values) {
        // Table 7-2, the set of xs:boolean.
        text = value_text(learned_->names.xsi_nil(), k_boolean_type);
    } else {
        text = reader_.boolean() ? "true" : "false";
    }
    trace_value(text);
    if (!deliver(text)) return;
    if constexpr (k_in_channels) {
        values_.block().add(Block::Kind::known_attribute, name, text, {});
    } else {
        sink_.attribute(name, text);
    }
    std::string scratch;
    const std::string_view value = normalised(text, WhiteSpace::collapse, scratch);
    if (value == "true" || value == "1") state_ = informed_.schema.state(state_).empty;
}

// EXI 8.4.3, 8.5.4.4.1: on in the grammar of the type, if there is one.
template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
void Decoder<packing, Values, Sink, Trace, informed>::go_to_type(std::uint32_t type) {
    const std::vector<std::uint32_t>& types = informed_.schema.types;
    if (type < types.size() && types[type] != Schema::k_none) state_ = types[type];
}

template <Packing packing, class Values, XmlSink Sink, class Trace, bool informed>
std::uint32_t Decoder<packing, Values, Sink, Trace, informed>::lexical_type(
    std::string_view text) const {
    return type_in_scope(learned_->names, t_.scope, text);
}

}  // namespace perfrelay::exi
