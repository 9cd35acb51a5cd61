#pragma once
// What a run's report says of the run as a whole: before it begins, and of its rows together.
// Tested by tests/unit/client/runner_test.cpp.

#include "client/options.h"
#include "client/report/report.h"
#include "client/untimed.h"

namespace perfrelay::client {

// What is known before anything is read: options, machine, clock.
void begin_report(const Options& options, const Untimed& untimed, Report& report);

// Rows there are, and none of them could be represented.
bool nothing_representable(const Report& report);

}  // namespace perfrelay::client
