#pragma once
// Two subjects that took turns: which is faster, by how much, and how sure that is.
//
// Unit of observation: a round in which both ran, met by the same machine in the same state. Of
// each, the difference of the logarithms of their times; what drifts and what disturbs both drops
// out. In one process: the median difference with its sign-test interval (order statistics), which
// assumes nothing about the shape. In several: a process has a layout of memory and code of its
// own, which moves a subject by per cents however often it runs there; so processes are what is
// counted: the mean of their medians with Student's interval.
//
// Words are given only where the interval lies on one side of a band around equality, or inside it.
// Source: nanobench compare(); Kalibera & Jones, Rigorous Benchmarking in Reasonable Time (ISMM
// 2013), section 6: only the spread of the highest level counts.
// Tested by tests/unit/common/compare_test.cpp (error rates simulated).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/measure/recorder.h"
#include "common/measure/summary.h"

namespace perfrelay::measure {

enum class Verdict : std::uint8_t { undecided, faster, slower, equivalent };

struct CompareOptions {
    double band = 0.01;  // times that differ by less are as good as the same
    double confidence = k_confidence;
};

struct Comparison {
    std::size_t rounds = 0;     // in which both ran
    std::size_t processes = 0;  // that these are of
    // Time of the other over the time of the baseline; 1 when there is nothing to compare.
    double ratio = 1;
    double low = 1;  // its interval; both the ratio when !has_interval
    double high = 1;
    bool has_interval = false;
    Verdict verdict = Verdict::undecided;  // of the other, against the baseline
};

// What a subject took in one round: the median of its runs there, ns a document.
struct RoundTime {
    std::uint32_t process = 0;
    std::uint32_t round = 0;
    double time = 0;
};

// `values`: one for each sample of the series, which is in the order in which it was measured.
// Samples without a round are left out.
std::vector<RoundTime> by_round(const Series& series, std::span<const double> values);

// Both sorted by process and round, as by_round gives them. Times of 0 are left out.
Comparison compare(std::span<const RoundTime> baseline, std::span<const RoundTime> other,
                   const CompareOptions& options);

// The median of each process's values, in their order.
std::vector<double> process_medians(const Series& series, std::span<const double> values);

// Of runs that several processes made: the median of all, and Student's interval of the processes'
// medians around it. Of one process as summarise(values).
Summary summarise_runs(const Series& series, std::span<const double> values);

// The interval of the mean of what processes found, each a value: half its width; infinite for
// fewer than two.
double student_half_width(std::span<const double> values, double confidence = k_confidence);

// The quantile of Student's distribution: P(T <= t) = p, for 0.5 <= p < 1.
double student_quantile(double p, std::size_t degrees_of_freedom);

}  // namespace perfrelay::measure
