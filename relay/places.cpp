#include "relay/places.h"

#include <utility>

namespace perfrelay::relay {
namespace {

// Long enough to spare a busy relay, short enough to be there when a place becomes free.
constexpr std::uint32_t k_retry_after_ms = 500;

}  // namespace

Places::Places(const Limits& limits)
    : limits_(limits), memory_(limits.max_memory), started_(measure::now()) {}

Session::Host::Verdict Places::take(const std::string& address) {
    const std::lock_guard lock(mutex_);
    const auto refuse = [this](std::uint32_t most, const std::string& whose) {
        ++totals_.sessions_refused;
        ++refusals_.busy;
        return Session::Host::Verdict{
            .id = 0,
            .retry_after_ms = k_retry_after_ms,
            .text = "all " + std::to_string(most) + " sessions" + whose + " are taken"};
    };
    if (sessions_ >= limits_.max_sessions) return refuse(limits_.max_sessions, "");
    std::uint32_t& same = per_address_[address];
    if (same >= limits_.max_per_address) {
        return refuse(limits_.max_per_address, " of " + address);
    }
    ++same;
    ++sessions_;
    return {.id = ++totals_.sessions_served, .retry_after_ms = 0, .text = {}};
}

void Places::give_back(const std::string& address) {
    const std::lock_guard lock(mutex_);
    --sessions_;
    const auto same = per_address_.find(address);
    if (same != per_address_.end() && --same->second == 0) per_address_.erase(same);
}

void Places::stranger_left() {
    const std::lock_guard lock(mutex_);
    ++totals_.strangers;
}

void Places::moved(const Tally& more) {
    const std::lock_guard lock(mutex_);
    tally_ += more;
}

Tally Places::tally() const {
    const std::lock_guard lock(mutex_);
    return tally_;
}

wire::Status Places::status() const {
    const std::lock_guard lock(mutex_);
    wire::Status status = totals_;
    status.uptime_ms = static_cast<std::uint64_t>((measure::now() - started_) / 1'000'000);
    status.sessions = sessions_;
    status.max_sessions = limits_.max_sessions;
    status.memory = memory_.used();
    status.bytes_in = tally_.bytes_in;
    status.bytes_out = tally_.bytes_out;
    return status;
}

std::shared_ptr<const Access> Places::access() const {
    const std::lock_guard lock(mutex_);
    return access_;
}

void Places::set_access(std::shared_ptr<const Access> access) {
    const std::lock_guard lock(mutex_);
    access_ = std::move(access);
}

bool Places::may_warn() {
    constexpr measure::Nanoseconds k_between = 1'000'000'000;
    const measure::Nanoseconds now = measure::now();
    measure::Nanoseconds before = warned_;
    return now - before >= k_between && warned_.compare_exchange_strong(before, now);
}

}  // namespace perfrelay::relay
