#pragma once
// Shaper: when each byte of a message arrives over a link. Arithmetic alone: no clock, no socket,
// no memory but what has been offered and not yet sent.
//
// A message is cut into packets of at most 1,448 bytes of payload, each with its headers, and these
// into quanta of at most a millisecond's worth. A quantum starts when the one before has left and
// it was offered, takes its wire bytes at the link's rate, and is due half a round trip later,
// never before an earlier one. Times come from the start of a busy period and the bytes since, so
// that nothing accumulates. A lost packet delays itself and all behind it by its recovery: a round
// trip when three more packets follow, else a retransmission time-out of max(200 ms, RTT + 4
// jitter), doubled each time it is lost again (RFC 6298, RFC 5681 3.2). What is lost and how late
// packets are is drawn by the time they start at, from a seed: the same for every format.
// A cold connection sends 10 segments, then twice as many each round trip (RFC 6928, RFC 5681 3.1);
// whoever opens it has waited a round trip for the handshake before that.
//
// Pacer: a Shaper held against the clock: how much of what has been offered may be there by now.
// Whoever sends that much, and no more, emulates the link.
// Tested by tests/unit/common/net/shaper_test.cpp.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "common/measure/clock.h"
#include "common/net/link.h"

namespace perfrelay::net {

// One direction of a link. A rate of 0 is none.
struct LinkWay {
    std::uint64_t rate = 0;          // bit/s
    measure::Nanoseconds delay = 0;  // one way
    measure::Nanoseconds rtt = 0;
    measure::Nanoseconds jitter = 0;
    double loss = 0;
    std::uint32_t overhead = 0;
    bool cold = false;       // slow start
    bool handshake = false;  // this side opens the connection
    std::uint64_t seed = 0;

    bool operator==(const LinkWay&) const = default;
};

// Both directions, as an exchange meets them that goes up, comes down, or does both. A cold
// connection is opened by whichever is first.
struct LinkWays {
    LinkWay up;
    LinkWay down;
};
LinkWays ways_of(const Link& link, bool goes_up, bool comes_down, std::uint64_t seed);

inline constexpr std::size_t k_packet_payload = 1448;
// Links faster than this are not emulated: a program that sleeps cannot keep up.
inline constexpr std::uint64_t k_fastest_emulated = 500'000'000;  // bit/s

class Shaper {
  public:
    // `largest_quantum`: at most so many bytes; packets are not cut when it is a packet's payload.
    explicit Shaper(const LinkWay& way, std::size_t largest_quantum = 0);

    // A message starts on a link that is idle.
    void begin(measure::Nanoseconds now);
    // `bytes` more of it are there. Whatever is offered before the first of it is due counts as
    // known when a loss is recovered from.
    void offer(std::size_t bytes, measure::Nanoseconds now);

    // The next quantum, and when it arrives; no bytes when nothing is left to send.
    struct Quantum {
        std::size_t bytes = 0;
        measure::Nanoseconds due = 0;
    };
    const Quantum& next();
    void sent() { head_.bytes = 0; }

    // So far: by losses.
    measure::Nanoseconds lost_time() const { return lost_time_; }
    // What `bytes` take on the link, without any delay.
    measure::Nanoseconds wire_time(std::uint64_t bytes) const;

  private:
    static constexpr std::size_t k_most_offers = 4096;
    struct Offer {
        std::size_t bytes;
        measure::Nanoseconds time;
    };
    measure::Nanoseconds recovery(std::uint64_t slot) const;
    double draw(std::uint64_t slot, std::uint64_t purpose) const;

    LinkWay way_;
    std::size_t quantum_;        // payload bytes
    measure::Nanoseconds slot_;  // a full packet's time
    std::deque<Offer> offers_;
    std::size_t waiting_ = 0;         // bytes in them
    measure::Nanoseconds start_ = 0;  // of the message
    measure::Nanoseconds busy_ = 0;   // start of the busy period
    std::uint64_t busy_bytes_ = 0;    // wire bytes since
    std::uint64_t position_ = 0;      // payload bytes of the message dealt with
    measure::Nanoseconds lost_time_ = 0;
    Quantum head_;
};

class Pacer {
  public:
    explicit Pacer(const LinkWay& way) : shaper_(way) {}

    void begin(measure::Nanoseconds now);
    void offer(std::size_t bytes, measure::Nanoseconds now) { shaper_.offer(bytes, now); }
    // Releases what is due by `now`, or within the next 50 us: sleeping takes longer than that.
    void release(measure::Nanoseconds now);
    // Bytes released and not yet sent.
    std::size_t released() const { return released_; }
    void sent(std::size_t bytes) { released_ -= bytes; }
    // When more is released; k_never when nothing is left.
    measure::Nanoseconds next_due();
    // When the last byte that was released was due.
    measure::Nanoseconds last_due() const { return last_due_; }

  private:
    Shaper shaper_;
    std::size_t released_ = 0;
    measure::Nanoseconds last_due_ = 0;
};

// A message of `bytes` that is all there at 0, on an idle link: when its first quantum and its last
// one arrive, and the longest time in which nothing does.
struct Arrivals {
    measure::Nanoseconds first = 0;
    measure::Nanoseconds last = 0;
    measure::Nanoseconds longest_gap = 0;
};
Arrivals arrivals(const LinkWay& way, std::size_t bytes);
// The same of an exchange: up, down, or up and back again, which begins when it has arrived, or
// with `cut_through` when its first `head` bytes have. A rate of 0 is a way not gone.
Arrivals arrivals(const LinkWays& ways, bool cut_through, std::size_t head, std::size_t bytes);

// The arrival of the last byte of such a message; the mean of messages drawn from the seeds
// `draw_seed(way.seed, 0)` to `draws` - 1 where chance plays a part. Of long ones fewer, and of
// very long ones the start: at most about 200,000 packets in all. 0 of a way not gone.
measure::Nanoseconds modelled_transfer(const LinkWay& way, std::size_t bytes, int draws = 64);
std::uint64_t draw_seed(std::uint64_t seed, std::size_t draw);

// The arrival of the last byte of such an exchange, modelled as above.
measure::Nanoseconds modelled_exchange(const LinkWays& ways, bool cut_through, std::size_t head,
                                       std::size_t bytes);

// The same of `count` messages that follow each other without waiting; each comes back when it has
// arrived. Of very many the first, and the rest in proportion.
measure::Nanoseconds modelled_batch(const LinkWays& ways, std::size_t bytes, std::size_t count);

// How much a sender may hold that has not arrived: two bandwidth-delay products, at least 64 KiB.
std::size_t queue_bound(const LinkWay& way);

// Payload and headers, in bytes; packets.
std::uint64_t wire_bytes(const LinkWay& way, std::size_t bytes);
std::size_t packets(std::size_t bytes);

}  // namespace perfrelay::net
