#include "common/measure/outliers.h"

#include <cmath>

#include "common/measure/summary.h"

namespace perfrelay::measure {

Outliers outliers(std::span<const double> values) {
    constexpr double k_flagged = 3.5;
    constexpr double k_severe = 10;
    Outliers found{.count = values.size()};
    const Summary summary = summarise(values);
    if (summary.mad <= 0) return found;  // more than half are equal: no scale to measure by
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double score = std::abs(values[i] - summary.median) / summary.mad;
        if (score <= k_flagged) continue;
        ++found.flagged;
        if (score > k_severe) ++found.severe;
        if (i * 4 < values.size()) ++found.early;
    }
    return found;
}

}  // namespace perfrelay::measure
