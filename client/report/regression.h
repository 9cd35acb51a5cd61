#pragma once
// Two saved reports, an old one and a new one, held against each other row by row: what became
// slower, what larger, and how sure that is.
//
// The reports come from different times, so nothing is paired: medians are bootstrapped on both
// sides, and their ratio has the interval that holds 95 % of the draws; where both were measured by
// several processes, it is Student's, of the logarithms of the processes' medians. What is called
// slower has
// its whole interval above 1 by more than the band; a regression is slower by more than the limit.
// Sizes are exact. Tested by tests/unit/client/regression_test.cpp and
// tests/integration/reports.py.

#include <cstdint>
#include <string>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

struct Change {
    enum class Verdict : std::uint8_t {
        undecided,   // the interval does not say
        equivalent,  // within the band
        better,      // faster, smaller
        worse,       // slower, larger
        lost,        // the old row had times, the new one has none
    };
    std::string file;
    std::string title;
    std::string quantity;  // "SIZE", "ENCODE", ...
    double before = 0;     // bytes or nanoseconds a document, medians
    double after = 0;
    double ratio = 1;  // after over before
    double low = 1;    // of its 95 % interval; both the ratio without one, or when exact
    double high = 1;
    bool has_interval = false;
    Verdict verdict = Verdict::undecided;
    bool regression = false;
    std::string remark;  // why there is no time
};

struct Changes {
    std::vector<Change> all;
    std::vector<std::string> unmatched;  // rows and files that only one of the two has, a line each
    std::vector<std::string>
        conditions;  // what was otherwise where they were measured, a line each
};

// Why the two are not to be compared: other kinds of number (unlike), other documents under one
// name; "" if they are.
std::string incomparable(const Report& before, const Report& after);

// `limit`: 0.05 calls 5 % slower or larger a regression; infinite for none.
Changes changes(const Report& before, const Report& after, double limit);

// The table, and what is to be said of it.
std::string changes_text(const Changes& found, double limit);

}  // namespace perfrelay::client
