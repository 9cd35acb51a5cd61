#pragma once
// Schedule: runs subjects against each other, warm-up then main, interleaved in rounds.
//
// In a round every subject that has not met its minima gets one turn, in an order taken from a
// cyclic Latin square (every subject in every position equally often), itself chosen by the seed.
// A turn is one run, or as many as fill the turn's length (the minimum time over k_rounds), so that
// fast and slow subjects end in the same round and drift hits all alike. A phase of the schedule
// ends for a subject when both minima hold, time and runs.
// Runs shorter than the clock deserves are batched: `batch` documents a run, the same number for
// every subject (a different one biases ratios), so that the shortest run lasts at least
// 1,000 clock readings and 50 us.
// Source: nanobench compare(), efxperf's two minima, Google Benchmark's random interleaving.
// Tested by tests/unit/common/schedule_test.cpp.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/measure/recorder.h"

namespace perfrelay::measure {

struct Minimum {
    Nanoseconds time = 1'000'000'000;
    std::uint64_t runs = 5;
};

struct ScheduleOptions {
    Minimum warmup;
    Minimum main;
    std::uint64_t seed = 0;
};

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
};

struct Outcome {
    Series warmup;
    Series main;
    bool failed = false;    // run() said false
    bool complete = false;  // both minima of both stages met
};

// `stop`: 0 go on, 1 finish the round, 2 stop after the current run.
std::vector<Outcome> run_schedule(std::span<Subject* const> subjects,
                                  const ScheduleOptions& options, const std::atomic<int>& stop,
                                  Observer* observer);

// Documents a run, from the duration of one document of the shortest phase of the fastest subject.
std::uint32_t batch_size(Nanoseconds shortest, Nanoseconds clock_cost);

}  // namespace perfrelay::measure
