#include "client/option_values.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "proto/compress/zstd_dictionary.h"

namespace perfrelay::client {
namespace {

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

template <class Number>
std::errc parse_number(std::string_view text, Number& number) {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || stopped != end) return std::errc::invalid_argument;
    return error;
}

std::optional<std::uint64_t> parse_up_to(std::string_view text, std::uint64_t most,
                                         std::string& why) {
    std::uint64_t count = 0;
    const std::errc error = parse_number(text, count);
    if (error == std::errc() && count <= most) return count;
    why = quoted(text) + (error == std::errc::invalid_argument
                              ? ": not a number, such as 10"
                              : ": too large, at most " + std::to_string(most));
    return std::nullopt;
}

// What stands before and after the colon. `port` is nothing when there is no colon.
struct HostAndPort {
    std::string_view host;
    std::optional<std::string_view> port;
    bool bracketed = false;
};

std::optional<HostAndPort> split_address(std::string_view text, std::string& why) {
    HostAndPort parts;
    std::string_view after;
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) {
            why = "the bracket does not close; an IPv6 address is written [::1]:8000";
            return std::nullopt;
        }
        parts.bracketed = true;
        parts.host = text.substr(1, close - 1);
        after = text.substr(close + 1);
    } else {
        if (std::count(text.begin(), text.end(), ':') > 1) {
            why = "an IPv6 address goes in brackets, as in [::1]:8000";
            return std::nullopt;
        }
        const std::size_t colon = std::min(text.find(':'), text.size());
        parts.host = text.substr(0, colon);
        after = text.substr(colon);
    }
    if (!after.empty() && after.front() != ':') {
        why = "after the bracket comes the port, as in [::1]:8000";
        return std::nullopt;
    }
    if (!after.empty()) parts.port = after.substr(1);
    return parts;
}

std::optional<Network> make_network(const HostAndPort& parts, std::string& why) {
    if (parts.host.empty() || parts.host.find_first_of(" \t\r\n/@") != std::string_view::npos) {
        why = "no host; it is HOST:PORT, as in host2:8000, or localhost";
        return std::nullopt;
    }
    Network network;
    network.start_local = !parts.bracketed && lower(parts.host) == "localhost";
    network.address.host = network.start_local ? "localhost" : std::string(parts.host);
    if (!parts.port) {
        if (network.start_local) return network;
        network.address.port = 8000;
        why = "no port; add the relay's, as in " + network.address.text();
        return std::nullopt;
    }
    if (parse_number(*parts.port, network.address.port) != std::errc() ||
        (network.address.port == 0 && !network.start_local)) {
        why = "the port is no number from 1 to 65535";
        return std::nullopt;
    }
    return network;
}

}  // namespace

std::optional<std::uint64_t> parse_count(std::string_view text, std::string& why) {
    return parse_up_to(text, 1'000'000'000'000, why);
}

std::optional<std::uint64_t> parse_seed(std::string_view text, std::string& why) {
    return parse_up_to(text, UINT64_MAX, why);
}

std::optional<double> parse_percentage(std::string_view text, std::string& why) {
    constexpr double k_most = 50;
    double percent = 0;
    const bool has_sign = text.ends_with('%');
    const std::string_view number = text.substr(0, text.size() - (has_sign ? 1 : 0));
    const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(),
                                               percent, std::chars_format::fixed);
    const bool whole = error == std::errc() && stop == number.data() + number.size();
    if (has_sign && whole && percent > 0 && percent <= k_most) return percent / 100;
    why = quoted(text) + ": no percentage above 0% and up to 50%, as in 1%";
    return std::nullopt;
}

std::optional<Network> parse_network(std::string_view text, std::string& why) {
    constexpr std::string_view k_scheme = "net://";
    std::string_view rest = text;
    if (lower(rest.substr(0, k_scheme.size())) == k_scheme) {
        rest.remove_prefix(k_scheme.size());
        if (rest.ends_with('/')) rest.remove_suffix(1);
    }
    std::optional<Network> network;
    if (const std::size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
        std::string_view host = rest.substr(scheme + 3);
        host = host.substr(0, host.find('/'));
        why = quoted(text) + ": a relay is no " + std::string(rest.substr(0, scheme)) +
              " server; it is HOST:PORT" + (host.empty() ? "" : ", as in " + std::string(host));
        return std::nullopt;
    }
    if (!rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos) {
        why = quoted(text) + ": no port from 1 to 65535; and a relay elsewhere is HOST:PORT";
        return std::nullopt;
    }
    if (const auto parts = split_address(rest, why)) network = make_network(*parts, why);
    if (!network) why = quoted(text) + ": " + why;
    return network;
}

std::optional<std::string> single_format(const FormatTable& formats, const std::string& spec,
                                         std::string& why) {
    std::vector<std::string> specs = formats.expand(spec, why);
    if (specs.size() > 1) why = quoted(spec) + ": several formats";
    if (specs.size() != 1) return std::nullopt;
    return std::move(specs.front());
}

CodecOptions for_trial(CodecOptions codecs, bool informed) {
    std::string why;
    if (informed) SchemaShelf().choose(std::string(k_built_in_types), codecs, why);
    return codecs;
}

ExitCode code_of_refused(std::string_view spec) {
    std::string why;
    const std::optional<Spec> parsed = parse_spec(spec, why);
    if (!parsed) return ExitCode::usage;
    for (const SpecPart& part : parsed->compressors) {
        for (const SpecOption& option : part.options) {
            if (part.name != "zstd" || option.key != "dict" || option.value.value_or("").empty())
                continue;
            if (!compress::read_dictionary(compress::dictionary_file(*option.value), why)) {
                return ExitCode::bad_input;
            }
        }
    }
    return ExitCode::usage;
}

}  // namespace perfrelay::client
