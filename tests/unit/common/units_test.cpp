#include "common/cli/units.h"

#include <cmath>
#include <limits>
#include <locale>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

constexpr auto k_infinity = std::numeric_limits<double>::infinity();

std::int64_t duration(std::string_view text, BareDuration bare = BareDuration::refused) {
    std::string why;
    const auto value = parse_duration(text, bare, why);
    EXPECT_TRUE(value) << why;
    return value.value_or(-1);
}

std::uint64_t bytes(std::string_view text) {
    std::string why;
    const auto value = parse_bytes(text, why);
    EXPECT_TRUE(value) << why;
    return value.value_or(0);
}

std::uint64_t rate(std::string_view text) {
    std::string why;
    const auto value = parse_rate(text, why);
    EXPECT_TRUE(value) << why;
    return value.value_or(0);
}

TEST(ParseDuration, TakesEveryUnit) {
    EXPECT_EQ(duration("15s"), 15'000'000'000);
    EXPECT_EQ(duration("500ms"), 500'000'000);
    EXPECT_EQ(duration("1.5m"), 90'000'000'000);
    EXPECT_EQ(duration("2min"), 120'000'000'000);
    EXPECT_EQ(duration("1h"), 3'600'000'000'000);
    EXPECT_EQ(duration("50us"), 50'000);
    EXPECT_EQ(duration("50\u00b5s"), 50'000);
    EXPECT_EQ(duration("7ns"), 7);
    EXPECT_EQ(duration("15 s"), 15'000'000'000);
    EXPECT_EQ(duration("0.1s"), 100'000'000);
    EXPECT_EQ(duration("0s"), 0);
}

TEST(ParseDuration, BareNumbersAreWhatTheCallerSays) {
    EXPECT_EQ(duration("1000", BareDuration::milliseconds), 1'000'000'000);
    EXPECT_EQ(duration("0.5", BareDuration::milliseconds), 500'000);
    EXPECT_EQ(duration("15s", BareDuration::milliseconds), 15'000'000'000);
    EXPECT_EQ(duration("20", BareDuration::seconds), 20'000'000'000);
    EXPECT_EQ(duration("0"), 0);
    std::string why;
    EXPECT_FALSE(parse_duration("15", BareDuration::refused, why));
    EXPECT_EQ(why, "'15': a unit is missing, units are ns, us, ms, s, m, h: \"15s\"");
}

TEST(ParseDuration, UpToTheLargestAndNotBeyond) {
    EXPECT_EQ(duration("9223372036854775807ns"), std::numeric_limits<std::int64_t>::max());
    std::string why;
    for (const char* text : {"9223372036854775808ns", "18446744073709551616ns", "9223372037s",
                             "1000000000000h", "99999999999999999999999999999h", "9223372037.5s"}) {
        EXPECT_FALSE(parse_duration(text, BareDuration::refused, why)) << text;
        EXPECT_EQ(why, "'" + std::string(text) + "': too long");
    }
}

TEST(ParseBytes, TakesEveryUnit) {
    EXPECT_EQ(bytes("937005"), 937'005U);
    EXPECT_EQ(bytes("0"), 0U);
    EXPECT_EQ(bytes("12B"), 12U);
    EXPECT_EQ(bytes("64KiB"), 65'536U);
    EXPECT_EQ(bytes("1MB"), 1'000'000U);
    EXPECT_EQ(bytes("1kB"), 1'000U);
    EXPECT_EQ(bytes("256 MiB"), 268'435'456U);
    EXPECT_EQ(bytes("1.5KiB"), 1'536U);
    EXPECT_EQ(bytes("0.3GB"), 300'000'000U);
    EXPECT_EQ(bytes("9223372036854775807"), 9'223'372'036'854'775'807U);
}

TEST(ParseBytes, RefusesWhatMeansTwoThings) {
    std::string why;
    EXPECT_FALSE(parse_bytes("64K", why));
    EXPECT_EQ(why, "'64K': unknown unit 'K', units are B, kB, MB, GB, KiB, MiB, GiB: \"64KiB\"");
    EXPECT_FALSE(parse_bytes("0.3B", why));
    EXPECT_EQ(why, "'0.3B': not a whole number of bytes");
    EXPECT_FALSE(parse_bytes("1kb", why));
    EXPECT_FALSE(parse_bytes("9223372036854775808", why));
    EXPECT_EQ(why, "'9223372036854775808': too large");
    EXPECT_FALSE(parse_bytes("16777216TiB", why));
}

TEST(ParseRate, IsDecimalBitsASecond) {
    EXPECT_EQ(rate("240k"), 240'000U);
    EXPECT_EQ(rate("1.6M"), 1'600'000U);
    EXPECT_EQ(rate("9600"), 9'600U);
    EXPECT_EQ(rate("9.6k"), 9'600U);
    EXPECT_EQ(rate("1G"), 1'000'000'000U);
    EXPECT_EQ(rate("10Mbit/s"), 10'000'000U);
    EXPECT_EQ(rate("56 kbit/s"), 56'000U);
    EXPECT_EQ(rate("300bit/s"), 300U);
    std::string why;
    EXPECT_FALSE(parse_rate("0", why));
    EXPECT_EQ(why, "'0': a rate is more than 0");
    EXPECT_FALSE(parse_rate("1m", why)) << "milli?";
    EXPECT_FALSE(parse_rate("64KiB", why));
    EXPECT_FALSE(parse_rate("0.5", why));
}

TEST(Units, RejectWhatIsNoNumber) {
    std::string why;
    for (const char* text :
         {"",     " ",    "s",   "nan",  "inf",   "NaN",       "infinity", "-1",
          "+1",   "-15s", "-0",  "1e3",  "1e3s",  "0x10",      "1 0",      "1 0s",
          "1  s", " 1s",  "1s ", "1.s",  ".5s",   "1.2.3s",    "1,5s",     "1s1",
          "1ss",  "ss",   "1 ",  "1\ns", "1'000", "\xc2\xb5s", "1\xc2",    "1s\x01"}) {
        why.clear();
        EXPECT_FALSE(parse_duration(text, BareDuration::milliseconds, why)) << text;
        EXPECT_FALSE(why.empty()) << text;
        EXPECT_FALSE(parse_bytes(text, why)) << text;
        EXPECT_FALSE(parse_rate(text, why)) << text;
    }
    EXPECT_FALSE(parse_bytes(std::string_view("1\0", 2), why));
}

TEST(FormatDuration, ThreeDigitsInTheFittingUnit) {
    EXPECT_EQ(format_duration(3'090'000), "3.09 ms");
    EXPECT_EQ(format_duration(79'380'000), "79.4 ms");
    EXPECT_EQ(format_duration(812'300), "812 us");
    EXPECT_EQ(format_duration(1.2e9), "1.20 s");
    EXPECT_EQ(format_duration(40), "40.0 ns");
    EXPECT_EQ(format_duration(3.267), "3.27 ns");
    EXPECT_EQ(format_duration(0), "0 ns");
    EXPECT_EQ(format_duration(3.6e12), "3600 s");
    EXPECT_EQ(format_duration(-2'500'000), "-2.50 ms");
}

TEST(FormatDuration, RoundsIntoTheNextUnit) {
    EXPECT_EQ(format_duration(999'499), "999 us");
    EXPECT_EQ(format_duration(999'500), "1.00 ms");
    EXPECT_EQ(format_duration(999'999'999), "1.00 s");
    EXPECT_EQ(format_duration(9'994), "9.99 us");
    EXPECT_EQ(format_duration(9'996), "10.0 us");
    EXPECT_EQ(format_duration(99'960), "100 us");
}

TEST(FormatDuration, WhatIsNoNumberIsADash) {
    EXPECT_EQ(format_duration(std::nan("")), "-");
    EXPECT_EQ(format_duration(k_infinity), "-");
    EXPECT_EQ(format_fixed(-k_infinity, 2), "-");
}

TEST(FormatFixed, AnyDouble) {
    EXPECT_EQ(format_fixed(0.125, 2), "0.12");
    EXPECT_EQ(format_fixed(1234567.0, 0), "1234567");
    EXPECT_EQ(format_fixed(std::numeric_limits<double>::max(), 9).size(), 309U + 10U);
}

TEST(FormatBytes, IsExact) {
    EXPECT_EQ(format_bytes(937'005), "937005 bytes");
    EXPECT_EQ(format_bytes(1), "1 byte");
    EXPECT_EQ(format_bytes(0), "0 bytes");
    EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()),
              "18446744073709551615 bytes");
}

TEST(Units, WhatIsShownCanBeReadBack) {
    for (double value = 1; value < 1e13; value *= 1.037) {
        const std::string shown = format_duration(value);
        const auto read = static_cast<double>(duration(shown));
        // Half of the last digit shown, and the whole nanosecond that is read.
        EXPECT_NEAR(read, value, std::max(0.5, value * 0.0051) + 0.06) << shown;
    }
}

// The numbers of a program that called setlocale or std::locale::global stay the same.
TEST(Units, AreFreeOfTheLocale) {
    struct DecimalComma : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
    EXPECT_EQ(format_duration(3'090'000), "3.09 ms");
    EXPECT_EQ(format_bytes(937'005), "937005 bytes");
    EXPECT_EQ(duration("1.5s"), 1'500'000'000);
    std::locale::global(before);
}

}  // namespace
}  // namespace perfrelay
