// Two reports against each other: what is called slower, what is not, what is not compared at all.

#include "client/report/regression.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases
using Verdict = Change::Verdict;

// Decoding takes 10 ms times `factor`, off by some per cent from run to run.
Report noisy(double factor, std::uint64_t seed, std::uint64_t size = 1'000) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> noise(0, 0.03);
    Row made = row("xml", "XML", size, {.decode = 10 * k_ms});
    for (measure::Sample& sample : made.main.samples) {
        const double time = 10 * k_ms * factor * noise(random);
        sample.phase[k_decode] = sample.total = static_cast<Nanoseconds>(time);
    }
    Report report = samples::report({file({made})});
    report.direction = Direction::decode;
    return report;
}

const Change& of(const Changes& found, const char* quantity) {
    for (const Change& change : found.all) {
        if (change.quantity == quantity) return change;
    }
    ADD_FAILURE() << quantity;
    return found.all.front();
}

TEST(Regression, OfTheSameProgramThereAreFew) {
    int called = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const Changes found = changes(noisy(1, 2 * i), noisy(1, 2 * i + 1), 0.05);
        const Change& decode = of(found, "DECODE");
        EXPECT_FALSE(decode.regression);
        called += decode.verdict == Verdict::worse || decode.verdict == Verdict::better ? 1 : 0;
    }
    EXPECT_LE(called, 5);
}

TEST(Regression, TenPerCentAreFoundAndHaveADirection) {
    for (std::uint64_t i = 0; i < 50; ++i) {
        const Changes slower = changes(noisy(1, 2 * i), noisy(1.1, 2 * i + 1), 0.05);
        EXPECT_EQ(of(slower, "DECODE").verdict, Verdict::worse);
        EXPECT_TRUE(of(slower, "DECODE").regression);
        EXPECT_NEAR(of(slower, "DECODE").ratio, 1.1, 0.03);
        EXPECT_LT(of(slower, "DECODE").low, of(slower, "DECODE").ratio);
        const Changes faster = changes(noisy(1.1, 2 * i), noisy(1, 2 * i + 1), 0.05);
        EXPECT_EQ(of(faster, "DECODE").verdict, Verdict::better);
        EXPECT_FALSE(of(faster, "DECODE").regression);
    }
}

// So many processes, each off by some per cent for good, which its runs say nothing of.
Report started_anew(std::uint32_t processes, double factor, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> layout(0, 0.03);
    Report report = noisy(factor, seed);
    report.processes = processes;
    std::vector<measure::Sample>& samples = report.files[0].rows[0].main.samples;
    const std::vector<measure::Sample> of_one = samples;
    samples.clear();
    for (std::uint32_t process = 0; process < processes; ++process) {
        const double off = std::exp(layout(random));
        for (measure::Sample sample : of_one) {
            sample.process = process;
            sample.total = static_cast<Nanoseconds>(static_cast<double>(sample.total) * off);
            sample.phase[k_decode] = sample.total;
            samples.push_back(sample);
        }
    }
    return report;
}

TEST(Regression, ProcessesAreWhatIsCounted) {
    int called = 0;
    int found = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const Report before = started_anew(5, 1, 2 * i);
        const Changes same = changes(before, started_anew(5, 1, 2 * i + 1), 0.05);
        const Verdict verdict = of(same, "DECODE").verdict;
        called += verdict == Verdict::worse || verdict == Verdict::better ? 1 : 0;
        const Changes slower = changes(before, started_anew(5, 1.2, 2 * i + 1), 0.05);
        found += of(slower, "DECODE").verdict == Verdict::worse ? 1 : 0;
    }
    EXPECT_LE(called, 5);
    EXPECT_GE(found, 95);
}

TEST(Regression, OtherConditionsAreNamed) {
    const Report before = noisy(1, 1);
    Report after = before;
    EXPECT_EQ(changes(before, after, 0.05).conditions, std::vector<std::string>{});
    after.environment.cpu = "another";
    after.environment.assertions = true;
    after.processes = 2;
    const Changes found = changes(before, after, 0.05);
    ASSERT_EQ(found.conditions.size(), 3U);
    EXPECT_NE(changes_text(found, 0.05).find("another"), std::string::npos);
    EXPECT_EQ(found.conditions[1], "assertions: off, now on");
}

TEST(Regression, WithinTheLimitIsSlowerAndNoRegression) {
    const Changes found = changes(noisy(1, 1), noisy(1.1, 2), 0.2);
    EXPECT_EQ(of(found, "DECODE").verdict, Verdict::worse);
    EXPECT_FALSE(of(found, "DECODE").regression);
    const Changes none =
        changes(noisy(1, 1), noisy(1.1, 2), std::numeric_limits<double>::infinity());
    EXPECT_FALSE(of(none, "DECODE").regression);
}

TEST(Regression, SizesAreExact) {
    const Changes found = changes(noisy(1, 1), noisy(1, 2, 1'060), 0.05);
    EXPECT_EQ(of(found, "SIZE").verdict, Verdict::worse);
    EXPECT_TRUE(of(found, "SIZE").regression);
    EXPECT_EQ(of(changes(noisy(1, 1), noisy(1, 2), 0.05), "SIZE").verdict, Verdict::equivalent);
}

TEST(Regression, ARowThatLostItsTimesIsOne) {
    Report after = noisy(1, 2);
    after.files[0].rows[0].status = RowStatus::failed;
    after.files[0].rows[0].why = "differs";
    const Changes found = changes(noisy(1, 1), after, 0.05);
    ASSERT_EQ(found.all.size(), 1U);
    EXPECT_EQ(found.all[0].verdict, Verdict::lost);
    EXPECT_TRUE(found.all[0].regression);
    EXPECT_NE(changes_text(found, 0.05).find("LOST: regression, FAILED: differs"),
              std::string::npos);
}

TEST(Regression, WhatOnlyOneHasIsNamed) {
    Report after = noisy(1, 2);
    after.files[0].rows[0].codec.spec = "exi";
    const Changes found = changes(noisy(1, 1), after, 0.05);
    EXPECT_TRUE(found.all.empty());
    EXPECT_EQ(found.unmatched, (std::vector<std::string>{"test.xml, XML: only in the old report",
                                                         "test.xml, XML: only in the new report"}));
}

TEST(Regression, UnlikeReportsAreRefused) {
    const Report before = noisy(1, 1);
    Report after = noisy(1, 2);
    EXPECT_EQ(incomparable(before, after), "");
    after.files[0].content = "00000000";
    EXPECT_EQ(incomparable(before, after), "test.xml: another document under the same name");
    after = noisy(1, 2);
    after.threads = 2;
    EXPECT_EQ(incomparable(before, after), "threads: 0, and 2");
}

TEST(Regression, TooFewRunsHaveNoVerdict) {
    Report before = noisy(1, 1);
    Report after = noisy(2, 2);
    for (Report* report : {&before, &after})
        report->files[0].rows[0].main.samples.resize(5);
    const auto all = changes(before, after, 0.05);
    const Change& decode = of(all, "DECODE");
    EXPECT_EQ(decode.verdict, Verdict::undecided);
    EXPECT_FALSE(decode.has_interval);
    EXPECT_FALSE(decode.regression);
}

}  // namespace
}  // namespace perfrelay::client
