// What was sent over emulated links beside its model, of hand-made results.

#include "client/report/emulated.h"

#include <gtest/gtest.h>

#include "client/report/sections.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases

// 4 ms of processor, and transfers of a planned 100 ms.
Report sent(std::vector<Nanoseconds> delivered) {
    Report made =
        report({file({row("xml", "XML", 1'000, {.encode = 1 * k_ms, .decode = 3 * k_ms})})});
    made.links = {{.name = "slow", .down = 1000, .up = 1000}};
    made.link_relay = "127.0.0.1:1";
    OnLink on;
    for (const Nanoseconds took : delivered) {
        measure::Sample sample;
        sample.phase = {1 * k_ms, took / 2, took / 2, 3 * k_ms};
        sample.total = took + 5 * k_ms;  // 1 ms in between
        on.runs.samples.push_back(sample);
        on.planned.push_back(100 * k_ms);
        on.delivered.push_back(took);
    }
    made.files[0].rows[0].on_links = {on};
    return made;
}

TEST(OnTime, ToOnePercentOrOneMillisecond) {
    EXPECT_TRUE(on_time(10 * k_ms, 11 * k_ms));
    EXPECT_FALSE(on_time(10 * k_ms, 11 * k_ms + 1));
    EXPECT_TRUE(on_time(1000 * k_ms, 1010 * k_ms));
    EXPECT_FALSE(on_time(1000 * k_ms, 1010 * k_ms + 1));
    EXPECT_FALSE(on_time(1000 * k_ms, 989 * k_ms));  // too early is wrong, too
}

TEST(EmulatedTotals, AreComparedWithTheModelOfTheSameRuns) {
    const Report made = sent({100 * k_ms, 101 * k_ms});
    const auto totals = emulated_totals(made, made.files[0]);
    ASSERT_EQ(totals.size(), 1U);
    EXPECT_EQ(totals[0].runs, 2U);
    EXPECT_DOUBLE_EQ(totals[0].transmit, 100.5 * k_ms);
    EXPECT_DOUBLE_EQ(totals[0].total, 105.5 * k_ms);
    EXPECT_DOUBLE_EQ(totals[0].model, 104.0 * k_ms);
    EXPECT_NEAR(totals[0].off, 1.5 / 104, 1e-12);
    EXPECT_EQ(totals[0].late, 0U);
    EXPECT_EQ(totals[0].latest, 1 * k_ms);
}

TEST(EmulatedTables, SayWhatMissedItsLinkAndWhatWasNotSent) {
    Report made = sent({100 * k_ms, 130 * k_ms});
    Row other = row("exi", "EFX", 100, {});
    other.on_links.resize(1);
    other.on_links[0].modelled = "a transfer takes 40.0 s, more than --link-time 20.0 s";
    other.curve = {
        {.rate = 250'000, .modelled = 1000 * k_ms, .delivered = 1001 * k_ms, .total = 1010 * k_ms}};
    made.files[0].rows.push_back(other);
    const std::string text = emulated_tables(made);
    EXPECT_NE(
        text.find("slow  XML        2     115 ms     120 ms     104 ms  +15.38 %!    30.0 ms"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("!: with runs that missed the link"), std::string::npos);
    EXPECT_NE(text.find("  slow, EFX: a transfer takes 40.0 s, more than --link-time 20.0 s\n"),
              std::string::npos);
    EXPECT_NE(text.find("EFX      250k     1.00 s     1.01 s   +1.00 %   +0.10 %"),
              std::string::npos)
        << text;
    EXPECT_NE(links_tables(made).find("Links, emulated by the relay at 127.0.0.1:1\n"),
              std::string::npos);
}

}  // namespace
}  // namespace perfrelay::client
