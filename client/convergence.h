#pragma once
// Convergence: whether a run's intervals are as narrow as they have to be.
// Tested by tests/unit/client/runner_test.cpp.

#include <ostream>

#include "client/report/report.h"
#include "client/runner.h"

namespace perfrelay::client {

// How narrow intervals have to be: as --precision says, else 1 % of the median (2 % over a
// network).
double precision_wanted(const Report& report);

// Half the 95 % interval of every timed row's total is within that.
bool converged(const Report& report);

// --require-convergence: says so and ends with its status when all went well but that.
void require_convergence(RunResult& result, std::ostream& talk);

}  // namespace perfrelay::client
