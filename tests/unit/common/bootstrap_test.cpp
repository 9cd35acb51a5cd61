// Bootstraps: intervals hold what they say as often as they say.

#include "common/measure/bootstrap.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace perfrelay::measure {
namespace {

// Share of `trials` samples of `count` values, exp(N(0, 0.1)) each, whose interval holds `truth`.
template <class Resample>
double coverage(std::size_t count, double truth, const Resample& resample) {
    constexpr int k_trials = 400;
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> value(0, 0.1);
    int held = 0;
    for (int i = 0; i < k_trials; ++i) {
        std::vector<double> values(count);
        std::ranges::generate(values, [&] { return value(random); });
        const Range found = middle_95(resample(values, random));
        if (found.low <= truth && truth <= found.high) ++held;
    }
    return static_cast<double>(held) / k_trials;
}

TEST(Bootstrap, IntervalsOfMediansHoldTheTruth) {
    for (const std::size_t count : {20U, 100U})
        EXPECT_NEAR(coverage(count, 1, resampled_medians), 0.95, 0.03) << count;
}

TEST(Bootstrap, IntervalsOfMeansHoldTheTruth) {
    // Percentile intervals of few values are known to be a little narrow.
    for (const std::size_t count : {20U, 100U})
        EXPECT_NEAR(coverage(count, std::exp(0.005), resampled_means), 0.94, 0.035) << count;
}

TEST(Bootstrap, OfNothingAndOfOne) {
    std::mt19937_64 random(1);
    EXPECT_EQ(resampled_medians({}, random).front(), 0);
    EXPECT_EQ(resampled_means({}, random).front(), 0);
    const std::vector<double> one = {5, std::nan("")};
    EXPECT_EQ(middle_95(resampled_medians(one, random)).low, 5);
    EXPECT_EQ(middle_95({}).high, 0);
}

}  // namespace
}  // namespace perfrelay::measure
