// A relay in a thread of this process, over 127.0.0.1 (and ::1 where there is one): the client's
// connection against it, and peers that do not keep to the protocol.

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "client/relay_connection.h"
#include "common/base/crc32c.h"
#include "common/net/tcp.h"
#include "proto/wire/frames.h"
#include "relay/server.h"
#include "tests/integration/running_relay.h"

namespace perfrelay {
namespace {

using client::Acknowledgement;

// `bytes` are one ERROR frame of this code.
void expect_error(Bytes bytes, wire::ErrorCode code) {
    ASSERT_GE(bytes.size(), wire::k_header_size);
    const auto header = wire::decode_header(bytes.first(wire::k_header_size));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->type, wire::FrameType::error);
    const auto error = wire::decode_error(bytes.subspan(wire::k_header_size));
    ASSERT_TRUE(error);
    EXPECT_EQ(wire::name(error->code), wire::name(code)) << error->text;
}

void exercise(RelayConnection& connection, const std::vector<std::size_t>& sizes) {
    Buffer answer;
    for (const std::size_t size : sizes) {
        const auto payload = bytes_of(size);
        const auto echo = connection.echo(payload, answer);
        ASSERT_TRUE(echo) << connection.last_error();
        EXPECT_TRUE(
            std::equal(payload.begin(), payload.end(), answer.view().begin(), answer.view().end()));
        EXPECT_GE(echo->up, 0);
        EXPECT_GE(echo->down, 0);
        Acknowledgement acknowledgement;
        const auto sink = connection.sink(payload, acknowledgement);
        ASSERT_TRUE(sink) << connection.last_error();
        EXPECT_EQ(acknowledgement.bytes, size);
        EXPECT_EQ(acknowledgement.crc32c, crc32c(payload));
        Acknowledgement stored;
        ASSERT_TRUE(connection.put(3, payload, stored)) << connection.last_error();
        EXPECT_EQ(stored.crc32c, crc32c(payload));
        for (int i = 0; i < 2; ++i) {
            const auto source = connection.source(3, answer);
            ASSERT_TRUE(source) << connection.last_error();
            EXPECT_EQ(crc32c(answer.view()), crc32c(payload));
            EXPECT_EQ(answer.size(), size);
        }
        const auto ping = connection.ping(3);
        ASSERT_TRUE(ping) << connection.last_error();
        EXPECT_GT(*ping, 0);
    }
}

const std::vector<std::size_t> k_sizes = {0, 1, 64, 65'536, 5'000'000, 17, 0, 300'000};

TEST(Relay, StoreForm) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->peer().major, wire::k_major);
    EXPECT_EQ(connection->peer().max_payload, std::uint64_t{256} << 20U);
    EXPECT_EQ(connection->peer().address, relay.address().text());
    exercise(*connection, k_sizes);
}

TEST(Relay, CutThrough) {
    const RunningRelay relay;
    ConnectOptions options;
    options.cut_through = true;
    const auto connection = relay.connect(options);
    ASSERT_TRUE(connection);
    exercise(*connection, k_sizes);
}

TEST(Relay, Ipv6) {
    const RunningRelay relay({}, "::1");
    if (!relay.opened()) GTEST_SKIP() << "no IPv6 on this machine's loopback";
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    EXPECT_EQ(connection->peer().address, relay.address().text());
    exercise(*connection, {1000});
}

TEST(Relay, EveryAddressServesBothFamilies) {
    const RunningRelay relay({}, "");
    ASSERT_TRUE(relay.opened());
    std::string why;
    const auto v4 = RelayConnection::open({"127.0.0.1", relay.address().port}, {}, why);
    ASSERT_TRUE(v4) << why;
    exercise(**v4, {100});
    if (relay.server().endpoint().family() != AF_INET6) {
        GTEST_SKIP() << "no IPv6 on this machine";
    }
    const auto v6 = RelayConnection::open({"::1", relay.address().port}, {}, why);
    ASSERT_TRUE(v6) << why;
    exercise(**v6, {100});
    const auto named = RelayConnection::open({"localhost", relay.address().port}, {}, why);
    EXPECT_TRUE(named) << why;
}

