#pragma once
// Decoder: the body of a stream (EXI 4, 8) pushed into a sink. One body, compiled for each packing,
// for values in place or in channels, for each sink and with or without a trace.
//
// It runs over states: read an event code, take the production, read the event's content, go where
// the production leads. Elements that are open lie on a stack of ours; nothing recurses.
//  - values come as text; an xsi:type without kept prefixes gets one ("ns3" for the fourth URI) and
//    a declaration for it, unless the stream keeps lexical values;
//  - beyond the grammar it refuses what no XML document has: an attribute or a declaration twice on
//    an element, a second DOCTYPE.
// Contract: Limits hold for depth, attributes, names, text, and what hits of long values add up to;
// every loop consumes bits of the stream. Tested by tests/unit/proto/exi/ and
// tests/conformance/exi.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/limits.h"
#include "proto/exi/block.h"
#include "proto/exi/decoder_tables.h"
#include "proto/exi/item_reader.h"
#include "proto/exi/trace.h"
#include "proto/exi/typed_delivery.h"
#include "proto/exi/typed_items.h"
#include "proto/model/xml_sink.h"

namespace perfrelay::exi {

// Bounds of what would be quadratic, or costs a table each.
inline constexpr std::size_t k_most_declarations = 1000;
inline constexpr std::size_t k_most_contained = 64;
// Events in a row that come out of a schema and no bits: it may ask for more than there is memory.
inline constexpr std::uint32_t k_most_free = 1'000'000;

// How values lie in the stream, for a body whose values are in place: nowhere else.
struct InPlace {
    static constexpr bool k_in_channels = false;
};

// What a decoder has of a schema: nothing without one.
template <Packing packing, bool informed>
struct DecoderSchema {
    DecoderSchema(BitReader<packing>&, ItemReader<packing>&, DecoderTables&, const Options&) {}
};
template <Packing packing>
struct DecoderSchema<packing, true> {
    DecoderSchema(BitReader<packing>& reader, ItemReader<packing>& items, DecoderTables& tables,
                  const Options& options)
        : schema(*tables.schema),
          strict(options.strict ? 1 : 0),
          values(reader, items, tables.text, *tables.datatypes),
          typed(reader, items, tables.text, *tables.datatypes) {}

    const Schema& schema;
    const std::size_t strict;
    TypedReader<packing> values;
    TypedDelivery<packing> typed;  // for sinks that take them
    std::uint32_t free = 0;        // events in a row whose code took no bits
    std::uint64_t free_at = 0;     // where the stream was when they were last looked at
};

// `informed`: by a schema, whose states are then among those that the decoder goes through. What is
// only of use there is in decoder_informed.h.
template <Packing packing, class Values, XmlSink Sink, class Trace = NoTrace, bool informed = false>
class Decoder {
    static constexpr bool k_in_channels = Values::k_in_channels;
    // Values of a type come as what they are, not as text.
    static constexpr bool k_typed = informed && !k_in_channels && TypedSink<Sink>;
    static constexpr bool k_leaves = informed && !k_in_channels && !Trace::k_active;

  public:
    static constexpr bool k_informed = informed;

    Decoder(const Options& options, const Limits& limits, DecoderTables& tables,
            BitReader<packing> reader, Values& values, Sink& sink, Trace& trace)
        : options_(options),
          limits_(limits),
          t_(tables),
          values_(values),
          sink_(sink),
          trace_(trace),
          reader_(std::move(reader)),
          items_(reader_, tables.text, limits),
          learned_(tables.learned.front().get()),
          informed_(reader_, items_, tables, options) {}

    Result<> run() {
        sink_.start_document();
        state_ = start_state(options_.fragment);
        while (step()) {
        }
        if (reader_.failed()) return reader_.error();
        sink_.end_document();
        return {};
    }

    // For values in channels.
    BitReader<packing>& reader() { return reader_; }
    void stream_ended([[maybe_unused]] std::size_t from, [[maybe_unused]] std::size_t to) {
        if constexpr (Trace::k_active) trace_.packed(from, to);
    }
    std::string_view channel_value(std::uint32_t name, std::uint32_t type) {
        [[maybe_unused]] std::uint64_t before = 0;
        if constexpr (Trace::k_active) before = reader_.position();
        const std::string_view text = value_text(name, type);
        if constexpr (Trace::k_active)
            trace_.value(learned_->names[name].qname, text, reader_.position() - before);
        (void)deliver(text);
        return text;
    }

