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
#include "proto/model/xml_sink.h"

namespace perfrelay::exi {

// Bounds of what would be quadratic, or costs a table each.
inline constexpr std::size_t k_most_declarations = 1000;
inline constexpr std::size_t k_most_contained = 64;

// How values lie in the stream, for a body whose values are in place: nowhere else.
struct InPlace {
    static constexpr bool k_in_channels = false;
};

template <Packing packing, class Values, XmlSink Sink, class Trace = NoTrace>
class Decoder {
    static constexpr bool k_in_channels = Values::k_in_channels;

  public:
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
          learned_(tables.learned.front().get()) {}

    Result<> run() {
        sink_.start_document();
        state_ = options_.fragment ? Grammars::k_fragment : Grammars::k_document;
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
    std::string_view channel_value(std::uint32_t name) {
        [[maybe_unused]] std::uint64_t before = 0;
        if constexpr (Trace::k_active) before = reader_.position();
        const std::string_view text = items_.value(*learned_, name);
        if constexpr (Trace::k_active)
            trace_.value(learned_->names[name].qname, text, reader_.position() - before);
        (void)deliver(text);
        return text;
    }

  private:
    // One event. False after the last, and after a failure.
    bool step() {
        trace_start();
        const Production taken = event_code();
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
            case Event::attribute: attribute(taken.name, taken.next); break;
            case Event::any_attribute: any_attribute(); break;
            case Event::characters:
                state_ = taken.next;
                characters();
                break;
            case Event::end_document:
                if (t_.contained.empty()) return end_document();
                end_self_contained();
                break;
            default: rare(taken); break;
        }
        trace_end(taken.event);
        if constexpr (k_in_channels) return !reader_.failed() && values_.keep_up(*this, sink_);
        return true;
    }

    // EXI 6.2
    Production event_code() {
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

    Production second_level(const State& from) {
        const SecondLevel& level = t_.levels[from.kind];
        const std::uint32_t second = reader_.bits(level.width);
        trace_part(second, level.width);
        Event event = Event::end_document;
        if (second < level.count) {
            event = level.events[second];
        } else if (second == level.count && level.third_count != 0) {
            const std::uint32_t third = reader_.bits(level.third_width);
            trace_part(third, level.third_width);
            // Aligned to bytes, a part can be larger than its width says.
            if (third >= level.third_count) return no_such_code();
            event = level.thirds[third];
        } else {
            return no_such_code();
        }
        const std::uint32_t content = learned_->grammars.content_of(state_);
        switch (event) {
            case Event::characters: learned_->grammars.learn_characters(state_); break;
            case Event::end_element: learned_->grammars.learn_end(state_); break;
            case Event::doctype:
                if (had_doctype_) reader_.fail(Errc::malformed, "EXI B.1: a second DOCTYPE");
                had_doctype_ = true;
                break;
            default: break;
        }
        return {.event = event, .next = content};
    }

    void any_element(const Production& taken) {
        const std::uint32_t name = items_.qname(*learned_);
        if (reader_.failed()) return;
        // EXI 8.4.3: in this order.
        const std::uint32_t target = learned_->grammars.element(name);
        learned_->grammars.learn_element(state_, name, target);
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
    }

    void any_attribute() {
        const std::uint32_t name = items_.qname(*learned_);
        if (reader_.failed()) return;
        learned_->grammars.learn_attribute(state_, name, name == learned_->names.xsi_type());
        attribute(name, state_);
    }

    void attribute(std::uint32_t name, std::uint32_t next) {
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
        } else {
            const std::string_view text = items_.value(*learned_, name);
            trace_value(text);
            if (deliver(text)) sink_.attribute(qname, text);
        }
    }

    void characters() {
        const std::uint32_t name = t_.open.back().number;
        if constexpr (k_in_channels) {
            values_.block().add_value(Block::Kind::characters, t_.open.back().name, name);
        } else {
            const std::string_view text = items_.value(*learned_, name);
            trace_value(text);
            if (deliver(text) && !text.empty()) sink_.characters(text);
        }
    }

    // Values that are hits cost the sender a few bits, whatever their length.
    bool deliver(std::string_view text) {
        delivered_ += text.size();
        if (delivered_ > limits_.max_document) [[unlikely]]
            reader_.fail(Errc::limit_exceeded, "the document is larger than the limit");
        return !reader_.failed();
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
    std::string_view type_name();
    void rare(const Production& taken);
    void comment_or_other(Event event);
    void doctype();
    void start_self_contained();
    bool check_contained(const QName& name);
    void end_self_contained();
    void declare(std::string_view prefix, std::string_view uri);

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

#include "proto/exi/decoder_rare.h"