TEST(Relay, ManySessionsAtOnce) {
    const RunningRelay relay;
    std::vector<std::thread> clients;
    for (std::size_t i = 0; i < 8; ++i) {
        clients.emplace_back([&relay, i] {
            ConnectOptions options;
            options.cut_through = i % 2 == 0;
            const auto connection = relay.connect(options);
            ASSERT_TRUE(connection);
            for (std::size_t round = 0; round < 5; ++round) {
                exercise(*connection, {i * 1000 + round, 200'000 + i, 1'500'000});
            }
        });
    }
    for (std::thread& each : clients)
        each.join();
}

TEST(Relay, ClientKnowsTheLargestPayload) {
    relay::Limits limits;
    limits.max_payload = 1000;
    const RunningRelay relay(limits);
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    Buffer answer;
    const auto echo = connection->echo(bytes_of(1001), answer);
    ASSERT_FALSE(echo);
    EXPECT_EQ(echo.error().code, Errc::limit_exceeded);
    EXPECT_NE(connection->last_error().find("1001"), std::string::npos);
    EXPECT_NE(connection->last_error().find("1000"), std::string::npos);
}

TEST(Relay, RefusalInMidTransferArrives) {
    relay::Limits limits;
    limits.max_memory = 1'000'000;
    const RunningRelay relay(limits);
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    Buffer answer;
    const auto echo = connection->echo(bytes_of(1'040'000), answer);
    ASSERT_FALSE(echo);
    EXPECT_EQ(echo.error().code, Errc::limit_exceeded) << connection->last_error();
    EXPECT_NE(connection->last_error().find("storage full"), std::string::npos)
        << connection->last_error();
    const auto next = relay.connect();
    ASSERT_TRUE(next);
    exercise(*next, {1000});
}

TEST(Relay, BusyIsWaitedOut) {
    relay::Limits limits;
    limits.max_sessions = 1;
    const RunningRelay relay(limits);
    auto first = relay.connect();
    ASSERT_TRUE(first);
    ConnectOptions impatient;
    impatient.busy_retry = 0;
    std::string why;
    const auto second = RelayConnection::open(relay.address(), impatient, why);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::busy);
    EXPECT_NE(why.find("all 1 sessions are taken"), std::string::npos) << why;
    EXPECT_NE(why.find(relay.address().text()), std::string::npos) << why;
    std::thread leaver([&first] {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        first.reset();
    });
    ConnectOptions patient;
    patient.busy_retry = 60 * k_second;
    const auto third = RelayConnection::open(relay.address(), patient, why);
    EXPECT_TRUE(third) << why;
    leaver.join();
}

TEST(Relay, StrangersGetNoByteAndAreClosed) {
    relay::Limits limits;
    limits.handshake = 300 * k_millisecond;
    const RunningRelay relay(limits);
    for (const std::string probe : {"", "P", "PRL", "GET / HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n"}) {
        const RawPeer peer(relay.address());
        peer.send(as_bytes(probe));
        bool closed = false;
        EXPECT_TRUE(peer.read_all(closed).empty()) << probe;
        EXPECT_TRUE(closed) << probe;
    }
    // A HELLO in drops does not outlast the handshake's deadline.
    const RawPeer dripping(relay.address());
    const auto hello = wire::encode(wire::Hello{});
    for (std::size_t i = 0; i < 47; ++i) {
        dripping.send(Bytes(hello).subspan(i, 1));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    bool closed = false;
    EXPECT_TRUE(dripping.read_all(closed).empty());
    EXPECT_TRUE(closed);
}

TEST(Relay, ErrorsArriveBeforeTheConnectionCloses) {
    relay::Limits limits;
    limits.max_payload = 1'000'000;
    const RunningRelay relay(limits);
    struct Wrong {
        wire::FrameHeader header;
        bool damaged;
        wire::ErrorCode code;
    };
    const std::vector<Wrong> wrongs = {
        {{.type = wire::FrameType::ping, .length = 16}, true, wire::ErrorCode::malformed},
        {{.type = wire::FrameType::echo, .length = 1'000'001}, false, wire::ErrorCode::too_large},
        {{.type = wire::FrameType::put, .length = ~std::uint64_t{0}},
         false,
         wire::ErrorCode::too_large},
        {{.type = static_cast<wire::FrameType>(0x60), .flags = wire::k_flag_critical},
         false,
         wire::ErrorCode::unsupported_frame},
        {{.type = wire::FrameType::data}, false, wire::ErrorCode::malformed},
    };
    for (const Wrong& wrong : wrongs) {
        const RawPeer peer(relay.address());
        peer.hello();
        auto header = wire::encode(wrong.header);
        if (wrong.damaged) header[5] ^= 4;
        peer.send(header);
        peer.send(bytes_of(30'000));  // on its way already: must not cost the ERROR
        bool closed = false;
        expect_error(peer.read_all(closed), wrong.code);
        EXPECT_TRUE(closed);
    }
    const RawPeer future(relay.address());
    future.send(wire::encode(wire::Hello{.major = 2}));
    bool closed = false;
    expect_error(future.read_all(closed), wire::ErrorCode::unsupported_version);
}

TEST(Relay, HalfCloseStillGetsTheAnswers) {
    const RunningRelay relay;
    const RawPeer peer(relay.address());
    peer.hello();
    const auto payload = bytes_of(100'000);
    for (int i = 0; i < 3; ++i) {
        peer.send(wire::encode(wire::FrameHeader{
            .type = wire::FrameType::echo, .flags = wire::k_flag_store, .length = payload.size()}));
        peer.send(payload);
    }
    peer.end_output();
    bool closed = false;
    EXPECT_EQ(peer.read_all(closed).size(), 3 * (wire::k_header_size + payload.size()));
    EXPECT_TRUE(closed);
}

TEST(Relay, SilenceEndsASession) {
    relay::Limits limits;
    limits.idle = 300 * k_millisecond;
    limits.progress = 300 * k_millisecond;
    const RunningRelay relay(limits);
    bool closed = false;
    const RawPeer idle(relay.address());
    idle.hello();
    expect_error(idle.read_all(closed), wire::ErrorCode::timed_out);

    const RawPeer stuck(relay.address());
    stuck.hello();
    stuck.send(wire::encode(wire::FrameHeader{.type = wire::FrameType::sink, .length = 100}));
    stuck.send(bytes_of(50));
    expect_error(stuck.read_all(closed), wire::ErrorCode::timed_out);

    // Reads nothing of a large answer: cut off, and the relay goes on.
    const RawPeer unread(relay.address());
    unread.hello();
    const auto large = bytes_of(30'000'000);
    unread.send(
        wire::encode(wire::FrameHeader{.type = wire::FrameType::put, .length = large.size()}));
    unread.send(large);
    unread.send(wire::encode(
        wire::FrameHeader{.type = wire::FrameType::source, .length = wire::k_source_size}));
    unread.send(wire::encode(wire::Source{.repeat = 100}));
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    exercise(*connection, {1000});
}

TEST(Relay, SourcePlaysBackWithPauses) {
    const RunningRelay relay;
    const RawPeer peer(relay.address());
    peer.hello();
    peer.send(wire::encode(wire::FrameHeader{.type = wire::FrameType::put, .length = 3, .aux = 1}));
    peer.send(as_bytes("abc"));
    (void)peer.read(wire::k_header_size + wire::k_acknowledgement_size);
    const measure::Nanoseconds start = measure::now();
    peer.send(wire::encode(wire::FrameHeader{
        .type = wire::FrameType::source, .request = 9, .length = wire::k_source_size, .aux = 1}));
    peer.send(wire::encode(wire::Source{.repeat = 5, .gap_us = 20'000}));
    for (int i = 0; i < 5; ++i) {
        const auto frame = peer.read(wire::k_header_size + 3);
        ASSERT_EQ(frame.size(), wire::k_header_size + 3);
        EXPECT_EQ(as_text(Bytes(frame).last(3)), "abc");
    }
    EXPECT_GE(measure::now() - start, 4 * 20 * k_millisecond);
}

TEST(Relay, StatusCounts) {
    const RunningRelay relay;
    const RawPeer peer(relay.address());
    peer.hello();
    peer.send(wire::encode(wire::FrameHeader{.type = wire::FrameType::stat}));
    const auto frame = peer.read(wire::k_header_size + wire::k_status_size);
    const auto status = wire::decode_status(Bytes(frame).subspan(wire::k_header_size));
    ASSERT_TRUE(status);
    EXPECT_EQ(status->sessions, 1U);
    EXPECT_EQ(status->max_sessions, 64U);
    EXPECT_EQ(status->sessions_served, 1U);
    EXPECT_EQ(status->bytes_in, wire::k_hello_size + wire::k_header_size);
}

TEST(Relay, StopLetsRunningRequestsFinish) {
    RunningRelay relay;
    const RawPeer idle(relay.address());
    idle.hello();
    const RawPeer active(relay.address());
    active.hello();
    const auto payload = bytes_of(10'000);
    active.send(wire::encode(wire::FrameHeader{
        .type = wire::FrameType::echo, .flags = wire::k_flag_store, .length = payload.size()}));
    active.send(Bytes(payload).first(5000));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    relay.server().stop();
    bool closed = false;
    const auto bye = idle.read_all(closed);
    ASSERT_EQ(bye.size(), wire::k_header_size);
    EXPECT_EQ(wire::decode_header(bye)->type, wire::FrameType::bye);
    active.send(Bytes(payload).subspan(5000));
    const auto rest = active.read_all(closed);
    EXPECT_EQ(rest.size(), wire::k_header_size + payload.size() + wire::k_header_size);
    relay.stop(false);
}

TEST(Relay, StopDoesNotWaitForeverForAStuckPeer) {
    relay::Limits limits;
    limits.drain = 300 * k_millisecond;
    RunningRelay relay(limits);
    const RawPeer stuck(relay.address());
    stuck.hello();
    stuck.send(wire::encode(wire::FrameHeader{.type = wire::FrameType::sink, .length = 100}));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    relay.server().stop();
    bool closed = false;
    (void)stuck.read_all(closed);
    EXPECT_TRUE(closed);
}

TEST(Relay, ClientsThatVanishLeaveNothing) {
    const RunningRelay relay;
    for (int i = 0; i < 50; ++i) {
        RawPeer peer(relay.address());
        if (i % 5 != 0) peer.send(wire::encode(wire::Hello{}));
        if (i % 2 == 0) {
            peer.send(
                wire::encode(wire::FrameHeader{.type = wire::FrameType::put, .length = 1'000'000}));
            peer.send(bytes_of(200'000));
        }
        const linger reset{1, 0};
        if (i % 3 == 0) setsockopt(peer.fd(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    // All of them gone: a STATUS soon says one session, no memory.
    const RawPeer peer(relay.address());
    peer.hello();
    wire::Status status;
    for (int i = 0; i < 200; ++i) {
        peer.send(wire::encode(wire::FrameHeader{.type = wire::FrameType::stat}));
        const auto frame = peer.read(wire::k_header_size + wire::k_status_size);
        status = *wire::decode_status(Bytes(frame).subspan(wire::k_header_size));
        if (status.sessions == 1) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(status.sessions, 1U);
    EXPECT_EQ(status.memory, 0U);
}

TEST(Relay, PortIsTaken) {
    const RunningRelay first;
    relay::Log log;
    relay::ServerOptions options;
    options.bind = "127.0.0.1";
    options.port = first.address().port;
    relay::Server second(std::move(options), log);
    std::string why;
    EXPECT_FALSE(second.open(why));
    EXPECT_NE(why.find(std::to_string(first.address().port)), std::string::npos) << why;
    EXPECT_NE(why.find("ss -ltnp"), std::string::npos) << why;
}

}  // namespace
}  // namespace perfrelay
