#pragma once
// A listening socket on the loopback, for a relay of our own, or the news that there is one
// already. Tested by tests/unit/client/local_relay_test.cpp.

#include <cstdint>

#include "client/relay_connection.h"
#include "common/net/fd.h"

namespace perfrelay::client {

struct LoopbackListener {
    net::Fd socket;
    Address address;  // "127.0.0.1", or "::1" where there is no IPv4
    int error = 0;    // errno when there is no socket; EADDRINUSE: somebody listens at `address`
};

// `port` 0: any free one. Of several that want one port at the same time, one gets it and the
// others see EADDRINUSE when it listens, never before.
LoopbackListener listen_on_loopback(std::uint16_t port);

}  // namespace perfrelay::client
