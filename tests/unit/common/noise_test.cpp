#include "common/measure/noise.h"

#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/measure/outliers.h"

namespace perfrelay::measure {
namespace {

constexpr Nanoseconds k_ms = 1'000'000;

// `count` kernel times, up and down by `swing` in turn, growing by `growth` altogether.
Noise noise(std::size_t count, double swing, double growth) {
    Noise made;
    for (std::size_t i = 0; i < count; ++i) {
        const double up = i % 2 == 0 ? 1 + swing : 1 - swing;
        const double later = 1 + growth * static_cast<double>(i) / static_cast<double>(count);
        made.kernel.push_back(static_cast<Nanoseconds>(k_ms * up * later));
    }
    return made;
}

TEST(Noise, AQuietMachineGivesNoReasons) {
    EXPECT_TRUE(judge({}).reasons.empty()) << "nothing seen";
    EXPECT_TRUE(judge(noise(30, 0.01, 0)).reasons.empty());
    Noise stolen = noise(30, 0, 0);
    stolen.steal = 0.005;
    EXPECT_TRUE(judge(stolen).reasons.empty());
    EXPECT_TRUE(judge(noise(5, 0.3, 0)).reasons.empty()) << "too few to say";
}

TEST(Noise, VariationTrendAndStolenTimeAreReasons) {
    const NoiseVerdict varies = judge(noise(30, 0.04, 0));
    ASSERT_EQ(varies.reasons.size(), 1U);
    EXPECT_EQ(varies.reasons[0], "the calibration kernel varies by 5.9 %, more than 3.0 %");
    const NoiseVerdict slows = judge(noise(30, 0, 0.05));
    ASSERT_EQ(slows.reasons.size(), 1U);
    EXPECT_NE(slows.reasons[0].find("% slower than it began"), std::string::npos);
    EXPECT_NEAR(slows.trend, 0.033, 0.002);
    const NoiseVerdict speeds_up = judge(noise(30, 0, -0.05));
    ASSERT_EQ(speeds_up.reasons.size(), 1U);
    EXPECT_NE(speeds_up.reasons[0].find("% faster than it began"), std::string::npos);
    Noise stolen = noise(30, 0, 0);
    stolen.steal = 0.125;
    EXPECT_EQ(judge(stolen).reasons,
              std::vector<std::string>{"the hypervisor took 12.5 % of the processors' time"});
}

TEST(NoiseMeter, SharesOfStolenTimeComeFromTheDifference) {
    const std::string file = testing::TempDir() + "noise_test_stat";
    const auto write = [&](const std::string& line) { std::ofstream(file) << line << "\n"; };
    write("cpu  100 0 100 700 50 0 0 50 0 0");
    NoiseMeter meter(file);
    meter.sample();
    meter.sample();
    write("cpu  150 0 150 750 50 0 10 90 0 0");
    const Noise seen = meter.finish();
    EXPECT_EQ(seen.kernel.size(), 2U);
    EXPECT_GT(seen.kernel[0], 0);
    EXPECT_DOUBLE_EQ(seen.steal, 40.0 / 200);
    EXPECT_GT(seen.duration, 0);
    EXPECT_LT(NoiseMeter("/nowhere/stat").finish().steal, 0) << "not known";
}

TEST(NoiseMeter, TheKernelIsTheSameWorkEachTime) {
    EXPECT_EQ(calibration_kernel(), calibration_kernel());
    EXPECT_NE(calibration_kernel(), 0U);
}

TEST(Outliers, AreFlaggedBySizeAndPlace) {
    std::vector<double> values;
    for (int i = 0; i < 100; ++i)
        values.push_back(100 + i % 5);  // median 102, MAD 1
    EXPECT_EQ(outliers(values).flagged, 0U);
    values[3] = 109;   // Z = 4.7
    values[50] = 150;  // Z = 32
    values[60] = 80;   // Z = 15
    const Outliers found = outliers(values);
    EXPECT_EQ(found.count, 100U);
    EXPECT_EQ(found.flagged, 3U);
    EXPECT_EQ(found.severe, 2U);
    EXPECT_EQ(found.early, 1U);
    EXPECT_FALSE(found.many());
    EXPECT_FALSE(found.cluster_early());
    for (std::size_t i = 0; i < 11; ++i)
        values[i] = 120;
    EXPECT_TRUE(outliers(values).many());
    EXPECT_TRUE(outliers(values).cluster_early());
    EXPECT_EQ(outliers(std::vector<double>{5, 5, 5, 9}).flagged, 0U) << "no scale";
    EXPECT_EQ(outliers({}).count, 0U);
}

}  // namespace
}  // namespace perfrelay::measure
