#pragma once
// Schedule: runs subjects against each other, warm-up then main, interleaved in rounds.
//
// Calibration: each subject runs once alone (quick ones three times), which counts for nothing but
// the batch and the number of rounds.
// Rounds: a stage (warm-up, main) is cut into as many rounds as its slowest subject needs runs, at
// most k_rounds, or so many more that no turn lasts much longer than k_longest_turn: whoever asks
// for a million runs can still stop after the present round. In a round every subject that has not
// met its minima gets one turn, in an order taken from a cyclic Latin square (every subject in
// every position equally often), itself drawn from the seed, a new one when all its rows are used.
// A turn is one run, and as many more as bring the subject's share of both minima up to the
// round's, so that fast and slow subjects end in the same round and drift hits all alike. A stage
// ends for a subject when both minima hold, time and runs; minima of 0 and 0 mean no run at all.
// Time is the sum of the samples' totals. Batches: runs shorter than the clock deserves are
// batched: `batch` documents a run, the same number for every subject (a different one biases
// ratios), so that the shortest phase lasts at least 1,000 clock readings and 50 us, and no stage
// keeps more than about k_most_samples. A batch counts as `batch` runs. No batch of the slowest
// subject lasts longer than a tenth of the minimum time (at least 100 ms): a slow link must not
// multiply with a tiny document. Source: nanobench compare(), efxperf's two minima, Google
// Benchmark's random interleaving.
// Extension: when a precision is asked for, main goes on after its minima until the 95 % interval
// of every subject's total is that narrow, looked at after 1, 1.5, 2.25 and 3 times the minima (few
// looks: each is a chance to stop by luck), with all subjects, so that their rounds stay pairs.
// Tested by tests/unit/common/schedule_test.cpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/measure/recorder.h"

namespace perfrelay::measure {

constexpr std::uint64_t k_rounds = 20;
constexpr Nanoseconds k_longest_turn = 200'000'000;
constexpr std::uint64_t k_most_samples = 100'000;  // of a subject in a stage, about

struct Minimum {
    Nanoseconds time = 1'000'000'000;
    std::uint64_t runs = 5;
    // No round begins that, taking as long as the longest before, would end later than this, on the
    // clock of now(); but main has one round. What is cut short by this counts as met.
    Nanoseconds until = k_never;
};

struct ScheduleOptions {
    Minimum warmup;
    Minimum main;
    std::uint64_t seed = 0;
    // Half of the 95 % interval of a subject's total over its median; 0: main ends at its minima.
    double precision = 0;
    // How long one subject may run in main for the sake of the precision; 0: k_longest_extension
    // times the minima, however long that is.
    Nanoseconds patience = 0;
};

constexpr double k_longest_extension = 3;

// Something that can be run. Virtual: one call a run, outside the timed part.
class Subject {
  public:
    Subject() = default;
    Subject(const Subject&) = delete;
    Subject& operator=(const Subject&) = delete;
    virtual ~Subject() = default;
    // Runs `batch` documents and fills in `sample`. False: it failed and takes no further turn.
    virtual bool run(std::uint32_t batch, Sample& sample) = 0;
};

enum class Stage : std::uint8_t { calibration, warmup, main };

// Told between turns; never while something is timed.
class Observer {
  public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;
    virtual void turn(Stage stage, std::size_t subject, const Series& so_far,
                      const Minimum& wanted) = 0;
    // Before each round of main.
    virtual void round() {}
};

struct Outcome {
    Series warmup;
    Series main;
    bool failed = false;    // run() said false
    bool complete = false;  // both minima of both stages met
};

// `stop`: 0 go on, 1 finish the round, 2 stop after the current run. The outcomes are in the order
// of the subjects. `observer` may be null; it is told of calibration's turns too, wanting one run.
std::vector<Outcome> run_schedule(std::span<Subject* const> subjects,
                                  const ScheduleOptions& options, const std::atomic<int>& stop,
                                  Observer* observer);

// Documents a run, from the duration of one document of the shortest phase of the fastest subject.
std::uint32_t batch_size(Nanoseconds shortest, Nanoseconds clock_cost);

}  // namespace perfrelay::measure
