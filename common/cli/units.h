#pragma once
// Units: what a user writes ("15s", "64KiB", "240k") and what is shown ("3.09 ms").
//
// Contract: a value is digits, optionally a point and digits, then a unit with at most one space
// before it. No sign, no exponent, no "inf"; locale-free both ways. What cannot be held exactly
// enough (overflow, half a byte) is refused. Every parser returns nothing, and one line in `why`,
// when it refuses.
// Tested by tests/unit/common/units_test.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perfrelay {

// What a duration without a unit means; `refused`: it must have one, unless it is 0.
enum class BareDuration : std::uint8_t { refused, milliseconds, seconds };

// Nanoseconds. Units: ns, us, ms, s, m (or min), h.
std::optional<std::int64_t> parse_duration(std::string_view text, BareDuration bare,
                                           std::string& why);

// Bytes. Units: none or B, kB MB GB TB (powers of 1,000), KiB MiB GiB TiB (powers of 1,024).
// "64K" is refused: it means either.
std::optional<std::uint64_t> parse_bytes(std::string_view text, std::string& why);

// Bits a second, more than 0. Units: none, k M G (powers of 1,000), each also with "bit/s".
std::optional<std::uint64_t> parse_rate(std::string_view text, std::string& why);

// A unit that durations are shown in.
struct DurationUnit {
    double nanoseconds = 1;
    const char* name = "ns";
};

// The unit that leaves 1 to 999 before the point, for seconds any number: ns, us, ms, s.
DurationUnit duration_unit(double nanoseconds);

// How many decimals show `value` with `digits` significant digits, 0 to 9.
int decimals_for(double value, int digits);

// "3.98": fixed notation. "-" for what is no number.
std::string format_fixed(double value, int decimals);

// Three significant digits in the fitting unit, "3.09 ms", "79.4 ms", "812 us", "1.20 s"; all
// digits before the point ("3600 s").
std::string format_duration(double nanoseconds);

// Exact: "937005 bytes", "1 byte".
std::string format_bytes(std::uint64_t bytes);

}  // namespace perfrelay
