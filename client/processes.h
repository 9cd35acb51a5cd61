#pragma once
// --processes N: the same measurement by N processes, this one and N - 1 fresh ones after another.
//
// Why: a process has one layout of memory, which makes a format faster or slower by per cents for
// as long as the process lives. What several processes agree on is the format's.
//
// How: this program runs itself, `as-process NUMBER SEED WORDS...` (no word for users), which
// measures as WORDS say, in an order of its own, and writes its report as JSON to k_result_fd. The
// samples become samples of one Report, with their process's number. Links are sent over, and
// documents saved, by the first alone.
// Tested by tests/unit/client/processes_test.cpp and tests/integration/processes.py.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>

#include "client/exit_codes.h"
#include "client/options.h"
#include "client/report/report.h"
#include "client/runner.h"

namespace perfrelay::client {

constexpr int k_result_fd = 3;

// What a process of number 1 and up was started with; `words` are the user's.
struct AsProcess {
    std::uint32_t number = 0;
    std::uint64_t seed = 0;
    std::span<const char* const> words;
};

// Whether `words` begin so; false also for what nobody but this program writes.
bool is_as_process(std::span<const char* const> words, AsProcess& found);

// What such a process does; its exit status.
int run_as_process(const AsProcess& which, const FormatTable& formats);

// The other processes, and what they found added to `result`. What they complain of and this one
// did not goes to `talk`. Stopping ends the present one as it would end this one.
void measure_in_others(const Options& options, std::span<const char* const> words,
                       const std::atomic<int>& stop, std::ostream& talk, RunResult& result);

// Adds what process `number` measured. "" or why it does not belong to it.
std::string merge_process(Report& report, Report other, std::uint32_t number);

}  // namespace perfrelay::client
