#pragma once
// Which rows are faster than the first one they can be compared with, and how sure that is: round
// by round, in words only where the interval allows (measure::compare).
// Tested by tests/unit/client/verdicts_test.cpp.

#include <string>
#include <vector>

#include "client/report/report.h"
#include "client/report/shown.h"
#include "common/measure/compare.h"

namespace perfrelay::client {

struct RowVerdict {
    const Row* row = nullptr;    // in the file
    const Row* first = nullptr;  // that it is compared with
    Quantity quantity = Quantity::total;
    measure::Comparison against_first;
};

// Times that differ by less are equivalent: 1 % in memory, 2 % over a network.
double equivalence_band(const Report& report);

// The row that those like `row` are compared with: the first that has times; null when none has.
const Row* baseline(const FileReport& file, const Row& row);

// Every row with times that is no baseline, in each of `row_quantities`. The intervals of one
// quantity hold together with 95 % (Bonferroni). Nothing when no two rows share a round.
std::vector<RowVerdict> verdicts(const Report& report, const FileReport& file);

const char* word(measure::Verdict verdict);

}  // namespace perfrelay::client
