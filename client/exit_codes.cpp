#include "client/exit_codes.h"

#include <algorithm>
#include <array>
#include <iostream>

#include "client/report/layout.h"

namespace perfrelay::client {

int complain(ExitCode code, std::string_view line) {
    std::cerr << "perfclient: " << printable(line) << '\n';
    return status(code);
}

ExitCode graver(ExitCode a, ExitCode b) {
    // A lower number is not graver, this order is.
    constexpr std::array k_gravest_first = {
        ExitCode::usage,   ExitCode::connection, ExitCode::verification,  ExitCode::bad_input,
        ExitCode::partial, ExitCode::regression, ExitCode::not_converged, ExitCode::ok};
    const auto rank = [&](ExitCode code) { return std::ranges::find(k_gravest_first, code); };
    return rank(a) < rank(b) ? a : b;
}

std::span<const ExitCodeLine> exit_code_table() {
    static constexpr ExitCodeLine k_table[] = {
        {ExitCode::ok, "measured (also with rows that are not representable, if others are)"},
        {ExitCode::regression, "a comparison found a regression"},
        {ExitCode::usage, "wrong command line"},
        {ExitCode::connection, "the relay: refused, lost, busy, not a relay, other version"},
        {ExitCode::verification, "a format did not give back the document it was handed"},
        {ExitCode::bad_input,
         "a document or dictionary is unreadable, malformed, too large, or no format can carry it"},
        {ExitCode::partial, "interrupted: what was printed is incomplete"},
        {ExitCode::not_converged, "--require-convergence, and a row's interval is too wide"},
    };
    return k_table;
}

}  // namespace perfrelay::client
