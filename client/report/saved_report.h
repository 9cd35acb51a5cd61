#pragma once
// Reports that were saved (write_json): read back, put together, compared by what decides whether
// their numbers may stand beside each other.
// Tested by tests/unit/client/saved_report_test.cpp and tests/integration/reports.py.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

// Members that are unknown are ignored, those that are missing have their defaults. Nothing, and in
// `why` the member and what is wrong with it, when the text is no JSON, no report of this schema
// version, or holds what no run can have (columns of unequal length, a run of no documents).
std::optional<Report> read_report(std::string_view text, std::string& why);

// What write_json writes, but of no series more than about `most_runs`, evenly chosen. What is
// computed is computed of all.
std::string thinned_json(const Report& report, std::size_t most_runs);

// report.schema.json: JSON Schema (draft 2020-12) of what write_json writes.
std::string report_schema();

// What makes the numbers of two reports another kind of number ("direction: both, decode"); "" when
// they may be put together.
std::string unlike(const Report& a, const Report& b);

// All files of all reports, each with the part that measured it. Not of unlike ones. One alone
// stays as it is.
Report merge_reports(std::vector<Report> reports);

}  // namespace perfrelay::client
