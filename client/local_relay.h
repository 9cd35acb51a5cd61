#pragma once
// LocalRelay: the relay that `-net localhost` starts, uses and takes along when it goes.
//
// The client listens itself, then forks and executes `perfrelay --lifeline-fd 4` with the socket as
// descriptor 3 and LISTEN_FDS=1, LISTEN_PID=<its own pid>, as systemd does: the port is open before
// the relay runs, so nobody waits and nobody races. The relay has a process group of its own
// (Ctrl-C is for the client, which finishes its round), and ends with the client: the life-line, a
// socket, reports end of file, whatever happens to the client.
//
// On a free port nobody else uses it: PR_SET_PDEATHSIG kills it, too, and the destructor ends it by
// SIGTERM and SIGKILL if it must. On a port that was asked for others may have met it: then it
// takes no new sessions, says on the life-line that it has some, and is left to end with the last
// of them.
//
// Contract: start from the thread that outlives the relay (the kernel ties the death signal to it).
// Only the name localhost leads here; addresses never do: that is decided by parse_options.
// Source: sd_listen_fds(3), prctl(2).
// Tested by tests/unit/client/local_relay_test.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "client/relay_connection.h"
#include "common/net/fd.h"

namespace perfrelay::client {

// The perfrelay to run: in `beside` (a directory, "" for that of the running program), else in
// `path` (the form of $PATH). "" and `why`, naming the places looked at, when there is none.
std::string find_perfrelay(const std::string& beside, const std::string& path, std::string& why);

class LocalRelay {
  public:
    // A relay on `port` of the loopback (0: any free one), or, if somebody listens there already,
    // that one, whoever it is. `more`: options for a relay that is started. Null and `why`, one
    // line, when neither is possible.
    static std::unique_ptr<LocalRelay> start(const std::string& program, std::uint16_t port,
                                             std::string& why,
                                             const std::vector<std::string>& more = {});
    LocalRelay(const LocalRelay&) = delete;
    LocalRelay& operator=(const LocalRelay&) = delete;
    ~LocalRelay();

    // Where to connect: "127.0.0.1", or "::1" where there is no IPv4, or only there one listens.
    const Address& address() const { return address_; }

    // False: it was listening before and stays when we go.
    bool started() const { return pid_ > 0; }
    pid_t pid() const { return pid_; }

    // After a failed connection: why the relay that was started is gone ("perfrelay ended with
    // status 2: address in use"), or nothing while it runs. Gives it 0.2 s to have died.
    std::optional<std::string> why_dead();

    // What it has written to its standard output and error so far, up to 64 KiB.
    std::string log() const;

  private:
    LocalRelay() = default;
    bool wait_for_end(int milliseconds);
    bool serves_others(int milliseconds);
    bool spawn(const std::string& program, int listener, const std::vector<std::string>& more,
               std::string& why);

    Address address_;
    pid_t pid_ = 0;
    net::Fd lifeline_;     // our end of it: closed, the relay goes
    net::Fd log_;          // a memory file: never full, never blocks the relay
    bool shared_ = false;  // on a port that others may know of
    bool ended_ = false;
    int wait_status_ = 0;
};

// -netrelay: perfrelay with `arguments` in place of this program. Returns only when that failed,
// with the reason in one line.
std::string become_relay(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace perfrelay::client
