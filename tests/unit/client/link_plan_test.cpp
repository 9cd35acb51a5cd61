#include "client/link_plan.h"

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

constexpr measure::Nanoseconds k_ms = 1'000'000;
constexpr measure::Nanoseconds k_s = 1'000 * k_ms;

LinkTerms terms() {
    return {.link_time = 20 * k_s, .runs = 6};
}

// 1 Mbit/s, no headers: 8 us a byte each way.
net::Link link() {
    return {.name = "test", .down = 1'000'000, .up = 1'000'000, .rtt = 100 * k_ms, .overhead = 0};
}

std::string why_not(const LinkTerms& of, const net::Link& on, std::size_t size,
                    measure::Nanoseconds path = 0) {
    return plan_link(of, on, size, path).modelled;
}

TEST(LinkPlan, RunsAsTimeAllows) {
    LinkPlan plan = plan_link(terms(), link(), 12'476, 0);  // 12,500 with its header
    EXPECT_EQ(plan.modelled, "");
    EXPECT_EQ(plan.transfer, 300 * k_ms);
    EXPECT_EQ(plan.runs, 6U);
    EXPECT_TRUE(plan.warm_up);
    EXPECT_EQ(plan.time(), 2'100 * k_ms);
    plan = plan_link(terms(), link(), 499'976, 0);  // 8.1 s
    EXPECT_EQ(plan.runs, 1U);
    EXPECT_TRUE(plan.warm_up);
    plan = plan_link(terms(), link(), 999'976, 0);  // 16.1 s
    EXPECT_EQ(plan.runs, 1U);
    EXPECT_FALSE(plan.warm_up);
}

TEST(LinkPlan, OneWayIsHalf) {
    LinkTerms one_way = terms();
    for (const Direction direction : {Direction::encode, Direction::decode}) {
        one_way.direction = direction;
        EXPECT_EQ(plan_link(one_way, link(), 12'476, 0).transfer, 150 * k_ms);
    }
    LinkTerms through = terms();
    through.cut_through = true;
    EXPECT_LT(plan_link(through, link(), 12'476, 0).transfer, 210 * k_ms);
}

TEST(LinkPlan, WhatCannotBeSentSaysWhy) {
    EXPECT_EQ(why_not(terms(), link(), 1'999'976),
              "a transfer takes 32.1 s, more than --link-time 20.0 s");
    LinkTerms forced = terms();
    forced.force = true;
    EXPECT_EQ(why_not(forced, link(), 1'999'976), "");
    EXPECT_EQ(plan_link(forced, link(), 1'999'976, 0).runs, 1U);

    net::Link fast = link();
    fast.down = 500'000'001;
    EXPECT_EQ(why_not(forced, fast, 1'000), "links faster than 500 Mbit/s are not emulated");
    LinkTerms up_alone = terms();
    up_alone.direction = Direction::encode;
    EXPECT_EQ(why_not(up_alone, fast, 1'000), "");

    net::Link far = link();
    far.rtt = 22 * k_s;
    EXPECT_EQ(why_not(forced, far, 1'000),
              "nothing would arrive for 11.0 s, and sessions end then");
    LinkTerms hasty = forced;
    hasty.quiet = 40 * k_ms;
    EXPECT_NE(why_not(hasty, link(), 1'000), "");

    LinkTerms short_lived = forced;
    short_lived.longest = 30 * k_s;
    EXPECT_EQ(why_not(short_lived, link(), 1'999'976),
              "a transfer takes 32.1 s, longer than a session may");

    LinkTerms distant = forced;
    distant.path_rtt = 10 * k_ms;
    EXPECT_EQ(why_not(distant, link(), 1'000), "");
    distant.path_rtt = 11 * k_ms;
    EXPECT_EQ(why_not(distant, link(), 1'000),
              "the way to the relay has a round trip of 11.0 ms, more than a tenth of the link's");

    EXPECT_EQ(why_not(forced, link(), 12'476, 150 * k_ms), "");
    EXPECT_EQ(why_not(forced, link(), 12'476, 151 * k_ms),
              "the way to the relay is not twice as fast: a transfer takes 151 ms of the link's "
              "300 ms");

    LinkTerms through = forced;
    through.cut_through = true;
    net::Link long_and_fat = link();
    long_and_fat.down = long_and_fat.up = 400'000'000;
    long_and_fat.rtt = k_s;
    EXPECT_EQ(why_not(through, long_and_fat, 1'000),
              "cut-through: more would be under way than a relay holds");
    EXPECT_EQ(why_not(forced, long_and_fat, 1'000), "");
}

TEST(LinkPlan, DrawsDifferAndAreTheSameForAll) {
    net::Link lossy = link();
    lossy.loss = 0.2;
    const auto ways = [&](std::size_t draw) { return ways_of_draw(terms(), lossy, draw); };
    EXPECT_EQ(ways(3).up, ways(3).up);
    EXPECT_NE(ways(3).up.seed, ways(4).up.seed);
    EXPECT_NE(ways(3).up.seed, ways(3).down.seed);
    // What is modelled is the mean of the draws.
    double sum = 0;
    for (std::size_t draw = 0; draw < 64; ++draw)
        sum += static_cast<double>(planned_transfer(terms(), ways(draw), 20'000));
    const net::LinkWays all = net::ways_of(lossy, true, true, terms().seed);
    const double modelled = static_cast<double>(net::modelled_transfer(all.up, 20'024) +
                                                net::modelled_transfer(all.down, 20'024));
    EXPECT_NEAR(sum / 64 / modelled, 1, 0.001);
}

TEST(LinkPlan, ALinkOfATime) {
    const net::Link found = link_of_time(terms(), 100'000, k_s);
    EXPECT_EQ(found.up, 1'700'000U);  // 1,658,000 bits
    EXPECT_EQ(found.down, found.up);
    EXPECT_EQ(found.rtt, 0);
    EXPECT_EQ(link_of_time(terms(), 100'000, 1).up, 500'000'000U);
    EXPECT_EQ(link_of_time(terms(), 1, 1'000 * k_s).up, 1'000U);
}

}  // namespace
}  // namespace perfrelay::client
