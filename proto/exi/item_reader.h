#pragma once
// ItemReader: the content of events (EXI 7), read through the string table: URIs, names, prefixes,
// values.
//
// The layer between bits and grammar. Contract: after a failure of the reader whatever is handed
// out is empty or of number 0, so that the caller looks at the reader once an event.
// Tested by tests/unit/proto/exi/string_table_test.cpp.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "common/base/limits.h"
#include "proto/exi/bit_reader.h"
#include "proto/exi/decoder_tables.h"
#include "proto/exi/schema/character_set.h"

namespace perfrelay::exi {

// Distinct names of one stream that a decoder keeps: a name costs the sender two bytes and us some
// three hundred.
inline constexpr std::size_t k_most_names = std::size_t{1} << 17U;
// Of these, URIs: each costs us twice as much.
inline constexpr std::size_t k_most_uris = k_most_names / 2;

template <Packing packing>
class ItemReader {
  public:
    ItemReader(BitReader<packing>& reader, Arena& text, const Limits& limits)
        : reader_(reader), text_(text), most_names_(limits.max_names), longest_(limits.max_text) {}

    // EXI 7.1.10, without a table.
    std::string_view string() { return characters(reader_.unsigned_integer()); }

    // EXI 7.3.2: the URI partition.
    std::uint32_t uri(LearnedTables& tables) {
        const std::uint32_t code = reader_.bits(width_of(tables.names.uris() + std::uint64_t{1}));
        if (code != 0) {
            if (code <= tables.names.uris()) return code - 1;
            reader_.fail(Errc::malformed, "EXI 7.3.2: no URI with this identifier");
            return 0;
        }
        const std::string_view text = string();
        if (reader_.failed() || !room_for(tables.names.uris(), k_most_uris)) return 0;
        return tables.names.add_uri(text);
    }

    // EXI 7.1.7, 7.3.3: a name's number.
    std::uint32_t qname(LearnedTables& tables) { return local_name(tables, uri(tables)); }
    // EXI 7.3.3: of a name in the namespace `in`.
    std::uint32_t local_name(LearnedTables& tables, std::uint32_t in) {
        const std::uint64_t length = reader_.unsigned_integer();
        if (length == 0) {
            const auto& names = tables.names.uri(in).names;
            const std::uint32_t id = reader_.bits(width_of(names.size()));
            if (id < names.size()) return names[id];
            reader_.fail(Errc::malformed, "EXI 7.3.3: no local name with this identifier");
            return 0;
        }
        if (length == 1) {
            reader_.fail(Errc::malformed, "EXI 7.1.7: a name without characters");
            return 0;
        }
        const std::string_view local = characters(length - 1);
        if (reader_.failed() || !room_for(tables.names.size(), k_most_names)) return 0;
        const std::uint32_t number = tables.names.number(in, local);
        tables.names.add_local(number);
        tables.make_room();
        return number;
    }

    // EXI 7.1.7: the prefix of a name, or null when there is none of this number.
    const std::string_view* prefix(const LearnedTables& tables, std::uint32_t uri) {
        const auto& prefixes = tables.names.uri(uri).prefixes;
        const std::uint32_t id = reader_.bits(width_of(prefixes.size()));
        return id < prefixes.size() ? &prefixes[id] : nullptr;
    }

    // EXI 7.3.2: the prefix of a declaration.
    std::string_view declared_prefix(LearnedTables& tables, std::uint32_t uri) {
        const auto& prefixes = tables.names.uri(uri).prefixes;
        const std::uint32_t code = reader_.bits(width_of(prefixes.size() + std::uint64_t{1}));
        if (code != 0) {
            if (code <= prefixes.size()) return prefixes[code - 1];
            reader_.fail(Errc::malformed, "EXI 7.3.2: no prefix with this identifier");
            return {};
        }
        const std::string_view text = string();
        return reader_.failed() ? std::string_view() : tables.names.add_prefix(uri, text);
    }

    // EXI 7.3.3: a value of String, in the partition of `name`; of restricted characters, if a set
    // is given.
    std::string_view value(LearnedTables& tables, std::uint32_t name,
                           const CharacterSet* set = nullptr) {
        const std::uint64_t length = reader_.unsigned_integer();
        ReadValues& values = tables.values;
        if (length == 0) {
            const std::uint32_t id = reader_.bits(width_of(values.local_size(name)));
            const std::string_view found = values.local(name, id);
            if (found.empty()) [[unlikely]]
                reader_.fail(Errc::malformed, "EXI 7.3.3: no value with this local identifier");
            return found;
        }
        if (length == 1) {
            const std::uint32_t id = reader_.bits(width_of(values.global_size()));
            const std::string_view found = values.global(id);
            if (found.empty()) [[unlikely]]
                reader_.fail(Errc::malformed, "EXI 7.3.3: no value with this global identifier");
            return found;
        }
        const std::uint64_t count = length - 2;
        if (set == nullptr && !values.rules().enters(count)) return characters(count);
        if (set != nullptr || count > ReadValue::k_here) {
            const std::string_view text =
                set == nullptr ? characters(count) : characters(count, *set);
            if (!text.empty() && values.rules().enters(count)) values.add(name, text);
            return text;
        }
        ReadValue& value = values.add(name);
        value.set(reader_.short_text(count, value.here(), text_), text_);
        return value.text();
    }

    // Whether a text of `count` characters is one that may be.
    bool fits(std::uint64_t count) {
        if (count <= longest_) return true;
        reader_.fail(Errc::limit_exceeded, "EXI 7.1.10: a string longer than the limit");
        return false;
    }

  private:
    std::string_view characters(std::uint64_t count) {
        return fits(count) ? reader_.text(count, text_) : std::string_view();
    }
    // EXI 7.1.10.1
    std::string_view characters(std::uint64_t count, const CharacterSet& set) {
        if (!fits(count)) return {};
        std::string text;
        char bytes[4];
        // A set of no characters takes no bits, but then each is written out.
        for (std::uint64_t i = 0; i < count && !reader_.failed(); ++i) {
            const std::uint32_t index = reader_.bits(set.width());
            const std::uint64_t c = index < set.size() ? set[index] : reader_.unsigned_integer();
            if (!is_character(c)) {
                reader_.fail(Errc::malformed, "EXI 7.1.10: no such character");
                return {};
            }
            text.append(bytes, put_utf8(bytes, static_cast<std::uint32_t>(c)));
        }
        return text_.copy(text);
    }
    bool room_for(std::size_t names, std::size_t most) {
        if (names < std::min(most, most_names_)) return true;
        reader_.fail(Errc::limit_exceeded, "EXI 7.3.1: more distinct names than the limit");
        return false;
    }

    BitReader<packing>& reader_;
    Arena& text_;
    std::size_t most_names_;
    std::uint64_t longest_;
};

}  // namespace perfrelay::exi
