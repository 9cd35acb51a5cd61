#pragma once
// Registry: who is connected. Strangers (no valid HELLO yet) and sessions, counted apart; the
// places that there are for each; the memory that all share; the relay's coarse clock and its
// totals.
//
// Contract: a guest is added once, removed once, and stays where it is in memory in between. Knows
// nothing of sockets.
// Tested by tests/unit/relay/registry_test.cpp.

#include <cstdint>
#include <list>
#include <map>
#include <string>

#include "common/measure/clock.h"
#include "proto/wire/frames.h"
#include "relay/limits.h"
#include "relay/memory.h"
#include "relay/session.h"

namespace perfrelay::relay {

class Guest {
  public:
    virtual ~Guest() = default;
    virtual Session& session() = 0;
    // The address alone, without port: what --max-per-address counts.
    virtual const std::string& host_address() const = 0;
    // Whether bytes handed to the kernel have reached the peer since the last call. On a slow link
    // they take longer than any deadline for the next call that sends.
    virtual bool drained_some() = 0;
    // The session has moved on by itself (a deadline, a shutdown): look at it again, soon.
    virtual void poke() = 0;

  private:
    friend class Registry;
    std::list<Guest*>::iterator place_;
    bool admitted_ = false;
};

class Registry {
  public:
    explicit Registry(const Limits& limits);

    const Limits& limits() const { return limits_; }
    MemoryBudget& memory() { return memory_; }
    measure::Nanoseconds coarse_now() const { return coarse_now_; }

    // A new connection; when there are too many strangers the oldest is shown out.
    void add(Guest& guest);
    // Its HELLO was valid: a session from now on, unless all places are taken.
    Session::Host::Verdict admit(Guest& guest);
    void remove(Guest& guest);

    // Shows out the stranger that has been here longest. False when there is none.
    bool evict_oldest_stranger();
    // One tick of the coarse clock: deadlines, and memory that idle sessions do not need.
    void sweep(measure::Nanoseconds now);
    void reclaim();
    // Everybody is asked to go; `at_once`: is shown out.
    void shut_down(bool at_once);

    bool empty() const { return strangers_.empty() && sessions_.empty(); }
    std::size_t sessions() const { return sessions_.size(); }
    wire::Status status() const;

  private:
    Limits limits_;
    MemoryBudget memory_;
    measure::Nanoseconds started_;
    measure::Nanoseconds coarse_now_;
    std::list<Guest*> strangers_;  // oldest first
    std::list<Guest*> sessions_;
    std::map<std::string, std::uint32_t> per_address_;
    wire::Status totals_;
};

}  // namespace perfrelay::relay
