#include "relay/registry.h"

namespace perfrelay::relay {

namespace {
constexpr measure::Nanoseconds k_quiet = 1'000'000'000;  // before a send queue is looked at
}  // namespace
namespace {

// Long enough to spare a busy relay, short enough to be there when a place becomes free.
constexpr std::uint32_t k_retry_after_ms = 500;

}  // namespace

Registry::Registry(const Limits& limits)
    : limits_(limits),
      memory_(limits.max_memory),
      started_(measure::now()),
      coarse_now_(started_) {}

void Registry::add(Guest& guest) {
    if (strangers_.size() >= limits_.max_strangers) evict_oldest_stranger();
    guest.place_ = strangers_.insert(strangers_.end(), &guest);
}

Session::Host::Verdict Registry::admit(Guest& guest) {
    const std::string& address = guest.host_address();
    const auto same = per_address_.find(address);
    const std::uint32_t of_address = same == per_address_.end() ? 0 : same->second;
    if (sessions_.size() >= limits_.max_sessions) {
        ++totals_.sessions_refused;
        return {.id = 0,
                .retry_after_ms = k_retry_after_ms,
                .text = "all " + std::to_string(limits_.max_sessions) + " sessions are taken"};
    }
    if (of_address >= limits_.max_per_address) {
        ++totals_.sessions_refused;
        return {.id = 0,
                .retry_after_ms = k_retry_after_ms,
                .text = "all " + std::to_string(limits_.max_per_address) + " sessions of " +
                        address + " are taken"};
    }
    sessions_.splice(sessions_.end(), strangers_, guest.place_);
    guest.admitted_ = true;
    per_address_[address] = of_address + 1;
    return {.id = ++totals_.sessions_served, .retry_after_ms = 0, .text = {}};
}

void Registry::remove(Guest& guest) {
    const Tally& tally = guest.session().tally();
    totals_.bytes_in += tally.bytes_in;
    totals_.bytes_out += tally.bytes_out;
    if (!guest.admitted_) {
        strangers_.erase(guest.place_);
        ++totals_.strangers;
        return;
    }
    sessions_.erase(guest.place_);
    const auto same = per_address_.find(guest.host_address());
    if (same != per_address_.end() && --same->second == 0) per_address_.erase(same);
}

bool Registry::evict_oldest_stranger() {
    for (Guest* guest : strangers_) {
        if (guest->session().closed()) continue;  // already on its way out
        guest->session().abandon("made room for others");
        guest->poke();
        return true;
    }
    return false;
}

void Registry::sweep(measure::Nanoseconds now) {
    coarse_now_ = now;
    for (auto* list : {&strangers_, &sessions_}) {
        for (Guest* guest : *list) {
            Session& session = guest->session();
            if (session.silent(now) > k_quiet && guest->drained_some()) session.draining(now);
            session.trim(now, false);
            if (session.expire(now)) guest->poke();
        }
    }
}

void Registry::reclaim() {
    for (Guest* guest : sessions_)
        guest->session().trim(coarse_now_, true);
}

void Registry::shut_down(bool at_once) {
    for (auto* list : {&strangers_, &sessions_}) {
        for (Guest* guest : *list) {
            bool moved = guest->session().shut_down();
            if (at_once) {
                guest->session().abandon("the relay was stopped");
                moved = true;
            }
            if (moved) guest->poke();
        }
    }
}

wire::Status Registry::status() const {
    wire::Status status = totals_;
    status.uptime_ms = static_cast<std::uint64_t>((measure::now() - started_) / 1'000'000);
    status.sessions = static_cast<std::uint32_t>(sessions_.size());
    status.max_sessions = limits_.max_sessions;
    status.memory = memory_.used();
    for (Guest* guest : sessions_) {
        status.bytes_in += guest->session().tally().bytes_in;
        status.bytes_out += guest->session().tally().bytes_out;
    }
    return status;
}

}  // namespace perfrelay::relay
