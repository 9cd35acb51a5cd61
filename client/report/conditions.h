#pragma once
// Under which conditions the numbers came about: the machine, how quiet it was, outliers.
// Tested by tests/unit/client/conditions_test.cpp.

#include <string>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

// What makes a row's numbers doubtful, a line each: intervals that stayed wide, many outliers.
std::vector<std::string> doubts(const Report& report, const Row& row);

}  // namespace perfrelay::client
