// Emulated links between a client and a relay in a thread of this process: what arrives, and that
// nothing arrives before it could have. How late things come is the machine's matter, see
// tests/bench/bench_links.cpp.

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/crc32c.h"
#include "tests/integration/running_relay.h"

namespace perfrelay {
namespace {

using client::Acknowledgement;
using measure::Nanoseconds;

constexpr std::size_t k_size = 20'000;
constexpr Nanoseconds k_early = k_millisecond;  // the look-ahead, and the clocks' grain

net::LinkWays link(bool up, bool down) {
    const net::Link link{
        .name = "test", .down = 8'000'000, .up = 4'000'000, .rtt = 20 * k_millisecond};
    return net::ways_of(link, up, down, 1);
}

Nanoseconds planned(const net::LinkWays& ways, bool cut_through) {
    return net::arrivals(ways, cut_through, wire::k_header_size, wire::k_header_size + k_size).last;
}

TEST(RelayLinks, NothingArrivesBeforeItCould) {
    const RunningRelay relay;
    const auto payload = bytes_of(k_size);
    Buffer answer;
    for (const bool cut_through : {false, true}) {
        ConnectOptions options;
        options.cut_through = cut_through;
        const auto connection = relay.connect(options);
        ASSERT_TRUE(connection);
        const net::LinkWays both = link(true, true);
        ASSERT_TRUE(connection->emulate(&both, 0));
        const auto echo = connection->echo(payload, answer);
        ASSERT_TRUE(echo) << connection->last_error();
        EXPECT_TRUE(std::ranges::equal(answer.view(), payload));
        EXPECT_GE(echo->up + echo->down, planned(both, cut_through) - k_early);
        // Pings are no documents.
        EXPECT_TRUE(connection->ping(1));

        const net::LinkWays up = link(true, false);
        ASSERT_TRUE(connection->emulate(&up, 0));
        Acknowledgement acknowledgement;
        const auto sink = connection->sink(payload, acknowledgement);
        ASSERT_TRUE(sink) << connection->last_error();
        EXPECT_EQ(acknowledgement.crc32c, crc32c(payload));
        EXPECT_GE(sink->up, planned(up, false) - k_early);

        ASSERT_TRUE(connection->put(1, payload, acknowledgement));
        const net::LinkWays down = link(false, true);
        ASSERT_TRUE(connection->emulate(&down, 0));
        const auto source = connection->source(1, answer);
        ASSERT_TRUE(source) << connection->last_error();
        EXPECT_TRUE(std::ranges::equal(answer.view(), payload));
        EXPECT_GE(source->up + source->down, planned(down, false) - k_early);

        ASSERT_TRUE(connection->emulate(nullptr, 0));
        ASSERT_TRUE(connection->echo(payload, answer)) << connection->last_error();
        EXPECT_TRUE(std::ranges::equal(answer.view(), payload));
    }
}

TEST(RelayLinks, WhatThePathTakesIsPartOfTheDelay) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const net::LinkWays both = link(true, true);
    // A path as slow as the link itself leaves only what the bytes take.
    ASSERT_TRUE(connection->emulate(&both, 20 * k_millisecond));
    Buffer answer;
    const auto echo = connection->echo(bytes_of(k_size), answer);
    ASSERT_TRUE(echo) << connection->last_error();
    EXPECT_GE(echo->up + echo->down, planned(both, false) - 20 * k_millisecond - k_early);
}

TEST(RelayLinks, LossJitterAndColdConnectionsChangeNoByte) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    net::Link link{.name = "test", .down = 20'000'000, .up = 20'000'000, .rtt = 4 * k_millisecond};
    link.jitter = 2 * k_millisecond;
    link.loss = 0.1;
    link.cold = true;
    Buffer answer;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const net::LinkWays ways = net::ways_of(link, true, true, seed);
        ASSERT_TRUE(connection->emulate(&ways, 0));
        const auto payload = bytes_of(k_size + seed);
        ASSERT_TRUE(connection->echo(payload, answer)) << connection->last_error();
        EXPECT_TRUE(std::ranges::equal(answer.view(), payload));
    }
}

