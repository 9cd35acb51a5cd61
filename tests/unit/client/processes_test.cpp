#include "client/processes.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using samples::k_ms;

Report measured(measure::Nanoseconds encode) {
    Report made = samples::report({samples::file(
        {samples::row("xml", "XML", 1000, {.encode = encode, .decode = encode}, 21)})});
    made.files[0].rows[0].cold.samples.emplace_back();
    made.files[0].noise.kernel.assign(5, k_ms);
    made.files[0].noise.steal = 0.1;
    made.files[0].noise.duration = k_ms;
    return made;
}

TEST(Processes, SamplesOfAllAreOneRow) {
    Report report = measured(k_ms);
    ASSERT_EQ(merge_process(report, measured(2 * k_ms), 1), "");
    Report third = measured(3 * k_ms);
    third.files[0].noise.steal = 0.4;
    ASSERT_EQ(merge_process(report, third, 2), "");
    const Row& row = report.files[0].rows[0];
    EXPECT_EQ(report.processes, 3U);
    EXPECT_EQ(row.main.samples.size(), 63U);
    EXPECT_EQ(row.cold.samples.size(), 3U);
    EXPECT_EQ(row.main.samples[0].process, 0U);
    EXPECT_EQ(row.main.samples[21].process, 1U);
    EXPECT_EQ(row.main.samples[62].process, 2U);
    EXPECT_TRUE(row.complete);
    EXPECT_EQ(report.files[0].noise.kernel.size(), 15U);
    EXPECT_NEAR(report.files[0].noise.steal, 0.2, 1e-12);
    EXPECT_EQ(report.files[0].noise.duration, 3 * k_ms);
}

TEST(Processes, WhatFailsInOneHasNoTimes) {
    Report report = measured(k_ms);
    Report other = measured(k_ms);
    other.files[0].rows[0] = samples::failed_row();
    ASSERT_EQ(merge_process(report, other, 1), "");
    const Row& row = report.files[0].rows[0];
    EXPECT_EQ(row.status, RowStatus::failed);
    EXPECT_EQ(row.why, "in process 2: decode(encode(document)) differs at event 7");
    EXPECT_TRUE(row.main.samples.empty());
}

TEST(Processes, OtherBytesAreAFault) {
    Report report = measured(k_ms);
    Report other = measured(k_ms);
    other.files[0].rows[0].size = 999;
    ASSERT_EQ(merge_process(report, other, 1), "");
    EXPECT_EQ(report.files[0].rows[0].why, "in process 2: 999 bytes, not 1000");
}

TEST(Processes, OtherFilesAndFormatsDoNotBelong) {
    Report report = measured(k_ms);
    Report other = measured(k_ms);
    other.files[0].bytes = 1;
    EXPECT_EQ(merge_process(report, other, 1), "test.xml has changed");
    other = measured(k_ms);
    other.files[0].rows.push_back(samples::gzxml_row());
    EXPECT_EQ(merge_process(report, other, 1), "measured other formats");
    other = measured(k_ms);
    other.files.push_back(other.files[0]);
    EXPECT_EQ(merge_process(report, other, 1), "measured other files");
    EXPECT_EQ(report.processes, 1U);
}

TEST(Processes, AnInterruptedOneLeavesTheRowIncomplete) {
    Report report = measured(k_ms);
    Report other = measured(k_ms);
    other.partial = true;
    other.files[0].rows[0].complete = false;
    ASSERT_EQ(merge_process(report, other, 1), "");
    EXPECT_TRUE(report.partial);
    EXPECT_FALSE(report.files[0].rows[0].complete);
    EXPECT_EQ(report.files[0].rows[0].main.samples.size(), 42U);
}

TEST(Processes, WordsOfOneAreNobodyElses) {
    AsProcess found;
    EXPECT_FALSE(is_as_process({}, found));
    const char* const users[] = {"-xml", "as-process", "1", "2", "a.xml"};
    EXPECT_FALSE(is_as_process(users, found));
    const char* const wrong[] = {"as-process", "one", "2", "a.xml"};
    EXPECT_FALSE(is_as_process(wrong, found));
    const char* const zero[] = {"as-process", "0", "2", "a.xml"};
    EXPECT_FALSE(is_as_process(zero, found));
}

}  // namespace
}  // namespace perfrelay::client
