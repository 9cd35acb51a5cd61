#include "client/sessions.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/cli/units.h"

namespace perfrelay::client {

namespace {

// What stands between the bytes and the wire; its price is paid in every transfer.
std::string security(const PeerInfo& peer) {
    std::string text;
    if (peer.authenticated) text += ", secret proved by both";
    if (peer.tls.empty()) return text;
    return text + ", " + peer.tls + ", agreed in " +
           format_duration(static_cast<double>(peer.handshake)) +
           "; enciphering and deciphering, here and there, are part of the times";
}

}  // namespace

Sessions::Sessions(const Options& options, const std::atomic<int>& stop,
                   std::function<void(const std::string&)> say)
    : options_(options), stop_(stop), say_(std::move(say)) {
    for (std::size_t i = 0; i < std::max<std::size_t>(options.threads, 1); ++i)
        lanes_.push_back(std::make_unique<Lane>(
            options, stop, [this](const Error& error) { return another_local_relay(error); }));
}

bool Sessions::start_local_relay(Address& address, std::string& why) {
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
    std::string no_program;
    const std::string program = find_perfrelay("", path != nullptr ? path : "", no_program);
    // Even without a program: a relay that listens already will do.
    std::vector<std::string> more;
    if (!options_.secret_file.empty()) more = {"--secret-file", options_.secret_file};
    local_relay_ = LocalRelay::start(program, address.port, why, more);
    if (local_relay_ == nullptr) {
        if (program.empty()) why = no_program;
        return false;
    }
    address = local_relay_->address();
    return true;
}

bool Sessions::connect(Report& report, std::string& why) {
    Address address = options_.network->address;
    report.network = address.port != 0 ? address.text() : address.host;
    if (options_.network->start_local && !start_local_relay(address, why)) return false;
    if (!open_all(address, report, why)) {
        if (local_relay_ != nullptr) {
            if (auto dead = local_relay_->why_dead()) why = *dead;
        }
        if (stop_ >= 2) why.clear();
        return false;
    }
    const auto rtt = first().connection()->ping(k_pings);
    if (!rtt) {
        why = stop_ >= 2 ? "" : "lost the relay: " + first().connection()->last_error();
        report.partial = report.partial || !why.empty();
        return false;
    }
    report.rtt_ns = *rtt;
    return true;
}

// A session for each thread.
bool Sessions::open_all(const Address& address, Report& report, std::string& why) {
    for (const auto& lane : lanes_) {
        if (!lane->open(address, why)) return false;
    }
    const PeerInfo& peer = first().connection()->peer();
    report.relay = peer.address + ", protocol " + std::to_string(peer.major) + "." +
                   std::to_string(peer.minor) + security(peer);
    return true;
}

// The relay of another perfclient has gone and takes no new sessions: one of our own, for all
// lanes. Any of them may ask, from its thread.
std::optional<Address> Sessions::another_local_relay(const Error& error) {
    const std::lock_guard lock(local_relay_guard_);
    if (error.code != Errc::refused && error.code != Errc::closed) return std::nullopt;
    if (local_relay_ == nullptr) return std::nullopt;
    if (!options_.network) return std::nullopt;
    Address address = options_.network->address;
    // Another lane may have started it.
    std::string why;
    if (!local_relay_->started() && !start_local_relay(address, why)) {
        say_(why);
        return std::nullopt;
    }
    return local_relay_->address();
}

bool Sessions::open_for_links(std::string& why) {
    Address address;
    if (local_relay_ == nullptr && !start_local_relay(address, why)) return false;
    return first().open(local_relay_->address(), why);
}

std::string Sessions::lost() const {
    for (const auto& lane : lanes_) {
        if (!lane->bench().lost.empty()) return lane->bench().lost;
    }
    return "";
}

void Sessions::end(std::ostream& log) {
    if (local_relay_ == nullptr || !local_relay_->started()) return;
    // So that the relay tells of these sessions, too.
    for (const auto& lane : lanes_)
        lane->close();
    log << local_relay_->log();
}

}  // namespace perfrelay::client
