#pragma once
// Lane: what one measuring thread has for itself: its bench, and over the network its session with
// the relay.
//
// Contract: as the Bench's; a lane stays where it is, its bench holds a call back to it.
// Tested by tests/unit/client/runner_test.cpp and tests/integration/.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/format_subject.h"
#include "client/options.h"
#include "client/relay_connection.h"

namespace perfrelay::client {

class Lane {
  public:
    // Where else to go when the relay there has gone; nothing: nowhere.
    using Elsewhere = std::function<std::optional<Address>(const Error&)>;

    Lane(const Options& options, const std::atomic<int>& stop, Elsewhere elsewhere);
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
    ~Lane() = default;

    // A new session with the relay there, in place of any before. False: `why`.
    bool open(const Address& address, std::string& why);
    void close();

    Bench& bench() { return bench_; }
    RelayConnection* connection() const { return connection_.get(); }

  private:
    std::uint32_t needed() const;

    const Options& options_;
    const std::atomic<int>& stop_;
    Elsewhere elsewhere_;
    Address address_;
    std::unique_ptr<RelayConnection> connection_;
    Bench bench_;
};

}  // namespace perfrelay::client
