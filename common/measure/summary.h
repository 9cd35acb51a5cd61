#pragma once
// What is said of a sample: median with a 95 % interval, minimum, percentiles, mean.
//
// The interval is the order-statistic (binomial, sign-test) interval of the median: exact for any
// continuous distribution, skewed or not, no resampling. It needs 6 samples: with 5 the widest one
// covers 93.75 %, so there is none and the reader is told.
// It is found for any number of samples by summing the binomial distribution itself.
// Quantiles are Hyndman and Fan's type 7, as in R, NumPy and spreadsheets: position p (count - 1)
// from 0, linear between the two neighbouring order statistics.
// Source: David & Nagaraja, Order Statistics, section 7.1.
// Tested by tests/unit/common/summary_test.cpp (coverage simulated).

#include <cstddef>
#include <span>

namespace perfrelay::measure {

struct Summary {
    std::size_t count = 0;
    double median = 0;
    double low = 0;  // 95 % interval of the median; low == high == median when !has_interval
    double high = 0;
    bool has_interval = false;
    double min = 0;
    double max = 0;
    double mean = 0;
    double p05 = 0;
    double p25 = 0;
    double p75 = 0;
    double p95 = 0;
    // Median absolute deviation times 1.4826: the standard deviation, were the values normal.
    double mad = 0;

    // Half of the interval over the median; infinite without an interval.
    double relative_half_width() const;
};

// Smallest count that has a 95 % interval.
constexpr std::size_t k_min_for_interval = 6;

// No values: all zero. NaN is not a value.
Summary summarise(std::span<const double> values);

constexpr double k_confidence = 0.95;

// Ranks (from 0) of the two order statistics that bound the interval of the median of `count`
// values at that confidence; false when there are too few.
bool median_interval_ranks(std::size_t count, std::size_t& low, std::size_t& high,
                           double confidence = k_confidence);

}  // namespace perfrelay::measure
