#pragma once
// Encoder: an XmlSink that writes the body of a stream (EXI 6, 8). One body, compiled for each
// packing and for values in place or in channels.
//
// The mirror of Decoder: it goes from state to state, and for each event finds the production with
// the shortest code. Which one that is was mostly seen before: each production remembers which one
// came after it in its state, so that one comparison finds it; else a few are looked through, else
// one hash.
//  - events whose fidelity option is off are left out, and text on both sides of them is one;
//  - `k_stable` false: the texts pushed live during the call only, and what must stay is copied;
//  - what a stream cannot hold makes the encoder fail for good: `finish` says why.
// Contract: writes through a BitWriter that only appends. Names are of one source at a time.
// Tested by tests/unit/proto/exi/ and tests/conformance/exi.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "proto/exi/bit_writer.h"
#include "proto/exi/encoder_tables.h"
#include "proto/exi/options.h"
#include "proto/exi/typed_items.h"
#include "proto/exi/write_value.h"
#include "proto/model/xml_sink.h"

namespace perfrelay::exi {

struct WrittenInPlace {
    static constexpr bool k_in_channels = false;
};

// What an encoder has of a schema: nothing without one.
template <bool informed>
struct EncoderSchema {
    explicit EncoderSchema(const EncoderTables&, const EncoderOptions&) {}
};
template <>
struct EncoderSchema<true> {
    EncoderSchema(const EncoderTables& tables, const EncoderOptions& options)
        : schema(*tables.schema),
          datatypes(*tables.datatypes),
          strict(options.stream.strict ? 1 : 0),
          limited(options.stream.profile.limits_grammars()) {}

    const Schema& schema;
    const Datatypes& datatypes;
    const std::size_t strict;
    // EXI Profile: encoder_profile.h
    const bool limited;
    bool attributed = false;    // the element that is open last has attributes
    std::uint32_t learned = 0;  // productions
    Value value;                // the last that was asked about
    std::string scratch;        // its text, when it is not as it came
    std::string groups;
};

// `informed`: by a schema; what is only of use there is in encoder_informed.h.
template <Packing packing, class Values, bool k_stable, bool informed = false>
class Encoder {
    static constexpr bool k_in_channels = Values::k_in_channels;
    static constexpr bool k_looks_ahead = k_stable && !k_in_channels && !informed;

  public:
    static constexpr bool k_informed = informed;

    Encoder(const EncoderOptions& options, EncoderTables& tables, BitWriter<packing> writer,
            Values& values)
        : options_(options),
          keep_(options.stream.preserve),
          t_(tables),
          values_(values),
          writer_(writer),
          written_(tables.written.front().get()),
          informed_(tables, options),
          leaves_out_(!options.keep_schema_location || !options.keep_nil_false) {}

    // What is pushed is this tape.
    void look_ahead(std::span<const XmlTape::Event> events) {
        if constexpr (k_looks_ahead) t_.ahead.start(events, written_->values);
    }

    void start_document() { state_ = start_state(options_.stream.fragment); }

    void start_element(const QName* name) {
        settle();
        write_start(name);
        // A prefix declared outside would be unknown inside (EXI 7.1.7): such an element is written
        // as any other.
        if (options_.stream.self_contained && is_contained(*name) &&
            (!keep_.prefixes || t_.scope.empty())) {
            contain(name);
        }
    }

    void namespace_declaration(std::string_view prefix, std::string_view uri);

    // EXI 6: xsi:type and xsi:nil come first, so all of an element are waited for.
    void attribute(const QName* name, std::string_view value) {
        const std::uint32_t number = known(name);
        if (number == names().xsi_type() || number == names().xsi_nil()) [[unlikely]]
            sort_ = true;
        if constexpr (!k_stable) value = t_.attribute_text.copy(value);
        EncoderTables::Attribute& added = t_.attributes.emplace_back();
        added.name = name;
        added.value = value;
        added.number = number;
        added.ahead = pass();
    }

    void characters(std::string_view piece) {
        text_ahead_ = pass();
        if (piece.empty()) return;
        if (!has_text_) {
            has_text_ = true;
            if constexpr (k_stable) {
                text_ = piece;
                return;
            }
            t_.joined.clear();
        } else if (t_.joined.empty() || text_.data() != t_.joined.data()) {
            t_.joined.assign(text_);
        }
        t_.joined += piece;
        text_ = t_.joined;
    }

