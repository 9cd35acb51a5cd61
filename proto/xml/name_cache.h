#pragma once
// NameCache: names as a parser gives them, found again as QNames.
//
// Names mostly follow each other as they did before, so the one that came next the last time is
// looked at first; otherwise one hash of the key finds it. Key has `==` and `std::uint64_t hash()
// const`; what it refers to must live until `forget`. Tested through the engines, by
// tests/unit/proto/xml/engines_test.cpp.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proto/model/name_table.h"

namespace perfrelay::xml {

template <class Key>
class NameCache {
  public:
    NameCache() { forget(); }

    // A new document: what its first name is nobody knows.
    void restart() { last_ = 0; }

    void forget() {
        known_.assign(1, Known{});
        slots_.assign(k_first_slots, 0);
        last_ = 0;
    }

    // `add()` is called for a name that is not there and gives what to keep: {Key, const QName*}.
    // Null when the name is.
    template <class Add>
    const QName* find(const Key& key, Add&& add) {
        std::uint32_t index = known_[last_].next;
        if (!(known_[index].key == key)) {
            index = look_up(key, add);
            if (index == 0) return nullptr;
            known_[last_].next = index;
        }
        last_ = index;
        return known_[index].name;
    }

  private:
    static constexpr std::size_t k_first_slots = 1024;

    struct Known {
        Key key{};
        std::uint64_t hash = 0;
        const QName* name = nullptr;
        std::uint32_t next = 0;  // what followed it last
    };

    // Open addressing: the slot of this hash for which `taken` says no.
    template <class Taken>
    std::size_t slot_of(std::uint64_t hash, Taken&& taken) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = hash & mask;
        while (slots_[slot] != 0 && taken(known_[slots_[slot]]))
            slot = (slot + 1) & mask;
        return slot;
    }

    template <class Add>
    std::uint32_t look_up(const Key& key, Add&& add) {
        const std::uint64_t hash = key.hash();
        const std::size_t slot = slot_of(
            hash, [&](const Known& known) { return known.hash != hash || !(known.key == key); });
        if (slots_[slot] != 0) return slots_[slot];
        const auto [kept, name] = add();
        if (name == nullptr) return 0;
        const auto index = static_cast<std::uint32_t>(known_.size());
        known_.push_back({kept, hash, name, 0});
        slots_[slot] = index;
        if (known_.size() * 2 > slots_.size()) grow();
        return index;
    }

    void grow() {
        slots_.assign(slots_.size() * 2, 0);
        for (std::uint32_t i = 1; i < known_.size(); ++i)
            slots_[slot_of(known_[i].hash, [](const Known&) { return true; })] = i;
    }

    std::vector<Known> known_;          // the first is none
    std::vector<std::uint32_t> slots_;  // into known_; a power of two
    std::uint32_t last_ = 0;            // in known_: the name before
};

}  // namespace perfrelay::xml
