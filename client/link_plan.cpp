#include "client/link_plan.h"

#include <algorithm>
#include <cmath>

#include "common/cli/units.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

namespace {

using measure::Nanoseconds;

constexpr Nanoseconds k_millisecond = 1'000'000;
constexpr Nanoseconds k_longest_gap = 10'000'000'000;
constexpr std::size_t k_most_held = std::size_t{16} << 20U;  // WIRE 4: by a relay

std::string text(Nanoseconds time) {
    return format_duration(static_cast<double>(time));
}

std::string obstacle(const LinkTerms& terms, const net::LinkWays& ways, const net::Link& link,
                     const net::Arrivals& found, Nanoseconds path) {
    if (std::max(ways.up.rate, ways.down.rate) > net::k_fastest_emulated) {
        return "links faster than 500 Mbit/s are not emulated";
    }
    if (terms.path_rtt > std::max(k_millisecond, link.rtt / 10)) {
        return "the way to the relay has a round trip of " + text(terms.path_rtt) +
               ", more than a tenth of the link's";
    }
    if (found.longest_gap > std::min(k_longest_gap, terms.quiet)) {
        return "nothing would arrive for " + text(found.longest_gap) + ", and sessions end then";
    }
    if (found.last > terms.longest) {
        return "a transfer takes " + text(found.last) + ", longer than a session may";
    }
    if (path > found.last / 2) {
        return "the way to the relay is not twice as fast: a transfer takes " + text(path) +
               " of the link's " + text(found.last);
    }
    if (terms.cut_through && net::queue_bound(ways.down) > k_most_held) {
        return "cut-through: more would be under way than a relay holds";
    }
    if (!terms.force && found.last > terms.link_time) {
        return "a transfer takes " + text(found.last) + ", more than --link-time " +
               text(terms.link_time);
    }
    return "";
}

net::Arrivals arrivals(const LinkTerms& terms, const net::LinkWays& ways, std::size_t size) {
    return net::arrivals(ways, terms.cut_through, wire::k_header_size, wire::k_header_size + size);
}

}  // namespace

LinkTerms link_terms(const Options& options) {
    return {.direction = options.direction,
            .cut_through = options.cut_through,
            .link_time = options.link_time,
            .force = options.emulate,
            .runs = std::max<std::size_t>(static_cast<std::size_t>(options.schedule.main.runs),
                                          measure::k_min_for_interval),
            .seed = options.schedule.seed};
}

net::LinkWays ways_of_draw(const LinkTerms& terms, const net::Link& link, std::size_t draw) {
    net::LinkWays ways = net::ways_of(link, terms.direction != Direction::decode,
                                      terms.direction != Direction::encode, terms.seed);
    ways.up.seed = net::draw_seed(ways.up.seed, draw);
    ways.down.seed = net::draw_seed(ways.down.seed, draw);
    return ways;
}

Nanoseconds planned_transfer(const LinkTerms& terms, const net::LinkWays& ways, std::size_t size) {
    return arrivals(terms, ways, size).last;
}

LinkPlan plan_link(const LinkTerms& terms, const net::Link& link, std::size_t size,
                   Nanoseconds path) {
    const net::LinkWays ways = ways_of_draw(terms, link, 0);
    const net::Arrivals found = arrivals(terms, ways, size);
    LinkPlan plan;
    plan.transfer = std::max<Nanoseconds>(found.last, 1);
    plan.modelled = obstacle(terms, ways, link, found, path);
    if (!plan.modelled.empty()) return plan;
    const auto room =
        static_cast<std::size_t>(std::max<Nanoseconds>(terms.link_time / plan.transfer, 1));
    plan.warm_up = room > 1;
    plan.runs = std::min(terms.runs, room - (plan.warm_up ? 1 : 0));
    return plan;
}

net::Link link_of_time(const LinkTerms& terms, std::size_t size, Nanoseconds time) {
    net::Link link;
    const net::LinkWay way{.rate = 1, .overhead = link.overhead};
    const double bits = 8.0 *
                        static_cast<double>(net::wire_bytes(way, wire::k_header_size + size)) *
                        (terms.direction == Direction::both ? 2 : 1);
    const double rate = std::clamp(bits / static_cast<double>(std::max<Nanoseconds>(time, 1)) * 1e9,
                                   1000.0, static_cast<double>(net::k_fastest_emulated));
    const double unit = std::pow(10.0, std::floor(std::log10(rate)) - 1);
    link.down = link.up = static_cast<std::uint64_t>(std::llround(std::round(rate / unit) * unit));
    return link;
}

}  // namespace perfrelay::client
