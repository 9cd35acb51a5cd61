#include "proto/compress/level.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace perfrelay::compress {
namespace {

constexpr LevelRange k_range{.lowest = -2, .highest = 9, .usual = 6};

std::optional<int> level(const std::string& part, std::string& why) {
    const std::optional<Spec> spec = parse_spec("xml+" + part, why);
    EXPECT_TRUE(spec) << why;
    return level_of(spec->compressors.front(), k_range, why);
}

TEST(Level, UsualWhenNoneIsGiven) {
    std::string why;
    EXPECT_EQ(level("gzip", why), 6);
    EXPECT_EQ(why, "");
}

TEST(Level, BothEndsOfTheRange) {
    std::string why;
    EXPECT_EQ(level("gzip:-2", why), -2);
    EXPECT_EQ(level("gzip:9", why), 9);
    EXPECT_EQ(why, "");
}

TEST(Level, RefusesOthersInOneLine) {
    const std::string takes = "gzip takes a level from -2 to 9, as in gzip:6";
    const auto refusal = [](const std::string& part) {
        std::string why;
        EXPECT_EQ(level(part, why), std::nullopt);
        return why;
    };
    EXPECT_EQ(refusal("gzip:10"), "gzip: no level 10; " + takes);
    EXPECT_EQ(refusal("gzip:-3"), "gzip: no level -3; " + takes);
    EXPECT_EQ(refusal("gzip:99999999999"),
              "gzip: option \"99999999999\" is not in this build; " + takes);
    EXPECT_EQ(refusal("gzip:fast"), "gzip: option \"fast\" is not in this build; " + takes);
    EXPECT_EQ(refusal("gzip:6x"), "gzip: option \"6x\" is not in this build; " + takes);
    EXPECT_EQ(refusal("gzip:dict=f"), "gzip: option \"dict\" is not in this build; " + takes);
    EXPECT_EQ(refusal("gzip:6=7"), "gzip: option \"6\" is not in this build; " + takes);
    EXPECT_EQ(refusal("gzip:3:dict=f"),
              "gzip: nothing is known after the level, \"dict\" is not in this build; " + takes);
}

}  // namespace
}  // namespace perfrelay::compress
