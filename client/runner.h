#pragma once
// Runner: does what the options say and fills in a Report: for each file load, verify every format,
// time them against each other, in memory or through a relay.
//
// Contract: nothing measured is ever lost: whatever ends a run early (Ctrl-C, a relay that goes, a
// file that cannot be read), the report holds what there was until then, marked partial. Problems
// the user must know at once go to `talk`, one line each, as they happen.
// Tested by tests/unit/client/runner_test.cpp, tests/integration/cli.py and two_hosts.py.

#include <atomic>
#include <ostream>

#include "client/exit_codes.h"
#include "client/options.h"
#include "client/progress.h"
#include "client/report/report.h"
#include "proto/formats.h"

namespace perfrelay::client {

struct RunResult {
    Report report;
    std::string plan;  // --plan: what would have run, in place of the report
    ExitCode code = ExitCode::ok;
};

RunResult run(const Options& options, const FormatTable& formats, const std::atomic<int>& stop,
              Progress& progress, std::ostream& talk);

// The whole of perfclient behind main: parse, run, print. `formats` is an argument so that a test
// can add a faulty one.
int perfclient_main(int argc, const char* const* argv, const FormatTable& formats);

}  // namespace perfrelay::client
