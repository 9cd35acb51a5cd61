#pragma once
// write_value: a value of String (EXI 7.1.10): a hit in the string table, or its characters.
// Tested by tests/unit/proto/exi/string_table_test.cpp and tests/conformance/exi.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proto/exi/bit_writer.h"
#include "proto/exi/schema/character_set.h"
#include "proto/exi/value_tables.h"

namespace perfrelay::exi {

// EXI 7.1.10.1
template <Packing packing>
void write_characters(BitWriter<packing>& writer, std::string_view text, const CharacterSet& set) {
    for (std::size_t at = 0; at < text.size();) {
        const std::uint32_t c = next_code_point(text, at);
        const std::size_t index = set.find(c);
        writer.bits(set.width(), static_cast<std::uint32_t>(index));
        if (index == set.size()) writer.unsigned_integer(c);
    }
}

// EXI 7.3.3: a value of String in the partition of `name`; of restricted characters, if a set is
// given.
template <Packing packing>
void write_value(BitWriter<packing>& writer, WriteValues& values, std::uint32_t name,
                 std::string_view text, const WriteValues::Key& key,
                 const CharacterSet* set = nullptr) {
    const std::uint32_t id = text.empty() ? WriteValues::k_none : values.find(text, key);
    if (id != WriteValues::k_none) {
        const WriteValues::Entry& entry = values[id];
        if (entry.name == name && values.rules().local()) {
            writer.unsigned_integer(0);
            writer.bits(width_of(values.local_size(name)), entry.local);
        } else {
            writer.unsigned_integer(1);
            writer.bits(width_of(values.global_size()), id);
        }
        return;
    }
    const std::size_t length = key.ascii ? text.size() : count_characters(text);
    writer.unsigned_integer(length + 2);
    if (set == nullptr) {
        writer.characters(text);
    } else {
        write_characters(writer, text, *set);
    }
    if (values.rules().enters(length)) values.add(name, text, key);
}

}  // namespace perfrelay::exi
