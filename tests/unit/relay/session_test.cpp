#include "relay/session.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/crc32c.h"
#include "tests/unit/relay/session_case.h"

namespace perfrelay::relay {
namespace {

TEST_F(SessionTest, EveryRequestInEveryPortion) {
    for (const std::size_t portion : {1U, 7U, 24U, 25U, 1000U, 16384U, 1U << 20U}) {
        for (const std::size_t size : {0U, 1U, 64U, 65U, 16'360U, 65'536U, 300'000U}) {
            if (portion < 24 && size > 20'000) continue;  // slow, and nothing new
            MemoryPeer peer(limits_);
            greet(peer);
            const auto payload = bytes_of(size);
            std::uint32_t request = 0;
            for (const std::uint8_t flags : {std::uint8_t{0}, wire::k_flag_store}) {
                peer.frame({.type = FrameType::echo, .flags = flags, .request = ++request}, payload,
                           portion);
                const auto echo = peer.answer();
                EXPECT_EQ(echo.header.type, FrameType::data);
                EXPECT_EQ(echo.header.request, request);
                EXPECT_TRUE(echo.payload == payload) << size << " in portions of " << portion;
            }
            for (const FrameType type : {FrameType::sink, FrameType::put}) {
                peer.frame({.type = type, .request = ++request, .aux = 5}, payload, portion);
                const auto ack = peer.answer();
                EXPECT_EQ(ack.header.type, FrameType::ack);
                EXPECT_EQ(ack.header.request, request);
                const auto acknowledgement = wire::decode_acknowledgement(ack.payload);
                ASSERT_TRUE(acknowledgement);
                EXPECT_EQ(acknowledgement->bytes, size);
                EXPECT_EQ(acknowledgement->crc32c, crc32c(payload));
                EXPECT_EQ(acknowledgement->read_calls == 0, size == 0);
            }
            peer.frame({.type = FrameType::source, .request = ++request, .aux = 5},
                       wire::encode(wire::Source{.repeat = 3, .gap_us = portion == 7 ? 5U : 0U}),
                       portion);
            for (int i = 0; i < 3; ++i) {
                const auto data = peer.answer();
                EXPECT_EQ(data.header.type, FrameType::data);
                EXPECT_EQ(data.header.request, request);
                EXPECT_TRUE(data.payload == payload);
            }
            const auto token = bytes_of(wire::k_ping_size);
            peer.frame({.type = FrameType::ping, .request = ++request}, token, portion);
            const auto pong = peer.answer();
            EXPECT_EQ(pong.header.type, FrameType::pong);
            EXPECT_EQ(pong.payload, token);
            peer.frame({.type = FrameType::stat, .request = ++request}, {}, portion);
            const auto status = wire::decode_status(peer.answer().payload);
            ASSERT_TRUE(status);
            EXPECT_EQ(status->sessions, 3U);
            EXPECT_TRUE(peer.output.empty());
            peer.frame({.type = FrameType::bye}, {}, portion);
            EXPECT_TRUE(peer.session().closed());
            EXPECT_EQ(peer.session().outcome(), "ok");
        }
    }
}

TEST_F(SessionTest, PipelinedRequestsAreAnsweredInOrder) {
    MemoryPeer peer(limits_);
    Buffer all;
    all.append(wire::encode(wire::Hello{}));
    for (std::uint32_t i = 0; i < 100; ++i) {
        const auto payload = bytes_of(i * 11);
        all.append(
            wire::encode(FrameHeader{.type = FrameType::echo,
                                     .flags = i % 2 == 0 ? wire::k_flag_store : std::uint8_t{0},
                                     .request = i,
                                     .length = payload.size()}));
        all.append(payload);
    }
    peer.feed(all.view());
    peer.output.erase(peer.output.begin(), peer.output.begin() + wire::k_welcome_size);
    for (std::uint32_t i = 0; i < 100; ++i) {
        const auto answer = peer.answer();
        EXPECT_EQ(answer.header.request, i);
        EXPECT_EQ(answer.payload, bytes_of(i * 11));
    }
}

TEST_F(SessionTest, StrangersGetNoByte) {
    for (const char* probe : {"G", "GET / HTTP/1.1\r\n", "PRLX", "PRL\n", "\x16\x03\x01"}) {
        MemoryPeer peer(limits_);
        peer.feed(as_bytes(probe));
        EXPECT_TRUE(peer.session().closed()) << probe;
        EXPECT_TRUE(peer.output.empty());
    }
    // Our own version with bytes that must be zero and are not.
    MemoryPeer peer(limits_);
    auto hello = wire::encode(wire::Hello{});
    hello.back() = 1;
    peer.feed(hello);
    EXPECT_TRUE(peer.session().closed());
    EXPECT_TRUE(peer.output.empty());
    // The start of a HELLO is not enough.
    MemoryPeer half(limits_);
    half.feed(Bytes(hello).first(47));
    EXPECT_FALSE(half.session().closed());
    EXPECT_TRUE(half.output.empty());
}

TEST_F(SessionTest, OtherVersionIsToldBoth) {
    MemoryPeer peer(limits_);
    peer.feed(wire::encode(wire::Hello{.major = 3, .minor = 4}));
    const auto answer = peer.answer();
    const auto error = wire::decode_error(answer.payload);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::unsupported_version);
    EXPECT_NE(error->text.find("1.0"), std::string_view::npos);
    EXPECT_NE(error->text.find("3.4"), std::string_view::npos);
    EXPECT_TRUE(peer.session().closing());
}

TEST_F(SessionTest, NewerMinorIsMetWithOurs) {
    MemoryPeer peer(limits_);
    peer.feed(wire::encode(wire::Hello{.minor = 200, .capabilities = ~0U}));
    const auto welcome = wire::decode_welcome(peer.output);
    ASSERT_TRUE(welcome);
    EXPECT_EQ(welcome->minor, wire::k_minor);
    EXPECT_EQ(welcome->capabilities, wire::k_capabilities);
}

TEST_F(SessionTest, BusyIsSaid) {
    MemoryPeer peer(limits_);
    peer.busy = true;
    peer.hello();
    const auto answer = peer.answer();
    const auto error = wire::decode_error(answer.payload);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::busy);
    EXPECT_EQ(error->retry_after_ms, 250U);
    EXPECT_FALSE(peer.session().admitted());
}

TEST_F(SessionTest, DamagedHeader) {
    MemoryPeer peer(limits_);
    greet(peer);
    auto header = wire::encode(FrameHeader{.type = FrameType::ping, .length = 16});
    header[20] ^= 1;
    peer.feed(header);
    expect_error(peer, ErrorCode::malformed);
}

TEST_F(SessionTest, LengthsBeyondTheLimitAreRefusedUnread) {
    limits_.max_payload = 1000;
    for (const FrameType type :
         {FrameType::echo, FrameType::sink, FrameType::put, static_cast<FrameType>(0x70)}) {
        for (const std::uint64_t length : {std::uint64_t{1001}, ~std::uint64_t{0}}) {
            MemoryPeer peer(limits_);
            greet(peer);
            peer.feed(wire::encode(FrameHeader{.type = type, .length = length}));
            expect_error(peer, ErrorCode::too_large);
            EXPECT_EQ(peer.budget().used(), 0U);
        }
    }
}

TEST_F(SessionTest, AnnouncedLengthTakesNoMemory) {
    for (const FrameType type : {FrameType::echo, FrameType::put}) {
        MemoryPeer peer(limits_);
        greet(peer);
        peer.feed(wire::encode(
            FrameHeader{.type = type,
                        .flags = type == FrameType::echo ? wire::k_flag_store : std::uint8_t{0},
                        .length = 200'000'000}));
        peer.feed(bytes_of(1000));
        EXPECT_LE(peer.budget().used(), 64U << 10U);
        peer.feed(bytes_of(1'000'000));
        EXPECT_LE(peer.budget().used(), 3'000'000U);
        EXPECT_GE(peer.budget().used(), 1'000'000U);
    }
}

TEST_F(SessionTest, UnknownFramesAreSkippedUnlessCritical) {
    MemoryPeer peer(limits_);
    greet(peer);
    const auto unknown = static_cast<FrameType>(0x33);
    peer.frame({.type = unknown, .flags = 0x15, .request = 1}, bytes_of(100'000));
    peer.frame({.type = FrameType::ping, .request = 2}, bytes_of(16));
    EXPECT_EQ(peer.answer().header.type, FrameType::pong);
    peer.frame({.type = unknown, .flags = wire::k_flag_critical}, {});
    expect_error(peer, ErrorCode::unsupported_frame);
}

TEST_F(SessionTest, SourceOfWhatIsNotThere) {
    MemoryPeer peer(limits_);
    greet(peer);
    peer.frame({.type = FrameType::source, .aux = 9}, wire::encode(wire::Source{}));
    expect_error(peer, ErrorCode::no_such_key);
}

TEST_F(SessionTest, SourceOutOfBounds) {
    MemoryPeer peer(limits_);
    greet(peer);
    peer.frame({.type = FrameType::put, .aux = 9}, bytes_of(10));
    peer.answer();
    peer.frame({.type = FrameType::source, .aux = 9}, wire::encode(wire::Source{.repeat = 10'001}));
    expect_error(peer, ErrorCode::malformed);
}

TEST_F(SessionTest, StoredDocumentsAreBounded) {
    limits_.max_documents = 3;
    limits_.max_stored = 1000;
    MemoryPeer peer(limits_);
    greet(peer);
    for (std::uint32_t key = 0; key < 3; ++key) {
        peer.frame({.type = FrameType::put, .aux = key}, bytes_of(300));
        EXPECT_EQ(peer.answer().header.type, FrameType::ack);
    }
    // The same key again replaces: neither bound is passed.
    peer.frame({.type = FrameType::put, .aux = 1}, bytes_of(400));
    EXPECT_EQ(peer.answer().header.type, FrameType::ack);
    EXPECT_LE(peer.budget().used(), 1000U);
    MemoryPeer other(limits_);
    greet(other);
    other.frame({.type = FrameType::put, .aux = 1}, bytes_of(1001));
    expect_error(other, ErrorCode::storage_full);
    peer.frame({.type = FrameType::put, .aux = 77}, bytes_of(1));
    expect_error(peer, ErrorCode::storage_full);
}

TEST_F(SessionTest, MemoryOfAllIsBounded) {
    limits_.max_memory = 1'000'000;
    MemoryPeer peer(limits_);
    greet(peer);
    peer.frame({.type = FrameType::echo, .flags = wire::k_flag_store}, bytes_of(2'000'000));
    expect_error(peer, ErrorCode::storage_full);
    EXPECT_LE(peer.budget().used(), 1'000'000U);
}

TEST_F(SessionTest, MemoryComesBack) {
    MemoryPeer peer(limits_);
    greet(peer);
    peer.frame({.type = FrameType::echo, .flags = wire::k_flag_store}, bytes_of(3'000'000));
    peer.output.clear();
    EXPECT_GE(peer.budget().used(), 3'000'000U);
    peer.session().trim(peer.now + k_second / 2, false);
    EXPECT_GE(peer.budget().used(), 3'000'000U);  // kept for the next one
    peer.session().trim(peer.now + limits_.idle / 2 + k_second, false);
    EXPECT_EQ(peer.budget().used(), 0U);
    peer.frame({.type = FrameType::echo, .flags = wire::k_flag_store}, bytes_of(100'000));
    EXPECT_EQ(peer.answer().payload, bytes_of(100'000));
}

TEST_F(SessionTest, EndsOfInput) {
    MemoryPeer quiet(limits_);
    quiet.session().input_ended();
    EXPECT_TRUE(quiet.session().closed());

    MemoryPeer between(limits_);
    greet(between);
    between.session().input_ended();
    EXPECT_EQ(between.session().outcome(), "ok");

    MemoryPeer within(limits_);
    greet(within);
    within.feed(wire::encode(FrameHeader{.type = FrameType::sink, .length = 100}));
    within.session().input_ended();
    EXPECT_TRUE(within.session().closed());
    EXPECT_NE(within.session().outcome(), "ok");
}

TEST_F(SessionTest, Deadlines) {
    limits_.handshake = 5 * k_second;
    limits_.idle = 60 * k_second;
    limits_.progress = 15 * k_second;
    MemoryPeer silent(limits_);
    EXPECT_FALSE(silent.session().expire(silent.now + 5 * k_second));
    EXPECT_TRUE(silent.session().expire(silent.now + 6 * k_second));
    EXPECT_TRUE(silent.session().closed());
    EXPECT_TRUE(silent.output.empty());

    MemoryPeer idle(limits_);
    greet(idle);
    EXPECT_FALSE(idle.session().expire(idle.now + 59 * k_second));
    EXPECT_TRUE(idle.session().expire(idle.now + 61 * k_second));
    idle.take_output();
    expect_error(idle, ErrorCode::timed_out);

    for (const FrameType type : {FrameType::sink, FrameType::put, FrameType::echo}) {
        MemoryPeer stuck(limits_);
        greet(stuck);
        stuck.feed(wire::encode(
            FrameHeader{.type = type,
                        .flags = type == FrameType::echo ? wire::k_flag_store : std::uint8_t{0},
                        .length = 100}));
        EXPECT_FALSE(stuck.session().expire(stuck.now + 14 * k_second));
        stuck.now += 14 * k_second;
        stuck.feed(bytes_of(1));  // one byte is progress
        EXPECT_FALSE(stuck.session().expire(stuck.now + 14 * k_second));
        EXPECT_TRUE(stuck.session().expire(stuck.now + 16 * k_second));
        stuck.take_output();
        expect_error(stuck, ErrorCode::timed_out);
    }
}

TEST_F(SessionTest, ClientThatDoesNotReadIsLeft) {
    limits_.progress = 15 * k_second;
    for (const std::uint8_t flags : {std::uint8_t{0}, wire::k_flag_store}) {
        MemoryPeer peer(limits_);
        greet(peer);
        const auto header =
            wire::encode(FrameHeader{.type = FrameType::echo, .flags = flags, .length = 1000});
        std::copy(header.begin(), header.end(), peer.session().input().begin());
        peer.session().received(header.size());
        const auto payload = bytes_of(1000);
        const auto room = peer.session().input();
        ASSERT_GE(room.size(), 1000U);
        std::copy(payload.begin(), payload.end(), room.begin());
        peer.session().received(1000);
        EXPECT_TRUE(peer.session().expire(peer.now + 16 * k_second));
        EXPECT_TRUE(peer.session().closed());
    }
}

TEST_F(SessionTest, SessionHasAnEnd) {
    limits_.session = 3600 * k_second;
    MemoryPeer peer(limits_);
    greet(peer);
    for (int i = 0; i < 100; ++i) {
        peer.now += 37 * k_second;
        if (peer.session().expire(peer.now)) break;
        peer.frame({.type = FrameType::ping}, bytes_of(16));
        EXPECT_EQ(peer.answer().header.type, FrameType::pong);
    }
    peer.take_output();
    expect_error(peer, ErrorCode::timed_out);
}

TEST_F(SessionTest, CutThroughIsBounded) {
    MemoryPeer peer(limits_);
    greet(peer);
    const auto header = wire::encode(FrameHeader{.type = FrameType::echo, .length = 100'000'000});
    std::copy(header.begin(), header.end(), peer.session().input().begin());
    peer.session().received(header.size());
    std::size_t taken = 0;
    while (true) {
        const auto room = peer.session().input();
        if (room.empty()) break;
        std::fill(room.begin(), room.end(), std::uint8_t{1});
        peer.session().received(room.size());
        taken += room.size();
        ASSERT_LE(taken, 256U << 10U);
    }
    EXPECT_EQ(taken, 256U << 10U);
    EXPECT_LE(peer.budget().used(), 256U << 10U);
}

TEST_F(SessionTest, ShutDownWaitsForTheRunningRequest) {
    MemoryPeer idle(limits_);
    greet(idle);
    EXPECT_TRUE(idle.session().shut_down());
    idle.take_output();
    EXPECT_EQ(idle.answer().header.type, FrameType::bye);
    EXPECT_TRUE(idle.session().closing());

    MemoryPeer active(limits_);
    greet(active);
    active.feed(wire::encode(FrameHeader{.type = FrameType::sink, .request = 4, .length = 10}));
    EXPECT_FALSE(active.session().shut_down());
    active.feed(bytes_of(10));
    EXPECT_EQ(active.answer().header.type, FrameType::ack);
    EXPECT_EQ(active.answer().header.request, 0U);
    EXPECT_TRUE(active.session().closing());
}

}  // namespace
}  // namespace perfrelay::relay
