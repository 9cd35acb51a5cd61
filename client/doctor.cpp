#include "client/doctor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/prctl.h>

#include "client/command_words.h"
#include "client/exit_codes.h"
#include "client/option_values.h"
#include "client/relay_connection.h"
#include "client/report/layout.h"
#include "client/report/results.h"
#include "client/signals.h"
#include "common/base/crc32c.h"
#include "common/cli/units.h"
#include "common/measure/summary.h"
#include "common/net/resolve.h"

namespace perfrelay::client {
namespace {

using measure::Nanoseconds;

constexpr const char* k_help =
    R"(perfclient doctor looks at what stands between this machine and good numbers.

Usage: perfclient doctor [--secret-file FILE] [--tls-ca FILE ...] [HOST:PORT]

  clock        what a reading takes: phases shorter than 200 of them are coarse
  timers       how late a sleep of 1 ms ends: emulated links and turns depend on it
  processors   how many, and whether their speed is fixed
  name         what HOST resolves to, and how long that takes
  reach        whether each of these addresses takes a connection
  relay        whether it is one, its protocol, what it can do
  round trip   of an empty message, 50 times
  rate         of as large messages as the link carries in half a second, up and down

Exit codes: 0 nothing FAILs; 2 usage; 3 something does.
)";

constexpr Nanoseconds k_ms = 1'000'000;
constexpr Nanoseconds k_second = 1'000'000'000;

enum class Finding : std::uint8_t { ok, warn, fail };

class Findings {
  public:
    void add(Finding finding, const char* what, const std::string& text) {
        constexpr std::array k_words = {"ok  ", "warn", "FAIL"};
        std::string name(what);
        name.resize(std::max<std::size_t>(name.size(), 12), ' ');
        std::cout << k_words[static_cast<std::size_t>(finding)] << "  " << name << printable(text)
                  << std::endl;
        failed_ = failed_ || finding == Finding::fail;
    }
    bool failed() const { return failed_; }

