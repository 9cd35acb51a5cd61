#pragma once
// What the tests of sessions share.

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "relay/session.h"
#include "tests/unit/relay/memory_peer.h"

namespace perfrelay::relay {

using wire::ErrorCode;
using wire::FrameHeader;
using wire::FrameType;

inline constexpr measure::Nanoseconds k_second = 1'000'000'000;

inline std::vector<std::uint8_t> bytes_of(std::size_t size) {
    std::mt19937 random(static_cast<unsigned>(size));
    std::vector<std::uint8_t> bytes(size);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

// A peer whose greeting is behind it.
class SessionTest : public testing::Test {
  protected:
    void greet(MemoryPeer& peer) {
        peer.hello();
        ASSERT_EQ(peer.output.size(), wire::k_welcome_size);
        const auto welcome = wire::decode_welcome(peer.output);
        ASSERT_TRUE(welcome);
        EXPECT_EQ(welcome->session, 42U);
        peer.output.clear();
    }

    void expect_error(MemoryPeer& peer, ErrorCode code) {
        const auto answer = peer.answer();
        ASSERT_EQ(answer.header.type, FrameType::error) << peer.session().outcome();
        const auto error = wire::decode_error(answer.payload);
        ASSERT_TRUE(error);
        EXPECT_EQ(wire::name(error->code), wire::name(code)) << error->text;
        EXPECT_FALSE(error->text.empty());
        EXPECT_TRUE(peer.session().closing());
        EXPECT_TRUE(peer.output.empty());
    }

    Limits limits_;
};

}  // namespace perfrelay::relay
