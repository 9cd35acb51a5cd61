#pragma once
// Registry: who is connected to one thread of the relay. Strangers (no valid HELLO yet) and
// sessions, kept apart; the thread's coarse clock.
//
// Contract: a guest is added once, removed once, and stays where it is in memory in between. One
// thread; what threads share is Places. Knows nothing of sockets.
// Tested by tests/unit/relay/registry_test.cpp.

#include <cstdint>
#include <list>
#include <string>

#include "common/measure/clock.h"
#include "proto/wire/frames.h"
#include "relay/limits.h"
#include "relay/memory.h"
#include "relay/places.h"
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
    Tally told_;  // what Places knows of
};

class Registry {
  public:
    // `max_strangers`: this thread's share of them.
    Registry(Places& places, std::uint32_t max_strangers);

    const Limits& limits() const { return places_.limits(); }
    MemoryBudget& memory() { return places_.memory(); }
    Places& places() { return places_; }
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
    std::size_t strangers() const { return strangers_.size(); }
    // Of the whole relay; other threads' running sessions as of their last sweep.
    wire::Status status();

  private:
    void tell_moved();

    Places& places_;
    std::uint32_t max_strangers_;
    measure::Nanoseconds coarse_now_;
    std::list<Guest*> strangers_;  // oldest first
    std::list<Guest*> sessions_;
};

}  // namespace perfrelay::relay
