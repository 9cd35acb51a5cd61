#pragma once
// Server: the relay as an object: the listener, signals, and the workers that it spreads
// connections over (relay/worker.h). perfrelay's main runs one, a test runs one in a thread of its
// own.
//
// Contract: open, then run; run returns when stopped and every connection is gone. stop() may be
// called from any thread, any number of times; the rest belongs to the thread that runs. A listener
// once open stays open until then.
//
// The life-line's end of file means that whoever started the relay has gone: there are no new
// connections from then on, and the relay ends with the last session that there is, which its
// limits bound. While there is one, a life-line that is a socket is told so by one byte.
// Tested by tests/integration/relay_test.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/net/fd.h"
#include "common/net/tcp.h"
#include "relay/access.h"
#include "relay/limits.h"
#include "relay/log.h"
#include "relay/metrics.h"
#include "relay/notice.h"

namespace perfrelay::relay {

struct ServerOptions {
    Limits limits;
    std::string bind;  // name or address; empty: every address of this host
    net::Family family = net::Family::any;
    std::uint16_t port = 0;  // 0: any free one
    net::Fd listener;        // if set, listens already: used in place of the three above
    net::Fd lifeline;        // if set: see above
    // SIGTERM and SIGINT stop it, a second one at once; SIGHUP loads access again.
    bool signals = false;
    AccessOptions access_files;             // what SIGHUP reads
    std::shared_ptr<const Access> access;   // null: anyone
    std::optional<MetricsAddress> metrics;  // where to answer Prometheus
    std::uint32_t threads = 1;
    Notice notice;                      // to systemd
    measure::Nanoseconds watchdog = 0;  // it wants to hear from us this often; 0: never
};

class Server {
  public:
    // `log` outlives the server.
    Server(ServerOptions options, Log& log);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    // Listens. `why`, on failure, is one line for the user.
    Result<> open(std::string& why);
    void run();
    // No new connections; idle sessions get BYE, running requests until Limits::drain; a second
    // call, or `at_once`, ends them now.
    void stop(bool at_once = false);

    std::uint16_t port() const;
    net::Endpoint endpoint() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace perfrelay::relay
