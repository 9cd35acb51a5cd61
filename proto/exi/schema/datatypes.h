#pragma once
// Datatypes: how the values of each simple type are represented (EXI 7, 7.1, 7.2, 7.4), under a
// datatype representation map, or as strings when lexical values are kept.
//
// Indexed as the simple types are; 0, the ur-type, is also what "untyped" is: a String.
// Contract: immutable once made, shared by threads. Tested by
// tests/unit/proto/exi/datatypes_test.cpp.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/exi/options.h"
#include "proto/exi/schema/character_set.h"
#include "proto/exi/schema/components.h"

namespace perfrelay::exi {

// Table 7-1
enum class Representation : std::uint8_t {
    string,
    boolean,
    boolean_pattern,  // EXI 7.1.2: four values
    decimal,
    floating,
    integer,
    unsigned_integer,
    n_bit,
    base64_binary,
    hex_binary,
    date_time,
    time,
    date,
    g_year_month,
    g_year,
    g_month_day,
    g_day,
    g_month,
    list,
    enumeration,
    foreign,  // EXI 7.4: one that a map names and that is not built in
};

struct Datatype {
    Representation representation = Representation::string;
    WhiteSpace white_space = WhiteSpace::preserve;
    std::uint8_t width = 0;    // n_bit, enumeration
    std::uint32_t set = 0;     // string: its characters, 0 for any
    std::uint32_t other = 0;   // list: the item's datatype; enumeration: see items
    std::int64_t minimum = 0;  // n_bit
    std::uint32_t count = 0;   // n_bit, enumeration: values; 0 for 2^32
};

// Whether the types can be gone through: chains of bases and items end, soon.
bool sound_types(std::span<const SimpleType> types);

// Of types that are sound.
class Datatypes {
  public:
    Datatypes(std::span<const SimpleType> types, const std::vector<DatatypeMapping>& map,
              bool lexical);

    const Datatype& operator[](std::uint32_t type) const { return all_[type]; }
    const CharacterSet& set(std::uint32_t index) const { return sets_[index - 1]; }

    // EXI 7.2: an enumeration's items, in schema order, as the text of their value.
    struct Enumeration {
        std::vector<std::string> items;
        std::vector<std::string> keys;      // the same, times as of UTC: equal for equal values
        std::vector<std::uint32_t> sorted;  // by key; of equal ones the first
        Datatype base;                      // what the values would be represented as
    };
    const Enumeration& enumeration(const Datatype& of) const { return enumerations_[of.other]; }
    // Of the value with this key, or k_no_component.
    static std::uint32_t find_item(const Enumeration& in, std::string_view key);

  private:
    class Maker;

    std::vector<Datatype> all_;
    std::vector<CharacterSet> sets_;
    std::vector<Enumeration> enumerations_;
};

}  // namespace perfrelay::exi
