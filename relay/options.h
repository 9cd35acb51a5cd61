#pragma once
// perfrelay's command line and what it inherits from whoever started it.
// Tested by tests/integration/relay_command_line.py.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/net/tcp.h"
#include "relay/access.h"
#include "relay/limits.h"
#include "relay/metrics.h"
#include "relay/notice.h"

namespace perfrelay::relay {

struct Options {
    std::uint16_t port = 0;
    std::string bind;
    net::Family family = net::Family::any;
    Limits limits;
    bool verbose = false;
    bool log_json = false;
    std::optional<MetricsAddress> metrics;
    std::uint32_t threads = 1;
    AccessOptions access;
    int lifeline_fd = -1;
    int listener_fd = -1;  // handed over (LISTEN_PID, LISTEN_FDS), -1: listen ourselves
    // Of systemd (sd_notify(3), sd_watchdog_enabled(3)).
    Notice notice;
    measure::Nanoseconds watchdog = 0;  // 0: none
};

// Where the command line ends: an exit status and what to print before (to stdout when it is 0).
struct Ending {
    int status = 0;
    std::string text;
};

// `arguments` without the program's name. Options to run with, or how to end.
std::optional<Options> parse_options(const std::vector<std::string>& arguments, Ending& ending);

// The listening socket of whoever started us, as systemd hands it over: descriptor 3, if LISTEN_PID
// is this process. -1 when there is none; `why` when there is one that will not do.
int inherited_listener(std::string& why);

}  // namespace perfrelay::relay
