#pragma once
// LookAhead: the values that a tape has next, hashed before it is their turn.
//
// A table of values that is larger than the caches costs a miss or two for each value. Asked for
// some values early, what the table has of it is there when the value is written.
// Contract: the texts of the tape stay where they are until the next `start`.
// Tested by tests/unit/proto/exi/string_table_test.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "proto/exi/value_tables.h"
#include "proto/model/xml_tape.h"

namespace perfrelay::exi {

class LookAhead {
  public:
    using Key = WriteValues::Key;

    // At the beginning of a tape, whose values are then passed one by one.
    void start(std::span<const XmlTape::Event> events, const WriteValues& table) {
        next_ = events.data();
        end_ = next_ + events.size();
        hashed_ = passed_ = 0;
        while (hashed_ < k_far)
            hash_next(table);
    }

    // The tape's next value, attribute or text, has come: its number.
    std::uint32_t pass(const WriteValues& table) {
        hash_next(table);
        table.fetch_entry(ring_[(passed_ + k_near) % k_ring].key);
        return passed_++;
    }

    // The key of `text`, which came as value `number`; until the next of either.
    const Key& key(std::uint32_t number, std::string_view text) {
        const Ahead& ahead = ring_[number % k_ring];
        // It may have been joined with others, or have waited for too long.
        if (ahead.text == text.data() && ahead.key.size == text.size()) [[likely]]
            return ahead.key;
        other_ = Key(text);
        return other_;
    }

  private:
    // In values: where a slot is asked for, and the entry that it names.
    static constexpr std::uint32_t k_far = 8;
    static constexpr std::uint32_t k_near = 4;
    static constexpr std::uint32_t k_ring = 16;

    struct Ahead {
        const char* text = nullptr;
        Key key;
    };

    void hash_next(const WriteValues& table) {
        Ahead& ahead = ring_[hashed_++ % k_ring];
        const XmlTape::Event* event = next_;
        while (event != end_ && event->kind() != XmlTape::Kind::attribute &&
               event->kind() != XmlTape::Kind::characters) {
            ++event;
        }
        if (event == end_) {
            next_ = end_;
            ahead.text = nullptr;
            return;
        }
        ahead.text = event->text;
        // In its place: copied, it would be loaded in other pieces than it was stored in.
        std::construct_at(&ahead.key, event->text_view());
        table.fetch_slot(ahead.key);
        next_ = event + 1;
    }

    std::array<Ahead, k_ring> ring_;  // by number
    Key other_;
    const XmlTape::Event* next_ = nullptr;
    const XmlTape::Event* end_ = nullptr;
    std::uint32_t hashed_ = 0;
    std::uint32_t passed_ = 0;
};

}  // namespace perfrelay::exi
