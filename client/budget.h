#pragma once
// What will run of a file, how long that takes, and what --budget cuts; --plan prints it.
//
// Times are estimates: a row's run is known from its verification, transfers from the link's
// arithmetic. When they exceed the budget, links go first, down to half of it; then warm-up and
// main shrink for every row alike; a run of main is always left. The rest is the clock's: no round
// and no transfer begins that would end after the budget. Tested by
// tests/unit/client/budget_test.cpp.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "client/link_plan.h"
#include "client/options.h"
#include "common/measure/schedule.h"

namespace perfrelay::client {

// A row that would be measured.
struct RowEstimate {
    std::string title;
    std::size_t size = 0;          // of the encoded document
    measure::Nanoseconds run = 0;  // encode and decode, about
    std::size_t subjects = 1;      // -mt: on all threads, and on one
};

struct Share {
    measure::Minimum warmup;
    measure::Minimum main;
    measure::Nanoseconds link_time = 0;   // of a row on a link
    measure::Nanoseconds curve_time = 0;  // of all points of all curves
    measure::Nanoseconds measuring = 0;   // expected: warm-up and main
    measure::Nanoseconds sending = 0;     // links and curves
    std::vector<std::string> cuts;        // for the user, a line each
};

// `time`: left for this file; k_never: as much as it takes.
Share share_out(const Options& options, std::span<const RowEstimate> rows,
                measure::Nanoseconds time);

// When the file of this number has to be done, as of measure::now(); k_never without a budget.
measure::Nanoseconds file_deadline(const Options& options, measure::Nanoseconds begun,
                                   std::size_t file);

// The schedule of a share, which leaves time for the links before `until`.
measure::ScheduleOptions schedule_within(const Options& options, const Share& share,
                                         measure::Nanoseconds now, measure::Nanoseconds until);

// Adds to the file's cuts the rows that met not even what was left of their minima.
void note_short_rows(const Share& share, FileReport& file);

// --plan: rows, links and the sum, as text.
std::string plan_text(const Options& options, const std::string& file,
                      std::span<const RowEstimate> rows, const Share& share);

}  // namespace perfrelay::client
