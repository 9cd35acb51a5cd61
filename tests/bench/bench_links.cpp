// How well links are emulated: messages of 1 KB to 1 MB at 56 kbit/s to 100 Mbit/s, each way on its
// own, through perfrelay on this machine; what they took against bytes, headers, rate and delay
// alone. Cells that would take more than 30 s are left out. Exit status 1 when the median error of
// a cell is not below 1 % or 0.5 ms.
//
//   bench_links [SECONDS]     so long a cell, 3 to 20 runs: 5 is the default

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/prctl.h>

#include "client/local_relay.h"
#include "client/relay_connection.h"
#include "common/measure/clock.h"
#include "common/net/shaper.h"
#include "proto/wire/frames.h"

namespace perfrelay {
namespace {

using measure::Nanoseconds;

constexpr std::array<std::uint64_t, 6> k_rates = {56'000,    256'000,    1'000'000,
                                                  5'000'000, 20'000'000, 100'000'000};
constexpr std::array<std::size_t, 4> k_sizes = {1'000, 10'000, 100'000, 1'000'000};
constexpr Nanoseconds k_delay = 20'000'000;  // one way
constexpr double k_longest = 30e9;
constexpr double k_most_share = 0.01;
constexpr double k_most_error = 0.5e6;

[[noreturn]] void die(const std::string& message) {
    std::fprintf(stderr, "bench_links: %s\n", message.c_str());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe)
}

class Bench {
  public:
    Bench(client::RelayConnection& relay, double seconds) : relay_(relay), seconds_(seconds) {
        const auto rtt = relay_.ping(100);
        if (!rtt) die(relay_.last_error());
        path_ = *rtt;
        std::printf("round trip of the connection itself %.1f us, taken off the delay\n",
                    static_cast<double>(path_) / 1e3);
        std::printf("way   bit/s      bytes     runs   ideal ms    median error      worst\n");
    }

    bool cell(bool up, std::uint64_t rate, std::size_t size) {
        const net::Link link{.name = "test", .down = rate, .up = rate, .rtt = 2 * k_delay};
        const net::LinkWays ways = net::ways_of(link, up, !up, 1);
        const net::LinkWay& way = up ? ways.up : ways.down;
        const double wire = static_cast<double>(net::wire_bytes(way, size + wire::k_header_size));
        const double ideal = static_cast<double>(k_delay) + wire * 8e9 / static_cast<double>(rate);
        if (ideal > k_longest) return true;
        const int runs = std::clamp(static_cast<int>(seconds_ * 1e9 / ideal), 3, 20);
        const std::vector<std::uint8_t> payload(size, 0x5a);
        client::Acknowledgement stored;
        if (!up && !relay_.put(1, payload, stored)) die(relay_.last_error());
        if (!relay_.emulate(&ways, path_)) die(relay_.last_error());
        std::vector<double> errors;
        for (int i = 0; i < runs; ++i) {
            const auto took = up ? relay_.sink(payload, stored) : relay_.source(1, answer_);
            if (!took) die(relay_.last_error());
            errors.push_back(static_cast<double>(took->up + took->down) - ideal);
        }
        if (!relay_.emulate(nullptr, 0)) die(relay_.last_error());
        std::ranges::sort(errors, {}, [](double error) { return std::abs(error); });
        const double median = errors[errors.size() / 2];
        const bool good = std::abs(median) < std::max(k_most_error, k_most_share * ideal);
        std::printf("%-5s %-10llu %-8zu %4d %12.3f %+9.1f us %6.3f %% %+9.1f us  %s\n",
                    up ? "up" : "down", static_cast<unsigned long long>(rate), size, runs,
                    ideal / 1e6, median / 1e3, 100 * median / ideal, errors.back() / 1e3,
                    good ? "PASS" : "FAIL");
        std::fflush(stdout);
        return good;
    }

  private:
    client::RelayConnection& relay_;
    double seconds_;
    Nanoseconds path_ = 0;
    Buffer answer_;
};

int run(double seconds) {
    std::string why;
    const auto local = client::LocalRelay::start(PERFRELAY_BINARY, 0, why);
    if (local == nullptr) die(why);
    auto relay = client::RelayConnection::open(local->address(), {}, why);
    if (!relay) die(why);
    prctl(PR_SET_TIMERSLACK, 1UL);
    Bench bench(**relay, seconds);
    bool good = true;
    for (const bool up : {true, false}) {
        for (const std::uint64_t rate : k_rates) {
            for (const std::size_t size : k_sizes)
                good = bench.cell(up, rate, size) && good;
        }
    }
    std::printf("%s\n", good ? "PASS: every median below 1 % or 0.5 ms" : "FAIL");
    return good ? 0 : 1;
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 5.0;
    return perfrelay::run(seconds > 0 ? seconds : 5.0);
}
