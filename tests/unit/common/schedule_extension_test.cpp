// How main goes on beyond its minima while intervals are wide.

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

#include "common/measure/schedule.h"
#include "tests/unit/common/schedule_subjects.h"

namespace perfrelay::measure {
namespace {

// Fakes that take a time of their own in each run.
class Varying : public Subject {
  public:
    Varying(Nanoseconds document, Nanoseconds spread) : document_(document), spread_(spread) {}
    bool run(std::uint32_t batch, Sample& sample) override {
        // Up and down by as much each time, so that the interval is never narrow.
        const Nanoseconds off = (runs_++ % 2 == 0 ? spread_ : -spread_);
        sample.total = sample.phase[0] = (document_ + off) * batch;
        return runs_ <= fail_at;
    }
    std::uint64_t fail_at = k_no_failure;

  private:
    Nanoseconds document_;
    Nanoseconds spread_;
    std::uint64_t runs_ = 0;
};

std::vector<Outcome> extended(std::vector<Subject*> subjects, const ScheduleOptions& options,
                              std::atomic<int>& stop, Watcher* watcher = nullptr) {
    return run_schedule(subjects, options, stop, watcher);
}

TEST(Extension, NoneWhenTheMinimaAreEnough) {
    std::atomic<int> stop = 0;
    Varying steady(10 * k_ms, 0);
    ScheduleOptions wanted = options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5});
    wanted.precision = 0.01;
    EXPECT_EQ(extended({&steady}, wanted, stop)[0].main.elapsed(), k_s);
    // Asked for minima alone, nothing is extended, however wide the interval is.
    Varying wide(10 * k_ms, 5 * k_ms);
    wanted.precision = 0;
    EXPECT_EQ(extended({&wide}, wanted, stop)[0].main.elapsed(), k_s);
}

TEST(Extension, ThreeTimesTheMinimaAtMostForAllAlike) {
    std::atomic<int> stop = 0;
    Watcher watcher;
    Varying steady(10 * k_ms, 0);
    Varying wide(20 * k_ms, 10 * k_ms);
    ScheduleOptions wanted = options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5});
    wanted.precision = 0.01;
    const auto outcomes = extended({&steady, &wide}, wanted, stop, &watcher);
    for (const Outcome& outcome : outcomes) {
        EXPECT_TRUE(outcome.complete);
        EXPECT_GE(outcome.main.elapsed(), 3 * k_s);
        EXPECT_LE(outcome.main.elapsed(), 3 * k_s + 100 * k_ms);
        for (std::size_t i = 1; i < outcome.main.samples.size(); ++i)
            EXPECT_LE(outcome.main.samples[i - 1].round, outcome.main.samples[i].round);
    }
    EXPECT_EQ(outcomes[0].main.samples.back().round, outcomes[1].main.samples.back().round);
    EXPECT_EQ(watcher.last_wanted[Stage::main].time, 3 * k_s);
}

TEST(Extension, PatienceIsOfOneSubjectsTime) {
    std::atomic<int> stop = 0;
    Varying wide(10 * k_ms, 5 * k_ms);
    ScheduleOptions wanted = options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5});
    wanted.precision = 0.001;
    wanted.patience = 20 * k_s;
    const auto outcomes = extended({&wide}, wanted, stop);
    EXPECT_GE(outcomes[0].main.elapsed(), 20 * k_s);
    EXPECT_LE(outcomes[0].main.elapsed(), 31 * k_s) << "looks are half as far apart as there is";
}

TEST(Extension, WhatFailsInItLeavesTheOthersGoingOn) {
    std::atomic<int> stop = 0;
    Varying failing(10 * k_ms, 5 * k_ms);
    failing.fail_at = 3 + 130;  // calibration, then in the extension
    Varying wide(10 * k_ms, 5 * k_ms);
    ScheduleOptions wanted = options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5});
    wanted.precision = 0.01;
    const auto outcomes = extended({&failing, &wide}, wanted, stop);
    EXPECT_TRUE(outcomes[0].failed);
    EXPECT_GE(outcomes[1].main.elapsed(), 3 * k_s);
}

TEST(Extension, EndsWhereNoTimeIsLeft) {
    std::atomic<int> stop = 0;
    Varying wide(10 * k_ms, 5 * k_ms);
    ScheduleOptions wanted = options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5});
    wanted.precision = 0.001;
    wanted.patience = 1'000'000 * k_s;
    // The subject's time passes much faster than the clock's: it is over within milliseconds.
    wanted.main.until = now() + 20 * k_ms;
    const auto outcomes = extended({&wide}, wanted, stop);
    EXPECT_FALSE(outcomes[0].main.samples.empty());
    EXPECT_LT(outcomes[0].main.elapsed(), wanted.patience);
}

TEST(Extension, StoppedInItTheMinimaAreStillMet) {
    Bench bench({10 * k_ms});
    Fake& fake = *bench.fakes[0];
    fake.stop = &bench.stop;
    fake.stop_at = 110;
    fake.stop_level = 1;
    Varying wide(10 * k_ms, 5 * k_ms);
    ScheduleOptions wanted = options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5});
    wanted.precision = 0.01;
    const auto outcomes = extended({&fake, &wide}, wanted, bench.stop);
    EXPECT_TRUE(outcomes[0].complete);
    EXPECT_LT(outcomes[1].main.elapsed(), 2 * k_s);
}

}  // namespace
}  // namespace perfrelay::measure
