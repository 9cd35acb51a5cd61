#include "client/latencies.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

TEST(Latencies, QuantilesAreRightToThreePercent) {
    std::mt19937_64 random(1);
    std::vector<measure::Nanoseconds> values;
    Latencies all;
    Latencies half;
    for (int i = 0; i < 20'000; ++i) {
        // From 1 ns to 18 minutes, every order of magnitude alike.
        const auto value = static_cast<measure::Nanoseconds>(random() >> (24 + random() % 40));
        values.push_back(value);
        (i % 2 == 0 ? all : half).add(value);
    }
    all.add(half);
    std::ranges::sort(values);
    EXPECT_EQ(all.count(), values.size());
    EXPECT_EQ(all.largest(), values.back());
    for (const double fraction : {0.001, 0.05, 0.5, 0.95, 0.99, 0.999, 1.0}) {
        const auto rank = static_cast<std::size_t>(fraction * static_cast<double>(values.size()));
        const auto exact = static_cast<double>(values[std::max<std::size_t>(rank, 1) - 1]);
        const auto shown = static_cast<double>(all.quantile(fraction));
        EXPECT_GE(shown, exact) << fraction;
        EXPECT_LE(shown, exact * 1.032 + 1) << fraction;
    }
}

TEST(Latencies, Edges) {
    Latencies none;
    EXPECT_EQ(none.quantile(0.5), 0);
    Latencies few;
    few.add(-5);  // a clock that went back is no time
    few.add(0);
    few.add(31);
    few.add(32);
    few.add(std::numeric_limits<measure::Nanoseconds>::max());
    EXPECT_EQ(few.count(), 5U);
    EXPECT_EQ(few.quantile(0.4), 0);
    EXPECT_EQ(few.quantile(0.6), 31);
    EXPECT_EQ(few.quantile(0.8), 32);
    EXPECT_EQ(few.quantile(1.0), std::numeric_limits<measure::Nanoseconds>::max());
}

}  // namespace
}  // namespace perfrelay::client
