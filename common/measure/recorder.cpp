#include "common/measure/recorder.h"

#include <cassert>

namespace perfrelay::measure {

std::size_t Series::runs() const {
    std::size_t runs = 0;
    for (const Sample& sample : samples) {
        runs += sample.batch;
    }
    return runs;
}

Nanoseconds Series::elapsed() const {
    Nanoseconds elapsed = 0;
    for (const Sample& sample : samples) {
        elapsed += sample.total;
    }
    return elapsed;
}

std::vector<double> Series::per_document(std::size_t phase) const {
    assert(phase < k_max_phases);
    std::vector<double> values;
    values.reserve(samples.size());
    for (const Sample& sample : samples) {
        values.push_back(static_cast<double>(sample.phase[phase]) / sample.batch);
    }
    return values;
}

std::vector<double> Series::total_per_document() const {
    std::vector<double> values;
    values.reserve(samples.size());
    for (const Sample& sample : samples) {
        values.push_back(static_cast<double>(sample.total) / sample.batch);
    }
    return values;
}

}  // namespace perfrelay::measure
