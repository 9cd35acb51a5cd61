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

LinkWays ways_of(const Link& link, bool goes_up, bool comes_down, std::uint64_t seed) {
    LinkWays ways;
    if (goes_up) {
        ways.up = way_of(link, link.up, mix(seed));
        ways.up.handshake = link.cold;
    }
    if (comes_down) {
        ways.down = way_of(link, link.down, mix(seed + 1));
        ways.down.handshake = link.cold && !goes_up;
    }
    return ways;
}

Shaper::Shaper(const LinkWay& way, std::size_t largest_quantum) : way_(way) {
    const std::uint64_t millisecond = way.rate / 8000;
    quantum_ = largest_quantum != 0 ? largest_quantum
                                    : static_cast<std::size_t>(std::clamp<std::uint64_t>(
                                          millisecond, k_least_quantum, k_packet_payload));
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
    waiting_ += bytes;
    // Memory is bounded: with so many waiting, the times of the last ones make no difference.
    if (offers_.size() >= k_most_offers) {
        offers_.back().bytes += bytes;
        return;
    }
    offers_.push_back({bytes, now});
}

const Shaper::Quantum& Shaper::next() {
    if (head_.bytes != 0 || offers_.empty()) return head_;
    Offer& offer = offers_.front();
    measure::Nanoseconds earliest = offer.time;
    if (way_.cold || way_.handshake) {
        // Window after window, each twice the one before.
        const std::uint64_t rounds =
            way_.cold ? std::bit_width(position_ / k_first_window + 1) - 1U : 0;
        const std::uint64_t trips = rounds + (way_.handshake ? 1 : 0);
        earliest = std::max(earliest, start_ + way_.rtt * static_cast<measure::Nanoseconds>(trips));
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

void Pacer::begin(measure::Nanoseconds now) {
    shaper_.begin(now);
    released_ = 0;
    last_due_ = now;
}

void Pacer::release(measure::Nanoseconds now) {
    constexpr measure::Nanoseconds k_look_ahead = 50'000;
    while (shaper_.next().bytes != 0 && shaper_.next().due <= now + k_look_ahead) {
        released_ += shaper_.next().bytes;
        last_due_ = shaper_.next().due;
        shaper_.sent();
    }
}

measure::Nanoseconds Pacer::next_due() {
    return shaper_.next().bytes != 0 ? shaper_.next().due : measure::k_never;
}

namespace {

// Takes the quanta of `shaper`, each in its turn.
class Arriving {
  public:
    void drain(Shaper& shaper) {
        while (shaper.next().bytes != 0) {
            const measure::Nanoseconds due = shaper.next().due;
            if (!any_) found_.first = due;
            any_ = true;
            found_.longest_gap = std::max(found_.longest_gap, due - found_.last);
            found_.last = due;
            shaper.sent();
        }
    }
    const Arrivals& found() const { return found_; }

  private:
    Arrivals found_;
    bool any_ = false;
};

}  // namespace

Arrivals arrivals(const LinkWay& way, std::size_t bytes) {
    Shaper shaper(way);
    shaper.begin(0);
    shaper.offer(bytes, 0);
    Arriving arriving;
    arriving.drain(shaper);
    return arriving.found();
}

namespace {

// Up and down again: `first` bytes when these have arrived, then the rest by `unit` bytes;
// `quantum` as Shaper takes it.
Arrivals arrivals_through(const LinkWays& ways, std::size_t first, std::size_t unit,
                          std::size_t bytes, std::size_t quantum) {
    Shaper up(ways.up, quantum);
    Shaper down(ways.down, quantum);
    up.begin(0);
    up.offer(bytes, 0);
    Arriving arriving;
    std::size_t arrived = 0;
    std::size_t returned = 0;
    for (; up.next().bytes != 0; up.sent()) {
        arrived += up.next().bytes;
        if (arrived < first) continue;
        if (returned == 0) down.begin(up.next().due);
        const std::size_t back = arrived == bytes ? bytes : first + (arrived - first) / unit * unit;
        down.offer(back - returned, up.next().due);
        returned = back;
        arriving.drain(down);
    }
    return arriving.found();
}

}  // namespace

Arrivals arrivals(const LinkWays& ways, bool cut_through, std::size_t head, std::size_t bytes) {
    if (ways.down.rate == 0) return arrivals(ways.up, bytes);
    if (ways.up.rate == 0) return arrivals(ways.down, bytes);
    if (cut_through) return arrivals_through(ways, head, 1, bytes, 0);
    const Arrivals up = arrivals(ways.up, bytes);
    const Arrivals down = arrivals(ways.down, bytes);
    return {.first = up.last + down.first,
            .last = up.last + down.last,
            .longest_gap = std::max(up.longest_gap, down.longest_gap)};
}

std::uint64_t draw_seed(std::uint64_t seed, std::size_t draw) {
    return mix(seed + draw);
}

measure::Nanoseconds modelled_transfer(const LinkWay& way, std::size_t bytes, int draws) {
    constexpr std::size_t k_most_packets = 200'000;
    if (way.rate == 0) return 0;
    const bool chance = way.loss > 0 || way.jitter > 0;
    const std::size_t drawn = chance ? std::min(bytes, k_most_packets * k_packet_payload) : bytes;
    std::size_t messages = 1;
    if (chance && draws > 1 && bytes != 0) {
        messages = std::clamp<std::size_t>(k_most_packets / packets(drawn), 1,
                                           static_cast<std::size_t>(draws));
    }
    double sum = 0;
    for (std::size_t message = 0; message < messages; ++message) {
        LinkWay of_message = way;
        of_message.seed = draw_seed(way.seed, message);
        Shaper shaper(of_message, k_packet_payload);
        shaper.begin(0);
        shaper.offer(bytes, 0);
        measure::Nanoseconds last = 0;
        for (std::size_t left = drawn; left != 0; left -= std::min(left, shaper.next().bytes)) {
            if (left != drawn) shaper.sent();
            last = shaper.next().due;
        }
        sum += static_cast<double>(last);
        if (drawn == bytes) continue;
        // The rest takes its time, and its losses in proportion.
        const std::uint64_t rest = wire_bytes(way, bytes) - wire_bytes(way, drawn);
        const double share = static_cast<double>(bytes - drawn) / static_cast<double>(drawn);
        sum += static_cast<double>(shaper.wire_time(rest)) +
               share * static_cast<double>(shaper.lost_time());
    }
    return std::llround(sum / static_cast<double>(messages));
}

measure::Nanoseconds modelled_exchange(const LinkWays& ways, bool cut_through, std::size_t head,
                                       std::size_t bytes) {
    constexpr std::size_t k_most_packets = 20'000;
    constexpr std::size_t k_draws = 64;
    if (!cut_through || ways.up.rate == 0 || ways.down.rate == 0) {
        return modelled_transfer(ways.up, bytes) + modelled_transfer(ways.down, bytes);
    }
    const bool chance = ways.up.loss + ways.down.loss > 0 || ways.up.jitter + ways.down.jitter > 0;
    const std::size_t draws =
        chance ? std::clamp<std::size_t>(k_most_packets / packets(bytes), 1, k_draws) : 1;
    double sum = 0;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        LinkWays of_draw = ways;
        of_draw.up.seed = draw_seed(ways.up.seed, draw);
        of_draw.down.seed = draw_seed(ways.down.seed, draw);
        sum += static_cast<double>(arrivals(of_draw, true, head, bytes).last);
    }
    return std::llround(sum / static_cast<double>(draws));
}

measure::Nanoseconds modelled_batch(const LinkWays& ways, std::size_t bytes, std::size_t count) {
    constexpr std::size_t k_most_packets = 20'000;
    constexpr std::size_t k_draws = 16;
    if (bytes == 0 || count == 0) return 0;
    const bool chance = ways.up.loss + ways.down.loss > 0 || ways.up.jitter + ways.down.jitter > 0;
    const std::size_t of_one = packets(bytes);
    const std::size_t drawn = std::clamp<std::size_t>(k_most_packets / of_one, 1, count);
    const std::size_t draws =
        chance ? std::clamp<std::size_t>(k_most_packets / (drawn * of_one), 1, k_draws) : 1;
    double sum = 0;
    for (std::size_t draw = 0; draw < draws; ++draw) {
        LinkWays of_draw = ways;
        of_draw.up.seed = draw_seed(ways.up.seed, draw);
        of_draw.down.seed = draw_seed(ways.down.seed, draw);
        const bool both = ways.up.rate != 0 && ways.down.rate != 0;
        const Arrivals found = both ? arrivals_through(of_draw, bytes, bytes, drawn * bytes, 0)
                                    : arrivals(of_draw, false, 0, drawn * bytes);
        sum += static_cast<double>(found.last);
    }
    return std::llround(sum / static_cast<double>(draws) * static_cast<double>(count) /
                        static_cast<double>(drawn));
}

std::size_t queue_bound(const LinkWay& way) {
    constexpr std::size_t k_least = std::size_t{64} << 10U;
    const double product = static_cast<double>(way.rate) / 8e9 * static_cast<double>(way.delay);
    return std::max(k_least, static_cast<std::size_t>(std::min(2 * product, 1e12)));
}

std::size_t packets(std::size_t bytes) {
    return (bytes + k_packet_payload - 1) / k_packet_payload;
}

std::uint64_t wire_bytes(const LinkWay& way, std::size_t bytes) {
    return bytes + std::uint64_t{way.overhead} * packets(bytes);
}

}  // namespace perfrelay::net
