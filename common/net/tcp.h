#pragma once
// TCP sockets as both programs want them: opened within a deadline, noticing a peer that has
// vanished. Names: resolve.h.
//
// Contract: nothing here throws; every descriptor is close-on-exec. An Error's `system` holds the
// errno.
// Tested by tests/unit/common/net/tcp_test.cpp.

#include <atomic>
#include <cstdint>
#include <string>

#include <sys/socket.h>

#include "common/base/result.h"
#include "common/measure/clock.h"
#include "common/net/fd.h"

namespace perfrelay::net {

enum class Family : std::uint8_t { any, v4, v6 };

struct Endpoint {
    sockaddr_storage address{};
    socklen_t size = 0;

    // Numeric: "127.0.0.1:8000", "[::1]:8000"; IPv4 in an IPv6 socket reads as IPv4.
    std::string text() const;
    std::uint16_t port() const;
    bool is_loopback() const;
    int family() const { return address.ss_family; }
};

// A connected, blocking, tuned socket. `timeout` in ns. A signal ends the wait when *stop >= 2
// (Errc::io, EINTR).
Result<Fd> connect(const Endpoint& endpoint, measure::Nanoseconds timeout,
                   const std::atomic<int>* stop = nullptr);

// A listening socket: SO_REUSEADDR so that a restarted relay gets its port back, never
// SO_REUSEPORT, which would hide a second relay on it. `v6_only` matters for IPv6 alone.
Result<Fd> listen(const Endpoint& endpoint, bool v6_only);

// Where a socket is bound or connected to; a default Endpoint on failure.
Endpoint local_endpoint(int fd);
Endpoint remote_endpoint(int fd);

// TCP_NODELAY, keepalive after 10 s, every 5 s, 3 times, and TCP_USER_TIMEOUT 15 s: a peer without
// power or link is noticed within about 25 s when nothing is sent, within 15 s when something is.
// Does nothing on a socket that is not TCP.
void tune(int fd);

// The descriptor is readable or writable (`events` as for poll) before `deadline` (measure::now()).
// timed_out; io with EINTR when a signal arrives and *stop >= 2.
Result<> wait(int fd, short events, measure::Nanoseconds deadline,
              const std::atomic<int>* stop = nullptr);

}  // namespace perfrelay::net
