#pragma once
// Link: the network between client and relay as a user names or describes it.
//
//   gprs   |   down=240k,up=200k,rtt=840ms,jitter=50ms,loss=1%,overhead=52,cold   |   gprs,loss=0
//
// Rates are bits a second, decimal. rtt is the round trip of an empty message, half of it each way.
// jitter: each packet's delay is off by up to that much, order kept. loss: of packets; what is lost
// costs its recovery, never bytes. overhead: bytes of headers each packet has beside its at most
// 1,448 bytes of payload (52: IPv4, TCP and its time stamps). cold: a new connection, its handshake
// and slow start included.
// Source: of each profile, its own; "nominal, ours" where none can be cited.
// Tested by tests/unit/common/net/link_test.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/measure/clock.h"

namespace perfrelay::net {

struct Link {
    std::string name;        // as the user gave it
    std::uint64_t down = 0;  // bit/s, relay to client
    std::uint64_t up = 0;    // bit/s, client to relay
    measure::Nanoseconds rtt = 0;
    measure::Nanoseconds jitter = 0;
    double loss = 0;  // 0 to 0.5
    std::uint32_t overhead = 52;
    bool cold = false;
    std::string source = "the command line";

    bool operator==(const Link&) const = default;
};

// The profiles that come with the program, slowest first.
std::span<const Link> built_in_links();

// A name of `known`, or keys and values, or a name and what differs. Nothing, and one line in
// `why`, when it is none of these.
std::optional<Link> parse_link(std::string_view text, std::span<const Link> known,
                               std::string& why);

// Lines "name = keys and values", blank ones, and comments after "#". `why` has the line's number.
std::optional<std::vector<Link>> parse_link_file(std::string_view text, std::string& why);

// "240k", "1.6M", "250": as parse_link reads it.
std::string format_rate(std::uint64_t bits_per_second);

}  // namespace perfrelay::net