    void end_element(const QName* /*name*/) {
        settle();
        write_end();
        const EncoderTables::Open last = t_.open.back();
        t_.open.pop_back();
        while (!t_.scope.empty() && t_.scope.back().depth > t_.open.size())
            t_.scope.pop_back();
        state_ = last.next;
        if (last.contained) release();
    }

    void comment(std::string_view text);
    void processing_instruction(std::string_view target, std::string_view data);
    void entity_reference(std::string_view name);
    void doctype(const Doctype& doctype);
    void end_document();

    Result<> finish() const {
        if (fault_.where[0] != '\0') return fault_;
        return {};
    }

  private:
    void write_end() {
        if constexpr (informed) {
            if (Schema::is_state(state_)) return informed_end();
        }
        State& from = grammars()[state_];
        if (from.learned_end && usable(from, from.end_at)) {
            write_first(from, from.end_at);
        } else if (!learns_no_more()) {
            write_second(from, Event::end_element);
            grammars().learn_end(state_);
            count_learned();
        } else {
            write_end();
        }
    }

    Grammars& grammars() { return written_->grammars; }
    Names& names() { return written_->names; }

    // Text and attributes that waited for the next event.
    void settle() {
        if (!t_.declarations.empty()) [[unlikely]]
            write_declarations();
        if (!t_.attributes.empty()) write_attributes();
        if (has_text_) write_text();
    }

    void write_text() {
        has_text_ = false;
        if (t_.open.empty()) return fail("EXI 8.4.1: text outside the root element");
        if constexpr (informed) {
            if (Schema::is_state(state_)) return informed_text();
        }
        State& from = grammars()[state_];
        const std::uint32_t next = grammars().content_of(state_);
        if (from.learned_text && usable(from, from.text_at)) {
            write_first(from, from.text_at);
        } else if (!learns_no_more()) {
            write_second(from, Event::characters);
            grammars().learn_characters(state_);
            count_learned();
        } else {
            return write_text();
        }
        state_ = next;
        value(t_.open.back().number, text_, text_ahead_);
    }

    void write_start(const QName* name) {
        if constexpr (informed) {
            if (Schema::is_state(state_)) return informed_start(name);
        }
        State& from = grammars()[state_];
        std::uint32_t number = known(name);
        std::uint32_t next = 0;
        const std::uint32_t at = find(from, Event::start_element, number);
        if (at != k_none) {
            const Production& production = from.productions[at];
            write_first(from, at);
            next = production.next;
            state_ = production.target;
        } else if (learns_no_more()) {
            return write_start(name);
        } else {
            // Built-in: SE(*) is at the second level but for document and fragment (EXI 8.4).
            next = write_wildcard(from, Event::any_element);
            number = write_qname(name);
            const std::uint32_t target = grammars().element(number);
            const std::size_t before = grammars()[state_].productions.size();
            grammars().learn_element(state_, number, target);
            learned(before);
            count_learned();
            state_ = target;
        }
        opened({.name = name, .number = number, .next = next});
    }
    void opened(const EncoderTables::Open& open) {
        t_.open.push_back(open);
        if (keep_.prefixes) write_prefix(open.name, open.number, true);
        element_ = open.name;
        if constexpr (informed) informed_.attributed = false;
    }

    void write_attributes() {
        if constexpr (informed) return informed_attributes();
        if (sort_ || options_.canonical) [[unlikely]]
            sort_attributes();
        for (const EncoderTables::Attribute& attribute : t_.attributes)
            write_attribute(attribute);
        t_.attributes.clear();
        if constexpr (!k_stable) t_.attribute_text.clear();
    }

