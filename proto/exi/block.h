#pragma once
// Block: what a decoder knows of a block of events (EXI 9.1) until its values are read: the
// structure, four bytes an event, and how many values each channel has.
//
// A value channel belongs to a name (EXI 9.2.2), attribute or element alike. Values are asked for
// in the order in which the stream has them (EXI 9.3) and then handed out in the order of events.
// Contract: memory stays for the next block. Tested by tests/unit/proto/exi/streaming_test.cpp and
// tests/conformance/exi.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proto/model/xml_sink.h"

namespace perfrelay::exi {

// EXI 9.3: channels of more values have a compressed stream of their own.
inline constexpr std::size_t k_small_channel = 100;

class Block {
  public:
    enum class Kind : std::uint8_t {
        start_element,
        end_element,
        attribute,
        characters,
        known_attribute,  // its value is in the structure channel: xsi:type
        namespace_declaration,
        comment,
        processing_instruction,
        entity_reference,
        doctype,
    };
    // The kind in the top four bits, below them the id of the name, if there is one.
    using Event = std::uint32_t;
    struct Channel {
        std::vector<std::string_view> values;
        std::vector<std::uint32_t> types;  // with a schema: the datatype of each
        std::size_t expected = 0;
        std::size_t next = 0;
    };

    void clear() {
        events_.clear();
        texts_.clear();
        for (const std::uint32_t name : order_) {
            Channel& channel = channels_[name];
            channel.values.clear();
            channel.types.clear();
            channel.expected = channel.next = 0;
        }
        order_.clear();
        values_ = 0;
    }

    // An event without value, or with its texts here.
    void add(Kind kind, const QName* name) { add_event(kind, name->id, name); }
    void add(Kind kind, const QName* name, std::string_view first, std::string_view second) {
        if (name != nullptr) {
            add(kind, name);
        } else {
            events_.push_back(event(kind, 0));
        }
        texts_.push_back(first);
        texts_.push_back(second);
    }
    void add(const Doctype& doctype) {
        doctype_ = doctype;
        events_.push_back(event(Kind::doctype, 0));
    }
    // One whose value comes in the channel of `number`: the same for each event of this name.
    void add_value(Kind kind, const QName* name, std::uint32_t number) {
        if (number >= channels_.size()) channels_.resize(number * std::size_t{2} + 1);
        if (channels_[number].expected++ == 0) order_.push_back(number);
        add_event(kind, name->id, name);
        names_[name->id].channel = number;
        ++values_;
    }

    std::size_t values() const { return values_; }
    // By first value.
    const std::vector<std::uint32_t>& order() const { return order_; }
    Channel& channel(std::uint32_t number) { return channels_[number]; }
    // Bytes that the block may come to hold, for the limit on them: a vector of events that grows
    // is there twice.
    std::size_t memory() const {
        if (names_.size() > k_most_names) return SIZE_MAX;
        return 2 * (events_.size() * sizeof(Event) + texts_.size() * sizeof(std::string_view)) +
               values_ * sizeof(std::string_view);
    }

    template <XmlSink S>
    void play(S& sink) {
        const std::string_view* text = texts_.data();
        for (const Event event : events_) {
            const Named& named = names_[event & k_most_names];
            switch (static_cast<Kind>(event >> k_kind_shift)) {
                case Kind::start_element: sink.start_element(named.name); break;
                case Kind::end_element: sink.end_element(named.name); break;
                case Kind::attribute: sink.attribute(named.name, next(named.channel)); break;
                case Kind::characters:
                    if (const std::string_view value = next(named.channel); !value.empty())
                        sink.characters(value);
                    break;
                case Kind::known_attribute:
                    sink.attribute(named.name, *text);
                    text += 2;
                    break;
                case Kind::namespace_declaration:
                    sink.namespace_declaration(text[0], text[1]);
                    text += 2;
                    break;
                case Kind::comment:
                    sink.comment(*text);
                    text += 2;
                    break;
                case Kind::processing_instruction:
                    sink.processing_instruction(text[0], text[1]);
                    text += 2;
                    break;
                case Kind::entity_reference:
                    sink.entity_reference(*text);
                    text += 2;
                    break;
                case Kind::doctype: sink.doctype(doctype_); break;
            }
        }
    }

  private:
    struct Named {
        const QName* name = nullptr;
        std::uint32_t channel = 0;  // of its values
    };
    static constexpr unsigned k_kind_shift = 28;
    static constexpr std::uint32_t k_most_names = (1U << k_kind_shift) - 1;

    static Event event(Kind kind, std::uint32_t id) {
        return static_cast<std::uint32_t>(kind) << k_kind_shift | (id & k_most_names);
    }
    void add_event(Kind kind, std::uint32_t id, const QName* name) {
        if (id >= names_.size()) names_.resize(id * std::size_t{2} + 1);
        names_[id].name = name;
        events_.push_back(event(kind, id));
    }
    std::string_view next(std::uint32_t number) {
        Channel& channel = channels_[number];
        return channel.values[channel.next++];
    }

    std::vector<Event> events_;
    std::vector<Named> names_ = std::vector<Named>(1);  // by QName::id
    std::vector<std::string_view> texts_;               // two an event, in the order of events
    std::vector<Channel> channels_;                     // by name
    std::vector<std::uint32_t> order_;
    Doctype doctype_;
    std::size_t values_ = 0;
};

}  // namespace perfrelay::exi
