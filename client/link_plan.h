#pragma once
// LinkPlan: what of a row can be sent for real over a link, how often, and how long that takes.
// Arithmetic alone: the emulator goes by it, and --plan prints it.
// Tested by tests/unit/client/link_plan_test.cpp.

#include <cstddef>
#include <cstdint>
#include <string>

#include "client/options.h"
#include "common/measure/clock.h"
#include "common/net/shaper.h"

namespace perfrelay::client {

// What is the same for all rows and links of a run.
struct LinkTerms {
    Direction direction = Direction::both;
    bool cut_through = false;
    measure::Nanoseconds link_time = 0;  // of a row on a link
    bool force = false;                  // one run at least, however long
    std::size_t runs = 0;                // wanted
    std::uint64_t seed = 0;
    // Of the connection to the relay, as far as it is known: its round trip, how long a session may
    // be silent, and how long a transfer may last in it.
    measure::Nanoseconds path_rtt = 0;
    measure::Nanoseconds quiet = measure::k_never;
    measure::Nanoseconds longest = measure::k_never;
    measure::Nanoseconds curve_time = 10'000'000'000;  // for points of curves, of a file
    measure::Nanoseconds until = measure::k_never;     // by when all has to be done, as of now()
};

LinkTerms link_terms(const Options& options);

struct LinkPlan {
    std::string modelled;               // why nothing can be sent; "" when it can
    measure::Nanoseconds transfer = 0;  // of draw 0
    std::size_t runs = 0;
    bool warm_up = false;  // and one run before them

    measure::Nanoseconds time() const {
        return transfer * static_cast<measure::Nanoseconds>(runs + (warm_up ? 1 : 0));
    }
};

// `size` of the encoded document. `path`: what a transfer takes at least without the link, 0 when
// that is not known.
LinkPlan plan_link(const LinkTerms& terms, const net::Link& link, std::size_t size,
                   measure::Nanoseconds path);

// The link as the run of this number meets it, and when its transfers end.
net::LinkWays ways_of_draw(const LinkTerms& terms, const net::Link& link, std::size_t draw);
measure::Nanoseconds planned_transfer(const LinkTerms& terms, const net::LinkWays& ways,
                                      std::size_t size);

// A link without delay on which a row's transfers take about so long, its rate in two digits.
net::Link link_of_time(const LinkTerms& terms, std::size_t size, measure::Nanoseconds time);

}  // namespace perfrelay::client
