// A session that holds its answers back as an emulated link would.
#include <string>
#include <vector>

#include "tests/unit/relay/session_case.h"

namespace perfrelay::relay {
namespace {

class SessionLink : public SessionTest {};

const net::LinkWay k_slow{.rate = 64'000, .delay = 10 * k_second, .overhead = 52};

TEST_F(SessionLink, OverALinkTheSameBytesComeBack) {
    for (const std::size_t portion : {1'000U, 1U << 20U}) {
        MemoryPeer peer(limits_);
        greet(peer);
        peer.frame({.type = FrameType::link}, wire::encode(k_slow), portion);
        EXPECT_TRUE(peer.output.empty());
        const auto payload = bytes_of(300'000);
        peer.frame({.type = FrameType::put, .aux = 1}, payload, portion);
        EXPECT_EQ(peer.answer().header.type, FrameType::ack);
        for (const std::uint8_t flags : {std::uint8_t{0}, wire::k_flag_store}) {
            peer.frame({.type = FrameType::echo, .flags = flags}, payload, portion);
            EXPECT_TRUE(peer.answer().payload == payload);
        }
        peer.frame({.type = FrameType::source, .aux = 1}, wire::encode(wire::Source{.repeat = 2}),
                   portion);
        EXPECT_TRUE(peer.answer().payload == payload);
        EXPECT_TRUE(peer.answer().payload == payload);
        EXPECT_EQ(peer.session().outcome(), "");
        EXPECT_TRUE(peer.output.empty());
    }
}

TEST_F(SessionLink, ALinkHoldsAnswersWithDocumentsBackAndNoOthers) {
    MemoryPeer peer(limits_);
    greet(peer);
    Session& session = peer.session();
    const auto feed = [&](FrameHeader header, Bytes payload) {
        header.length = payload.size();
        Buffer bytes;
        bytes.append(wire::encode(header));
        bytes.append(payload);
        std::ranges::copy(bytes.view(), session.input().begin());
        session.received(bytes.size());
    };
    const auto shown = [&] { return session.output()[0].size() + session.output()[1].size(); };
    feed({.type = FrameType::link}, wire::encode(k_slow));
    feed({.type = FrameType::ping}, bytes_of(wire::k_ping_size));
    EXPECT_EQ(session.paused_until(), 0);
    EXPECT_EQ(peer.take_output(), wire::k_header_size + wire::k_ping_size);
    feed({.type = FrameType::echo, .flags = wire::k_flag_store}, bytes_of(1000));
    EXPECT_GT(session.paused_until(), measure::now() + 5 * k_second);
    EXPECT_EQ(shown(), 0U);
    // However long that takes, the session is not idle; unless it is old.
    EXPECT_FALSE(session.expire(peer.now + 100 * k_second));
    session.pause_over();
    EXPECT_EQ(session.paused_until(), 0);
    EXPECT_EQ(shown(), 64U);  // one quantum
    EXPECT_EQ(peer.take_output(), 64U);
    EXPECT_NE(session.paused_until(), 0);
    EXPECT_TRUE(session.expire(peer.now + 4000 * k_second));
    EXPECT_TRUE(session.closed());
}

TEST_F(SessionLink, ALinkCanBeTakenBack) {
    MemoryPeer peer(limits_);
    greet(peer);
    peer.frame({.type = FrameType::link}, wire::encode(k_slow));
    peer.frame({.type = FrameType::link}, wire::encode(net::LinkWay{}));
    const auto echo = wire::encode(
        FrameHeader{.type = FrameType::echo, .flags = wire::k_flag_store, .length = 4});
    std::ranges::copy(echo, peer.session().input().begin());
    peer.session().received(echo.size());
    std::ranges::copy(bytes_of(4), peer.session().input().begin());
    peer.session().received(4);
    EXPECT_EQ(peer.session().paused_until(), 0);
    EXPECT_EQ(peer.take_output(), wire::k_header_size + 4);
}

TEST_F(SessionLink, ALinkThatCannotBeEmulatedIsRefused) {
    MemoryPeer peer(limits_);
    greet(peer);
    peer.frame({.type = FrameType::link}, wire::encode(net::LinkWay{.rate = 1'000'000'000}));
    expect_error(peer, ErrorCode::malformed);
}

TEST_F(SessionLink, TheDelayLineIsBounded) {
    for (const std::uint64_t limit : {std::uint64_t{1} << 20U, std::uint64_t{1} << 30U}) {
        limits_.max_memory = limit;
        MemoryPeer peer(limits_);
        greet(peer);
        // Twice the product would be 3.75 GB.
        const net::LinkWay far{.rate = 500'000'000, .delay = 30 * k_second};
        peer.frame({.type = FrameType::link}, wire::encode(far));
        peer.frame({.type = FrameType::echo}, bytes_of(100));
        EXPECT_LE(peer.budget().used(), std::uint64_t{16} << 20U);
        EXPECT_EQ(peer.session().closing(), limit < (16U << 20U));  // storage full
    }
}

}  // namespace
}  // namespace perfrelay::relay