    void write_attribute(const EncoderTables::Attribute& attribute) {
        const auto [name, value_text, known_number, ahead] = attribute;
        std::uint32_t number = known_number;
        if (leaves_out_ && left_out(name, value_text)) [[unlikely]]
            return;
        if constexpr (informed) {
            if (Schema::is_state(state_)) return informed_attribute(name, number, value_text);
        }
        if constexpr (informed) {
            if (informed_.limited && number == names().xsi_type()) [[unlikely]]
                return limited_type(name, value_text);
        }
        State& from = grammars()[state_];
        const std::uint32_t at = find(from, Event::attribute, number);
        if (at != k_none) {
            write_first(from, at);
        } else if (learns_no_more()) {
            return write_attribute(attribute);
        } else {
            (void)write_wildcard(from, Event::any_attribute);
            number = write_qname(name);
            const std::size_t before = from.productions.size();
            grammars().learn_attribute(state_, number, number == names().xsi_type());
            learned(before);
            count_learned();
        }
        if constexpr (informed) informed_.attributed = true;
        if (keep_.prefixes) write_prefix(name, number, false);
        if (number == names().xsi_type()) [[unlikely]] {
            // EXI 9.2.1: in the structure channel, even as a string.
            type_value(value_text);
            return;
        }
        value(number, value_text, ahead);
    }

    // The next value has come: its number there.
    std::uint32_t pass() {
        if constexpr (k_looks_ahead) return t_.ahead.pass(written_->values);
        return 0;
    }

    // Of xsi:type, whose code is written.
    void type_value(std::string_view text) {
        std::uint32_t type = Names::k_none;
        if (keep_.lexical_values) {
            write_value(writer_, written_->values, names().xsi_type(), keep(text),
                        WriteValues::Key(text));
            if constexpr (informed) type = lexical_type(text);
        } else {
            type = write_type(text);
        }
        if constexpr (informed) go_to_type(type);
    }

    // A value in its place, or into its channel.
    void value(std::uint32_t number, std::string_view text,
               [[maybe_unused]] std::uint32_t ahead = 0) {
        if constexpr (k_in_channels) {
            values_.add(t_, *written_, number, keep(text));
            if (values_.full()) values_.end_block(t_, *written_, *this);
        } else {
            if constexpr (k_looks_ahead) {
                const WriteValues::Key& key = t_.ahead.key(ahead, text);
                write_value(writer_, written_->values, number, keep(text), key);
            } else {
                write_value(writer_, written_->values, number, keep(text), WriteValues::Key(text));
            }
        }
    }
    std::string_view keep(std::string_view text) {
        if constexpr (k_stable) {
            // What was joined here is not the source's.
            if (text.data() != t_.joined.data()) return text;
        }
        return t_.text.copy(text);
    }

    // As `keep`, of a text that may have been normalised; what text_of made is kept already.
    std::string_view keep_value(std::string_view text) {
        if constexpr (k_stable) {
            if (text.data() != informed_.scratch.data()) return keep(text);
        }
        return t_.text.copy(text);
    }

    static constexpr std::uint32_t k_none = UINT32_MAX;

    // The number of a name, or k_none when nothing of it was written yet.
    std::uint32_t known(const QName* name) {
        if (name->expanded < written_->known.size()) [[likely]] {
            const std::uint32_t number = written_->known[name->expanded];
            if (number != k_none) return number;
        }
        return look_up(name);
    }

    // The production, or k_none.
    std::uint32_t find(State& from, Event event, std::uint32_t number) {
        if (from.productions.empty()) return k_none;
        if constexpr (informed) {
            if (from.usable != State::k_all) [[unlikely]]
                return find_usable(from, event, number);
        }
        const std::uint32_t likely = from.productions[from.last].hint;
        if (likely < from.productions.size()) {
            const Production& production = from.productions[likely];
            if (production.name == number && production.event == event) return likely;
        }
        return search(from, event, number);
    }

    // EXI Profile: encoder_profile.h. Whether a state's production may be written; whether the
    // state must learn nothing more, so that the encoder has gone to one that has what it needs.
    bool usable([[maybe_unused]] const State& from, [[maybe_unused]] std::uint32_t at) const {
        if constexpr (informed) return from.usable == State::k_all || at < from.usable;
        return true;
    }
    bool learns_no_more() {
        if constexpr (informed) return informed_.limited && limit_learning();
        return false;
    }
    void count_learned() {
        if constexpr (informed) ++informed_.learned;
    }
    bool over_limit(const State& from) const;
    bool limit_learning();
    std::uint32_t find_usable(const State& from, Event event, std::uint32_t number) const;
    void write_any_type();
    void write_type_attribute();
    std::string declared_prefix(std::string_view uri, std::string wish);
    void limited_type(const QName* name, std::string_view text);

