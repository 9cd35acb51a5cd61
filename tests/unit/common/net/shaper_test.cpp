#include "common/net/shaper.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::net {
namespace {

constexpr measure::Nanoseconds k_ms = 1'000'000;

LinkWay plain(std::uint64_t rate, measure::Nanoseconds delay = 0) {
    return {.rate = rate, .delay = delay, .rtt = 2 * delay};
}

measure::Nanoseconds ideal(const LinkWay& way, std::size_t bytes) {
    return way.delay + std::llround(8e9 * static_cast<double>(wire_bytes(way, bytes)) /
                                    static_cast<double>(way.rate));
}

// Every quantum of a message that is all there at 0.
std::vector<Shaper::Quantum> all_of(const LinkWay& way, std::size_t bytes) {
    Shaper shaper(way);
    shaper.begin(0);
    shaper.offer(bytes, 0);
    std::vector<Shaper::Quantum> all;
    while (shaper.next().bytes != 0) {
        all.push_back(shaper.next());
        shaper.sent();
    }
    return all;
}

TEST(Shaper, AMessageTakesItsBytesAtTheRateAndHalfARoundTrip) {
    for (const std::uint64_t rate : {250ULL, 9'600ULL, 56'000ULL, 1'000'000ULL, 500'000'000ULL}) {
        for (const std::size_t bytes : {1UL, 100UL, 1448UL, 1449UL, 70'000UL, 1'000'000UL}) {
            for (const std::uint32_t overhead : {0U, 52U}) {
                LinkWay way = plain(rate, 25 * k_ms);
                way.overhead = overhead;
                EXPECT_NEAR(static_cast<double>(modelled_transfer(way, bytes)),
                            static_cast<double>(ideal(way, bytes)), 2)
                    << rate << " bit/s, " << bytes << " bytes";
            }
        }
    }
    EXPECT_EQ(modelled_transfer(plain(1000), 0), 0);
}

TEST(Shaper, QuantaAreSmallAndInOrder) {
    const auto all = all_of(plain(56'000, 10 * k_ms), 10'000);
    std::size_t bytes = 0;
    measure::Nanoseconds before = 0;
    for (const Shaper::Quantum& quantum : all) {
        EXPECT_LE(quantum.bytes, 64U);  // a millisecond's worth would be 7
        EXPECT_GT(quantum.due, before);
        before = quantum.due;
        bytes += quantum.bytes;
    }
    EXPECT_EQ(bytes, 10'000U);
    EXPECT_EQ(all_of(plain(500'000'000), 3000).front().bytes, k_packet_payload);
}

TEST(Shaper, WhatComesLaterStartsLater) {
    Shaper shaper(plain(8'000, 5 * k_ms));  // a byte a millisecond
    shaper.begin(100 * k_ms);
    shaper.offer(10, 100 * k_ms);
    EXPECT_EQ(shaper.next().due, 115 * k_ms);
    shaper.sent();
    EXPECT_EQ(shaper.next().bytes, 0U);
    shaper.offer(10, 200 * k_ms);
    EXPECT_EQ(shaper.next().due, 215 * k_ms);
    shaper.sent();
    shaper.offer(10, 201 * k_ms);  // while the link still carries the last ones
    EXPECT_EQ(shaper.next().due, 225 * k_ms);
}

TEST(Shaper, NothingAccumulates) {
    // 1/3 of a nanosecond a byte would be lost on every quantum.
    const auto all = all_of(plain(3'000'000), 3'000'000);
    EXPECT_EQ(all.back().due, 8'000'000'000);
}

TEST(Shaper, JitterKeepsOrderAndBounds) {
    LinkWay way = plain(1'000'000, 20 * k_ms);
    way.jitter = 10 * k_ms;
    way.seed = 7;
    measure::Nanoseconds before = 0;
    bool late = false;
    for (const Shaper::Quantum& quantum : all_of(way, 50'000)) {
        EXPECT_GE(quantum.due, before);
        before = quantum.due;
        late = late || quantum.due > 0;
    }
    EXPECT_GE(before, ideal(way, 50'000) - way.jitter);
    EXPECT_LE(before, ideal(way, 50'000) + way.jitter);
}

TEST(Shaper, ALossCostsItsRecovery) {
    LinkWay way = plain(1'000'000, 50 * k_ms);
    way.loss = 0.02;
    int lost = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        way.seed = seed;
        const measure::Nanoseconds late =
            all_of(way, k_packet_payload).back().due - ideal(way, k_packet_payload);
        if (late == 0) continue;
        ++lost;
        EXPECT_GE(late, 200 * k_ms);  // nothing follows: the time-out
    }
    EXPECT_NEAR(lost, 40, 20);
    // In a long message most losses cost a round trip.
    way.seed = 1;
    const double packets_sent = 1000;
    const double expected = packets_sent * way.loss * static_cast<double>(way.rtt);
    const auto message = static_cast<std::size_t>(packets_sent) * k_packet_payload;
    const auto late =
        static_cast<double>(modelled_transfer(way, message, 200) - ideal(way, message));
    EXPECT_NEAR(late / expected, 1.05, 0.15);
}

TEST(Shaper, TheSameSeedIsTheSameChance) {
    LinkWay way = plain(64'000, 100 * k_ms);
    way.loss = 0.1;
    way.jitter = 30 * k_ms;
    way.seed = 3;
    EXPECT_EQ(modelled_transfer(way, 50'000), modelled_transfer(way, 50'000));
    // A shorter message meets what the start of a longer one meets.
    const auto longer = all_of(way, 60'000);
    const auto shorter = all_of(way, 30'000);
    for (std::size_t i = 0; i < 20; ++i)
        EXPECT_EQ(longer[i].due, shorter[i].due) << i;
}

TEST(Shaper, AColdConnectionStartsSlowly) {
    LinkWay way = plain(1'000'000'000, 50 * k_ms);
    way.cold = way.handshake = true;
    const auto in_ms = [&](std::size_t bytes) { return modelled_transfer(way, bytes) / k_ms; };
    EXPECT_EQ(in_ms(1000), 150);    // handshake, one way
    EXPECT_EQ(in_ms(14'480), 150);  // ten segments
    EXPECT_EQ(in_ms(14'481), 250);  // one more round trip
    EXPECT_EQ(in_ms(43'440), 250);  // 10 + 20
    EXPECT_EQ(in_ms(43'441), 350);
}

TEST(Shaper, WhoeverIsFirstOpensTheConnection) {
    Link link{.name = "test",
              .down = 1'000'000'000,
              .up = 1'000'000'000,
              .rtt = 100 * k_ms,
              .cold = true};
    const auto last = [&](bool up, bool down) {
        return arrivals(ways_of(link, up, down, 1), false, 24, 1000).last / k_ms;
    };
    EXPECT_EQ(last(true, false), 150);
    EXPECT_EQ(last(false, true), 150);
    EXPECT_EQ(last(true, true), 200);  // one handshake, there and back
}

TEST(Shaper, OfLongMessagesFewAreDrawnAndOfVeryLongOnesTheStart) {
    LinkWay way = plain(20'000'000, 250 * k_ms);
    way.loss = 0.02;
    way.seed = 5;
    for (const std::size_t bytes : {100'000'000UL, 3'000'000'000UL}) {
        const double recovery =
            static_cast<double>(packets(bytes)) * way.loss * static_cast<double>(way.rtt);
        const double late = static_cast<double>(modelled_transfer(way, bytes) - ideal(way, bytes));
        EXPECT_NEAR(late / recovery, 1.02, 0.08) << bytes;
    }
    way.loss = 0;
    EXPECT_NEAR(static_cast<double>(modelled_transfer(way, 3'000'000'000UL)),
                static_cast<double>(ideal(way, 3'000'000'000UL)), 2);
}

TEST(Shaper, MemoryIsBoundedWhateverIsOffered) {
    Shaper shaper(plain(1'000'000, 10 * k_ms));
    shaper.begin(0);
    for (int i = 0; i < 1'000'000; ++i)
        shaper.offer(1, i);
    std::size_t bytes = 0;
    measure::Nanoseconds before = 0;
    for (; shaper.next().bytes != 0; shaper.sent()) {
        bytes += shaper.next().bytes;
        EXPECT_GE(shaper.next().due, before);
        before = shaper.next().due;
    }
    EXPECT_EQ(bytes, 1'000'000U);
    EXPECT_EQ(before, 8'010 * k_ms);
}

TEST(Arrivals, CutThroughOverlapsWhereStoreAddsUp) {
    LinkWays ways{.up = plain(1'000'000, 10 * k_ms), .down = plain(1'000'000, 10 * k_ms)};
    const Arrivals store = arrivals(ways, false, 24, 125'000);
    EXPECT_EQ(store.last, 2'020 * k_ms);
    EXPECT_EQ(store.longest_gap, 11 * k_ms);  // until the first quantum
    const Arrivals through = arrivals(ways, true, 24, 125'000);
    EXPECT_EQ(through.last, 1'021 * k_ms);
    EXPECT_EQ(through.first, 22 * k_ms);
    ways.down = plain(500'000, 10 * k_ms);
    EXPECT_EQ(arrivals(ways, true, 24, 125'000).last, 2'021 * k_ms);
}

TEST(Pacer, ReleasesWhatIsDue) {
    Pacer pacer(plain(8'000'000, 5 * k_ms));  // a byte a microsecond, quanta of 1,000
    EXPECT_EQ(pacer.next_due(), measure::k_never);
    pacer.begin(100 * k_ms);
    pacer.offer(2'500, 100 * k_ms);
    EXPECT_EQ(pacer.next_due(), 106 * k_ms);
    pacer.release(105 * k_ms);
    EXPECT_EQ(pacer.released(), 0U);
    pacer.release(106 * k_ms - 50'000);  // as near as sleeping comes
    EXPECT_EQ(pacer.released(), 1'000U);
    pacer.sent(400);
    pacer.release(110 * k_ms);
    EXPECT_EQ(pacer.released(), 2'100U);
    EXPECT_EQ(pacer.next_due(), measure::k_never);
    EXPECT_EQ(pacer.last_due(), 107'500'000);
}

TEST(Shaper, WireBytes) {
    LinkWay way = plain(1);
    way.overhead = 52;
    EXPECT_EQ(packets(0), 0U);
    EXPECT_EQ(packets(1448), 1U);
    EXPECT_EQ(packets(1449), 2U);
    EXPECT_EQ(wire_bytes(way, 1449), 1449U + 104U);
}

}  // namespace
}  // namespace perfrelay::net
