#include "relay/registry.h"

namespace perfrelay::relay {
namespace {

constexpr measure::Nanoseconds k_quiet = 1'000'000'000;  // before a send queue is looked at

}  // namespace

Registry::Registry(Places& places, std::uint32_t max_strangers)
    : places_(places), max_strangers_(max_strangers), coarse_now_(measure::now()) {}

void Registry::add(Guest& guest) {
    if (strangers_.size() >= max_strangers_) evict_oldest_stranger();
    guest.place_ = strangers_.insert(strangers_.end(), &guest);
}

Session::Host::Verdict Registry::admit(Guest& guest) {
    Session::Host::Verdict verdict = places_.take(guest.host_address());
    if (verdict.id == 0) return verdict;
    sessions_.splice(sessions_.end(), strangers_, guest.place_);
    guest.admitted_ = true;
    return verdict;
}

void Registry::remove(Guest& guest) {
    places_.moved(guest.session().tally().since(guest.told_));
    if (guest.admitted_) {
        sessions_.erase(guest.place_);
        places_.give_back(guest.host_address());
    } else {
        strangers_.erase(guest.place_);
        places_.stranger_left();
    }
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
    tell_moved();
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

// What this thread's sessions have moved since it was told last.
void Registry::tell_moved() {
    Tally more;
    for (Guest* guest : sessions_) {
        const Tally& tally = guest->session().tally();
        more += tally.since(guest->told_);
        guest->told_ = tally;
    }
    places_.moved(more);
}

wire::Status Registry::status() {
    tell_moved();
    return places_.status();
}

}  // namespace perfrelay::relay