  private:
    // One event. False after the last, and after a failure.
    bool step() {
        trace_start();
        Production taken = event_code();
        if constexpr (k_leaves) {
            while (taken.event == Event::start_element && !reader_.failed() &&
                   !options_.preserve.prefixes) {
                if (leaf(taken)) return true;
            }
        }
        if (reader_.failed()) [[unlikely]]
            return false;
        if (taken.event != Event::namespace_declaration && taken.event != Event::self_contained) {
            if (starting_ && !repeats_ && !open_pending()) [[unlikely]]
                return false;
        }
        switch (taken.event) {
            case Event::start_element: start_element(taken); break;
            case Event::any_element: any_element(taken); break;
            case Event::end_element: end_element(); break;
            case Event::attribute: attribute(taken.name, taken.next, taken.target); break;
            case Event::any_attribute: any_attribute(taken); break;
            case Event::characters:
                state_ = taken.next;
                characters(taken.target);
                break;
            case Event::end_document:
                if (t_.contained.empty()) return end_document();
                end_self_contained();
                break;
            case Event::any_element_of:
            case Event::any_attribute_of:
            case Event::type_attribute:
            case Event::nil_attribute:
            case Event::untyped_attribute:
                if constexpr (informed) informed_event(taken);
                break;
            default: rare(taken); break;
        }
        trace_end(taken.event);
        if constexpr (k_in_channels) return !reader_.failed() && values_.keep_up(*this, sink_);
        return true;
    }

    // With a schema most elements are a value and their end: read in this order, without a jump
    // that the processor has to guess. False: `taken` is then what came instead.
    bool leaf(Production& taken) {
        // A schema does not fit the nearest cache: where it goes on is asked for early.
        const std::uint32_t behind = taken.next;
        ask_for_state(taken.target);
        ask_for_state(behind);
        start_element(taken);
        taken = event_code();
        if (taken.event != Event::characters || reader_.failed()) return false;
        ask_for_productions(behind);
        state_ = taken.next;
        characters(taken.target);
        taken = event_code();
        if (taken.event != Event::end_element || reader_.failed()) return false;
        end_element();
        return true;
    }

    // EXI 6.2
    Production event_code() {
        if constexpr (informed) {
            if (Schema::is_state(state_)) return informed_code();
        }
        State& from = learned_->grammars[state_];
        const std::uint32_t first = reader_.bits(from.width);
        const std::size_t count = from.productions.size();
        trace_part(first, from.width);
        if (first < count) [[likely]]
            return from.productions[count - 1 - first];
        if (first == count && from.escape) return second_level(from);
        return no_such_code();
    }
    Production no_such_code() {
        reader_.fail(Errc::malformed, "EXI 6.2: no event has this code here");
        return {};
    }

    // The parts behind the first, of comments and instructions too. False: there is no such code.
    bool second_part(const SecondLevel& level, Event& event) {
        const std::uint32_t second = reader_.bits(level.width);
        trace_part(second, level.width);
        if (second < level.count) {
            event = level.events[second];
            return true;
        }
        if (second != level.count || level.third_count == 0) return false;
        const std::uint32_t third = reader_.bits(level.third_width);
        trace_part(third, level.third_width);
        // Aligned to bytes, a part can be larger than its width says.
        if (third >= level.third_count) return false;
        event = level.thirds[third];
        return true;
    }
    Production second_level(const State& from) {
        Event event = Event::end_document;
        if (!second_part(t_.levels[from.kind], event)) return no_such_code();
        const std::uint32_t content = learned_->grammars.content_of(state_);
        switch (event) {
            case Event::characters: learned_->grammars.learn_characters(state_); break;
            case Event::end_element: learned_->grammars.learn_end(state_); break;
            default: break;
        }
        return {.event = event, .next = content};
    }

    void any_element(const Production& taken) {
        const std::uint32_t name = items_.qname(*learned_);
        if (reader_.failed()) return;
        // EXI 8.4.3: in this order.
        const std::uint32_t target = learned_->grammars.element(name);
        if (!in_schema_state()) learned_->grammars.learn_element(state_, name, target);
        start_element({Event::start_element, 0, name, taken.next, target});
    }

