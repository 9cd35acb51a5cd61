#include "common/measure/summary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace perfrelay::measure {
namespace {

// C(2m, m) / 4^m, the probability of as many heads as tails in 2m throws.
double even_split_probability(std::size_t m) {
    constexpr std::size_t k_exact = 100;
    const auto x = static_cast<double>(m);
    if (m <= k_exact) {
        double p = 1;
        for (std::size_t i = 1; i <= m; ++i) {
            p *= static_cast<double>(2 * i - 1) / static_cast<double>(2 * i);
        }
        return p;
    }
    // Wallis, asymptotic series; the next term is below 1e-10 here.
    return (1 - 1 / (8 * x) + 1 / (128 * x * x) + 5 / (1024 * x * x * x)) /
           std::sqrt(std::numbers::pi * x);
}

// Two neighbouring order statistics and the weight of the upper one.
struct Quantile {
    std::size_t rank = 0;
    double weight = 0;
};

Quantile quantile(std::size_t count, double p) {
    const double position = p * static_cast<double>(count - 1);
    const double rank = std::floor(position);
    return {static_cast<std::size_t>(rank), position - rank};
}

double value_at(const std::vector<double>& values, const Quantile& at) {
    const double lower = values[at.rank];
    if (at.weight == 0) return lower;
    return lower + at.weight * (values[at.rank + 1] - lower);
}

}  // namespace

double Summary::relative_half_width() const {
    if (!has_interval || median <= 0) return std::numeric_limits<double>::infinity();
    return (high - low) / 2 / median;
}

bool median_interval_ranks(std::size_t count, std::size_t& low, std::size_t& high,
                           double confidence) {
    // The smallest and the largest value miss the median when all lie on one side of it.
    if (1 - std::pow(0.5, static_cast<double>(count) - 1) < confidence) return false;
    // The k-th smallest and the k-th largest value bound the median unless fewer than k values lie
    // on one side of it: P(k <= X <= count - k), X binomial(count, 1/2). Start with the innermost
    // pair and go outwards, about sqrt(count) steps, until that is the confidence.
    const std::size_t m = count / 2;
    const bool odd = count % 2 == 1;
    double p = even_split_probability(m);
    if (odd) p *= static_cast<double>(count) / (2.0 * static_cast<double>(m + 1));
    double covered = odd ? 2 * p : p;
    std::size_t k = m;
    while (covered < confidence && k > 1) {
        p *= static_cast<double>(k) / static_cast<double>(count - k + 1);
        covered += 2 * p;
        --k;
    }
    low = k - 1;
    high = count - k;
    return true;
}

Summary summarise(std::span<const double> values) {
    Summary summary;
    summary.count = values.size();
    if (values.empty()) return summary;

    std::vector<double> work(values.begin(), values.end());
    const std::size_t count = work.size();
    constexpr std::array<double, 5> k_levels = {0.05, 0.25, 0.50, 0.75, 0.95};
    std::array<Quantile, k_levels.size()> quantiles;
    std::vector<std::size_t> ranks = {0, count - 1};
    for (std::size_t i = 0; i < k_levels.size(); ++i) {
        quantiles[i] = quantile(count, k_levels[i]);
        ranks.push_back(quantiles[i].rank);
        ranks.push_back(std::min(quantiles[i].rank + 1, count - 1));
    }
    std::size_t low = 0;
    std::size_t high = 0;
    summary.has_interval = median_interval_ranks(count, low, high);
    if (summary.has_interval) {
        ranks.push_back(low);
        ranks.push_back(high);
    }

    // Put each wanted rank in its place, from below; each selection works on what is left.
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    auto from = work.begin();
    for (const std::size_t rank : ranks) {
        const auto at = work.begin() + static_cast<std::ptrdiff_t>(rank);
        std::nth_element(from, at, work.end());
        from = at + 1;
    }

    summary.p05 = value_at(work, quantiles[0]);
    summary.p25 = value_at(work, quantiles[1]);
    summary.median = value_at(work, quantiles[2]);
    summary.p75 = value_at(work, quantiles[3]);
    summary.p95 = value_at(work, quantiles[4]);
    summary.low = summary.has_interval ? work[low] : summary.median;
    summary.high = summary.has_interval ? work[high] : summary.median;
    summary.min = work.front();
    summary.max = work.back();
    summary.mean = std::accumulate(work.begin(), work.end(), 0.0) / static_cast<double>(count);

    constexpr double k_to_deviation = 1.4826;  // 1 / the upper quartile of the normal distribution
    for (double& value : work)
        value = std::abs(value - summary.median);
    const auto middle = work.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(work.begin(), middle, work.end());
    summary.mad = k_to_deviation * *middle;
    return summary;
}

}  // namespace perfrelay::measure
