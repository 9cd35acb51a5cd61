// Who runs when and how often: minima, rounds, batches, failures, stops.

#include "common/measure/schedule.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/common/schedule_subjects.h"

namespace perfrelay::measure {
namespace {

void expect_met(const Series& series, const Minimum& minimum) {
    EXPECT_GE(series.elapsed(), minimum.time);
    EXPECT_GE(series.runs(), minimum.runs);
}

// Without its last batch a minimum would be missing.
void expect_not_overrun(const Series& series, const Minimum& minimum) {
    ASSERT_FALSE(series.samples.empty());
    const Sample& last = series.samples.back();
    EXPECT_TRUE(series.elapsed() - last.total < minimum.time ||
                series.runs() - last.batch < minimum.runs);
}

TEST(Schedule, BothMinimaHoldInBothStagesAndNothingMore) {
    const std::vector<std::pair<Minimum, Minimum>> cases = {
        {{.time = k_s, .runs = 5}, {.time = k_s, .runs = 5}},
        {{.time = 100 * k_ms, .runs = 1}, {.time = 5 * k_s, .runs = 5}},
        {{.time = 0, .runs = 7}, {.time = 0, .runs = 1'000}},
        {{.time = 10 * k_ms, .runs = 0}, {.time = 2 * k_s, .runs = 0}},
        {{.time = k_s, .runs = 5}, {.time = k_ms, .runs = 333}},
    };
    for (const auto& [warmup, main] : cases) {
        Bench bench({4 * k_ms, 90 * k_ms, 777 * k_us, 310 * k_ms});
        for (const Outcome& outcome : bench.run(options(warmup, main))) {
            expect_met(outcome.warmup, warmup);
            expect_met(outcome.main, main);
            expect_not_overrun(outcome.warmup, warmup);
            expect_not_overrun(outcome.main, main);
            EXPECT_TRUE(outcome.complete);
            EXPECT_FALSE(outcome.failed);
        }
    }
}

TEST(Schedule, OneRunIsOneRun) {
    Bench bench({4 * k_ms, 300 * k_ms});
    const auto outcomes = bench.run(options({.time = 0, .runs = 0}, {.time = 0, .runs = 1}));
    for (const Outcome& outcome : outcomes) {
        EXPECT_TRUE(outcome.warmup.samples.empty());
        EXPECT_EQ(outcome.main.samples.size(), 1U);
        EXPECT_TRUE(outcome.complete);
    }
    EXPECT_TRUE(bench.watcher.of(Stage::warmup).empty());
    EXPECT_EQ(bench.watcher.of(Stage::main).size(), 2U);
}

TEST(Schedule, NoMinimaAreNoRuns) {
    Bench bench({4 * k_ms});
    const auto outcomes = bench.run(options({.time = 0, .runs = 0}, {.time = 0, .runs = 0}));
    EXPECT_TRUE(outcomes[0].main.samples.empty());
    EXPECT_TRUE(outcomes[0].complete);
}

TEST(Schedule, NoRoundBeginsThatWouldEndTooLate) {
    // They say that a round takes 12 s, and there are ten left; main has one all the same.
    Bench bench({6 * k_s, 6 * k_s});
    const Nanoseconds until = now() + 10 * k_s;
    const Minimum late{.time = k_s, .runs = 2, .until = until};
    for (const Outcome& outcome : bench.run(options(late, late))) {
        EXPECT_EQ(outcome.warmup.runs(), 0U);
        EXPECT_EQ(outcome.main.runs(), 1U);
        EXPECT_TRUE(outcome.complete);
    }
    Bench in_time({2 * k_s, 2 * k_s});
    for (const Outcome& outcome : in_time.run(options(late, late)))
        EXPECT_EQ(outcome.main.runs(), 2U);
}

TEST(Schedule, NoSubjectsAreNoOutcomes) {
    Bench bench({});
    EXPECT_TRUE(bench.run(options({}, {})).empty());
}

TEST(Schedule, EverySubjectIsInEveryPositionEquallyOften) {
    for (std::size_t n = 1; n <= 6; ++n) {
        Bench bench(std::vector<Nanoseconds>(n, 10 * k_ms));
        bench.run(options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5}, 40 + n));
        const std::vector<Turn> turns = bench.watcher.of(Stage::main);
        ASSERT_EQ(turns.size() % (n * n), 0U) << "rounds come in whole squares of " << n;
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> at;
        for (std::size_t i = 0; i < turns.size(); ++i)
            ++at[{turns[i].subject, i % n}];
        EXPECT_EQ(at.size(), n * n);
        for (const auto& [place, times] : at) {
            EXPECT_EQ(times, turns.size() / (n * n))
                << "subject " << place.first << ", position " << place.second << " of " << n;
        }
    }
}

TEST(Schedule, InterleavesFastAndSlowWhichEndInTheSameRound) {
    Bench bench({k_ms, 150 * k_ms, 20 * k_ms});
    bench.run(options({.time = 500 * k_ms, .runs = 5}, {.time = k_s, .runs = 5}));
    for (const Stage stage : {Stage::warmup, Stage::main}) {
        const std::vector<Turn> turns = bench.watcher.of(stage);
        std::array<std::size_t, 3> count{};
        for (std::size_t i = 0; i < turns.size(); ++i) {
            ++count[turns[i].subject];
            const auto [least, most] = std::minmax_element(count.begin(), count.end());
            EXPECT_LE(*most - *least, 1U) << "turn " << i << " of stage " << int(stage);
        }
        EXPECT_EQ(count[0], count[1]);
        EXPECT_EQ(count[0], count[2]);
        EXPECT_GE(count[0], 3U);
    }
}

TEST(Schedule, TurnsOfTheFastShareItsRunsEvenly) {
    Bench bench({k_ms, 200 * k_ms});
    bench.run(options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5}));
    std::vector<std::size_t> runs;
    std::size_t before = 0;
    for (const Turn& turn : bench.watcher.of(Stage::main)) {
        if (turn.subject != 0) continue;
        runs.push_back(turn.samples - before);
        before = turn.samples;
    }
    EXPECT_EQ(runs, (std::vector<std::size_t>{250, 250, 250, 250}));
}

