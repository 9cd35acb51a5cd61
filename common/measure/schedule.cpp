#include "common/measure/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/measure/summary.h"

namespace perfrelay::measure {
namespace {

constexpr Nanoseconds k_shortest_batch = 50'000;
constexpr Nanoseconds k_readings_a_batch = 1'000;
constexpr Nanoseconds k_longest_batch = 100'000'000;
constexpr Nanoseconds k_quick = 10'000'000;  // calibrated by three runs: the first is cold

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

std::uint64_t as_unsigned(Nanoseconds time) {
    return static_cast<std::uint64_t>(std::max<Nanoseconds>(time, 0));
}

// SplitMix64 (Steele, Lea, Flood 2014): the same order from the same seed on every platform, which
// the distributions of <random> do not promise.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
    void shuffle(std::vector<std::size_t>& items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[below(i)]);
        }
    }

  private:
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    std::uint64_t state_;
};

// The orders of successive rounds: rows of a cyclic Latin square, both its symbols and its rows
// shuffled, until they are used up; then of a new one.
class LatinSquare {
  public:
    explicit LatinSquare(Random& random) : random_(random) {}

    // `active` may shrink from round to round; a new square holds only those left.
    std::vector<std::size_t> next(const std::vector<std::size_t>& active) {
        if (used_ == rows_.size()) {
            symbols_ = active;
            random_.shuffle(symbols_);
            rows_.resize(active.size());
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                rows_[i] = i;
            }
            random_.shuffle(rows_);
            used_ = 0;
        }
        const std::size_t shift = rows_[used_++];
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < symbols_.size(); ++i) {
            const std::size_t symbol = symbols_[(i + shift) % symbols_.size()];
            if (std::find(active.begin(), active.end(), symbol) != active.end()) {
                order.push_back(symbol);
            }
        }
        return order;
    }

  private:
    Random& random_;
    std::vector<std::size_t> symbols_;
    std::vector<std::size_t> rows_;
    std::size_t used_ = 0;
};

// What a subject has done in a stage, kept as sums: a turn must not walk all samples.
struct Progress {
    std::uint64_t time = 0;
    std::uint64_t runs = 0;

    // Whether `share` of `shares` of both minima are done, rounded up; all of them at the last.
    bool reached(const Minimum& minimum, std::uint64_t share, std::uint64_t shares) const {
        const auto part = [&](std::uint64_t whole) {
            return whole / shares * share + divide_up(whole % shares * share, shares);
        };
        return time >= part(as_unsigned(minimum.time)) && runs >= part(minimum.runs);
    }
    bool met(const Minimum& minimum) const { return reached(minimum, 1, 1); }
};

struct Calibration {
    Nanoseconds shortest_phase = 0;  // of one document; 0 until known
    Nanoseconds total = 0;           // of one document
};

class Run {
  public:
    Run(std::span<Subject* const> subjects, const ScheduleOptions& options,
        const std::atomic<int>& stop, Observer* observer)
        : subjects_(subjects),
          options_(options),
          stop_(stop),
          observer_(observer),
          random_(options.seed),
          outcomes_(subjects.size()),
          calibrations_(subjects.size()) {}

    std::vector<Outcome> operator()() {
        std::vector<bool> warm(subjects_.size(), false);
        calibrate();
        choose_batch();
        stage(Stage::warmup, options_.warmup, options_.warmup, &Outcome::warmup, warm);
        for (std::size_t i = 0; i < outcomes_.size(); ++i) {
            const Series& series = outcomes_[i].warmup;
            if (series.samples.empty()) continue;
            calibrations_[i].total = std::max<Nanoseconds>(
                series.elapsed() / static_cast<Nanoseconds>(series.runs()), 1);
        }
        std::vector<bool> done(subjects_.size(), false);
        stage(Stage::main, options_.main, options_.main, &Outcome::main, done);
        extend(done);
        for (std::size_t i = 0; i < outcomes_.size(); ++i) {
            outcomes_[i].complete = !outcomes_[i].failed && warm[i] && done[i];
        }
        return std::move(outcomes_);
    }

  private:
    bool stopping(int level) const { return stop_.load(std::memory_order_relaxed) >= level; }

    void tell(Stage stage, std::size_t subject, const Series& series, const Minimum& wanted) {
        if (observer_ != nullptr) observer_->turn(stage, subject, series, wanted);
    }

    // One run; false when the subject fails, and then nothing is recorded.
    bool run_once(std::size_t subject, std::uint32_t batch, Series& series) {
        Sample sample{};
        if (!subjects_[subject]->run(batch, sample)) {
            outcomes_[subject].failed = true;
            return false;
        }
        sample.batch = batch;
        sample.round = round_;
        series.samples.push_back(sample);
        return true;
    }

