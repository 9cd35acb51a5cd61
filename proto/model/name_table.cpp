#include "proto/model/name_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace perfrelay {

namespace {

constexpr std::uint64_t k_multiplier = 0x9E3779B97F4A7C15U;
constexpr std::size_t k_first_slots = 64;

std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32U;
    value *= k_multiplier;
    return value ^ (value >> 29U);
}

std::uint64_t expanded_hash(std::string_view uri, std::string_view local) {
    return hash_text(local, hash_text(uri, 1));
}

}  // namespace

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
    std::uint64_t hash = mix(seed + text.size() * k_multiplier);
    const char* data = text.data();
    std::size_t left = text.size();
    for (; left >= 8; left -= 8, data += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, data, 8);
        hash = mix(hash ^ word);
    }
    if (left != 0) {
        std::uint64_t word = 0;
        std::memcpy(&word, data, left);
        hash = mix(hash ^ word);
    }
    return hash;
}

NameTable::NameTable() {
    rehash(k_first_slots);
}

const QName* NameTable::intern(std::string_view uri, std::string_view local,
                               std::string_view prefix) {
    const std::uint64_t hash = hash_text(prefix, expanded_hash(uri, local));
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != nullptr; at = (at + 1) & mask) {
        const QName* name = slots_[at];
        if (name->hash == hash && name->local == local && name->uri == uri &&
            name->prefix == prefix) {
            return name;
        }
    }
    const auto id = static_cast<std::uint32_t>(names_.size());
    const QName* name =
        arena_.create(QName{kept_uri(uri, id), arena_.copy(local), arena_.copy(prefix), hash, id,
                            expanded_id(uri, local)});
    slots_[at] = name;
    names_.push_back(name);
    if (name->expanded == expanded_count_) {
        const std::size_t expanded_mask = expanded_slots_.size() - 1;
        std::size_t slot = expanded_hash(uri, local) & expanded_mask;
        while (expanded_slots_[slot] != nullptr)
            slot = (slot + 1) & expanded_mask;
        expanded_slots_[slot] = name;
        ++expanded_count_;
    }
    if (names_.size() * 2 > slots_.size()) rehash(slots_.size() * 2);
    return name;
}

// The id of (uri, local): the one it has, or the next free one (then the caller enters it).
std::uint32_t NameTable::expanded_id(std::string_view uri, std::string_view local) {
    const std::size_t mask = expanded_slots_.size() - 1;
    std::size_t at = expanded_hash(uri, local) & mask;
    for (; expanded_slots_[at] != nullptr; at = (at + 1) & mask) {
        const QName* name = expanded_slots_[at];
        if (name->local == local && name->uri == uri) return name->expanded;
    }
    return expanded_count_;
}

// The text of a URI that a name has, or a copy for the name `id` that is about to be entered.
std::string_view NameTable::kept_uri(std::string_view uri, std::uint32_t id) {
    if (uri.empty()) return {};
    if (id != 0 && names_.back()->uri == uri) return names_.back()->uri;
    const auto find = [&](std::string_view text) {
        const std::size_t mask = uri_slots_.size() - 1;
        std::size_t at = hash_text(text, 1) & mask;
        while (uri_slots_[at] != k_free && names_[uri_slots_[at]]->uri != text)
            at = (at + 1) & mask;
        return at;
    };
    if (uri_count_ * 2 >= uri_slots_.size()) {
        const std::vector<std::uint32_t> before = std::exchange(
            uri_slots_,
            std::vector<std::uint32_t>(std::max(k_first_slots, uri_slots_.size() * 2), k_free));
        for (const std::uint32_t first : before) {
            if (first != k_free) uri_slots_[find(names_[first]->uri)] = first;
        }
    }
    std::uint32_t& slot = uri_slots_[find(uri)];
    if (slot != k_free) return names_[slot]->uri;
    slot = id;
    ++uri_count_;
    return arena_.copy(uri);
}

void NameTable::rehash(std::size_t slots) {
    slots_.assign(slots, nullptr);
    expanded_slots_.assign(slots, nullptr);
    std::uint32_t entered = 0;
    for (const QName* name : names_) {
        std::size_t at = name->hash & (slots - 1);
        while (slots_[at] != nullptr)
            at = (at + 1) & (slots - 1);
        slots_[at] = name;
        if (name->expanded != entered) continue;
        // Expanded ids are given in order of first appearance.
        at = expanded_hash(name->uri, name->local) & (slots - 1);
        while (expanded_slots_[at] != nullptr)
            at = (at + 1) & (slots - 1);
        expanded_slots_[at] = name;
        ++entered;
    }
}

void NameTable::clear() {
    names_.clear();
    expanded_count_ = 0;
    arena_.clear();
    slots_.assign(slots_.size(), nullptr);
    expanded_slots_.assign(expanded_slots_.size(), nullptr);
    uri_slots_.assign(uri_slots_.size(), k_free);
    uri_count_ = 0;
}

}  // namespace perfrelay