  private:
    bool failed_ = false;
};

std::string in_words(double nanoseconds) {
    return format_duration(nanoseconds);
}

// "" when there is none.
std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

void look_at_clock(Findings& findings) {
    const Nanoseconds cost = measure::clock_cost();
    const std::string source =
        first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    const std::string text = in_words(static_cast<double>(cost)) + " a reading" +
                             (source.empty() ? "" : ", by " + source);
    constexpr Nanoseconds k_slow = 300;
    if (cost <= k_slow) return findings.add(Finding::ok, "clock", text);
    findings.add(Finding::warn, "clock",
                 text + ": slow, so short documents are batched more; tsc is the fast source");
}

void look_at_timers(Findings& findings) {
    constexpr int k_sleeps = 200;
    ::prctl(PR_SET_TIMERSLACK, 1);
    std::vector<double> late;
    Nanoseconds due = measure::now();
    for (int i = 0; i < k_sleeps; ++i) {
        due = std::max(due, measure::now()) + k_ms;
        const timespec until{due / k_second, due % k_second};
        ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        late.push_back(static_cast<double>(measure::now() - due));
    }
    const measure::Summary found = measure::summarise(late);
    const std::string text = "a sleep of 1 ms ends " + in_words(found.median) +
                             " late, one in twenty " + in_words(found.p95) + ", at most " +
                             in_words(found.max);
    if (found.p95 < static_cast<double>(k_ms)) return findings.add(Finding::ok, "timers", text);
    findings.add(Finding::warn, "timers", text + ": others take the processors; end them");
}

void look_at_processors(Findings& findings) {
    const unsigned count = std::thread::hardware_concurrency();
    const std::string governor =
        first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    double load = 0;
    const bool known = ::getloadavg(&load, 1) == 1;
    std::string text = std::to_string(count);
    if (known) text += ", load " + format_fixed(load, 2);
    text += governor.empty() ? ", no frequency governor to be seen" : ", governor " + governor;
    if (!governor.empty() && governor != "performance") {
        return findings.add(Finding::warn, "processors",
                            text + ": speed follows load; cpupower frequency-set -g performance");
    }
    if (known && load > count / 2.0) {
        return findings.add(Finding::warn, "processors", text + ": busy with other things");
    }
    findings.add(Finding::ok, "processors", text);
}

// The addresses of the name; none when it has none.
std::vector<net::Endpoint> look_up(const Address& address, Findings& findings) {
    const Nanoseconds start = measure::now();
    auto found = net::resolve({.host = address.host, .port = address.port}, net::k_resolve_timeout);
    const std::string time = in_words(static_cast<double>(measure::now() - start));
    if (!found) {
        findings.add(Finding::fail, "name",
                     address.host + ": " + describe(found.error()) + " (" + time + ")");
        return {};
    }
    std::string text = address.host + ":";
    for (const net::Endpoint& endpoint : *found)
        text += " " + endpoint.text();
    const bool slow = measure::now() - start > k_second;
    findings.add(slow ? Finding::warn : Finding::ok, "name",
                 text + " (" + time + ")" + (slow ? ": slow, use the number" : ""));
    return *found;
}

bool reach(const std::vector<net::Endpoint>& endpoints, Findings& findings,
           const std::atomic<int>& stop) {
    bool any = false;
    std::vector<std::pair<std::string, std::string>> results;
    for (const net::Endpoint& endpoint : endpoints) {
        const Nanoseconds start = measure::now();
        const auto fd = net::connect(endpoint, 5 * k_second, &stop);
        const std::string time = in_words(static_cast<double>(measure::now() - start));
        results.emplace_back(endpoint.text(), fd ? "" : describe(fd.error()) + " (" + time + ")");
        if (fd) {
            findings.add(Finding::ok, "reach",
                         endpoint.text() + " takes connections (" + time + ")");
        }
        any = any || fd.has_value();
    }
    for (const auto& [address, why] : results) {
        if (why.empty()) continue;
        findings.add(any ? Finding::warn : Finding::fail, "reach",
                     address + ": " + why +
                         (any ? ": each run tries it first" : "; is perfrelay running there?"));
    }
    return any;
}

std::string abilities(const PeerInfo& peer) {
    constexpr std::pair<std::uint32_t, const char*> k_all[] = {
        {wire::k_can_echo, "ECHO"},
        {wire::k_can_sink, "SINK"},
        {wire::k_can_source, "SOURCE"},
        {wire::k_can_cut_through, "cut-through"}};
    std::string text;
    for (const auto& [bit, word] : k_all) {
        if ((peer.capabilities & bit) == 0) continue;
        if (!text.empty()) text += ", ";
        text += word;
    }
    return text.empty() ? "nothing" : text;
}

bool look_at_round_trip(RelayConnection& relay, Findings& findings) {
    constexpr int k_pings = 50;
    std::vector<double> times;
    for (int i = 0; i < k_pings; ++i) {
        const auto time = relay.ping(1);
        if (!time) {
            findings.add(Finding::fail, "round trip", relay.last_error());
            return false;
        }
        times.push_back(static_cast<double>(*time));
    }
    const measure::Summary found = measure::summarise(times);
    const std::string text = in_words(found.min) + " at least, " + in_words(found.median) +
                             " median, " + in_words(found.max) + " at most";
    const bool shaky = found.p95 > 3 * found.median && found.p95 > static_cast<double>(k_ms);
    findings.add(shaky ? Finding::warn : Finding::ok, "round trip",
                 text + (shaky ? ": shaky, measure longer" : ""));
    return true;
}

// Bit/s of messages that grow until one takes long enough. Nothing after an error.
template <class Transfer>
std::optional<double> rate(std::uint64_t largest, const Transfer& transfer) {
    constexpr std::size_t k_start = 4096;
    constexpr std::size_t k_most = std::size_t{16} << 20U;
    constexpr Nanoseconds k_enough = 200 * k_ms;
    double best = 0;
    for (std::size_t size = k_start; size <= std::min<std::uint64_t>(k_most, largest); size *= 4) {
        std::vector<std::uint8_t> payload(size);
        for (std::size_t i = 0; i < size; ++i)
            payload[i] = static_cast<std::uint8_t>(i * 2'654'435'761U >> 24U);
        const std::optional<Nanoseconds> time = transfer(payload);
        if (!time) return std::nullopt;
        best = 8.0 * static_cast<double>(size) * 1e9 /
               static_cast<double>(std::max<Nanoseconds>(*time, 1));
        if (*time > k_enough) break;
    }
    return best;
}

void look_at_rate(RelayConnection& relay, Findings& findings) {
    const std::uint64_t largest = relay.peer().max_payload;
    bool damaged = false;
    const auto up = rate(largest, [&](Bytes payload) -> std::optional<Nanoseconds> {
        Acknowledgement acknowledgement;
        const auto done = relay.sink(payload, acknowledgement);
        if (!done) return std::nullopt;
        damaged = damaged || acknowledgement.crc32c != crc32c(payload);
        return done->up;
    });
    Buffer answer;
    const auto down =
        !up ? std::nullopt : rate(largest, [&](Bytes payload) -> std::optional<Nanoseconds> {
            Acknowledgement acknowledgement;
            if (!relay.put(0, payload, acknowledgement)) return std::nullopt;
            const auto done = relay.source(0, answer);
            if (!done) return std::nullopt;
            damaged = damaged || !std::ranges::equal(answer.view(), payload);
            return done->up + done->down;
        });
    if (!down) return findings.add(Finding::fail, "rate", relay.last_error());
    if (damaged) return findings.add(Finding::fail, "rate", "what came back is not what was sent");
    findings.add(Finding::ok, "rate", speed_text(*up) + " up, " + speed_text(*down) + " down");
}

void look_at_relay(const Address& address, const Options& options, Findings& findings,
                   const std::atomic<int>& stop) {
    std::string why;
    ConnectOptions how;
    how.secret = options.secret;
    how.tls = options.tls;
    how.stop = &stop;
    auto relay = RelayConnection::open(address, how, why);
    if (!relay) return findings.add(Finding::fail, "relay", why);
    const PeerInfo& peer = (*relay)->peer();
    findings.add(Finding::ok, "relay",
                 peer.address + ", protocol " + std::to_string(peer.major) + "." +
                     std::to_string(peer.minor) + ", can " + abilities(peer) + ", messages up to " +
                     format_bytes(peer.max_payload));
    if (!look_at_round_trip(**relay, findings)) return;
    constexpr std::uint32_t k_needed = wire::k_can_sink | wire::k_can_source;
    if (const std::string lacking = peer.lacks(k_needed); !lacking.empty()) {
        return findings.add(Finding::warn, "rate", "not measured: it cannot do " + lacking);
    }
    look_at_rate(**relay, findings);
}

}  // namespace

int doctor_main(std::span<const char* const> words, const FormatTable&) {
    static constexpr std::string_view k_shared[] = {"secret-file", "tls-ca", "tls-cert", "tls-key"};
    constexpr Command k_command{"doctor", {}, {}, k_shared};
    Options options;
    std::string why;
    const auto read = read_command(k_command, words, options, why);
    if (!read) return complain(ExitCode::usage, "doctor: " + why);
    if (read->has("help")) {
        std::cout << k_help;
        return status(ExitCode::ok);
    }
    if (read->files.size() > 1) {
        return complain(ExitCode::usage, "doctor: one HOST:PORT, and here are " +
                                             std::to_string(read->files.size()));
    }
    std::optional<Network> network;
    if (!read->files.empty()) {
        const std::string& where = read->files.front();
        network = parse_network(where, why);
        if (network && network->address.port == 0) {
            why = "'" + where + "': no port; add the relay's, as in localhost:8000";
            network.reset();
        }
        if (!network) return complain(ExitCode::usage, "doctor: " + why);
    }
    if (!read_security(options, why)) return complain(ExitCode::usage, "doctor: " + why);
    const std::atomic<int>& stop = install_signals();
    Findings findings;
    look_at_clock(findings);
    look_at_timers(findings);
    look_at_processors(findings);
    if (network) {
        const std::vector<net::Endpoint> endpoints = look_up(network->address, findings);
        if (reach(endpoints, findings, stop))
            look_at_relay(network->address, options, findings, stop);
    }
    return status(findings.failed() ? ExitCode::connection : ExitCode::ok);
}

}  // namespace perfrelay::client
