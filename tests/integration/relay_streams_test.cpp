// The streamed forms of the client's requests, against a relay in a thread of this process.

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/crc32c.h"
#include "tests/integration/running_relay.h"

namespace perfrelay {
namespace {

using client::Acknowledgement;

void write_in_pieces(ByteDrain& drain, Bytes bytes, std::size_t piece) {
    while (!bytes.empty()) {
        const std::size_t size = std::min(piece, bytes.size());
        ASSERT_TRUE(drain.write(bytes.first(size)));
        bytes = bytes.subspan(size);
    }
}

// Everything the source gives, taken in halves so that windows overlap.
std::vector<std::uint8_t> read_all(ByteSource& source) {
    std::vector<std::uint8_t> all;
    std::size_t consumed = 0;
    std::size_t kept = 0;
    while (true) {
        const auto window = source.refill(consumed);
        if (!window) return {};
        if (window->size() == kept) {
            all.insert(all.end(), window->begin(), window->end());
            return all;
        }
        consumed = window->size() / 2;
        kept = window->size() - consumed;
        all.insert(all.end(), window->begin(),
                   window->begin() + static_cast<std::ptrdiff_t>(consumed));
    }
}

TEST(RelayStreams, AllRequestsOfAllSizes) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    Buffer answer;
    for (const std::size_t size : {0U, 1U, 64U, 65'536U, 3'000'000U, 17U}) {
        const auto payload = bytes_of(size);
        ASSERT_TRUE(connection->begin_echo(size));
        write_in_pieces(connection->outgoing(), payload, 10'000);
        auto source = connection->incoming(answer);
        ASSERT_TRUE(source) << connection->last_error();
        EXPECT_EQ(read_all(**source), payload);
        ASSERT_TRUE(connection->finish(answer));
        EXPECT_TRUE(std::ranges::equal(answer.view(), payload));

        Acknowledgement acknowledgement;
        ASSERT_TRUE(connection->begin_sink(size));
        write_in_pieces(connection->outgoing(), payload, 777);
        ASSERT_TRUE(connection->finish(acknowledgement)) << connection->last_error();
        EXPECT_EQ(acknowledgement.bytes, size);
        EXPECT_EQ(acknowledgement.crc32c, crc32c(payload));

        ASSERT_TRUE(connection->put(5, payload, acknowledgement));
        ASSERT_TRUE(connection->begin_source(5));
        source = connection->incoming(answer);
        ASSERT_TRUE(source) << connection->last_error();
        EXPECT_EQ(read_all(**source), payload);
        ASSERT_TRUE(connection->finish(answer));
    }
}

// An encoder that fails in the middle must not cost the other rows their connection.
TEST(RelayStreams, ATooShortPayloadLeavesTheSessionInOrder) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const auto payload = bytes_of(20'000);
    Acknowledgement acknowledgement;
    ASSERT_TRUE(connection->begin_sink(50'000));
    write_in_pieces(connection->outgoing(), payload, 10'000);
    ASSERT_TRUE(connection->finish(acknowledgement));
    EXPECT_EQ(acknowledgement.bytes, 50'000U);
    EXPECT_NE(acknowledgement.crc32c, crc32c(payload));
    ASSERT_TRUE(connection->begin_sink(50'000));  // nothing of it was written
    ASSERT_TRUE(connection->finish(acknowledgement));
    EXPECT_TRUE(connection->ping(1));
}

TEST(RelayStreams, ATooLongPayloadIsRefusedAndTheSessionGoesOn) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const auto payload = bytes_of(20'000);
    ASSERT_TRUE(connection->begin_echo(15'000));
    ASSERT_TRUE(connection->outgoing().write(Bytes(payload).first(10'000)));
    EXPECT_FALSE(connection->outgoing().write(Bytes(payload).subspan(10'000)));
    EXPECT_TRUE(connection->usable());
    Buffer answer;
    ASSERT_TRUE(connection->incoming(answer));
    ASSERT_TRUE(connection->finish(answer));
    EXPECT_EQ(answer.size(), 15'000U);
    EXPECT_TRUE(connection->ping(1));
}

// A decoder that gives up in the middle leaves the rest of the answer in the connection.
TEST(RelayStreams, AnAnswerThatIsNotReadIsReadOver) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const auto payload = bytes_of(2'000'000);
    ASSERT_TRUE(connection->begin_echo(payload.size()));
    write_in_pieces(connection->outgoing(), payload, 50'000);
    Buffer answer;
    const auto source = connection->incoming(answer);
    ASSERT_TRUE(source);
    ASSERT_TRUE((*source)->refill(0));
    ASSERT_TRUE(connection->finish(answer));
    EXPECT_TRUE(std::ranges::equal(answer.view(), payload));
    EXPECT_TRUE(connection->ping(1));
}

TEST(RelayStreams, WhatCannotBeIsAnError) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    EXPECT_FALSE(connection->begin_source(9));
    const auto second = relay.connect();
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->begin_echo(std::size_t{1} << 40U));
    EXPECT_NE(second->last_error(), "");
}

// A relay that goes while an answer is read.
TEST(RelayStreams, ALostRelayEndsTheReading) {
    RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->begin_echo(1'000'000));
    ASSERT_TRUE(connection->outgoing().write(bytes_of(500'000)));
    relay.stop(true);
    Buffer answer;
    EXPECT_FALSE(connection->incoming(answer));
    EXPECT_FALSE(connection->usable());
}

}  // namespace
}  // namespace perfrelay
