#pragma once
// NameTable: qualified names, interned. Two equal names of one table are one pointer.
//
// QName::id is dense per (uri, local, prefix), QName::expanded dense per (uri, local): codecs keep
// per-name state in vectors indexed by them, without hashing. `hash` is made of the text alone, so
// it is equal for equal names of different tables. A URI is kept once, however many names it has.
// Contract: names live as long as the table; `clear` ends them all. Not thread-safe: a table per
// codec and per document. Source: Namespaces in XML 1.0 section 2.1 (expanded names).
// Tested by tests/unit/proto/name_table_test.cpp.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/arena.h"

namespace perfrelay {

struct QName {
    std::string_view uri;     // "" for no namespace
    std::string_view local;   // "" only in a namespace declaration
    std::string_view prefix;  // "" for none
    std::uint64_t hash = 0;
    std::uint32_t id = 0;
    std::uint32_t expanded = 0;

    bool same_expanded(const QName& other) const {
        return local == other.local && uri == other.uri;
    }
    bool same(const QName& other) const { return same_expanded(other) && prefix == other.prefix; }
};

class NameTable {
  public:
    NameTable();
    NameTable(NameTable&&) noexcept = default;
    NameTable& operator=(NameTable&&) noexcept = default;
    NameTable(const NameTable&) = delete;
    NameTable& operator=(const NameTable&) = delete;
    ~NameTable() = default;

    const QName* intern(std::string_view uri, std::string_view local, std::string_view prefix);

    // Names held; ids are 0 .. size()-1. Expanded ids are 0 .. expanded_size()-1.
    std::size_t size() const { return names_.size(); }
    std::size_t expanded_size() const { return expanded_count_; }
    const QName* operator[](std::uint32_t id) const { return names_[id]; }

    void clear();

  private:
    std::uint32_t expanded_id(std::string_view uri, std::string_view local);
    std::string_view kept_uri(std::string_view uri, std::uint32_t id);
    void rehash(std::size_t slots);

    Arena arena_;
    std::vector<const QName*> names_;
    std::vector<const QName*> slots_;           // open addressing, power of two
    std::vector<const QName*> expanded_slots_;  // the first name of each (uri, local)
    std::uint32_t expanded_count_ = 0;
    static constexpr std::uint32_t k_free = UINT32_MAX;
    std::vector<std::uint32_t> uri_slots_;  // ids: the first name of each URI
    std::size_t uri_count_ = 0;
};

// 64-bit hash of short strings, the same on every run and machine: names and digests only, never a
// defence against chosen input (max_names is).
std::uint64_t hash_text(std::string_view text, std::uint64_t seed);

}  // namespace perfrelay
