#include "common/measure/bootstrap.h"

#include <algorithm>
#include <cmath>

namespace perfrelay::measure {

std::vector<double> resampled_medians(std::span<const double> values, std::mt19937_64& random) {
    std::vector<double> in_order(values.begin(), values.end());
    std::erase_if(in_order, [](double value) { return std::isnan(value); });
    std::ranges::sort(in_order);
    const auto count = static_cast<double>(in_order.size());
    std::gamma_distribution<double> gamma((count + 1) / 2, 1);
    std::vector<double> medians(k_resamples, 0);
    if (in_order.empty()) return medians;
    for (double& median : medians) {
        const double a = gamma(random);
        const double b = gamma(random);
        const double place = a / (a + b) * count;
        median = in_order[std::min(static_cast<std::size_t>(place), in_order.size() - 1)];
    }
    return medians;
}

std::vector<double> resampled_means(std::span<const double> values, std::mt19937_64& random) {
    std::vector<double> means(k_resamples, 0);
    if (values.empty()) return means;
    std::uniform_int_distribution<std::size_t> place(0, values.size() - 1);
    for (double& mean : means) {
        for (std::size_t i = 0; i < values.size(); ++i)
            mean += values[place(random)];
        mean /= static_cast<double>(values.size());
    }
    return means;
}

Range middle_95(std::vector<double> draws) {
    if (draws.empty()) return {};
    std::ranges::sort(draws);
    const std::size_t out = draws.size() / 40;  // 2.5 %
    return {draws[out], draws[draws.size() - 1 - out]};
}

}  // namespace perfrelay::measure