    void calibrate() {
        constexpr std::size_t k_runs = 3;
        if (stopping(1)) return;
        std::vector<std::size_t> all(subjects_.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        random_.shuffle(all);
        for (const std::size_t i : all) {
            Series series;
            while (!stopping(2) && run_once(i, 1, series)) {
                if (series.samples.size() == k_runs || series.samples.back().total >= k_quick)
                    break;
            }
            note(calibrations_[i], series);
            if (stopping(2)) return;
            tell(Stage::calibration, i, series, Minimum{.time = 0, .runs = 1});
        }
    }

    static void note(Calibration& calibration, const Series& series) {
        constexpr Nanoseconds k_unknown = std::numeric_limits<Nanoseconds>::max();
        Nanoseconds phase = k_unknown;
        Nanoseconds total = k_unknown;
        for (const Sample& sample : series.samples) {
            total = std::min(total, std::max<Nanoseconds>(sample.total, 1));
            for (const Nanoseconds time : sample.phase) {
                if (time > 0) phase = std::min(phase, time);  // 0: no such phase
            }
        }
        if (series.samples.empty()) return;
        calibration.total = total;
        calibration.shortest_phase = std::min(phase, total);
    }

    void choose_batch() {
        Nanoseconds shortest = std::numeric_limits<Nanoseconds>::max();
        Nanoseconds fastest = shortest;
        Nanoseconds slowest = 0;
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            if (outcomes_[i].failed || calibrations_[i].total == 0) continue;
            shortest = std::min(shortest, calibrations_[i].shortest_phase);
            fastest = std::min(fastest, calibrations_[i].total);
            slowest = std::max(slowest, calibrations_[i].total);
        }
        if (slowest == 0) return;
        const Nanoseconds time = std::max(options_.warmup.time, options_.main.time);
        const std::uint64_t runs = std::max(options_.warmup.runs, options_.main.runs);
        const std::uint64_t few_samples = std::max(
            as_unsigned(time) / k_most_samples / as_unsigned(fastest), runs / k_most_samples);
        const std::uint64_t longest = as_unsigned(std::max(k_longest_batch, time / 10));
        const std::uint64_t most = std::clamp<std::uint64_t>(
            longest / as_unsigned(slowest), 1, std::numeric_limits<std::uint32_t>::max());
        const std::uint64_t wanted =
            std::max<std::uint64_t>(batch_size(shortest, clock_cost()), few_samples);
        batch_ = static_cast<std::uint32_t>(std::min(wanted, most));
    }

    // Batches that subject `i` needs in a stage, by what is known of it.
    std::uint64_t runs_needed(std::size_t i, const Minimum& minimum) const {
        const std::uint64_t a_batch =
            std::max<std::uint64_t>(as_unsigned(calibrations_[i].total) * batch_, 1);
        return std::max(divide_up(as_unsigned(minimum.time), a_batch),
                        divide_up(minimum.runs, batch_));
    }

