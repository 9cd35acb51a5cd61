#include "common/measure/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::measure {
namespace {

// P(X <= k), X binomial(n, 1/2), term by term in logarithms: slow and plain.
double binomial_below(std::size_t n, std::size_t k) {
    double sum = 0;
    double log_term = -static_cast<double>(n) * std::log(2.0);
    for (std::size_t i = 0; i <= k; ++i) {
        sum += std::exp(log_term);
        log_term += std::log(static_cast<double>(n - i)) - std::log(static_cast<double>(i + 1));
    }
    return sum;
}

double coverage(std::size_t n, std::size_t low) {
    return low == 0 ? 1 - 2 * std::pow(0.5, static_cast<double>(n))
                    : 1 - 2 * binomial_below(n, low);
}

TEST(MedianInterval, NeedsSixValues) {
    std::size_t low = 7;
    std::size_t high = 7;
    for (std::size_t n = 0; n < k_min_for_interval; ++n) {
        EXPECT_FALSE(median_interval_ranks(n, low, high)) << n;
    }
    ASSERT_TRUE(median_interval_ranks(6, low, high));
    EXPECT_EQ(low, 0U);
    EXPECT_EQ(high, 5U);
}

TEST(MedianInterval, AgreesWithPublishedTables) {
    // Ranks counted from 1, as in Conover, Practical Nonparametric Statistics, table A3.
    const std::vector<std::pair<std::size_t, std::size_t>> lower_rank = {
        {8, 1}, {9, 2}, {12, 3}, {15, 4}, {20, 6}, {25, 8}, {30, 10}, {50, 18}, {100, 40}};
    for (const auto& [n, rank] : lower_rank) {
        std::size_t low = 0;
        std::size_t high = 0;
        ASSERT_TRUE(median_interval_ranks(n, low, high));
        EXPECT_EQ(low + 1, rank) << n;
        EXPECT_EQ(low + high, n - 1) << "not symmetric";
    }
}

TEST(MedianInterval, IsTheNarrowestThatCovers) {
    std::vector<std::size_t> counts(595);
    std::iota(counts.begin(), counts.end(), 6U);
    counts.insert(counts.end(), {999, 1000, 1001, 9'999, 10'000, 100'001});
    for (const std::size_t n : counts) {
        std::size_t low = 0;
        std::size_t high = 0;
        ASSERT_TRUE(median_interval_ranks(n, low, high));
        ASSERT_EQ(low + high, n - 1) << n;
        EXPECT_GE(coverage(n, low), 0.95 - 1e-9) << n;
        EXPECT_LT(coverage(n, low + 1), 0.95 + 1e-9) << n;
    }
}

TEST(MedianInterval, AgreesWithTheNormalApproximationOfLargeCounts) {
    constexpr double k_z = 1.959963984540054;
    for (const std::size_t n : {2'001UL, 50'000UL, 1'000'001UL, 10'000'000UL}) {
        std::size_t low = 0;
        std::size_t high = 0;
        ASSERT_TRUE(median_interval_ranks(n, low, high));
        const auto count = static_cast<double>(n);
        const double normal = (count - 1 - k_z * std::sqrt(count)) / 2;  // continuity corrected
        EXPECT_NEAR(static_cast<double>(low), normal, 1.0) << n;
        EXPECT_EQ(low + high, n - 1) << n;
    }
}

TEST(Summarise, KnownValues) {
    std::vector<double> values(101);
    std::iota(values.begin(), values.end(), 0.0);
    std::mt19937_64 random(1);
    std::shuffle(values.begin(), values.end(), random);
    const Summary s = summarise(values);
    EXPECT_EQ(s.count, 101U);
    EXPECT_EQ(s.median, 50);
    EXPECT_EQ(s.min, 0);
    EXPECT_EQ(s.max, 100);
    EXPECT_EQ(s.mean, 50);
    EXPECT_EQ(s.p05, 5);
    EXPECT_EQ(s.p25, 25);
    EXPECT_EQ(s.p75, 75);
    EXPECT_EQ(s.p95, 95);
    ASSERT_TRUE(s.has_interval);
    EXPECT_EQ(s.low, 40);
    EXPECT_EQ(s.high, 60);
}

TEST(Summarise, InterpolatesLikeType7) {
    const Summary s = summarise(std::vector<double>{40, 10, 30, 20});
    EXPECT_DOUBLE_EQ(s.median, 25);
    EXPECT_DOUBLE_EQ(s.p25, 17.5);
    EXPECT_DOUBLE_EQ(s.p75, 32.5);
    EXPECT_DOUBLE_EQ(s.p05, 11.5);
    EXPECT_DOUBLE_EQ(s.p95, 38.5);
    EXPECT_FALSE(s.has_interval);
    EXPECT_EQ(s.low, s.median);
    EXPECT_EQ(s.high, s.median);
}

TEST(Summarise, FewValues) {
    EXPECT_EQ(summarise({}).count, 0U);
    EXPECT_EQ(summarise({}).median, 0);
    const Summary one = summarise(std::vector<double>{7});
    EXPECT_EQ(one.median, 7);
    EXPECT_EQ(one.p95, 7);
    EXPECT_EQ(one.min, 7);
    EXPECT_FALSE(one.has_interval);
}

TEST(Summarise, OrderStatisticsAreThoseOfTheSortedValues) {
    std::mt19937_64 random(2);
    for (std::size_t n = 1; n <= 200; ++n) {
        std::vector<double> values(n);
        for (double& value : values) {
            value = static_cast<double>(random() % 50);
        }
        const Summary s = summarise(values);
        std::sort(values.begin(), values.end());
        const auto at = [&](double p) {
            const double position = p * static_cast<double>(n - 1);
            const auto rank = static_cast<std::size_t>(position);
            const double next = values[std::min(rank + 1, n - 1)];
            return values[rank] + (position - std::floor(position)) * (next - values[rank]);
        };
        ASSERT_DOUBLE_EQ(s.p05, at(0.05)) << n;
        ASSERT_DOUBLE_EQ(s.p25, at(0.25)) << n;
        ASSERT_DOUBLE_EQ(s.median, at(0.5)) << n;
        ASSERT_DOUBLE_EQ(s.p75, at(0.75)) << n;
        ASSERT_DOUBLE_EQ(s.p95, at(0.95)) << n;
        std::size_t low = 0;
        std::size_t high = 0;
        if (median_interval_ranks(n, low, high)) {
            ASSERT_EQ(s.low, values[low]) << n;
            ASSERT_EQ(s.high, values[high]) << n;
        }
    }
}

struct Distribution {
    const char* name;
    double (*draw)(double uniform);  // the quantile function; uniform in (0, 1)
};

// Standard normal quantile, by bisection on erfc: no table to copy wrongly.
double normal_quantile(double p) {
    double low = -9;
    double high = 9;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
    }
    return low;
}

const std::vector<Distribution> k_distributions = {
    {"log-normal", [](double u) { return std::exp(1.5 * normal_quantile(u)); }},
    {"exponential", [](double u) { return -std::log1p(-u); }},
    {"Pareto", [](double u) { return std::pow(1 - u, -1 / 1.1); }},
    // Most runs are quick and nearly alike; a third is hit by something 20 times as long.
    {"bimodal", [](double u) { return u < 0.67 ? 1 + 0.01 * u : 20 + u; }},
    // A clock that ticks: many equal values.
    {"ticks", [](double u) { return std::floor(-3 * std::log1p(-u)); }},
};

class Coverage : public testing::TestWithParam<std::size_t> {};

TEST_P(Coverage, OfTheTrueMedianIsNinetyFivePercent) {
    constexpr int k_measurements = 2'000;
    const std::size_t n = GetParam();
    std::mt19937_64 random(20'260'101 + n);
    for (const Distribution& distribution : k_distributions) {
        const double truth = distribution.draw(0.5);
        int covered = 0;
        int without = 0;
        std::vector<double> values(n);
        for (int i = 0; i < k_measurements; ++i) {
            for (double& value : values) {
                value = distribution.draw((static_cast<double>(random() >> 12U) + 0.5) * 0x1p-52);
            }
            const Summary s = summarise(values);
            without += s.has_interval ? 0 : 1;
            covered += s.low <= truth && truth <= s.high ? 1 : 0;
        }
        if (n < k_min_for_interval) {
            EXPECT_EQ(without, k_measurements) << distribution.name;
            continue;
        }
        EXPECT_EQ(without, 0) << distribution.name;
        EXPECT_GE(covered, k_measurements * 94 / 100) << distribution.name;
        // Not by being as wide as the sample; ties cover more than they need to.
        if (n >= 20 && std::string(distribution.name) != "ticks") {
            EXPECT_LE(covered, k_measurements * 999 / 1000) << distribution.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Coverage,
                         testing::Values(5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 42, 50, 64, 75, 99,
                                         100));

TEST(Summary, DeviationIsThatOfTheMedianAndWidthIsHalfTheInterval) {
    const std::vector<double> values = {1, 2, 3, 4, 5, 6, 100};
    const Summary summary = summarise(values);
    EXPECT_DOUBLE_EQ(summary.mad, 1.4826 * 2) << "distances 3 2 1 0 1 2 96";
    EXPECT_DOUBLE_EQ(summary.relative_half_width(), (summary.high - summary.low) / 2 / 4);
    EXPECT_TRUE(std::isinf(summarise(std::vector<double>{1, 2}).relative_half_width()));
}

TEST(Summary, HigherConfidenceNeedsMoreValues) {
    std::size_t low = 0;
    std::size_t high = 0;
    EXPECT_FALSE(median_interval_ranks(7, low, high, 0.99));
    ASSERT_TRUE(median_interval_ranks(8, low, high, 0.99));  // 1 - 2^-7 = 0.992
    EXPECT_EQ(low, 0U);
    EXPECT_EQ(high, 7U);
    ASSERT_TRUE(median_interval_ranks(20, low, high, 0.99));  // P(X <= 3) = 0.0013
    EXPECT_EQ(low, 3U);
    EXPECT_EQ(high, 16U);
    EXPECT_FALSE(median_interval_ranks(0, low, high));
}

}  // namespace
}  // namespace perfrelay::measure
