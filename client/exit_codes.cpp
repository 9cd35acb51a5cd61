#include "client/exit_codes.h"

#include <iostream>

#include "client/report/layout.h"

namespace perfrelay::client {

int complain(ExitCode code, std::string_view line) {
    std::cerr << "perfclient: " << printable(line) << '\n';
    return status(code);
}

std::span<const ExitCodeLine> exit_code_table() {
    static constexpr ExitCodeLine k_table[] = {
        {ExitCode::ok, "measured (also with rows that are not representable, if others are)"},
        {ExitCode::regression, "a comparison found a regression"},
        {ExitCode::usage, "wrong command line, or an option that is not in this build"},
        {ExitCode::connection, "the relay: refused, lost, busy, not a relay, other version"},
        {ExitCode::verification, "a format did not give back the document it was handed"},
        {ExitCode::bad_input,
         "a document is unreadable, malformed, too large for memory, or no format can carry it"},
        {ExitCode::partial, "interrupted: what was printed is incomplete"},
        {ExitCode::not_converged, "--require-convergence, and a row's interval is too wide"},
    };
    return k_table;
}

}  // namespace perfrelay::client
