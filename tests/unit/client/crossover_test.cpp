#include "client/report/crossover.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

// `runs` times around `ns`, lognormal, skewed as times are.
std::vector<double> around(double ns, double spread, std::size_t runs, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> factor(0, spread);
    std::vector<double> times(runs);
    for (double& time : times)
        time = ns * factor(random);
    return times;
}

Contender contender(double bytes, double ns, double spread = 0.02, std::uint64_t seed = 1) {
    return {"", 8 * bytes, around(ns, spread, 100, seed)};
}

Crossover only(const Contender& a, const Contender& b) {
    const std::vector<Contender> all = {a, b};
    const auto found = crossovers(all, 7);
    EXPECT_EQ(found.size(), 1U);
    return found.front();
}

TEST(Crossover, IsWhereBytesMakeUpForTime) {
    // 1 MB against 100 kB, 20 ms slower: 7.2 Mbit in 20 ms.
    const Crossover found = only(contender(1e6, 5e6), contender(1e5, 25e6, 0.02, 2));
    EXPECT_EQ(found.smaller, 1U);
    EXPECT_EQ(found.larger, 0U);
    EXPECT_EQ(found.verdict, Crossover::Verdict::below);
    EXPECT_NEAR(found.at / 3.6e8, 1, 0.02);
    EXPECT_LT(found.low, found.at);
    EXPECT_GT(found.high, found.at);
    EXPECT_NEAR(found.high / found.low, 1, 0.05);
}

TEST(Crossover, SmallerAndNotSlowerWinsEverywhere) {
    EXPECT_EQ(only(contender(1e5, 5e6), contender(1e6, 25e6)).verdict,
              Crossover::Verdict::every_speed);
    // Beyond any link is everywhere, too.
    EXPECT_EQ(only(contender(1e5, 5.001e6, 0), contender(1e9, 5e6, 0)).verdict,
              Crossover::Verdict::every_speed);
}

TEST(Crossover, WhatTheRunsDoNotTellIsUndecided) {
    const Crossover found = only(contender(1e6, 5e6, 0.5, 1), contender(1e5, 5e6, 0.5, 2));
    EXPECT_EQ(found.verdict, Crossover::Verdict::undecided);
    EXPECT_GT(found.low, 0);
    EXPECT_EQ(found.high, k_fastest_link);
}

TEST(Crossover, TheSameSizeDecidesNothing) {
    EXPECT_EQ(only(contender(1e6, 5e6), contender(1e6, 9e6)).verdict,
              Crossover::Verdict::same_size);
}

TEST(Crossover, TheIntervalHoldsTheTruth) {
    // Medians of the distributions are 10 and 30 ms: the truth is known.
    const double truth = 8 * 9e5 / 20e6 * 1e9;
    int held = 0;
    constexpr int k_trials = 300;
    for (std::uint64_t trial = 0; trial < k_trials; ++trial) {
        const std::vector<Contender> all = {{"", 8e6, around(10e6, 0.3, 30, 2 * trial)},
                                            {"", 8e5, around(30e6, 0.3, 30, 2 * trial + 1)}};
        const Crossover found = crossovers(all, trial).front();
        if (found.low <= truth && truth <= found.high) ++held;
    }
    EXPECT_GE(held, k_trials * 92 / 100);
}

TEST(Crossover, TheSameSeedGivesTheSame) {
    const std::vector<Contender> all = {contender(1e6, 5e6), contender(1e5, 25e6)};
    EXPECT_EQ(crossovers(all, 3).front().low, crossovers(all, 3).front().low);
}

TEST(Crossover, FewRunsHaveNoInterval) {
    const Crossover found = only({"", 8e6, {5e6}}, {"", 8e5, {25e6}});
    EXPECT_EQ(found.verdict, Crossover::Verdict::below);
    EXPECT_FALSE(found.has_interval);
    EXPECT_NEAR(found.at, 3.6e8, 1);
    EXPECT_TRUE(crossovers({}, 1).empty());
    EXPECT_EQ(only({"", 8e6, {}}, {"", 8e5, {}}).verdict, Crossover::Verdict::every_speed);
}

TEST(BestBySpeed, IsTheLowerEnvelope) {
    // The middle one is never the best; the last is, on fast links.
    const std::vector<Contender> all = {contender(1e5, 30e6, 0), contender(9e5, 29e6, 0),
                                        contender(1e6, 2e6, 0)};
    const auto best = best_by_speed(all);
    ASSERT_EQ(best.size(), 2U);
    EXPECT_EQ(best[0].contender, 0U);
    EXPECT_NEAR(best[0].up_to, 7.2e6 / 28e6 * 1e9, 1);
    EXPECT_EQ(best[1].contender, 2U);
    EXPECT_EQ(best[1].up_to, k_fastest_link);
    EXPECT_TRUE(best_by_speed({}).empty());
}

}  // namespace
}  // namespace perfrelay::client
