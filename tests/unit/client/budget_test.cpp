#include "client/budget.h"

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

constexpr measure::Nanoseconds k_ms = 1'000'000;
constexpr measure::Nanoseconds k_s = 1'000 * k_ms;

Options options(std::vector<net::Link> links = {}) {
    Options made;
    made.links = std::move(links);
    return made;
}

std::vector<RowEstimate> rows(std::size_t count, measure::Nanoseconds run = k_ms) {
    return std::vector<RowEstimate>(count, {.title = "XML", .size = 100'000, .run = run});
}

const net::Link k_slow{.name = "slow", .down = 1'000'000, .up = 1'000'000, .overhead = 0};

TEST(Budget, WithoutOneNothingIsCut) {
    const Options asked = options({k_slow});
    const Share share = share_out(asked, rows(10), measure::k_never);
    EXPECT_EQ(share.measuring, 20 * k_s);
    EXPECT_GT(share.sending, 100 * k_s);  // ten rows, seven times 1.6 s
    EXPECT_EQ(share.link_time, 20 * k_s);
    EXPECT_TRUE(share.cuts.empty());
}

TEST(Budget, WhatFitsIsNotCut) {
    const Share share = share_out(options(), rows(10), 30 * k_s);
    EXPECT_EQ(share.main.time, k_s);
    EXPECT_EQ(share.sending, 0);
    EXPECT_TRUE(share.cuts.empty());
}

TEST(Budget, LinksAreCutFirst) {
    const Share share = share_out(options({k_slow}), rows(10), 60 * k_s);
    EXPECT_EQ(share.main.time, k_s);
    EXPECT_EQ(share.measuring, 20 * k_s);
    EXPECT_LT(share.link_time, 20 * k_s);
    EXPECT_LE(share.measuring + share.sending, 57 * k_s);
    EXPECT_GE(share.measuring + share.sending, 40 * k_s);
    ASSERT_EQ(share.cuts.size(), 1U);
    EXPECT_EQ(share.cuts[0].rfind("--link-time 20.0 s cut to ", 0), 0U) << share.cuts[0];
}

TEST(Budget, ThenMeasuringDownToOneRun) {
    Share share = share_out(options({k_slow}), rows(10), 20 * k_s);
    EXPECT_LE(share.measuring, 9'500 * k_ms);
    EXPECT_GE(share.measuring, 9 * k_s);
    EXPECT_EQ(share.cuts.size(), 2U);
    // Runs of 2 s: five of each would be 100 s.
    share = share_out(options(), rows(10, 2 * k_s), 30 * k_s);
    EXPECT_EQ(share.main.runs, 1U);
    EXPECT_EQ(share.warmup.runs, 0U);
    EXPECT_EQ(share.cuts.size(), 1U);
    EXPECT_NE(share.cuts[0].find("and 1 run"), std::string::npos) << share.cuts[0];
}

TEST(Plan, SaysWhatWouldRunAndHowLong) {
    Options asked = options({k_slow});
    asked.link_time = 2 * k_s;
    std::vector<RowEstimate> two = rows(2);
    two[1].title = "EFX";
    two[1].size = 1'000'000;
    const std::string text =
        plan_text(asked, "a.xml", two, share_out(asked, two, measure::k_never));
    EXPECT_NE(text.find("XML        100000    1.00 ms     1.00 s     1.00 s\n"), std::string::npos)
        << text;
    EXPECT_NE(text.find("slow  XML        1.60 s     1     1.60 s\n"), std::string::npos) << text;
    EXPECT_NE(text.find("modelled: a transfer takes 16.0 s, more than --link-time 2.00 s"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("In all about 7.60 s: measuring 4.00 s, links 3.60 s\n"), std::string::npos)
        << text;
}

}  // namespace
}  // namespace perfrelay::client