    // By how long subjects need for what is asked; how many runs they need may allow fewer only.
    std::uint64_t rounds_wanted(const Minimum& minimum) const {
        double turns = static_cast<double>(k_rounds);
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            if (outcomes_[i].failed) continue;
            const double a_batch = static_cast<double>(calibrations_[i].total) * batch_;
            turns = std::max(turns, static_cast<double>(runs_needed(i, minimum)) * a_batch /
                                        static_cast<double>(k_longest_turn));
        }
        constexpr double k_most = 1e15;  // far from what 64 bits hold
        return static_cast<std::uint64_t>(std::min(turns, k_most));
    }

    // Main goes on, with all that have not failed, until each is known well enough.
    void extend(std::vector<bool> done) {
        constexpr double k_step = 1.5;
        for (double factor = 1; wants_more(factor, done);) {
            double next = factor * k_step;
            if (factor < k_longest_extension) next = std::min(next, k_longest_extension);
            const Minimum& base = options_.main;
            const std::size_t before = samples_in_main();
            stage(Stage::main, times(base, next - factor), times(base, next), &Outcome::main, done);
            if (samples_in_main() == before) return;  // no time is left for another round
            factor = next;
        }
    }

    std::size_t samples_in_main() const {
        std::size_t count = 0;
        for (const Outcome& outcome : outcomes_)
            count += outcome.main.samples.size();
        return count;
    }

    static Minimum times(const Minimum& minimum, double factor) {
        const double time = std::ceil(factor * static_cast<double>(minimum.time));
        const double runs = std::ceil(factor * static_cast<double>(minimum.runs));
        return {.time = static_cast<Nanoseconds>(time),
                .runs = static_cast<std::uint64_t>(runs),
                .until = minimum.until};
    }

    bool wants_more(double factor, const std::vector<bool>& done) const {
        if (options_.precision <= 0 || stopping(1)) return false;
        bool wide = false;
        Nanoseconds longest = 0;
        for (std::size_t i = 0; i < outcomes_.size(); ++i) {
            if (outcomes_[i].failed) continue;
            const Series& main = outcomes_[i].main;
            if (!done[i] || main.samples.empty()) return false;
            longest = std::max(longest, main.elapsed());
            wide = wide ||
                   summarise(main.total_per_document()).relative_half_width() > options_.precision;
        }
        if (!wide) return false;
        return options_.patience > 0 ? longest < options_.patience : factor < k_longest_extension;
    }

    // What a stage goes through.
    struct Rounds {
        std::vector<std::size_t> active;  // subjects that are to run on
        std::vector<Progress> progress;
        std::uint64_t count = 0;
    };
    Rounds rounds_of(const Minimum& minimum, Series Outcome::*series, std::vector<bool>& met) {
        Rounds rounds;
        rounds.count = rounds_wanted(minimum);
        rounds.progress.resize(subjects_.size());
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            met[i] = !outcomes_[i].failed && rounds.progress[i].met(minimum);
            if (outcomes_[i].failed || met[i]) continue;
            rounds.active.push_back(i);
            const std::uint64_t needed = runs_needed(i, minimum);
            rounds.count = std::min(rounds.count, std::max<std::uint64_t>(needed, 1));
            // Half as many again: growing costs page faults, between runs but beside them.
            std::vector<Sample>& samples = (outcomes_[i].*series).samples;
            samples.reserve(samples.size() + std::min(needed + needed / 2, 2 * k_most_samples) +
                            16);
        }
        // Whole Latin squares, where there are rounds for one.
        const std::size_t active = rounds.active.size();
        if (active != 0 && rounds.count >= active) rounds.count -= rounds.count % active;
        return rounds;
    }

    // Adds to `series` as much as the minimum says; with what they hold already it makes `whole`.
    void stage(Stage stage, const Minimum& minimum, const Minimum& whole, Series Outcome::*series,
               std::vector<bool>& met) {
        Rounds rounds = rounds_of(minimum, series, met);
        std::vector<std::size_t>& active = rounds.active;
        LatinSquare square(random_);
        Nanoseconds longest = 0;
        for (const std::size_t i : active)
            longest += calibrations_[i].total * batch_;
        for (std::uint64_t round = 1; !active.empty() && !stopping(1); ++round) {
            const Nanoseconds begun = now();
            const bool first =
                stage == Stage::main && (outcomes_[active[0]].*series).samples.empty();
            if (!first && longest > minimum.until - begun) {
                for (const std::size_t i : active)
                    met[i] = true;
                return;
            }
            ++round_;
            if (observer_ != nullptr && stage == Stage::main) observer_->round();
            for (const std::size_t i : square.next(active)) {
                if (stopping(2)) return;
                Series& samples = outcomes_[i].*series;
                turn(i, samples, rounds.progress[i], minimum, round, rounds.count);
                met[i] = !outcomes_[i].failed && rounds.progress[i].met(minimum);
                tell(stage, i, samples, whole);
            }
            longest = std::max(longest, now() - begun);
            std::erase_if(active, [&](std::size_t i) { return met[i] || outcomes_[i].failed; });
        }
    }

    void turn(std::size_t i, Series& series, Progress& progress, const Minimum& minimum,
              std::uint64_t round, std::uint64_t rounds) {
        do {
            if (!run_once(i, batch_, series)) return;
            progress.time += as_unsigned(std::max<Nanoseconds>(series.samples.back().total, 1));
            progress.runs += batch_;
        } while (!progress.reached(minimum, round, rounds) && !stopping(2));
    }

    std::span<Subject* const> subjects_;
    const ScheduleOptions& options_;
    const std::atomic<int>& stop_;
    Observer* observer_;
    Random random_;
    std::vector<Outcome> outcomes_;
    std::vector<Calibration> calibrations_;
    std::uint32_t batch_ = 1;
    std::uint32_t round_ = 0;  // of both stages, and the extension
};

}  // namespace

std::uint32_t batch_size(Nanoseconds shortest, Nanoseconds clock_cost) {
    const std::uint64_t deserved =
        as_unsigned(std::max(k_shortest_batch, k_readings_a_batch * clock_cost));
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
        divide_up(deserved, as_unsigned(std::max<Nanoseconds>(shortest, 1))), 1,
        std::numeric_limits<std::uint32_t>::max()));
}

std::vector<Outcome> run_schedule(std::span<Subject* const> subjects,
                                  const ScheduleOptions& options, const std::atomic<int>& stop,
                                  Observer* observer) {
    return Run(subjects, options, stop, observer)();
}

}  // namespace perfrelay::measure
