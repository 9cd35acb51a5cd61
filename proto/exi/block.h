#pragma once
// Block: what a decoder knows of a block of events (EXI 9.1) until its values are read: the
// structure, four or eight bytes an event, and how many values each channel has.
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
    struct Event {
        const QName* name;     // elements, attributes
        std::uint32_t number;  // with a value: its channel; else in texts
        Kind kind;
    };
    struct Channel {
        std::vector<std::string_view> values;
        std::size_t expected = 0;
        std::size_t next = 0;
    };

    void clear() {
        events_.clear();
        texts_.clear();
        for (const std::uint32_t name : order_)
            channels_[name] = {std::move(channels_[name].values), 0, 0};
        for (const std::uint32_t name : order_)
            channels_[name].values.clear();
        order_.clear();
        values_ = 0;
    }

    // An event without value, or with its texts here.
    void add(Kind kind, const QName* name) { events_.push_back({name, 0, kind}); }
    void add(Kind kind, const QName* name, std::string_view first, std::string_view second) {
        events_.push_back({name, static_cast<std::uint32_t>(texts_.size()), kind});
        texts_.push_back(first);
        texts_.push_back(second);
    }
    void add(const Doctype& doctype) {
        doctype_ = doctype;
        events_.push_back({nullptr, 0, Kind::doctype});
    }
    // One whose value comes in the channel of `number`.
    void add_value(Kind kind, const QName* name, std::uint32_t number) {
        if (number >= channels_.size()) channels_.resize(number * std::size_t{2} + 1);
        if (channels_[number].expected++ == 0) order_.push_back(number);
        events_.push_back({name, number, kind});
        ++values_;
    }

    std::size_t values() const { return values_; }
    // By first value.
    const std::vector<std::uint32_t>& order() const { return order_; }
    Channel& channel(std::uint32_t number) { return channels_[number]; }
    // Bytes that the block holds, for the limit on them.
    std::size_t memory() const {
        return events_.size() * sizeof(Event) + values_ * sizeof(std::string_view);
    }

    template <XmlSink S>
    void play(S& sink) {
        for (const Event& event : events_) {
            switch (event.kind) {
                case Kind::start_element: sink.start_element(event.name); break;
                case Kind::end_element: sink.end_element(event.name); break;
                case Kind::attribute: sink.attribute(event.name, next(event.number)); break;
                case Kind::characters:
                    if (const std::string_view text = next(event.number); !text.empty())
                        sink.characters(text);
                    break;
                case Kind::known_attribute: sink.attribute(event.name, texts_[event.number]); break;
                case Kind::namespace_declaration:
                    sink.namespace_declaration(texts_[event.number], texts_[event.number + 1]);
                    break;
                case Kind::comment: sink.comment(texts_[event.number]); break;
                case Kind::processing_instruction:
                    sink.processing_instruction(texts_[event.number], texts_[event.number + 1]);
                    break;
                case Kind::entity_reference: sink.entity_reference(texts_[event.number]); break;
                case Kind::doctype: sink.doctype(doctype_); break;
            }
        }
    }

  private:
    std::string_view next(std::uint32_t number) {
        Channel& channel = channels_[number];
        return channel.values[channel.next++];
    }

    std::vector<Event> events_;
    std::vector<std::string_view> texts_;
    std::vector<Channel> channels_;  // by name
    std::vector<std::uint32_t> order_;
    Doctype doctype_;
    std::size_t values_ = 0;
};

}  // namespace perfrelay::exi
