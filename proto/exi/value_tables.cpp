#include "proto/exi/value_tables.h"

#include <algorithm>

namespace perfrelay::exi {

namespace {
constexpr std::size_t k_first_slots = 256;
}

void WriteValues::reset(const Options& options) {
    rules_.set(options);
    // A table that was far too large for the last document starts small.
    const std::size_t wanted =
        slots_.empty() || entries_.size() * 16 < mask_ ? k_first_slots : mask_ + 1;
    entries_.clear();
    next_ = 0;
    local_sizes_.clear();
    rehash(wanted);
}

void WriteValues::rehash(std::size_t slots) {
    if (slots_.size() < slots) slots_.resize(slots);
    std::fill_n(slots_.begin(), slots, Slot{});
    mask_ = slots - 1;
    for (std::uint32_t id = 0; id < entries_.size(); ++id)
        enter(id);
}

void WriteValues::enter(std::uint32_t id) {
    std::size_t at = entries_[id].hash & mask_;
    while (slots_[at].id != k_none)
        at = (at + 1) & mask_;
    slots_[at] = {entries_[id].hash, id};
}

// Closes the gap: whatever would no longer be found behind it moves up.
void WriteValues::remove(std::uint32_t id) {
    std::size_t gap = entries_[id].hash & mask_;
    while (slots_[gap].id != id)
        gap = (gap + 1) & mask_;
    for (std::size_t at = (gap + 1) & mask_; slots_[at].id != k_none; at = (at + 1) & mask_) {
        const std::size_t home = slots_[at].hash & mask_;
        if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
        slots_[gap] = slots_[at];
        gap = at;
    }
    slots_[gap] = Slot{};
}

void WriteValues::add(std::uint32_t name, std::string_view text, const Key& key) {
    const auto id = static_cast<std::uint32_t>(next_);
    const bool replaces = id != entries_.size();
    // EXI 7.3.3: the value that was there leaves the table.
    if (replaces) remove(id);
    // In its place: see LookAhead.
    Entry& entry = replaces ? entries_[id] : entries_.emplace_back();
    if (key.size <= k_all_here) {
        entry.start = key.start;
    } else {
        entry.text = text.data();
    }
    entry.rest = key.rest;
    entry.size = key.size;
    entry.hash = key.hash;
    entry.name = name;
    entry.local = local_sizes_[name]++;
    if (++next_ == rules_.capacity()) next_ = 0;
    if (entries_.size() * 2 > mask_) {
        rehash((mask_ + 1) * 2);  // enters the new one as well
    } else {
        enter(id);
    }
}

}  // namespace perfrelay::exi
