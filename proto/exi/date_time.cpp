#include "proto/exi/date_time.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "proto/exi/big_integer.h"
#include "proto/exi/typed_value.h"

namespace perfrelay::exi {

using R = Representation;

namespace {

bool parse_year(Scan& scan, Value& value) {
    const bool negative = scan.take('-');
    const std::string_view digits = scan.digits();
    if (digits.size() < 4 || digits.size() > 18) return false;
    std::int64_t year = 0;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), year);
    value.year = negative ? -year : year;
    value.unusual = digits.size() > 4;
    return true;
}

bool parse_zone(Scan& scan, Value& value) {
    value.has_zone = !scan.end();
    value.zone = 0;
    if (scan.end() || scan.take('Z')) return scan.end();
    const bool negative = scan.take('-');
    if (!negative && !scan.take('+')) return false;
    std::uint8_t hours = 0;
    std::uint8_t minutes = 0;
    if (!scan.two(hours, 14) || !scan.take(':') || !scan.two(minutes, 59)) return false;
    const int zone = hours * 60 + minutes;
    value.zone = static_cast<std::int16_t>(negative ? -zone : zone);
    return scan.end();
}

unsigned days_of_month(const Value& value) {
    constexpr std::array<std::uint8_t, 12> k_days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = value.year % 4 == 0 && (value.year % 100 != 0 || value.year % 400 == 0);
    return k_days[value.month - 1U] + (leap && value.month == 2 ? 1U : 0U);
}

// There is no year 0 (XML Schema 1.0 part 2, 3.2.7).
void next_day(Value& value) {
    if (value.day < days_of_month(value)) {
        ++value.day;
        return;
    }
    value.day = 1;
    if (value.month++ < 12) return;
    value.month = 1;
    if (++value.year == 0) value.year = 1;
}
void day_before(Value& value) {
    if (value.day > 1) {
        --value.day;
        return;
    }
    if (value.month > 1) {
        --value.month;
    } else {
        value.month = 12;
        if (--value.year == 0) value.year = -1;
    }
    value.day = static_cast<std::uint8_t>(days_of_month(value));
}

// 24:00:00 is the next day's 00:00:00 (XML Schema part 2, 3.2.7; Canonical EXI 4.5).
void end_of_day(R type, Value& value) {
    if (value.hour != 24 || value.minute != 0 || value.second != 0 || !value.fraction.empty())
        return;
    value.hour = 0;
    if (type == R::date_time) next_day(value);
}

}  // namespace

bool parse_date_time(R type, std::string_view text, Value& value) {
    Scan scan(text);
    value.fraction = {};
    value.year = 0;
    value.month = value.day = value.hour = value.minute = value.second = 0;
    const auto month = [&] { return scan.two(value.month, 12) && value.month != 0; };
    const auto day = [&] { return scan.two(value.day, 31) && value.day != 0; };
    const auto time = [&] {
        if (!scan.two(value.hour, 24) || !scan.take(':') || !scan.two(value.minute, 59) ||
            !scan.take(':') || !scan.two(value.second, 60)) {
            return false;
        }
        if (!scan.take('.')) return true;
        const std::string_view digits = scan.digits();
        value.fraction = without_trailing_zeros(digits);
        return !digits.empty() && digits.size() < k_most_octets;
    };
    bool good = false;
    switch (type) {
        case R::date_time:
            good = parse_year(scan, value) && scan.take('-') && month() && scan.take('-') &&
                   day() && scan.take('T') && time();
            break;
        case R::time: good = time(); break;
        case R::date:
            good = parse_year(scan, value) && scan.take('-') && month() && scan.take('-') && day();
            break;
        case R::g_year_month: good = parse_year(scan, value) && scan.take('-') && month(); break;
        case R::g_year: good = parse_year(scan, value); break;
        case R::g_month_day:
            good = scan.take('-') && scan.take('-') && month() && scan.take('-') && day();
            break;
        case R::g_day: good = scan.take('-') && scan.take('-') && scan.take('-') && day(); break;
        case R::g_month:
            good = scan.take('-') && scan.take('-') && month();
            // The erratum's form and the first edition's, "--01--".
            if (good && !scan.end() && text.substr(4, 2) == "--")
                good = scan.take('-') && scan.take('-');
            break;
        default: return false;
    }
    if (!good || !parse_zone(scan, value)) return false;
    end_of_day(type, value);
    return true;
}

void put_date_time(Put& put, R type, const Value& value) {
    if (has_year(type)) {
        if (value.year < 0) put.one('-');
        const std::uint64_t year = value.year < 0 ? ~static_cast<std::uint64_t>(value.year) + 1
                                                  : static_cast<std::uint64_t>(value.year);
        for (std::uint64_t least = 1000; least > year && least > 1; least /= 10)
            put.one('0');
        put.number(year);
    }
    switch (type) {
        case R::date_time:
        case R::date:
            put.one('-');
            put.two(value.month);
            put.one('-');
            put.two(value.day);
            break;
        case R::g_year_month:
            put.one('-');
            put.two(value.month);
            break;
        case R::g_month_day:
            put.all("--");
            put.two(value.month);
            put.one('-');
            put.two(value.day);
            break;
        case R::g_month:
            put.all("--");
            put.two(value.month);
            break;
        case R::g_day:
            put.all("---");
            put.two(value.day);
            break;
        default: break;
    }
    if (type == R::date_time) put.one('T');
    if (has_time(type)) {
        put.two(value.hour);
        put.one(':');
        put.two(value.minute);
        put.one(':');
        put.two(value.second);
        if (!value.fraction.empty()) {
            put.one('.');
            put.all(value.fraction);
        }
    }
    if (!value.has_zone) return;
    if (value.zone == 0) return put.one('Z');
    put.one(value.zone < 0 ? '-' : '+');
    const auto zone = static_cast<unsigned>(value.zone < 0 ? -value.zone : value.zone);
    put.two(zone / 60);
    put.one(':');
    put.two(zone % 60);
}

void to_utc(R type, Value& value) {
    if (!value.has_zone || value.zone == 0) return;
    // What a type lacks is that of January 1 in a leap year, at midnight; what it lacks stays so.
    const std::uint8_t month = value.month;
    const std::uint8_t day = value.day;
    if (month == 0) value.month = 1;
    if (day == 0) value.day = 1;
    constexpr int k_day = 24 * 60;
    int minutes = value.hour * 60 + value.minute - value.zone;
    if (minutes >= k_day) {
        minutes -= k_day;
        next_day(value);
    } else if (minutes < 0) {
        minutes += k_day;
        day_before(value);
    }
    value.hour = static_cast<std::uint8_t>(has_time(type) ? minutes / 60 : 0);
    value.minute = static_cast<std::uint8_t>(has_time(type) ? minutes % 60 : 0);
    if (!has_year(type)) value.year = 0;
    if (!has_month(type)) value.month = month;
    if (!has_day(type)) value.day = day;
    value.zone = 0;
}

}  // namespace perfrelay::exi
