#include "client/relay_connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "client/relay_handshake.h"
#include "client/relay_socket.h"
#include "client/relay_streams.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

using wire::FrameHeader;
using wire::FrameType;

struct RelayConnection::State {
    struct Stored {
        std::uint32_t key = 0;
        std::size_t size = 0;
    };

    State(Handshaken handshaken, const Address& address, const ConnectOptions& options)
        : socket(std::move(handshaken.fd), std::move(handshaken.channel), address.text(),
                 options.stop),
          peer(std::move(handshaken.peer)),
          cut_through(options.cut_through) {}

    Result<> fits(std::size_t size) {
        if (size <= peer.max_payload) return {};
        return socket.fail(Errc::limit_exceeded, "a payload of " + std::to_string(size) +
                                                     " bytes is more than the " +
                                                     std::to_string(peer.max_payload) + " that " +
                                                     socket.name() + " takes (its --max-payload)");
    }

    Result<wire::Acknowledgement> acknowledged(std::uint32_t request, RelaySocket::Arrival& when) {
        std::array<std::uint8_t, wire::k_acknowledgement_size> bytes{};
        auto arrival = socket.receive(FrameType::ack, request, bytes);
        if (!arrival) return arrival.error();
        when = *arrival;
        return wire::decode_acknowledgement(bytes);
    }

    Result<std::size_t> stored_size(std::uint32_t key) {
        const auto entry =
            std::ranges::find_if(stored, [&](const Stored& each) { return each.key == key; });
        if (entry != stored.end()) return entry->size;
        return socket.fail(Errc::malformed,
                           "nothing is stored at " + socket.name() + " under this key");
    }

    RelaySocket socket;
    PeerInfo peer;
    bool cut_through;
    std::uint32_t next_request = 1;
    std::vector<Stored> stored;

    // The pacer for a message of `size` and its header that begins now; null when nothing is
    // emulated upwards. `all_there`: it need not be waited for.
    net::Pacer* begin_paced(std::size_t size, bool all_there, measure::Nanoseconds now) {
        if (!pacer) return nullptr;
        pacer->begin(now);
        if (all_there) pacer->offer(wire::k_header_size + size, now);
        return &*pacer;
    }

    std::optional<net::LinkWays> link;   // emulated; as it should be
    std::optional<net::Pacer> pacer;     // of its way up
    measure::Nanoseconds taken_off = 0;  // its delay, which the connection itself takes
    OutgoingPayload outgoing{socket};
    IncomingPayload incoming{socket};
    std::size_t answer_size = 0;        // of the streamed request that was begun last
    measure::Nanoseconds asked_at = 0;  // when it was a SOURCE
};

namespace {

// Room for `size` bytes whose pages exist, so that the clock does not measure their making.
std::span<std::uint8_t> prepare(Buffer& answer, std::size_t size) {
    const std::size_t before = answer.capacity();
    answer.clear();
    std::uint8_t* out = answer.prepare(size);
    if (answer.capacity() != before) std::memset(out, 0, answer.capacity());
    return {out, size};
}

Exchange timed(measure::Nanoseconds start, const RelaySocket::Arrival& arrival) {
    return {.up = arrival.first - start, .down = arrival.last - arrival.first};
}

}  // namespace

