#include "common/measure/clock.h"

#include <gtest/gtest.h>

#include "common/measure/recorder.h"

namespace perfrelay::measure {
namespace {

TEST(Clock, NeverGoesBack) {
    Nanoseconds last = now();
    for (int i = 0; i < 10'000; ++i) {
        const Nanoseconds time = now();
        ASSERT_GE(time, last);
        last = time;
    }
}

TEST(Clock, CostIsPositiveAndBelowAMillisecond) {
    const Nanoseconds cost = clock_cost();
    EXPECT_GE(cost, 1);
    EXPECT_LT(cost, 1'000'000);
}

TEST(Series, CountsDocumentsAndDividesByTheBatch) {
    Series series;
    series.samples.push_back({.phase = {100, 0, 0, 60}, .total = 170, .batch = 10});
    series.samples.push_back({.phase = {200, 0, 0, 40}, .total = 250, .batch = 5});
    EXPECT_EQ(series.runs(), 15U);
    EXPECT_EQ(series.elapsed(), 420);
    EXPECT_EQ(series.per_document(0), (std::vector<double>{10, 40}));
    EXPECT_EQ(series.per_document(3), (std::vector<double>{6, 8}));
    EXPECT_EQ(series.total_per_document(), (std::vector<double>{17, 50}));
}

TEST(Series, EmptyIsZero) {
    const Series series;
    EXPECT_EQ(series.runs(), 0U);
    EXPECT_EQ(series.elapsed(), 0);
    EXPECT_TRUE(series.per_document(0).empty());
}

}  // namespace
}  // namespace perfrelay::measure
