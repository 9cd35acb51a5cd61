#pragma once
// Value: one typed value between its text and its representation (EXI 7.1, 7.2): parse_value and
// text_of are one side, read_value and write_value (typed_items.h) the other.
//
// A text comes back as the canonical form of its value (XML Schema 1.0 part 2, 3.2), "+07" as "7";
// floats as mantissa and exponent, the form that they travel in. Whether a text is representable is
// all that counts, not whether it is valid: a February of 30 days is.
// Tested by tests/unit/proto/exi/datatypes_test.cpp.

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/arena.h"
#include "proto/exi/schema/datatypes.h"

namespace perfrelay::exi {

struct Value {
    bool negative = false;      // integer, decimal
    std::uint64_t number = 0;   // magnitude; offset of n_bit; item of an enumeration; boolean
    std::string_view digits;    // the magnitude, when it does not fit `number`
    std::string_view fraction;  // decimal, times: digits behind the point, no zeros at the end
    std::int64_t mantissa = 0;  // floating; exponent k_special: EXI 7.1.4
    std::int32_t exponent = 0;
    // EXI 7.1.8; what a type does not have is 0
    std::int64_t year = 0;
    std::uint8_t month = 0, day = 0, hour = 0, minute = 0, second = 0;
    bool has_zone = false;
    std::int16_t zone = 0;  // minutes
    // Not what EXIficient takes for such a value: a decimal that ends in its point, a year of more
    // than four digits.
    bool unusual = false;
    std::string_view text;  // string, list, binary: the octets
    std::string scratch;    // what the views may look at
    Arena canonical;        // texts on the way to an enumeration's item

    static constexpr std::int32_t k_special = -(1 << 14);
};

// `text` under the facet (XML Schema part 2, 4.3.6): itself, or in `scratch`.
std::string_view normalised(std::string_view text, WhiteSpace facet, std::string& scratch);

// False when the datatype cannot represent it. `text` is normalised and outlives the value.
bool parse_value(const Datatypes& datatypes, const Datatype& datatype, std::string_view text,
                 Value& value);

// Its canonical text; in `arena`, or static. Of lists see list_text.
std::string_view text_of(const Datatypes& datatypes, const Datatype& datatype, const Value& value,
                         Arena& arena);

// The next item of a normalised list from `at` on, which moves; false behind the last.
bool next_item(std::string_view list, std::size_t& at, std::string_view& item);

// Whether `read` is what becomes of `written` as the value of some datatype, or of a list of them;
// and where times are made those of UTC.
bool same_typed_value(std::string_view written, std::string_view read);
bool same_utc_value(std::string_view written, std::string_view read);

}  // namespace perfrelay::exi
