// A session of a relay that has a secret: who proves to know it is served, nobody else.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/wire/authentication.h"
#include "relay/session.h"
#include "tests/unit/relay/memory_peer.h"

namespace perfrelay::relay {
namespace {

using wire::ErrorCode;
using wire::FrameHeader;
using wire::FrameType;

const std::vector<std::uint8_t> k_secret(20, 0x42);

class SessionAuth : public testing::Test {
  protected:
    SessionAuth() { peer_.known = std::make_shared<const Secret>(k_secret); }

    // HELLO said, WELCOME taken; the proof that would do.
    wire::Proof greet() {
        peer_.hello();
        EXPECT_EQ(peer_.output.size(), wire::k_welcome_size);
        const auto welcome = wire::decode_welcome(peer_.output);
        EXPECT_TRUE(welcome && welcome->auth_required);
        welcome_ = peer_.output;
        peer_.output.clear();
        return wire::prove(k_secret, wire::Side::client, wire::encode(wire::Hello{}), welcome_);
    }
    void send_auth(Bytes proof, std::size_t portion = ~std::size_t{0}) {
        peer_.frame({.type = FrameType::auth, .request = 9}, proof, portion);
    }
    ErrorCode error() {
        const auto answer = peer_.answer();
        EXPECT_EQ(answer.header.type, FrameType::error) << peer_.session().outcome();
        const auto error = wire::decode_error(answer.payload);
        return error ? error->code : ErrorCode::malformed;
    }

    Limits limits_;
    MemoryPeer peer_{limits_};
    std::vector<std::uint8_t> welcome_;
};

TEST_F(SessionAuth, BothProveInAnyPortions) {
    for (const std::size_t portion : {1U, 7U, 24U, 55U, 100U}) {
        MemoryPeer fresh(limits_);
        fresh.known = peer_.known;
        fresh.hello();
        const auto welcome = fresh.output;
        fresh.output.clear();
        const auto hello = wire::encode(wire::Hello{});
        fresh.frame({.type = FrameType::auth, .request = 9},
                    wire::prove(k_secret, wire::Side::client, hello, welcome), portion);
        const auto answer = fresh.answer();
        EXPECT_EQ(answer.header.type, FrameType::auth);
        EXPECT_EQ(answer.header.request, 9U);
        EXPECT_TRUE(
            wire::same(wire::prove(k_secret, wire::Side::relay, hello, welcome), answer.payload));
        EXPECT_TRUE(fresh.session().admitted());
        fresh.frame({.type = FrameType::ping}, std::vector<std::uint8_t>(16), portion);
        EXPECT_EQ(fresh.answer().header.type, FrameType::pong);
        // Once is enough.
        fresh.frame({.type = FrameType::auth}, std::vector<std::uint8_t>(32), portion);
        EXPECT_EQ(fresh.answer().header.type, FrameType::error);
    }
}

TEST_F(SessionAuth, WrongProofWaitsAndIsRefused) {
    wire::Proof proof = greet();
    proof[31] ^= 1;
    Buffer frame;
    frame.append(wire::encode(FrameHeader{.type = FrameType::auth, .length = proof.size()}));
    frame.append(Bytes(proof));
    const auto room = peer_.session().input();
    ASSERT_EQ(room.size(), frame.size());
    std::copy(frame.view().begin(), frame.view().end(), room.begin());
    peer_.session().received(frame.size());
    EXPECT_TRUE(peer_.session().forged());
    EXPECT_GE(peer_.session().paused_until(), measure::now() + limits_.tarpit / 2);
    EXPECT_TRUE(peer_.session().input().empty());
    EXPECT_EQ(peer_.take_output(), 0U);
    peer_.session().pause_over();
    peer_.take_output();
    EXPECT_EQ(error(), ErrorCode::authentication);
    EXPECT_TRUE(peer_.session().closing());
    EXPECT_FALSE(peer_.session().admitted());
}

TEST_F(SessionAuth, RequestsInPlaceOfAuthAreNotAnswered) {
    for (const FrameType type :
         {FrameType::echo, FrameType::stat, FrameType::bye, FrameType::put}) {
        MemoryPeer fresh(limits_);
        fresh.known = peer_.known;
        fresh.hello();
        fresh.output.clear();
        fresh.frame({.type = type}, std::vector<std::uint8_t>(32));
        EXPECT_TRUE(fresh.session().closed());
        EXPECT_TRUE(fresh.output.empty());
        EXPECT_FALSE(fresh.session().admitted());
    }
}

TEST_F(SessionAuth, NoPlaceBeforeTheProof) {
    peer_.busy = true;
    const wire::Proof proof = greet();  // nothing said of places
    send_auth(proof);
    EXPECT_EQ(error(), ErrorCode::busy);
}

TEST_F(SessionAuth, SilenceEndsWithTheHandshake) {
    (void)greet();
    EXPECT_FALSE(peer_.session().expire(peer_.now + limits_.handshake));
    EXPECT_TRUE(peer_.session().expire(peer_.now + limits_.handshake + limits_.tarpit + 1));
    EXPECT_TRUE(peer_.session().closed());
    EXPECT_TRUE(peer_.output.empty());
}

TEST_F(SessionAuth, AStoppedRelayDropsIt) {
    (void)greet();
    EXPECT_TRUE(peer_.session().shut_down());
    EXPECT_TRUE(peer_.session().closed());
}

}  // namespace
}  // namespace perfrelay::relay
