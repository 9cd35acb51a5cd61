#pragma once
// Samples of one subject: raw nanoseconds of every run, phase by phase. Knows nothing of what the
// phases are. Storage is reserved before timing; it grows only between runs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/measure/clock.h"

namespace perfrelay::measure {

constexpr std::size_t k_max_phases = 6;

// One timed run of `batch` documents: the time of the whole batch in each phase, and of all of it.
struct Sample {
    std::array<Nanoseconds, k_max_phases> phase{};
    Nanoseconds total = 0;  // measured on its own, not the sum
    Nanoseconds start = 0;  // when it began, on the clock of now()
    // Of several threads, whose mean is above: from the first one's start to the last one's end.
    Nanoseconds wall = 0;
    std::uint32_t batch = 1;  // of each thread
    // Of the stage, from 1; 0: not known. Subjects that ran in the same round of the same process
    // met the same machine.
    std::uint32_t round = 0;
    std::uint32_t process = 0;
};

struct Series {
    std::vector<Sample> samples;

    std::size_t runs() const;     // documents, batch counted
    Nanoseconds elapsed() const;  // sum of totals
    // Nanoseconds a document, a sample each: of phase `phase`, or of the total.
    std::vector<double> per_document(std::size_t phase) const;
    std::vector<double> total_per_document() const;
};

}  // namespace perfrelay::measure