    void start_element(const Production& taken) {
        const Names::Name& name = learned_->names[taken.name];
        if (t_.open.size() - t_.contained.size() >= limits_.max_depth) {
            reader_.fail(Errc::limit_exceeded, "elements nested deeper than the limit");
            return;
        }
        if (!t_.contained.empty() && !check_contained(*name.qname)) [[unlikely]]
            return;
        DecoderTables::Open& open = t_.open.emplace_back();
        open.name = name.qname;
        open.number = taken.name;
        open.next = taken.next;
        state_ = taken.target;
        ++elements_;
        attributes_ = 0;
        if (options_.preserve.prefixes) {
            start_prefixed(name.uri);
            return;
        }
        trace_name(name.qname);
        if (repeats_) [[unlikely]] {
            repeats_ = false;
            return;
        }
        if constexpr (k_in_channels) {
            values_.block().add(Block::Kind::start_element, name.qname);
        } else {
            sink_.start_element(name.qname);
        }
    }

    void end_element() {
        const DecoderTables::Open& last = t_.open.back();
        if constexpr (k_in_channels) {
            values_.block().add(Block::Kind::end_element, last.name);
        } else {
            sink_.end_element(last.name);
        }
        state_ = last.next;
        t_.open.pop_back();
        if constexpr (informed) {
            while (!t_.scope.empty() && t_.scope.back().depth > t_.open.size())
                t_.scope.pop_back();
        }
    }

    void any_attribute([[maybe_unused]] const Production& taken) {
        const std::uint32_t name = items_.qname(*learned_);
        if (reader_.failed()) return;
        if constexpr (informed) {
            if (Schema::is_state(state_)) return wildcard_attribute(name, taken.next);
        }
        learned_->grammars.learn_attribute(state_, name, name == learned_->names.xsi_type());
        attribute(name, state_, 0);
    }

    void attribute(std::uint32_t name, std::uint32_t next, std::uint32_t type) {
        state_ = next;
        std::uint32_t& last = learned_->last_element[name];
        if (last == elements_) {
            reader_.fail(Errc::malformed, "EXI B.3: an attribute twice on an element");
            return;
        }
        last = elements_;
        if (++attributes_ > limits_.max_attributes) {
            reader_.fail(Errc::limit_exceeded, "more attributes on an element than the limit");
            return;
        }
        const QName* qname = learned_->names[name].qname;
        if (options_.preserve.prefixes) {
            qname = prefixed_attribute(name);
            if (qname == nullptr) return;
        }
        trace_name(qname);
        if (name == learned_->names.xsi_type()) [[unlikely]] {
            type_attribute(qname);
            return;
        }
        if constexpr (k_in_channels) {
            values_.block().add_value(Block::Kind::attribute, qname, name);
            add_type(name, type);
        } else {
            if constexpr (k_typed) {
                if (type != 0)
                    return count(informed_.typed.attribute(*learned_, name, type, qname, sink_));
            }
            const std::string_view text = value_text(name, type);
            trace_value(text);
            if (deliver(text)) sink_.attribute(qname, text);
        }
    }

    void characters(std::uint32_t type) {
        const std::uint32_t name = t_.open.back().number;
        if constexpr (k_in_channels) {
            values_.block().add_value(Block::Kind::characters, t_.open.back().name, name);
            add_type(name, type);
        } else {
            if constexpr (k_typed) {
                if (type != 0) return count(informed_.typed.content(*learned_, name, type, sink_));
            }
            const std::string_view text = value_text(name, type);
            trace_value(text);
            if (deliver(text) && !text.empty()) sink_.characters(text);
        }
    }

    // Of the datatype, where there is a schema.
    std::string_view value_text(std::uint32_t name, [[maybe_unused]] std::uint32_t type) {
        if constexpr (informed) {
            if (type != 0) return informed_.values.text(*learned_, name, type);
        }
        return items_.value(*learned_, name);
    }
    void add_type([[maybe_unused]] std::uint32_t name, [[maybe_unused]] std::uint32_t type) {
        if constexpr (informed) values_.block().channel(name).types.push_back(type);
    }

    // Values that are hits cost the sender a few bits, whatever their length.
    bool deliver(std::string_view text) {
        count(text.size());
        return !reader_.failed();
    }
    void count(std::size_t bytes) {
        delivered_ += bytes;
        if (delivered_ > limits_.max_document) [[unlikely]]
            reader_.fail(Errc::limit_exceeded, "the document is larger than the limit");
    }

