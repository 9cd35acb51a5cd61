#include "client/lane.h"

#include <utility>

namespace perfrelay::client {

Lane::Lane(const Options& options, const std::atomic<int>& stop, Elsewhere elsewhere)
    : options_(options), stop_(stop), elsewhere_(std::move(elsewhere)) {
    bench_.direction = options.direction;
    bench_.stream = options.stream;
    bench_.materialise = options.decode_into_tape;
    bench_.reconnect = [this] { return open(address_, bench_.lost); };
}

bool Lane::open(const Address& address, std::string& why) {
    ConnectOptions how;
    how.cut_through = options_.cut_through;
    how.secret = options_.secret;
    how.tls = options_.tls;
    how.stop = &stop_;
    close();
    address_ = address;
    auto opened = RelayConnection::open(address_, how, why);
    if (!opened) {
        if (const auto other = elsewhere_(opened.error())) {
            address_ = *other;
            opened = RelayConnection::open(address_, how, why);
        }
    }
    if (!opened) return false;
    const PeerInfo& peer = (*opened)->peer();
    if (const std::string lacking = peer.lacks(needed()); !lacking.empty()) {
        why = address_.text() + " cannot do " + lacking + ", which this run needs";
        return false;
    }
    bench_.relay = opened->get();
    bench_.stored.clear();
    bench_.stored_any = false;
    bench_.used_at = measure::now();
    bench_.renew_at = peer.longest == 0 ? measure::k_never : bench_.used_at + peer.longest / 2;
    bench_.quiet = peer.idle == 0 ? measure::k_never : peer.idle / 2;
    connection_ = std::move(*opened);
    return true;
}

void Lane::close() {
    bench_.relay = nullptr;
    connection_.reset();
}

// WIRE 2: capabilities.
std::uint32_t Lane::needed() const {
    switch (options_.direction) {
        case Direction::both:
            return options_.cut_through ? wire::k_can_cut_through : wire::k_can_echo;
        case Direction::encode: return wire::k_can_sink;
        case Direction::decode: return wire::k_can_source;
    }
    return 0;
}

}  // namespace perfrelay::client
