#pragma once
// ReadValues, WriteValues: the value partitions of the string table (EXI 7.3.3), as a decoder and
// as an encoder need them: by identifier, and by text.
//
// Every value in the table is in one local partition, that of the name it first came with, and in
// the global one. With valuePartitionCapacity the global identifiers go round; a value that is
// overwritten leaves its local identifier unassigned for good, so that the size of a local
// partition (`m` in EXI 7.3.3) counts every identifier it ever gave.
// Contract: both keep their memory over `reset`. Texts belong to an arena of the owner's.
// Tested by tests/unit/proto/exi/string_table_test.cpp.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/arena.h"
#include "proto/exi/options.h"
#include "proto/exi/stable_array.h"

namespace perfrelay::exi {

// Which values enter the tables, and when one leaves.
class ValueRules {
  public:
    void set(const Options& options) {
        longest_ = options.value_max_length;
        capacity_ = options.value_capacity;
        local_ = options.profile.local_values;
    }
    // EXI 7.3.3: `length` in characters.
    bool enters(std::uint64_t length) const {
        return length != 0 && length <= longest_ && capacity_ != 0;
    }
    bool local() const { return local_; }
    bool bounded() const { return capacity_ != Options::k_unbounded; }
    std::uint64_t capacity() const { return capacity_; }

  private:
    std::uint64_t longest_ = Options::k_unbounded;
    std::uint64_t capacity_ = Options::k_unbounded;
    bool local_ = true;
};

// A value that was read, in eight bytes: what it takes of the cache is what a hit costs. In the
// last byte its size; in the others its text, or where that is.
class ReadValue {
  public:
    static constexpr std::size_t k_here = 7;

    // Empty: unassigned.
    std::string_view text() const {
        const auto size = static_cast<std::uint8_t>(here_[k_here]);
        if (size <= k_here) [[likely]]
            return {here_.data(), size};
        const void* at = nullptr;
        std::memcpy(reinterpret_cast<char*>(&at) + k_low, here_.data(), k_here);
        if (size == k_long) return *static_cast<const std::string_view*>(at);
        return {static_cast<const char*>(at), size};
    }
    // `text` stays where it is.
    void set(std::string_view text, Arena& memory) {
        if (text.size() <= k_here) {
            if (text.data() != here_.data() && !text.empty())
                std::memcpy(here_.data(), text.data(), text.size());
            here_[k_here] = static_cast<char>(text.size());
            return;
        }
        const void* at = text.data();
        if (text.size() >= k_long) at = memory.create(text);
        std::memcpy(here_.data(), reinterpret_cast<const char*>(&at) + k_low, k_here);
        here_[k_here] = static_cast<char>(text.size() < k_long ? text.size() : k_long);
    }
    // Room for k_here bytes, and one more; then to be set.
    char* here() { return here_.data(); }
    // It has no text any more; whoever was handed that still has it.
    void unassign() { here_[k_here] = 0; }

  private:
    static constexpr std::uint8_t k_long = 0xFF;
    // An address of a process has no more than 56 bits: where those are in one.
    static constexpr std::size_t k_low = std::endian::native == std::endian::little ? 0 : 1;
    static_assert(sizeof(void*) == k_here + 1);

    alignas(8) std::array<char, k_here + 1> here_{};
};

class ReadValues {
  public:
    // Values are kept in `memory`, with the texts: until that is cleared, which a reset follows.
    void reset(const Options& options, Arena& memory) {
        rules_.set(options);
        memory_ = &memory;
        global_.clear();
        next_ = 0;
        for (std::size_t name = 0; name < names_; ++name)
            local_[name].clear();
        names_ = 0;
    }
    const ValueRules& rules() const { return rules_; }

    // Partitions for names below `count`.
    void make_room(std::size_t count) {
        if (local_.size() < count) local_.resize(count + count / 2);
        names_ = count;
    }
    std::size_t local_size(std::uint32_t name) const {
        return rules_.local() ? local_[name].size() : 0;
    }
    std::size_t global_size() const { return global_.size(); }

    // Empty when the identifier is not, or no longer, assigned. Texts stay where they are, as long
    // as the memory does.
    std::string_view local(std::uint32_t name, std::uint32_t id) const {
        return id < local_size(name) ? local_[name][id].text() : std::string_view();
    }
    std::string_view global(std::uint32_t id) const {
        if (id >= global_.size()) return {};
        const Owner owner = global_[id];
        return local_[owner.name][owner.local].text();
    }

    // `text` stays where it is.
    void add(std::uint32_t name, std::string_view text) { add(name).set(text, *memory_); }
    // A new value, to be set.
    ReadValue& add(std::uint32_t name) {
        StableArray<ReadValue>& local = local_[name];
        const Owner owner{name, local.size()};
        if (next_ == global_.size()) {
            global_.push(*memory_) = owner;
        } else {
            const Owner old = std::exchange(global_[next_], owner);
            local_[old.name][old.local].unassign();
        }
        if (++next_ == rules_.capacity()) next_ = 0;
        return local.push(*memory_);
    }

  private:
    struct Owner {
        std::uint32_t name = 0;
        std::uint32_t local = 0;
    };

