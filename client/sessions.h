#pragma once
// Sessions: what a run has of a relay. A lane for each measuring thread, with a session of its own
// where there is a network; the relay of our own that `-net localhost`, or links alone, start.
//
// Contract: made before anything is measured. Only `another_local_relay`, which lanes ask for when
// a session is lost, is called from several threads.
// Tested by tests/unit/client/runner_test.cpp and tests/integration/relay_life.py.

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "client/lane.h"
#include "client/local_relay.h"
#include "client/options.h"
#include "client/report/report.h"

namespace perfrelay::client {

class Sessions {
  public:
    // `say`: a line for the user.
    Sessions(const Options& options, const std::atomic<int>& stop,
             std::function<void(const std::string&)> say);

    // With the relay of `-net`. What the report says of it. False, and `why`; "" when the user
    // would not wait.
    bool connect(Report& report, std::string& why);

    // In memory: a relay of our own, for links alone.
    bool open_for_links(std::string& why);

    const std::vector<std::unique_ptr<Lane>>& lanes() const { return lanes_; }
    Lane& first() const { return *lanes_.front(); }

    // Why the relay is gone, once it is.
    std::string lost() const;

    // Ends all, and writes what the relay that was started for them wrote.
    void end(std::ostream& log);

  private:
    bool start_local_relay(Address& address, std::string& why);
    bool open_all(const Address& address, Report& report, std::string& why);
    std::optional<Address> another_local_relay(const Error& error);

    const Options& options_;
    const std::atomic<int>& stop_;
    std::function<void(const std::string&)> say_;
    std::mutex local_relay_guard_;
    std::unique_ptr<LocalRelay> local_relay_;  // outlives the connections
    std::vector<std::unique_ptr<Lane>> lanes_;
};

// Round trips of which the shortest counts.
inline constexpr int k_pings = 20;

}  // namespace perfrelay::client
