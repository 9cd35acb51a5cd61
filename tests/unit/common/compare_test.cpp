#include "common/measure/compare.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::measure {
namespace {

constexpr std::size_t k_experiments = 2'000;

// How the times of two subjects come about. All deviations are of logarithms, so about per cents.
struct Machine {
    double drift = 0.2;    // of both, from the first round to the last
    double round = 0.03;   // of each subject in each round
    double layout = 0;     // of each subject in each process
    double spikes = 0.05;  // share of rounds in which one is disturbed by half as much again
};

using Pair = std::pair<std::vector<RoundTime>, std::vector<RoundTime>>;

Pair simulate(const Machine& machine, std::uint32_t processes, std::uint32_t rounds, double slower,
              std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Pair pair;
    for (std::uint32_t process = 0; process < processes; ++process) {
        const double layout_a = machine.layout * normal(random);
        const double layout_b = machine.layout * normal(random);
        for (std::uint32_t round = 1; round <= rounds; ++round) {
            const double drift = machine.drift * round / rounds;
            const auto time = [&](double own) {
                const double spike = uniform(random) < machine.spikes ? 0.5 : 0;
                return 1e6 * std::exp(own + drift + spike + machine.round * normal(random));
            };
            pair.first.push_back({process, round, time(layout_a)});
            pair.second.push_back({process, round, time(layout_b + std::log(slower))});
        }
    }
    return pair;
}

struct Counts {
    std::size_t faster = 0;
    std::size_t slower = 0;
    std::size_t equivalent = 0;
    std::size_t undecided = 0;
    std::size_t covered = 0;  // intervals that hold the true ratio
};

Counts experiments(const Machine& machine, std::uint32_t processes, std::uint32_t rounds,
                   double slower) {
    std::mt19937_64 random(20 * processes + rounds);
    Counts counts;
    for (std::size_t i = 0; i < k_experiments; ++i) {
        const Pair pair = simulate(machine, processes, rounds, slower, random);
        const Comparison found = compare(pair.first, pair.second, {});
        switch (found.verdict) {
            case Verdict::faster: ++counts.faster; break;
            case Verdict::slower: ++counts.slower; break;
            case Verdict::equivalent: ++counts.equivalent; break;
            case Verdict::undecided: ++counts.undecided; break;
        }
        if (found.low <= slower && slower <= found.high) ++counts.covered;
    }
    return counts;
}

TEST(Compare, EqualSubjectsAreHardlyEverCalledFasterOrSlower) {
    for (const std::uint32_t rounds : {6U, 20U, 60U}) {
        const Counts counts = experiments({}, 1, rounds, 1);
        EXPECT_LE(counts.faster + counts.slower, k_experiments / 20) << rounds << " rounds";
        EXPECT_GE(counts.covered, k_experiments * 94 / 100) << rounds << " rounds";
    }
}

TEST(Compare, LayoutsOfFiveProcessesAreNotTakenForSpeed) {
    for (const double layout : {0.0, 0.01, 0.02, 0.05}) {
        const Counts counts = experiments({.layout = layout}, 5, 20, 1);
        EXPECT_LE(counts.faster + counts.slower, k_experiments / 25) << "layout " << layout;
        EXPECT_GE(counts.covered, k_experiments * 93 / 100) << "layout " << layout;
    }
}

// Of 20 pairs at most one is called faster or slower, nearly always: that is what is promised.
TEST(Compare, TwentyEqualPairsGiveAtMostOneWord) {
    const Counts counts = experiments({.layout = 0.015}, 5, 20, 1);
    std::mt19937_64 random(7);
    std::size_t kept = 0;
    constexpr std::size_t k_series = 200;
    for (std::size_t i = 0; i < k_series; ++i) {
        std::size_t words = 0;
        for (std::size_t pair = 0; pair < 20; ++pair) {
            const Pair times = simulate({.layout = 0.015}, 5, 20, 1, random);
            const Verdict verdict = compare(times.first, times.second, {}).verdict;
            if (verdict == Verdict::faster || verdict == Verdict::slower) ++words;
        }
        if (words <= 1) ++kept;
    }
    EXPECT_GE(kept, k_series * 9 / 10);
    EXPECT_LE(counts.faster + counts.slower, k_experiments / 40);
}

TEST(Compare, TenPerCentSlowerIsSeen) {
    const std::vector<std::pair<Machine, std::uint32_t>> cases = {{{}, 1}, {{.layout = 0.015}, 5}};
    for (const auto& [machine, processes] : cases) {
        const Counts counts = experiments(machine, processes, 20, 1.1);
        EXPECT_GE(counts.slower, k_experiments * 9 / 10) << processes << " processes";
        EXPECT_EQ(counts.faster, 0U);
        EXPECT_EQ(counts.equivalent, 0U);
    }
}

TEST(Compare, QuietEqualSubjectsAreEquivalent) {
    const Machine quiet{.drift = 0.2, .round = 0.005, .spikes = 0};
    const Counts counts = experiments(quiet, 1, 60, 1);
    EXPECT_GE(counts.equivalent, k_experiments * 9 / 10);
}

std::vector<RoundTime> constant(double time, std::uint32_t rounds) {
    std::vector<RoundTime> all;
    for (std::uint32_t round = 1; round <= rounds; ++round)
        all.push_back({0, round, time});
    return all;
}

TEST(Compare, TheRatioIsOfTheOtherToTheBaseline) {
    const Comparison found = compare(constant(100, 10), constant(50, 10), {});
    EXPECT_NEAR(found.ratio, 0.5, 1e-12);
    EXPECT_EQ(found.verdict, Verdict::faster);
    EXPECT_EQ(found.rounds, 10U);
    EXPECT_EQ(found.processes, 1U);
    EXPECT_EQ(compare(constant(50, 10), constant(100, 10), {}).verdict, Verdict::slower);
    EXPECT_EQ(compare(constant(100, 10), constant(100.5, 10), {}).verdict, Verdict::equivalent);
    EXPECT_EQ(compare(constant(100, 10), constant(100.5, 10), {.band = 0.001}).verdict,
              Verdict::slower);
}

TEST(Compare, TooFewRoundsGiveARatioAndNoWord) {
    const Comparison five = compare(constant(100, 5), constant(50, 5), {});
    EXPECT_FALSE(five.has_interval);
    EXPECT_NEAR(five.ratio, 0.5, 1e-12);
    EXPECT_EQ(five.verdict, Verdict::undecided);
    EXPECT_TRUE(compare(constant(100, 6), constant(50, 6), {}).has_interval);
    EXPECT_FALSE(compare(constant(100, 6), constant(50, 6), {.confidence = 0.99}).has_interval);
}

TEST(Compare, OnlyRoundsInWhichBothRanCount) {
    const std::vector<RoundTime> base = {{0, 1, 10}, {0, 3, 10}, {1, 1, 10}, {1, 2, 10}};
    const std::vector<RoundTime> other = {{0, 2, 20}, {0, 3, 20}, {1, 2, 20}, {1, 9, 20}};
    const Comparison found = compare(base, other, {});
    EXPECT_EQ(found.rounds, 2U);
    EXPECT_EQ(found.processes, 2U);
    EXPECT_NEAR(found.ratio, 2, 1e-12);
    const Comparison none = compare(base, {}, {});
    EXPECT_EQ(none.rounds, 0U);
    EXPECT_EQ(none.verdict, Verdict::undecided);
    EXPECT_EQ(compare(constant(0, 9), constant(5, 9), {}).rounds, 0U) << "no time is no ratio";
}

TEST(Compare, ARoundIsTheMedianOfItsRuns) {
    Series series;
    const auto add = [&](std::uint32_t process, std::uint32_t round) {
        Sample sample;
        sample.process = process;
        sample.round = round;
        series.samples.push_back(sample);
    };
    add(0, 0);
    for (const std::uint32_t round : {4U, 4U, 4U, 5U, 5U})
        add(0, round);
    add(1, 5);
    const std::vector<double> values = {99, 1, 7, 3, 2, 4, 8};
    const std::vector<RoundTime> rounds = by_round(series, values);
    ASSERT_EQ(rounds.size(), 3U);
    EXPECT_EQ(rounds[0].round, 4U);
    EXPECT_EQ(rounds[0].time, 3);
    EXPECT_EQ(rounds[1].time, 3);
    EXPECT_EQ(rounds[2].process, 1U);
    EXPECT_EQ(rounds[2].time, 8);
}

TEST(SummariseRuns, SeveralProcessesAreWhatIsCounted) {
    Series series;
    std::vector<double> values;
    for (const double median : {100.0, 104.0, 108.0}) {
        for (int run = -50; run <= 50; ++run) {
            Sample sample;
            sample.process = static_cast<std::uint32_t>(median);
            series.samples.push_back(sample);
            values.push_back(median + 0.001 * run);
        }
    }
    const Summary summary = summarise_runs(series, values);
    EXPECT_NEAR(summary.median, 104, 0.1);
    EXPECT_TRUE(summary.has_interval);
    // Deviation 4 of three values, Student's 4.303 over the root of 3.
    EXPECT_NEAR(summary.high - summary.median, 4.303 * 4 / std::sqrt(3), 0.01);
    EXPECT_LT(summarise(values).high, 105) << "the runs alone seem to know it better";
    for (Sample& sample : series.samples)
        sample.process = 0;
    EXPECT_DOUBLE_EQ(summarise_runs(series, values).high, summarise(values).high);
}

// Abramowitz & Stegun, table 26.10.
TEST(Student, Quantiles) {
    EXPECT_NEAR(student_quantile(0.975, 1), 12.706, 5e-4);
    EXPECT_NEAR(student_quantile(0.975, 2), 4.303, 5e-4);
    EXPECT_NEAR(student_quantile(0.975, 3), 3.182, 5e-4);
    EXPECT_NEAR(student_quantile(0.975, 4), 2.776, 5e-4);
    EXPECT_NEAR(student_quantile(0.995, 5), 4.032, 5e-4);
    EXPECT_NEAR(student_quantile(0.995, 10), 3.169, 5e-4);
    EXPECT_NEAR(student_quantile(0.95, 30), 1.697, 5e-4);
    EXPECT_NEAR(student_quantile(0.975, 120), 1.980, 5e-4);
    EXPECT_NEAR(student_quantile(0.5, 4), 0, 1e-9);
}

TEST(Student, OneValueSaysNothing) {
    EXPECT_TRUE(std::isinf(student_half_width(std::vector<double>{5})));
    EXPECT_NEAR(student_half_width(std::vector<double>{1, 3}), 12.706, 1e-3);
}

}  // namespace
}  // namespace perfrelay::measure