TEST(RelayLinks, StreamedPiecesAreHeldUntilTheyAreDue) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const auto payload = bytes_of(k_size);
    Acknowledgement acknowledgement;
    ASSERT_TRUE(connection->put(1, payload, acknowledgement));
    Buffer answer;
    const auto write = [&](std::size_t piece) {
        for (std::size_t at = 0; at < payload.size(); at += piece) {
            const std::size_t size = std::min(piece, payload.size() - at);
            ASSERT_TRUE(connection->outgoing().write(Bytes(payload).subspan(at, size)));
        }
    };
    const auto read = [&](Nanoseconds start, const net::LinkWays& ways) {
        const auto source = connection->incoming(answer);
        ASSERT_TRUE(source) << connection->last_error();
        const Nanoseconds answered = measure::now();
        EXPECT_GE(connection->planned_answer() - start,
                  net::arrivals(ways, false, 0, wire::k_header_size + k_size).first);
        EXPECT_GE(answered, connection->planned_answer() - k_early);
        ASSERT_TRUE(connection->finish(answer)) << connection->last_error();
        EXPECT_TRUE(std::ranges::equal(answer.view(), payload));
    };
    for (const std::size_t piece : {7U, 5'000U, 1'000'000U}) {
        const net::LinkWays both = link(true, true);
        ASSERT_TRUE(connection->emulate(&both, 0));
        Nanoseconds start = measure::now();
        ASSERT_TRUE(connection->begin_echo(payload.size()));
        write(piece);
        read(start, both);

        const net::LinkWays up = link(true, false);
        ASSERT_TRUE(connection->emulate(&up, 0));
        start = measure::now();
        ASSERT_TRUE(connection->begin_sink(payload.size()));
        write(piece);
        ASSERT_TRUE(connection->finish(acknowledgement)) << connection->last_error();
        EXPECT_EQ(acknowledgement.crc32c, crc32c(payload));
        EXPECT_GE(measure::now() - start, planned(up, false) - k_early);

        const net::LinkWays down = link(false, true);
        ASSERT_TRUE(connection->emulate(&down, 0));
        start = measure::now();
        ASSERT_TRUE(connection->begin_source(1));
        read(start, down);
    }
}

// 256 KiB of socket buffers would take no notice of 64 KiB held; half a megabyte does.
TEST(RelayLinks, AnEncoderWaitsForAFullLink) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const net::Link fast{.name = "fast", .down = 80'000'000, .up = 80'000'000};
    const net::LinkWays ways = net::ways_of(fast, true, false, 1);
    ASSERT_TRUE(connection->emulate(&ways, 0));
    const auto payload = bytes_of(500'000);
    const Nanoseconds start = measure::now();
    ASSERT_TRUE(connection->begin_sink(payload.size()));
    ASSERT_TRUE(connection->outgoing().write(payload));
    // All but what may be held has gone out, at ten bytes a microsecond.
    EXPECT_GE(measure::now() - start, 43 * k_millisecond);
    Acknowledgement acknowledgement;
    ASSERT_TRUE(connection->finish(acknowledgement));
    EXPECT_EQ(acknowledgement.crc32c, crc32c(payload));
}

// What is held has left at once, as after a pause of the encoder: it waits for nothing then.
TEST(RelayLinks, AnEncoderDoesNotWaitForAnEmptyLink) {
    const RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const net::Link instant{.name = "instant", .down = 100'000'000'000, .up = 100'000'000'000};
    const net::LinkWays ways = net::ways_of(instant, true, false, 1);
    ASSERT_TRUE(connection->emulate(&ways, 0));
    const auto payload = bytes_of(500'000);
    ASSERT_TRUE(connection->begin_sink(payload.size()));
    ASSERT_TRUE(connection->outgoing().write(payload)) << connection->last_error();
    Acknowledgement acknowledgement;
    ASSERT_TRUE(connection->finish(acknowledgement));
    EXPECT_EQ(acknowledgement.crc32c, crc32c(payload));
}

TEST(RelayLinks, ARelayThatGoesEndsTheWait) {
    RunningRelay relay;
    const auto connection = relay.connect();
    ASSERT_TRUE(connection);
    const net::Link slow{.name = "slow", .down = 1'000, .up = 1'000};  // minutes
    const net::LinkWays ways = net::ways_of(slow, true, false, 1);
    ASSERT_TRUE(connection->emulate(&ways, 0));
    std::thread stopper([&] { relay.stop(true); });
    Acknowledgement acknowledgement;
    EXPECT_FALSE(connection->sink(bytes_of(k_size), acknowledgement));
    EXPECT_FALSE(connection->last_error().empty());
    stopper.join();
}

}  // namespace
}  // namespace perfrelay
