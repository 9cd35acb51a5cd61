#pragma once
// Subjects that do not take time: they say how long they took, and the schedule believes them.
// What the tests of schedules share.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/measure/schedule.h"

namespace perfrelay::measure {

inline constexpr Nanoseconds k_us = 1'000;
inline constexpr Nanoseconds k_ms = 1'000'000;
inline constexpr Nanoseconds k_s = 1'000'000'000;
inline constexpr std::uint64_t k_no_failure = ~std::uint64_t{0};

struct Event {
    std::size_t subject = 0;
    std::uint32_t batch = 0;
};

// A document takes `document` nanoseconds, in two phases; the first run is slower by `cold`.
class Fake : public Subject {
  public:
    Fake(std::size_t index, Nanoseconds document, std::vector<Event>& log)
        : index_(index), document_(document), log_(log) {}

    bool run(std::uint32_t batch, Sample& sample) override {
        log_.push_back({index_, batch});
        if (runs_++ >= fail_at) return false;
        const Nanoseconds whole = document_ * batch + (runs_ == 1 ? cold : 0);
        sample.phase[0] = whole / 4;
        sample.phase[3] = whole - whole / 4;
        sample.total = whole;
        if (stop != nullptr && runs_ == stop_at) stop->store(stop_level);
        return true;
    }

    Nanoseconds cold = 0;
    std::uint64_t fail_at = k_no_failure;
    std::atomic<int>* stop = nullptr;
    std::uint64_t stop_at = 0;
    int stop_level = 0;

  private:
    std::size_t index_;
    Nanoseconds document_;
    std::vector<Event>& log_;
    std::uint64_t runs_ = 0;
};

struct Turn {
    Stage stage;
    std::size_t subject;
    std::size_t samples;
};

class Watcher : public Observer {
  public:
    void turn(Stage stage, std::size_t subject, const Series& so_far,
              const Minimum& wanted) override {
        turns.push_back({stage, subject, so_far.samples.size()});
        last_wanted[stage] = wanted;
    }
    std::vector<Turn> of(Stage stage) const {
        std::vector<Turn> found;
        for (const Turn& turn : turns) {
            if (turn.stage == stage) found.push_back(turn);
        }
        return found;
    }
    std::vector<Turn> turns;
    std::map<Stage, Minimum> last_wanted;
};

// A bench of fake subjects, and what came of them.
struct Bench {
    explicit Bench(const std::vector<Nanoseconds>& documents) {
        for (const Nanoseconds document : documents) {
            fakes.push_back(std::make_unique<Fake>(fakes.size(), document, log));
        }
    }
    std::vector<Outcome> run(const ScheduleOptions& options) {
        std::vector<Subject*> subjects;
        for (const auto& fake : fakes) {
            subjects.push_back(fake.get());
        }
        return run_schedule(subjects, options, stop, &watcher);
    }
    std::vector<Event> log;
    std::vector<std::unique_ptr<Fake>> fakes;
    std::atomic<int> stop = 0;
    Watcher watcher;
};

inline ScheduleOptions options(Minimum warmup, Minimum main, std::uint64_t seed = 1) {
    return {.warmup = warmup, .main = main, .seed = seed};
}

}  // namespace perfrelay::measure
