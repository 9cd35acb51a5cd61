#pragma once
// Places: what all threads of a relay share. The places there are for sessions, in all and from one
// address; the memory for payloads; who may come; the totals of STATUS.
//
// Contract: every call from any thread. Asked when a session begins or ends, and by sweeps.
// Tested by tests/unit/relay/registry_test.cpp.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/measure/clock.h"
#include "proto/wire/frames.h"
#include "relay/access.h"
#include "relay/limits.h"
#include "relay/memory.h"
#include "relay/session.h"

namespace perfrelay::relay {

class Places {
  public:
    explicit Places(const Limits& limits);

    const Limits& limits() const { return limits_; }
    MemoryBudget& memory() { return memory_; }

    // A place for a session from `address`, or why there is none.
    Session::Host::Verdict take(const std::string& address);
    // Its session has ended.
    void give_back(const std::string& address);
    // A connection has ended that never became a session.
    void stranger_left();
    // So much more than was told before.
    void moved(const Tally& more);
    // All that was told.
    Tally tally() const;
    // Of the whole relay.
    wire::Status status() const;

    // Who may come, as of now.
    std::shared_ptr<const Access> access() const;
    void set_access(std::shared_ptr<const Access> access);

    // Connections that got nowhere, by reason.
    struct Refusals {
        std::atomic<std::uint64_t> busy = 0;
        std::atomic<std::uint64_t> address = 0;         // not in --allow
        std::atomic<std::uint64_t> authentication = 0;  // a proof that was none
        std::atomic<std::uint64_t> descriptors = 0;     // turned away
    };
    Refusals& refusals() { return refusals_; }
    // False when there was a warning less than a second ago: strangers fill no log.
    bool may_warn();

  private:
    Limits limits_;
    MemoryBudget memory_;
    measure::Nanoseconds started_;

    Refusals refusals_;
    std::atomic<measure::Nanoseconds> warned_ = 0;

    mutable std::mutex mutex_;  // of what follows
    std::shared_ptr<const Access> access_ = std::make_shared<Access>();
    std::map<std::string, std::uint32_t> per_address_;
    std::uint32_t sessions_ = 0;
    wire::Status totals_;
    Tally tally_;
};

}  // namespace perfrelay::relay
