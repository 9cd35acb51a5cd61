#pragma once
// resolve: host names into addresses, within a deadline.
//
// getaddrinfo has none: with silent name servers it takes as long as its configuration says,
// minutes at worst. A name is therefore looked up by a child process, which is killed when it is
// late or the user will not wait. Not by a thread: a process with one thread allocates without
// locks, and allocating is part of what is measured here. Numeric addresses need no child.
//
// Contract: an Error's `where` says what happened; `system` holds the errno, or 0 when a name was
// not found (Errc::refused) or not in time (Errc::timed_out).
// Tested by tests/unit/common/net/resolve_test.cpp.

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <netdb.h>

#include "common/base/result.h"
#include "common/measure/clock.h"
#include "common/net/tcp.h"

namespace perfrelay::net {

inline constexpr measure::Nanoseconds k_resolve_timeout = 10'000'000'000;

struct Query {
    std::string host;  // name or number
    std::uint16_t port = 0;
    Family family = Family::any;
    bool passive = false;  // for binding: an empty host then means every address
};

// getaddrinfo, or what a test puts in its place.
using Lookup = int (*)(const char*, const char*, const addrinfo*, addrinfo**);

// The addresses in the resolver's order. A signal ends the wait when *stop >= 2 (Errc::io, EINTR).
Result<std::vector<Endpoint>> resolve(const Query& query, measure::Nanoseconds timeout,
                                      const std::atomic<int>* stop = nullptr,
                                      Lookup lookup = getaddrinfo);
// The same within k_resolve_timeout.
Result<std::vector<Endpoint>> resolve(const std::string& host, std::uint16_t port, Family family,
                                      bool passive);

}  // namespace perfrelay::net
