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
// A cold connection takes a round trip for its handshake, then sends 10 segments, then twice as
// many each round trip (RFC 6928, RFC 5681 3.1).
// Tested by tests/unit/common/net/shaper_test.cpp.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "common/measure/clock.h"
#include "common/net/link.h"

namespace perfrelay::net {

// One direction of a link.
struct LinkWay {
    std::uint64_t rate = 0;          // bit/s
    measure::Nanoseconds delay = 0;  // one way
    measure::Nanoseconds rtt = 0;
    measure::Nanoseconds jitter = 0;
    double loss = 0;
    std::uint32_t overhead = 0;
    bool cold = false;
    std::uint64_t seed = 0;
};
LinkWay up_of(const Link& link, std::uint64_t seed);
LinkWay down_of(const Link& link, std::uint64_t seed);

inline constexpr std::size_t k_packet_payload = 1448;

class Shaper {
  public:
    explicit Shaper(const LinkWay& way);

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

  private:
    struct Offer {
        std::size_t bytes;
        measure::Nanoseconds time;
    };
    measure::Nanoseconds wire_time(std::uint64_t bytes) const;
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

// From the first byte's start to the last one's arrival, of a message of `bytes` on an idle link;
// the mean of `draws` messages where chance plays a part.
measure::Nanoseconds modelled_transfer(const LinkWay& way, std::size_t bytes, int draws = 64);

// Payload and headers, in bytes; packets.
std::uint64_t wire_bytes(const LinkWay& way, std::size_t bytes);
std::size_t packets(std::size_t bytes);

}  // namespace perfrelay::net