    // EXI 6.2: the first part. The production is at `at`.
    void write_first(State& from, std::uint32_t at) {
        if (at <= UINT16_MAX) from.productions[from.last].hint = static_cast<std::uint16_t>(at);
        from.last = at;
        writer_.bits(from.width, static_cast<std::uint32_t>(from.productions.size()) - 1 - at);
    }
    void write_second(const State& from, Event event) {
        writer_.bits(from.width, static_cast<std::uint32_t>(from.productions.size()));
        const SecondLevel& level = t_.levels[from.kind];
        const auto index = static_cast<std::size_t>(event);
        writer_.bits(level.width, level.second_of[index]);
        if (level.third_of[index] != SecondLevel::k_absent)
            writer_.bits(level.third_width, level.third_of[index]);
    }

    // Less common: encoder_rare.h
    std::uint32_t write_wildcard(State& from, Event event);
    std::uint32_t write_qname(const QName* name);
    std::uint32_t write_uri(std::string_view text);
    void write_known_uri(std::uint32_t uri);
    void write_local(std::uint32_t number);
    std::uint32_t write_local(std::uint32_t uri, std::string_view local) {
        const std::uint32_t number = names().number(uri, local);
        write_local(number);
        return number;
    }
    void write_prefix(const QName* name, std::uint32_t number, bool element);
    std::uint32_t write_type(std::string_view value);
    void write_undeclared(Event event);
    void write_end_document();
    void settle_part();
    std::uint32_t content_of(std::uint32_t state) {
        if constexpr (informed) {
            if (Schema::is_state(state)) return informed_.schema.state(state).content;
        }
        return grammars().content_of(state);
    }

    // With a schema: encoder_informed.h
    std::uint32_t start_state(bool fragment) const;
    void informed_start(const QName* name);
    void informed_attributes();
    void informed_attribute(const QName* name, std::uint32_t number, std::string_view text);
    void informed_nil(std::string_view text);
    void informed_text();
    void informed_end();
    void informed_end_document();
    bool has_undeclared(Event event) const;
    void write_declared(const Schema::State& from, std::uint32_t at);
    bool representable(std::uint32_t type, std::string_view text);
    bool comes_back(std::uint32_t type, std::string_view text);
    void fold_to_utc(const Datatype& datatype);
    void typed_value(std::uint32_t number, std::uint32_t type);
    template <Packing other>
    void write_typed_text(BitWriter<other>& writer, std::uint32_t name, std::string_view text,
                          std::uint32_t type);
    template <Packing other>
    void write_typed_value(BitWriter<other>& writer, std::uint32_t name, std::uint32_t type);
    void untyped_attribute(const QName* name, std::uint32_t number, std::string_view text,
                           const Schema::State& from, std::uint32_t at);
    void go_to_type(std::uint32_t type);
    std::uint32_t lexical_type(std::string_view text) const;
    void mismatch(std::string found);

    void write_declaration(std::string_view prefix, std::string_view uri);
    void write_declarations();
    void sort_attributes();
    std::uint32_t look_up(const QName* name);
    void know(const QName* name, std::uint32_t number);
    std::uint32_t search(State& from, Event event, std::uint32_t number);
    std::uint64_t far_key(Event event, std::uint32_t number) const;
    void learned(std::size_t before);
    bool left_out(const QName* name, std::string_view value) const;
    bool is_contained(const QName& name) const;
    void contain(const QName* name);
    void release();
    void fail(const char* where) {
        if (fault_.where[0] == '\0') fault_ = {.code = Errc::unsupported, .where = where};
    }

    friend Values;

    const EncoderOptions& options_;
    const Preserve keep_;
    EncoderTables& t_;
    Values& values_;
    BitWriter<packing> writer_;
    WrittenTables* written_;
    [[no_unique_address]] EncoderSchema<informed> informed_;
    std::size_t contained_ = 0;
    std::uint32_t state_ = 0;
    const QName* element_ = nullptr;
    std::string_view text_;
    std::uint32_t text_ahead_ = 0;
    bool has_text_ = false;
    bool part_ = false;  // the text that is settled may go on
    bool sort_ = false;  // xsi:type or xsi:nil is among them
    const bool leaves_out_;
    Error fault_{.where = ""};
};

}  // namespace perfrelay::exi

#include "proto/exi/encoder_informed.h"
#include "proto/exi/encoder_profile.h"
#include "proto/exi/encoder_rare.h"