    bool end_document() {
        trace_end(Event::end_document);
        if constexpr (k_in_channels) {
            if (!values_.finish(*this, sink_)) return false;
        }
        if (!reader_.at_end())
            reader_.fail(Errc::malformed, "EXI 4: bytes behind the end of the document");
        return false;
    }

    // Prefixes (EXI 7.1.7), declarations, self-contained elements, and what is rare: decoder_rare.h
    void start_prefixed(std::uint32_t uri);
    bool open_pending();
    const QName* prefixed_attribute(std::uint32_t name);
    void namespace_declaration();
    void type_attribute(const QName* name);
    void typed_type_attribute(const QName* name);
    std::string_view type_name(std::uint32_t& type);
    void rare(const Production& taken);
    void comment_or_other(Event event);
    void doctype();
    void start_self_contained();
    bool check_contained(const QName& name);
    void end_self_contained();
    void declare(std::string_view prefix, std::string_view uri);

    // With a schema: decoder_informed.h
    void ask_for_state(std::uint32_t state) const;
    void ask_for_productions(std::uint32_t state) const;
    std::uint32_t start_state(bool fragment) const;
    bool in_schema_state() const { return informed && Schema::is_state(state_); }
    Production informed_code();
    Production informed_second(const Schema::State& from);
    void informed_event(const Production& taken);
    void wildcard_attribute(std::uint32_t name, std::uint32_t next);
    void nil_attribute(const QName* name);
    void go_to_type(std::uint32_t type);
    std::uint32_t lexical_type(std::string_view text) const;

    void trace_start() {
        if constexpr (Trace::k_active) {
            traced_ = {};
            mark_ = traced_.at = reader_.position();
        }
    }
    void trace_part([[maybe_unused]] std::uint32_t value, [[maybe_unused]] unsigned width) {
        if constexpr (Trace::k_active) {
            traced_.parts[traced_.part_count++] = value;
            traced_.code_bits += passed();
        }
    }
    void trace_name([[maybe_unused]] const QName* name) {
        if constexpr (Trace::k_active) {
            traced_.name = name;
            traced_.name_bits += passed();
        }
    }
    void trace_value([[maybe_unused]] std::string_view value,
                     [[maybe_unused]] std::string_view second = {}) {
        if constexpr (Trace::k_active) {
            traced_.has_value = true;
            traced_.value = value;
            traced_.second = second;
            traced_.value_bits += passed();
        }
    }
    // As event listings have it, and the internal subset.
    void trace_doctype([[maybe_unused]] const Doctype& found) {
        if constexpr (Trace::k_active) {
            std::string text(found.name);
            for (const std::string_view part : {found.public_id, found.system_id})
                text.append("|").append(part);
            trace_value(t_.text.copy(text), found.internal_subset);
        }
    }
    void trace_end([[maybe_unused]] Event event) {
        if constexpr (Trace::k_active) {
            traced_.event = event;
            trace_.event(traced_);
        }
    }
    std::uint64_t passed() {
        const std::uint64_t now = reader_.position();
        const std::uint64_t bits = now - mark_;
        mark_ = now;
        return bits;
    }

    const Options& options_;
    const Limits& limits_;
    DecoderTables& t_;
    Values& values_;
    Sink& sink_;
    Trace& trace_;
    BitReader<packing> reader_;
    ItemReader<packing> items_;
    LearnedTables* learned_;
    [[no_unique_address]] DecoderSchema<packing, informed> informed_;
    std::uint32_t state_ = 0;
    std::uint32_t elements_ = 0;  // so far; the element that is open has this number
    std::size_t attributes_ = 0;  // of it
    std::uint64_t delivered_ = 0;
    bool had_doctype_ = false;
    // An element whose declarations are still read; its prefix is known after them.
    bool starting_ = false;
    bool has_prefix_ = false;
    bool own_declaration_ = false;  // local-element-ns was seen
    bool repeats_ = false;          // the next SE is that of a self-contained element, again
    std::string_view prefix_;
    TracedEvent traced_;
    std::uint64_t mark_ = 0;
};

}  // namespace perfrelay::exi

#include "proto/exi/decoder_informed.h"
#include "proto/exi/decoder_rare.h"
