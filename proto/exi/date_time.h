#pragma once
// Dates and times (EXI 7.1.8, XML Schema 1.0 part 2, 3.2.7 to 3.2.14): which parts each type has,
// and their texts. Tested by tests/unit/proto/exi/datatypes_test.cpp.

#include <string_view>

#include "proto/exi/schema/datatypes.h"
#include "proto/exi/value_text.h"

namespace perfrelay::exi {

struct Value;

inline bool is_date_time(Representation r) {
    return r >= Representation::date_time && r <= Representation::g_month;
}
// Which parts a type has (Table 7-4).
inline bool has_year(Representation r) {
    return r == Representation::date_time || r == Representation::date ||
           r == Representation::g_year_month || r == Representation::g_year;
}
inline bool has_month_day(Representation r) {
    return r != Representation::time && r != Representation::g_year;
}
inline bool has_month(Representation r) {
    return has_month_day(r) && r != Representation::g_day;
}
inline bool has_day(Representation r) {
    return has_month_day(r) && r != Representation::g_month && r != Representation::g_year_month;
}
inline bool has_time(Representation r) {
    return r == Representation::date_time || r == Representation::time;
}

// As parse_value, and text_of; a text has fewer than 64 characters beyond the fraction's.
bool parse_date_time(Representation type, std::string_view text, Value& value);
void put_date_time(Put& put, Representation type, const Value& value);

// As of UTC, where it has a zone (Canonical EXI, utcTime): of dates the one on which their first
// moment is there.
void to_utc(Representation type, Value& value);

}  // namespace perfrelay::exi
