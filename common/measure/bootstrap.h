#pragma once
// Bootstraps of medians and of means.
//
// The median of a resample of n sorted values is the value whose place is distributed as
// Beta((n + 1) / 2, (n + 1) / 2), so a draw costs one number and not n.
// Source: David & Nagaraja, Order Statistics, section 2.1; Efron & Tibshirani, An Introduction to
// the Bootstrap, section 13.3 (percentile intervals).
// Tested by tests/unit/common/bootstrap_test.cpp (coverage simulated).

#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace perfrelay::measure {

constexpr std::size_t k_resamples = 4000;

// Medians of k_resamples resamples; of no values zeros. NaN is not a value.
std::vector<double> resampled_medians(std::span<const double> values, std::mt19937_64& random);

// Means of as many.
std::vector<double> resampled_means(std::span<const double> values, std::mt19937_64& random);

// What holds the middle 95 % of `draws`.
struct Range {
    double low = 0;
    double high = 0;
};
Range middle_95(std::vector<double> draws);

}  // namespace perfrelay::measure
