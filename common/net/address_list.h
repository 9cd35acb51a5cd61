#pragma once
// AddressList: which peers may come, "10.0.0.0/8,fd00::/8,192.0.2.7".
//
// Contract: items between commas, white space or lines; '#' begins a comment up to the line's end.
// IPv4 in an IPv6 socket is IPv4. Bits behind the prefix must be zero, so that what was meant is
// what is written.
// Source: RFC 4291 section 2.3, RFC 4632 section 3.1.
// Tested by tests/unit/common/net/address_list_test.cpp.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/net/tcp.h"

namespace perfrelay::net {

class AddressList {
  public:
    // Nothing, and one line in `why`, when an item is no address or network.
    static std::optional<AddressList> parse(std::string_view text, std::string& why);

    bool empty() const { return networks_.empty(); }
    bool contains(const Endpoint& endpoint) const;
    void add(const AddressList& more);

  private:
    // IPv4 addresses are kept as ::ffff:a.b.c.d, their prefixes 96 longer.
    struct Network {
        std::array<std::uint8_t, 16> address{};
        unsigned prefix = 0;  // bits
    };
    static std::optional<Network> parse_network(const std::string& item, std::string& why);

    std::vector<Network> networks_;
};

}  // namespace perfrelay::net