TEST(Schedule, ManyRunsOfASlowSubjectKeepTheFastOneWaiting) {
    // 100 runs of 50 ms against 1 s of 1 ms: the minimum that is met last sets the pace.
    Bench bench({k_ms, 50 * k_ms});
    bench.run(options({.time = 0, .runs = 0}, {.time = k_s, .runs = 100}));
    const std::vector<Turn> turns = bench.watcher.of(Stage::main);
    constexpr std::size_t k_turns = 100 * 50 * k_ms / k_longest_turn;
    ASSERT_EQ(turns.size(), 2 * (k_turns - k_turns % 2)) << "whole Latin squares";
    EXPECT_NE(turns[turns.size() - 1].subject, turns[turns.size() - 2].subject);
}

TEST(Schedule, AMillionRunsStillComeInShortTurns) {
    Bench bench({10 * k_ms, k_ms});
    // Runs on some millions of fake nanoseconds; a few thousand samples would be one long turn's.
    bench.fakes[0]->fail_at = 2'000;
    bench.fakes[1]->fail_at = 2'000;
    bench.run(options({.time = 0, .runs = 0}, {.time = k_s, .runs = 1'000'000}));
    std::size_t before = 0;
    for (const Turn& turn : bench.watcher.of(Stage::main)) {
        if (turn.subject != 0) continue;
        EXPECT_LE(turn.samples - before, 25U);  // 10 ms each, 200 ms a turn, and one more
        before = turn.samples;
    }
    EXPECT_GT(before, 1'000U);
}

std::vector<std::size_t> order_of(std::uint64_t seed) {
    Bench bench({10 * k_ms, 10 * k_ms, 10 * k_ms, 10 * k_ms, 10 * k_ms});
    bench.run(options({.time = 0, .runs = 1}, {.time = k_s, .runs = 5}, seed));
    std::vector<std::size_t> order;
    for (const Event& event : bench.log) {
        order.push_back(event.subject);
    }
    return order;
}

TEST(Schedule, TheSeedIsTheOrder) {
    EXPECT_EQ(order_of(7), order_of(7));
    EXPECT_NE(order_of(7), order_of(8));
    // The same on every platform and in every later version, or old seeds lose their meaning.
    const std::vector<std::size_t> order = order_of(7);
    std::string first;
    for (std::size_t i = 0; i < 10; ++i) {
        first += std::to_string(order[i]);
    }
    EXPECT_EQ(first, "4130231420");
}

TEST(Schedule, AFailureDropsOutAndTheOthersGoOn) {
    Bench bench({10 * k_ms, 10 * k_ms, 10 * k_ms});
    bench.fakes[1]->fail_at = 12;
    const auto outcomes = bench.run(options({.time = 0, .runs = 5}, {.time = k_s, .runs = 5}));
    EXPECT_TRUE(outcomes[1].failed);
    EXPECT_FALSE(outcomes[1].complete);
    EXPECT_TRUE(outcomes[0].complete);
    EXPECT_TRUE(outcomes[2].complete);
    EXPECT_EQ(outcomes[0].main.samples.size(), 100U);
    EXPECT_EQ(std::count_if(bench.log.begin(), bench.log.end(),
                            [](const Event& event) { return event.subject == 1; }),
              13)
        << "twelve runs and the one that failed";
    EXPECT_LT(outcomes[1].main.samples.size(), 12U) << "a failed run leaves no sample";
}

TEST(Schedule, AFailureInCalibrationNeverRunsAgain) {
    Bench bench({10 * k_ms, 10 * k_ms});
    bench.fakes[0]->fail_at = 0;
    const auto outcomes = bench.run(options({}, {}));
    EXPECT_TRUE(outcomes[0].failed);
    EXPECT_TRUE(outcomes[0].main.samples.empty());
    EXPECT_TRUE(outcomes[1].complete);
}

TEST(Schedule, StopOneFinishesTheRound) {
    Bench bench({10 * k_ms, 10 * k_ms, 10 * k_ms});
    Fake& fake = *bench.fakes[2];
    fake.stop = &bench.stop;
    fake.stop_at = 20;
    fake.stop_level = 1;
    const auto outcomes = bench.run(options({.time = 0, .runs = 1}, {.time = k_s, .runs = 5}));
    const std::size_t runs = outcomes[2].main.samples.size();
    EXPECT_GT(runs, 10U);
    EXPECT_LT(runs, 30U);
    for (const Outcome& outcome : outcomes) {
        EXPECT_EQ(outcome.main.samples.size(), runs) << "everyone had a turn in that round";
        EXPECT_FALSE(outcome.complete);
        EXPECT_FALSE(outcome.failed);
    }
}

TEST(Schedule, StopOneInWarmUpMeansNoMain) {
    Bench bench({10 * k_ms, 10 * k_ms});
    Fake& fake = *bench.fakes[0];
    fake.stop = &bench.stop;
    fake.stop_at = 5;
    fake.stop_level = 1;
    for (const Outcome& outcome : bench.run(options({}, {}))) {
        EXPECT_FALSE(outcome.warmup.samples.empty());
        EXPECT_TRUE(outcome.main.samples.empty());
        EXPECT_FALSE(outcome.complete);
    }
}

TEST(Schedule, StopTwoStopsAfterTheCurrentRun) {
    for (const std::uint64_t at : {1U, 2U, 7U, 50U}) {  // calibration, warm-up, main
        Bench bench({20 * k_ms, 20 * k_ms});
        Fake& fake = *bench.fakes[1];
        fake.stop = &bench.stop;
        fake.stop_at = at;
        fake.stop_level = 2;
        const auto outcomes =
            bench.run(options({.time = 0, .runs = 5}, {.time = 3 * k_s, .runs = 5}));
        ASSERT_FALSE(bench.log.empty());
        EXPECT_EQ(bench.log.back().subject, 1U) << "nothing ran after run " << at;
        EXPECT_FALSE(outcomes[0].complete);
        EXPECT_FALSE(outcomes[1].complete);
    }
}

TEST(Schedule, StoppedBeforeItBeginsRunsNothing) {
    Bench bench({k_ms});
    bench.stop = 1;
    const auto outcomes = bench.run(options({}, {}));
    EXPECT_TRUE(bench.log.empty());
    EXPECT_FALSE(outcomes[0].complete);
}

TEST(Schedule, TheBatchIsTheSameForAll) {
    Bench bench({400, 9 * k_us, 100 * k_us});  // the shortest phase lasts 100 ns
    const auto outcomes = bench.run(options({.time = k_ms, .runs = 5}, {.time = 20 * k_ms}));
    const std::uint32_t batch = outcomes[0].main.samples.front().batch;
    EXPECT_GE(batch, 500U);
    for (const Outcome& outcome : outcomes) {
        for (const Series* series : {&outcome.warmup, &outcome.main}) {
            for (const Sample& sample : series->samples) {
                ASSERT_EQ(sample.batch, batch);
            }
        }
        EXPECT_TRUE(outcome.complete);
        EXPECT_GE(outcome.main.runs(), 5U);
        EXPECT_GE(outcome.main.elapsed(), 20 * k_ms);
        EXPECT_EQ(outcome.main.per_document(0).size(), outcome.main.samples.size());
    }
    EXPECT_DOUBLE_EQ(outcomes[0].main.total_per_document().back(), 400);
}

TEST(Schedule, BatchesCountAsTheirDocuments) {
    Bench bench({400});
    const auto outcomes = bench.run(options({.time = 0, .runs = 0}, {.time = 0, .runs = 5}));
    EXPECT_EQ(outcomes[0].main.samples.size(), 1U) << "one batch holds the five runs";
}

TEST(Schedule, AColdFirstRunDoesNotSetTheBatch) {
    Bench cold({400});
    cold.fakes[0]->cold = 5 * k_ms;
    const auto outcomes = cold.run(options({.time = 0, .runs = 0}, {.time = k_ms}));
    EXPECT_GE(outcomes[0].main.samples.front().batch, 500U);
}

TEST(Schedule, ASlowSubjectBoundsTheBatch) {
    // A document of 1 us against a link of 800 ms: 200 documents a run would take minutes.
    Bench bench({k_us, 800 * k_ms});
    const auto outcomes = bench.run(options({.time = 0, .runs = 0}, {.time = k_s, .runs = 5}));
    EXPECT_EQ(outcomes[1].main.samples.front().batch, 1U);
    EXPECT_EQ(outcomes[1].main.samples.size(), 5U);
}

TEST(Schedule, LongMeasurementsKeepABoundedNumberOfSamples) {
    Bench bench({100 * k_us});
    const auto outcomes =
        bench.run(options({.time = 0, .runs = 0}, {.time = 60 * k_s, .runs = 1'000'000}));
    EXPECT_LE(outcomes[0].main.samples.size(), 2 * k_most_samples);
    EXPECT_TRUE(outcomes[0].complete);
}

TEST(Schedule, ObserversHearOfEveryTurnAndWhatIsWanted) {
    Bench bench({10 * k_ms, 30 * k_ms});
    const Minimum warmup{.time = 60 * k_ms, .runs = 2};
    const Minimum main{.time = 300 * k_ms, .runs = 3};
    bench.run(options(warmup, main));
    EXPECT_EQ(bench.watcher.of(Stage::calibration).size(), 2U);
    EXPECT_EQ(bench.watcher.last_wanted[Stage::warmup].time, warmup.time);
    EXPECT_EQ(bench.watcher.last_wanted[Stage::main].runs, main.runs);
    std::size_t before = 0;
    for (const Turn& turn : bench.watcher.of(Stage::main)) {
        if (turn.subject != 0) continue;
        EXPECT_GT(turn.samples, before);
        before = turn.samples;
    }
    EXPECT_EQ(before, 30U);
}

TEST(BatchSize, FillsTheLongerOfTheTwoBounds) {
    EXPECT_EQ(batch_size(k_ms, 40), 1U);
    EXPECT_EQ(batch_size(50 * k_us, 40), 1U);
    EXPECT_EQ(batch_size(49'999, 40), 2U);
    EXPECT_EQ(batch_size(100, 40), 500U) << "50 us";
    EXPECT_EQ(batch_size(100, 60), 600U) << "1,000 readings of 60 ns";
    EXPECT_EQ(batch_size(1, 1), 50'000U);
    EXPECT_EQ(batch_size(0, 0), 50'000U);
    EXPECT_EQ(batch_size(-5, 0), 50'000U);
}

}  // namespace
}  // namespace perfrelay::measure
