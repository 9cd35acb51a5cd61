#include "common/measure/compare.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

namespace perfrelay::measure {
namespace {

double median_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// P(|T| <= t). Abramowitz & Stegun 26.7.3 and 26.7.4: finite series in the angle.
double student_within(double t, std::size_t degrees) {
    const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
    const double cosine = std::cos(angle);
    const bool odd = degrees % 2 == 1;
    double term = odd ? cosine : 1;
    double sum = degrees == 1 ? 0 : term;
    for (std::size_t k = odd ? 3 : 2; k < degrees; k += 2) {
        term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
        sum += term;
    }
    if (!odd) return std::sin(angle) * sum;
    return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
}

// The differences of the logarithms, a vector for each process that both ran in.
std::vector<std::vector<double>> differences(std::span<const RoundTime> baseline,
                                             std::span<const RoundTime> other) {
    const auto place = [](const RoundTime& at) { return std::tie(at.process, at.round); };
    std::vector<std::vector<double>> all;
    std::uint32_t process = 0;
    auto base = baseline.begin();
    for (const RoundTime& it : other) {
        while (base != baseline.end() && place(*base) < place(it))
            ++base;
        if (base == baseline.end()) break;
        if (place(*base) != place(it) || base->time <= 0 || it.time <= 0) continue;
        if (all.empty() || it.process != process) all.emplace_back();
        process = it.process;
        all.back().push_back(std::log(it.time) - std::log(base->time));
    }
    return all;
}

Verdict judge(double low, double high, double band) {
    // The same band either way: twice as fast is as far from equal as half as fast.
    const double edge = std::log1p(band);
    if (high < -edge) return Verdict::faster;
    if (low > edge) return Verdict::slower;
    if (low > -edge && high < edge) return Verdict::equivalent;
    return Verdict::undecided;
}

struct Interval {
    double middle = 0;
    double low = 0;
    double high = 0;
    bool known = false;
};

Interval of_rounds(std::vector<double>& rounds, double confidence) {
    Interval found;
    std::size_t low = 0;
    std::size_t high = 0;
    found.known = median_interval_ranks(rounds.size(), low, high, confidence);
    found.middle = median_of(rounds);
    if (!found.known) return found;
    std::ranges::sort(rounds);
    found.low = rounds[low];
    found.high = rounds[high];
    return found;
}

Interval of_processes(std::vector<std::vector<double>>& processes, double confidence) {
    std::vector<double> medians;
    medians.reserve(processes.size());
    for (std::vector<double>& rounds : processes)
        medians.push_back(median_of(rounds));
    const double middle = mean_of(medians);
    const double half = student_half_width(medians, confidence);
    return {.middle = middle, .low = middle - half, .high = middle + half, .known = true};
}

}  // namespace

std::vector<RoundTime> by_round(const Series& series, std::span<const double> values) {
    assert(values.size() == series.samples.size());
    std::vector<RoundTime> rounds;
    std::vector<double> turn;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Sample& sample = series.samples[i];
        if (sample.round == 0) continue;
        turn.push_back(values[i]);
        const bool last = i + 1 == values.size() || series.samples[i + 1].round != sample.round ||
                          series.samples[i + 1].process != sample.process;
        if (!last) continue;
        rounds.push_back({sample.process, sample.round, median_of(turn)});
        turn.clear();
    }
    return rounds;
}

std::vector<double> process_medians(const Series& series, std::span<const double> values) {
    assert(values.size() == series.samples.size());
    std::vector<double> medians;
    std::vector<double> of_process;
    for (std::size_t i = 0; i < values.size(); ++i) {
        of_process.push_back(values[i]);
        if (i + 1 < values.size() && series.samples[i + 1].process == series.samples[i].process)
            continue;
        medians.push_back(median_of(of_process));
        of_process.clear();
    }
    return medians;
}

Summary summarise_runs(const Series& series, std::span<const double> values) {
    Summary summary = summarise(values);
    const std::vector<double> medians = process_medians(series, values);
    if (medians.size() < 2) return summary;
    const double half = student_half_width(medians);
    summary.has_interval = true;
    summary.low = std::max(0.0, summary.median - half);
    summary.high = summary.median + half;
    return summary;
}

Comparison compare(std::span<const RoundTime> baseline, std::span<const RoundTime> other,
                   const CompareOptions& options) {
    Comparison found;
    std::vector<std::vector<double>> processes = differences(baseline, other);
    found.processes = processes.size();
    for (const std::vector<double>& rounds : processes)
        found.rounds += rounds.size();
    if (processes.empty()) return found;
    const Interval interval = processes.size() == 1
                                  ? of_rounds(processes.front(), options.confidence)
                                  : of_processes(processes, options.confidence);
    found.ratio = found.low = found.high = std::exp(interval.middle);
    found.has_interval = interval.known;
    if (!interval.known) return found;
    found.low = std::exp(interval.low);
    found.high = std::exp(interval.high);
    found.verdict = judge(interval.low, interval.high, options.band);
    return found;
}

double student_half_width(std::span<const double> values, double confidence) {
    if (values.size() < 2) return std::numeric_limits<double>::infinity();
    const double mean = mean_of(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const auto count = static_cast<double>(values.size());
    const double deviation = std::sqrt(squares / (count - 1));
    return student_quantile((1 + confidence) / 2, values.size() - 1) * deviation / std::sqrt(count);
}

double student_quantile(double p, std::size_t degrees_of_freedom) {
    assert(p >= 0.5 && p < 1 && degrees_of_freedom > 0);
    const double within = 2 * p - 1;
    double low = 0;
    double high = 1;
    while (student_within(high, degrees_of_freedom) < within)
        high *= 2;
    constexpr int k_halvings = 60;  // as many as a double has places
    for (int i = 0; i < k_halvings; ++i) {
        const double middle = (low + high) / 2;
        (student_within(middle, degrees_of_freedom) < within ? low : high) = middle;
    }
    return high;
}

}  // namespace perfrelay::measure
