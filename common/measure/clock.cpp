#include "common/measure/clock.h"

#include <algorithm>
#include <limits>

namespace perfrelay::measure {

Nanoseconds clock_cost() {
    constexpr int k_rounds = 9;
    constexpr Nanoseconds k_readings = 1000;
    // The smallest average: interrupts and other processes only ever add.
    Nanoseconds best = std::numeric_limits<Nanoseconds>::max();
    for (int round = 0; round < k_rounds; ++round) {
        const Nanoseconds start = now();
        Nanoseconds last = start;
        for (Nanoseconds i = 0; i < k_readings; ++i) {
            last = now();
        }
        best = std::min(best, (last - start) / k_readings);
    }
    return std::max<Nanoseconds>(best, 1);
}

}  // namespace perfrelay::measure
