#include "common/net/shaper.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace perfrelay::net {

namespace {

constexpr std::uint64_t k_ns_a_second = 1'000'000'000;
constexpr measure::Nanoseconds k_least_time_out = 200'000'000;
constexpr std::uint64_t k_first_window = 10 * k_packet_payload;
constexpr std::size_t k_least_quantum = 64;

// SplitMix64 (Steele, Lea, Flood 2014): a number of 64 bits, well mixed.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31U);
}

LinkWay way_of(const Link& link, std::uint64_t rate, std::uint64_t seed) {
    return {.rate = rate,
            .delay = link.rtt / 2,
            .rtt = link.rtt,
            .jitter = link.jitter,
            .loss = link.loss,
            .overhead = link.overhead,
            .cold = link.cold,
            .seed = seed};
}

}  // namespace

LinkWay up_of(const Link& link, std::uint64_t seed) {
    return way_of(link, link.up, mix(seed));
}

LinkWay down_of(const Link& link, std::uint64_t seed) {
    return way_of(link, link.down, mix(seed + 1));
}

Shaper::Shaper(const LinkWay& way) : way_(way) {
    const std::uint64_t millisecond = way.rate / 8000;
    quantum_ = static_cast<std::size_t>(
        std::clamp<std::uint64_t>(millisecond, k_least_quantum, k_packet_payload));
    slot_ = std::max<measure::Nanoseconds>(1, wire_time(k_packet_payload + way.overhead));
}

measure::Nanoseconds Shaper::wire_time(std::uint64_t bytes) const {
    // Whole seconds apart, so that nothing overflows.
    const std::uint64_t bits = bytes * 8;
    const std::uint64_t seconds = bits / way_.rate;
    const std::uint64_t rest = bits % way_.rate;
    const double fraction = static_cast<double>(rest) / static_cast<double>(way_.rate);
    return static_cast<measure::Nanoseconds>(seconds * k_ns_a_second) +
           std::llround(fraction * static_cast<double>(k_ns_a_second));
}

// Uniform in [0, 1).
double Shaper::draw(std::uint64_t slot, std::uint64_t purpose) const {
    const std::uint64_t bits = mix(way_.seed ^ mix(slot * 4 + purpose));
    return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

// How much later everything gets when the packet that starts in `slot` is lost, or 0.
measure::Nanoseconds Shaper::recovery(std::uint64_t slot) const {
    if (way_.loss <= 0 || draw(slot, 0) >= way_.loss) return 0;
    measure::Nanoseconds time_out = std::max(k_least_time_out, way_.rtt + 4 * way_.jitter);
    measure::Nanoseconds wait = waiting_ > 3 * k_packet_payload ? way_.rtt : time_out;
    constexpr std::uint64_t k_most_repeats = 6;
    for (std::uint64_t repeat = 1; repeat <= k_most_repeats; ++repeat) {
        if (draw(slot + (repeat << 40U), 1) >= way_.loss) break;
        wait += time_out;
        time_out *= 2;
    }
    return wait;
}

void Shaper::begin(measure::Nanoseconds now) {
    offers_.clear();
    waiting_ = 0;
    start_ = busy_ = now;
    busy_bytes_ = 0;
    position_ = 0;
    lost_time_ = 0;
    head_ = {};
}

void Shaper::offer(std::size_t bytes, measure::Nanoseconds now) {
    if (bytes == 0) return;
    offers_.push_back({bytes, now});
    waiting_ += bytes;
}

const Shaper::Quantum& Shaper::next() {
    if (head_.bytes != 0 || offers_.empty()) return head_;
    Offer& offer = offers_.front();
    measure::Nanoseconds earliest = offer.time;
    if (way_.cold) {
        // Window after window, each twice the one before.
        const std::uint64_t rounds = std::bit_width(position_ / k_first_window + 1) - 1U;
        earliest =
            std::max(earliest, start_ + way_.rtt * static_cast<measure::Nanoseconds>(rounds + 1));
    }
    const measure::Nanoseconds link_free = busy_ + wire_time(busy_bytes_);
    if (earliest > link_free) {
        busy_ = earliest;
        busy_bytes_ = 0;
    }
    const measure::Nanoseconds begin = std::max(earliest, link_free);
    const std::size_t in_packet = position_ % k_packet_payload;
    const std::size_t size = std::min({quantum_, k_packet_payload - in_packet, offer.bytes});
    const auto slot = static_cast<std::uint64_t>((begin - start_) / slot_);
    if (in_packet == 0) {
        lost_time_ += recovery(slot);
        busy_bytes_ += way_.overhead;
    }
    busy_bytes_ += size;
    measure::Nanoseconds due = busy_ + wire_time(busy_bytes_) + way_.delay + lost_time_;
    if (way_.jitter > 0) {
        const double off = 2 * draw(slot, 2) - 1;
        due += std::max(-way_.delay,
                        static_cast<measure::Nanoseconds>(off * static_cast<double>(way_.jitter)));
    }
    head_.due = std::max(head_.due, due);
    head_.bytes = size;
    position_ += size;
    waiting_ -= size;
    offer.bytes -= size;
    if (offer.bytes == 0) offers_.pop_front();
    return head_;
}

measure::Nanoseconds modelled_transfer(const LinkWay& way, std::size_t bytes, int draws) {
    const bool chance = way.loss > 0 || way.jitter > 0;
    const int messages = chance ? std::max(1, draws) : 1;
    double sum = 0;
    for (int message = 0; message < messages; ++message) {
        LinkWay drawn = way;
        drawn.seed = mix(way.seed + static_cast<std::uint64_t>(message));
        Shaper shaper(drawn);
        shaper.begin(0);
        shaper.offer(bytes, 0);
        measure::Nanoseconds last = 0;
        while (shaper.next().bytes != 0) {
            last = shaper.next().due;
            shaper.sent();
        }
        sum += static_cast<double>(last);
    }
    return static_cast<measure::Nanoseconds>(sum / messages);
}

std::size_t packets(std::size_t bytes) {
    return (bytes + k_packet_payload - 1) / k_packet_payload;
}

std::uint64_t wire_bytes(const LinkWay& way, std::size_t bytes) {
    return bytes + std::uint64_t{way.overhead} * packets(bytes);
}

}  // namespace perfrelay::net