    ValueRules rules_;
    Arena* memory_ = nullptr;
    // By name, by identifier there: whether or not local identifiers may be used.
    std::vector<StableArray<ReadValue>> local_;
    std::size_t names_ = 0;
    StableArray<Owner> global_;
    std::uint32_t next_ = 0;  // globalID
};

class WriteValues {
  public:
    // A text as it is compared: up to 16 bytes it is all here, so that a hit touches no text.
    struct Key {
        Key() = default;
        explicit Key(std::string_view text) : size(static_cast<std::uint32_t>(text.size())) {
            constexpr std::uint64_t k_first = 0x9E3779B97F4A7C15U;
            constexpr std::uint64_t k_second = 0xD6E8FEB86659FD93U;
            const char* from = text.data();
            std::size_t left = text.size();
            std::uint64_t sum = left * k_second;
            std::uint64_t all = 0;
            if (left > 8) {
                start = word(from, 8);
                for (; left > 16; left -= 16, from += 16) {
                    const std::uint64_t first = word(from, 8);
                    const std::uint64_t second = word(from + 8, 8);
                    all |= first | second;
                    sum = fold(sum ^ first, k_first ^ second);
                }
                if (left > 8) {
                    const std::uint64_t first = word(from, 8);
                    all |= first;
                    sum = fold(sum ^ first, k_first);
                    left -= 8;
                    from += 8;
                }
            }
            rest = word(from, left);
            ascii = ((all | rest) & 0x8080808080808080U) == 0;
            hash = static_cast<std::uint32_t>(fold(sum ^ rest, k_second) >> 16U);
        }

        std::uint64_t start = 0;  // the first eight bytes of more than eight
        std::uint64_t rest = 0;   // the last eight, or fewer
        std::uint32_t size = 0;
        std::uint32_t hash = 0;
        bool ascii = true;
    };

    struct Entry {
        union {
            std::uint64_t start;  // as the key's, up to k_all_here bytes
            const char* text;     // of more
        };
        std::uint64_t rest;
        std::uint32_t size;
        std::uint32_t hash;
        std::uint32_t name;   // whose local partition it is in
        std::uint32_t local;  // and its identifier there
    };
    static constexpr std::uint32_t k_all_here = 16;

    void reset(const Options& options);
    const ValueRules& rules() const { return rules_; }

    void make_room(std::size_t count) {
        if (local_sizes_.size() < count) local_sizes_.resize(count + count / 2, 0);
    }
    std::uint32_t local_size(std::uint32_t name) const { return local_sizes_[name]; }
    std::size_t global_size() const { return entries_.size(); }

    // The global identifier of `text`, or k_none.
    static constexpr std::uint32_t k_none = UINT32_MAX;
    std::uint32_t find(std::string_view text, const Key& key) const {
        for (std::size_t at = key.hash & mask_;; at = (at + 1) & mask_) {
            const Slot slot = slots_[at];
            if (slot.id == k_none) return k_none;
            if (slot.hash != key.hash) continue;
            const Entry& entry = entries_[slot.id];
            if (entry.size != key.size || entry.rest != key.rest) continue;
            const bool same = key.size <= k_all_here
                                  ? entry.start == key.start
                                  : text == std::string_view(entry.text, entry.size);
            if (same) return slot.id;
        }
    }
    // Into the cache, for a `find` to come: the first slot; what is in it, once it is there.
    void fetch_slot(const Key& key) const { __builtin_prefetch(&slots_[key.hash & mask_]); }
    void fetch_entry(const Key& key) const {
        const Slot slot = slots_[key.hash & mask_];
        if (slot.hash != key.hash || slot.id == k_none) return;
        const Entry& entry = entries_[slot.id];
        __builtin_prefetch(&entry.start);
        __builtin_prefetch(&entry.local);  // it may lie across two lines of the cache
    }
    const Entry& operator[](std::uint32_t id) const { return entries_[id]; }

    // `text` stays where it is until the next reset.
    void add(std::uint32_t name, std::string_view text, const Key& key);

  private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t id = k_none;
    };

    static std::uint64_t fold(std::uint64_t value, std::uint64_t by) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(value) * by;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
    }
    // Up to eight bytes; with their number, they are known from it.
    static std::uint64_t word(const char* from, std::size_t size) {
        std::uint64_t value = 0;
        if (size == 8) {
            std::memcpy(&value, from, 8);
        } else if (size >= 4) {
            std::uint32_t low = 0;
            std::uint32_t high = 0;
            std::memcpy(&low, from, 4);
            std::memcpy(&high, from + size - 4, 4);
            value = low | static_cast<std::uint64_t>(high) << 32U;
        } else if (size != 0) {
            value = static_cast<std::uint64_t>(static_cast<unsigned char>(from[0])) |
                    static_cast<std::uint64_t>(static_cast<unsigned char>(from[size / 2])) << 8U |
                    static_cast<std::uint64_t>(static_cast<unsigned char>(from[size - 1])) << 16U;
        }
        return value;
    }
    void enter(std::uint32_t id);
    void remove(std::uint32_t id);
    void rehash(std::size_t slots);

    ValueRules rules_;
    std::vector<Entry> entries_;  // by global identifier
    std::vector<std::uint32_t> local_sizes_;
    std::vector<Slot> slots_;  // open addressing, the first mask_ + 1 of them
    std::size_t mask_ = 0;
    std::uint64_t next_ = 0;  // globalID
};

}  // namespace perfrelay::exi