std::string Address::text() const {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string PeerInfo::lacks(std::uint32_t wanted) const {
    constexpr std::array<std::pair<std::uint32_t, const char*>, 5> k_names = {
        {{wire::k_can_echo, "ECHO in store form"},
         {wire::k_can_cut_through, "ECHO cut-through"},
         {wire::k_can_sink, "SINK"},
         {wire::k_can_source, "PUT and SOURCE"},
         {wire::k_can_link, "LINK"}}};
    std::string text;
    for (const auto& [bit, name] : k_names) {
        if ((wanted & ~capabilities & bit) == 0) continue;
        text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

Result<std::unique_ptr<RelayConnection>> RelayConnection::open(const Address& address,
                                                               const ConnectOptions& options,
                                                               std::string& why) {
    auto handshaken = shake_hands(address, options, why);
    if (!handshaken) return handshaken.error();
    auto state = std::make_unique<State>(std::move(*handshaken), address, options);
    return std::unique_ptr<RelayConnection>(new RelayConnection(std::move(state)));
}

RelayConnection::RelayConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}

RelayConnection::~RelayConnection() {
    if (!state_->socket.usable()) return;
    const auto bye = wire::encode(FrameHeader{.request = state_->next_request});
    // Nobody waits for it: a full socket keeps it from being said, and the relay sees us go.
    state_->socket.send_without_waiting(bye);
}

const PeerInfo& RelayConnection::peer() const {
    return state_->peer;
}

bool RelayConnection::usable() const {
    return state_->socket.usable();
}

const std::string& RelayConnection::last_error() const {
    return state_->socket.message();
}

Result<> RelayConnection::emulate(const net::LinkWays* ways, measure::Nanoseconds path_rtt) {
    const bool was_paced_down = state_->link && state_->link->down.rate != 0;
    state_->link.reset();
    state_->pacer.reset();
    net::LinkWay down;
    if (ways != nullptr) {
        state_->link = *ways;
        const bool both = ways->up.rate != 0 && ways->down.rate != 0;
        const measure::Nanoseconds path = both ? path_rtt / 2 : path_rtt;
        net::LinkWay up = ways->up;
        down = ways->down;
        state_->taken_off = std::min(up.delay, path);
        up.delay -= state_->taken_off;
        down.delay -= std::min(down.delay, path);
        if (up.rate != 0) state_->pacer.emplace(up);
    }
    if (down.rate == 0 && !was_paced_down) return {};
    const auto payload = wire::encode(down);
    const auto header = wire::encode(FrameHeader{.type = FrameType::link,
                                                 .flags = wire::k_flag_critical,
                                                 .request = state_->next_request++,
                                                 .length = payload.size()});
    return state_->socket.send(header, payload);
}

Result<measure::Nanoseconds> RelayConnection::ping(int count) {
    measure::Nanoseconds smallest = 0;
    for (int i = 0; i < count; ++i) {
        const std::uint32_t request = state_->next_request++;
        const std::array<std::uint8_t, wire::k_ping_size> token = {
            static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(request)};
        std::array<std::uint8_t, wire::k_ping_size> back{};
        const auto header = wire::encode(
            FrameHeader{.type = FrameType::ping, .request = request, .length = token.size()});
        const measure::Nanoseconds start = measure::now();
        if (auto sent = state_->socket.send(header, token); !sent) return sent.error();
        const auto arrival = state_->socket.receive(FrameType::pong, request, back);
        if (!arrival) return arrival.error();
        if (back != token) {
            return state_->socket.fail(Errc::malformed, state_->socket.name() + " damaged a PING");
        }
        const measure::Nanoseconds took = arrival->last - start;
        if (i == 0 || took < smallest) smallest = took;
    }
    return smallest;
}

Result<wire::Status> RelayConnection::status() {
    const std::uint32_t request = state_->next_request++;
    const auto header = wire::encode(FrameHeader{.type = FrameType::stat, .request = request});
    if (auto sent = state_->socket.send(header, {}); !sent) return sent.error();
    std::array<std::uint8_t, wire::k_status_size> bytes{};
    const auto arrival = state_->socket.receive(FrameType::status, request, bytes);
    if (!arrival) return arrival.error();
    return wire::decode_status(bytes);
}

Result<Exchange> RelayConnection::echo(Bytes payload, Buffer& answer) {
    RelaySocket& socket = state_->socket;
    if (auto fits = state_->fits(payload.size()); !fits) return fits.error();
    const std::span<std::uint8_t> body = prepare(answer, payload.size());
    const std::uint32_t request = state_->next_request++;
    const std::uint8_t flags = state_->cut_through ? std::uint8_t{0} : wire::k_flag_store;
    const auto header = wire::encode(FrameHeader{
        .type = FrameType::echo, .flags = flags, .request = request, .length = payload.size()});
    const measure::Nanoseconds start = measure::now();
    net::Pacer* const pacer = state_->begin_paced(payload.size(), true, start);
    if (!state_->cut_through) {
        if (auto sent = socket.send(header, payload, pacer); !sent) return sent.error();
    }
    const auto arrival = state_->cut_through
                             ? socket.exchange(header, payload, request, body, pacer)
                             : socket.receive(FrameType::data, request, body);
    if (!arrival) return arrival.error();
    answer.commit(body.size());
    return timed(start, *arrival);
}

Result<Exchange> RelayConnection::sink(Bytes payload, Acknowledgement& acknowledgement) {
    RelaySocket& socket = state_->socket;
    if (auto fits = state_->fits(payload.size()); !fits) return fits.error();
    const std::uint32_t request = state_->next_request++;
    const auto header = wire::encode(
        FrameHeader{.type = FrameType::sink, .request = request, .length = payload.size()});
    const measure::Nanoseconds start = measure::now();
    net::Pacer* const pacer = state_->begin_paced(payload.size(), true, start);
    if (auto sent = socket.send(header, payload, pacer); !sent) return sent.error();
    RelaySocket::Arrival arrival;
    const auto reply = state_->acknowledged(request, arrival);
    if (!reply) return reply.error();
    acknowledgement = {.bytes = reply->bytes, .crc32c = reply->crc32c};
    return Exchange{.up = arrival.last - start, .down = 0};
}

Result<> RelayConnection::put(std::uint32_t key, Bytes payload, Acknowledgement& acknowledgement) {
    RelaySocket& socket = state_->socket;
    if (auto fits = state_->fits(payload.size()); !fits) return fits;
    const std::uint32_t request = state_->next_request++;
    const auto header = wire::encode(FrameHeader{
        .type = FrameType::put, .request = request, .length = payload.size(), .aux = key});
    if (auto sent = socket.send(header, payload); !sent) return sent;
    RelaySocket::Arrival arrival;
    const auto reply = state_->acknowledged(request, arrival);
    if (!reply) return reply.error();
    acknowledgement = {.bytes = reply->bytes, .crc32c = reply->crc32c};
    std::erase_if(state_->stored, [&](const State::Stored& entry) { return entry.key == key; });
    state_->stored.push_back({key, payload.size()});
    return {};
}

Result<Exchange> RelayConnection::source(std::uint32_t key, Buffer& answer) {
    RelaySocket& socket = state_->socket;
    const auto size = state_->stored_size(key);
    if (!size) return size.error();
    const std::span<std::uint8_t> body = prepare(answer, *size);
    const std::uint32_t request = state_->next_request++;
    const auto ask = wire::encode(wire::Source{});
    const auto header = wire::encode(FrameHeader{
        .type = FrameType::source, .request = request, .length = ask.size(), .aux = key});
    const measure::Nanoseconds start = measure::now();
    if (auto sent = socket.send(header, ask); !sent) return sent.error();
    const auto arrival = socket.receive(FrameType::data, request, body);
    if (!arrival) return arrival.error();
    answer.commit(body.size());
    return timed(start, *arrival);
}

Result<> RelayConnection::begin(wire::FrameType type, std::size_t size) {
    if (auto fits = state_->fits(size); !fits) return fits;
    const std::uint8_t flags = type == FrameType::echo ? wire::k_flag_store : std::uint8_t{0};
    state_->outgoing.begin(
        FrameHeader{
            .type = type, .flags = flags, .request = state_->next_request++, .length = size},
        state_->begin_paced(size, false, measure::now()),
        state_->link ? net::queue_bound(state_->link->up) : 0);
    state_->answer_size = size;
    return {};
}

Result<> RelayConnection::begin_echo(std::size_t size) {
    return begin(FrameType::echo, size);
}

Result<> RelayConnection::begin_sink(std::size_t size) {
    return begin(FrameType::sink, size);
}

Result<> RelayConnection::begin_source(std::uint32_t key) {
    const auto size = state_->stored_size(key);
    if (!size) return size.error();
    const auto ask = wire::encode(wire::Source{});
    const auto header = wire::encode(FrameHeader{.type = FrameType::source,
                                                 .request = state_->next_request++,
                                                 .length = ask.size(),
                                                 .aux = key});
    state_->answer_size = *size;
    state_->asked_at = measure::now();
    return state_->socket.send(header, ask);
}

ByteDrain& RelayConnection::outgoing() {
    return state_->outgoing;
}

Result<ByteSource*> RelayConnection::incoming(Buffer& answer) {
    if (auto sent = state_->outgoing.fill(); !sent) return sent.error();
    const std::span<std::uint8_t> body = prepare(answer, state_->answer_size);
    const auto arrival = state_->socket.receive_header(FrameType::data, state_->next_request - 1,
                                                       state_->answer_size);
    if (!arrival) return arrival.error();
    state_->incoming.begin(body);
    return &state_->incoming;
}

measure::Nanoseconds RelayConnection::planned_answer() const {
    if (!state_->link) return 0;
    const net::LinkWay& down = state_->link->down;
    const measure::Nanoseconds all_up =
        state_->pacer ? state_->pacer->last_due() + state_->taken_off : state_->asked_at;
    if (down.rate == 0) return all_up;
    return all_up + net::arrivals(down, wire::k_header_size + state_->answer_size).first;
}

Result<> RelayConnection::finish(Buffer& answer) {
    if (auto read = state_->incoming.finish(); !read) return read;
    answer.commit(state_->answer_size);
    return {};
}

Result<> RelayConnection::finish(Acknowledgement& acknowledgement) {
    if (auto sent = state_->outgoing.fill(); !sent) return sent;
    RelaySocket::Arrival arrival;
    const auto reply = state_->acknowledged(state_->next_request - 1, arrival);
    if (!reply) return reply.error();
    acknowledgement = {.bytes = reply->bytes, .crc32c = reply->crc32c};
    return {};
}

}  // namespace perfrelay::client
