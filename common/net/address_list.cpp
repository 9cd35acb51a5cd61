#include "common/net/address_list.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace perfrelay::net {
namespace {

using Address = std::array<std::uint8_t, 16>;
constexpr unsigned k_mapped_bits = 96;
constexpr unsigned k_bits = 128;

Address mapped(const in_addr& v4) {
    Address address{};
    address[10] = address[11] = 0xff;
    std::memcpy(&address[12], &v4, sizeof v4);
    return address;
}

// Whether the first `prefix` bits of both are the same.
bool same_network(const Address& a, const Address& b, unsigned prefix) {
    const std::size_t whole = prefix / 8;
    if (std::memcmp(a.data(), b.data(), whole) != 0) return false;
    const unsigned rest = prefix % 8;
    return rest == 0 || ((a.at(whole) ^ b.at(whole)) >> (8 - rest)) == 0;
}

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

}  // namespace

std::optional<AddressList::Network> AddressList::parse_network(const std::string& item,
                                                               std::string& why) {
    const std::size_t slash = item.find('/');
    const std::string host = item.substr(0, slash);
    Network network;
    in_addr v4{};
    const bool is_v4 = inet_pton(AF_INET, host.c_str(), &v4) == 1;
    if (is_v4) {
        network.address = mapped(v4);
    } else if (inet_pton(AF_INET6, host.c_str(), network.address.data()) != 1) {
        why = "'" + item + "' is no address and no network such as 10.0.0.0/8 or fd00::/8";
        return std::nullopt;
    }
    const unsigned before = is_v4 ? k_mapped_bits : 0;
    network.prefix = k_bits;
    if (slash != std::string::npos) {
        const char* const end = item.data() + item.size();
        const auto [stop, error] = std::from_chars(item.data() + slash + 1, end, network.prefix);
        if (error != std::errc() || stop != end || network.prefix > k_bits - before) {
            why = "'" + item + "': the prefix is no number from 0 to " +
                  std::to_string(k_bits - before);
            return std::nullopt;
        }
        network.prefix += before;
    }
    Address beyond = network.address;
    for (unsigned bit = 0; bit < network.prefix; ++bit)
        beyond.at(bit / 8) &= static_cast<std::uint8_t>(~(0x80U >> bit % 8));
    if (std::ranges::any_of(beyond, [](std::uint8_t byte) { return byte != 0; })) {
        why = "'" + item + "' has bits behind its prefix";
        return std::nullopt;
    }
    return network;
}

std::optional<AddressList> AddressList::parse(std::string_view text, std::string& why) {
    AddressList list;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '#') {
            at = std::min(text.find('\n', at), text.size());
        } else if (is_space(text[at])) {
            ++at;
        } else {
            std::size_t end = at;
            while (end < text.size() && !is_space(text[end]) && text[end] != '#')
                ++end;
            const auto network = parse_network(std::string(text.substr(at, end - at)), why);
            if (!network) return std::nullopt;
            list.networks_.push_back(*network);
            at = end;
        }
    }
    return list;
}

bool AddressList::contains(const Endpoint& endpoint) const {
    Address address{};
    if (endpoint.family() == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &endpoint.address, sizeof v4);
        address = mapped(v4.sin_addr);
    } else if (endpoint.family() == AF_INET6) {
        sockaddr_in6 v6{};
        std::memcpy(&v6, &endpoint.address, sizeof v6);
        std::memcpy(address.data(), &v6.sin6_addr, address.size());
    } else {
        return false;
    }
    return std::ranges::any_of(networks_, [&](const Network& network) {
        return same_network(network.address, address, network.prefix);
    });
}

void AddressList::add(const AddressList& more) {
    networks_.insert(networks_.end(), more.networks_.begin(), more.networks_.end());
}

}  // namespace perfrelay::net
