#pragma once
// What perfclient's exit status means. Scripts rely on these numbers: they never change.
// Tested by tests/unit/client/options_test.cpp (the help lists every one of them).

#include <cstdint>
#include <span>
#include <string_view>

namespace perfrelay::client {

enum class ExitCode : std::uint8_t {
    ok = 0,
    regression = 1,     // a comparison found a slower result
    usage = 2,          // the command line is wrong
    connection = 3,     // refused, lost, busy, authentication, version
    verification = 4,   // a format did not give back what it was handed
    bad_input = 5,      // unreadable, malformed, or no format could represent it
    partial = 6,        // ended before everything was measured (Ctrl-C)
    not_converged = 7,  // --require-convergence, and the interval of a row is too wide
};

constexpr int status(ExitCode code) {
    return static_cast<int>(code);
}

// The graver of the two, which is what a program that met both ends with.
ExitCode graver(ExitCode a, ExitCode b);

struct ExitCodeLine {
    ExitCode code;
    const char* meaning;  // for --help
};

// Says "perfclient: LINE" on standard error, made printable; the exit status.
int complain(ExitCode code, std::string_view line);

// Every exit code, ascending.
std::span<const ExitCodeLine> exit_code_table();

}  // namespace perfrelay::client
