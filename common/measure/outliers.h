#pragma once
// Outliers: runs far from the others. They are told, and stay in: what disturbed them may disturb
// whoever uses the format, too.
//
// By the modified Z score, |x - median| / (1.4826 MAD): above 3.5 an outlier (Iglewicz & Hoaglin,
// How to Detect and Handle Outliers, 1993), above 10 a severe one (as in hyperfine).
// Tested by tests/unit/common/noise_test.cpp.

#include <cstddef>
#include <span>

namespace perfrelay::measure {

struct Outliers {
    std::size_t count = 0;  // of values
    std::size_t flagged = 0;
    std::size_t severe = 0;  // of those flagged
    std::size_t early = 0;   // of those flagged, in the first quarter

    // More than a tenth of the values are flagged; of a handful nothing is said.
    bool many() const { return count >= 20 && flagged * 10 > count; }
    // More than half of the flagged are in the first quarter: the warm-up was too short.
    bool cluster_early() const { return flagged >= 8 && early * 2 > flagged; }
};

// `values` in the order in which they were measured.
Outliers outliers(std::span<const double> values);

}  // namespace perfrelay::measure
