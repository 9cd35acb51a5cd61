#include "client/load.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "client/command_words.h"
#include "client/exit_codes.h"
#include "client/latencies.h"
#include "client/option_values.h"
#include "client/options.h"
#include "client/relay_connection.h"
#include "client/report/layout.h"
#include "client/signals.h"
#include "common/base/crc32c.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_help =
    R"(perfclient load puts a load on a relay and says what it bears.

Usage: perfclient load [options] HOST:PORT

Options:
  --connections N      sessions at once, each in a thread of its own (1)
  --rate N/s           requests a second of all together, started on time whether or not earlier
                       ones are answered; latency counts from the intended start. Without it each
                       session sends its next request when it has its answer
  --kind KIND          sink (to the relay), source (from it), echo (there and back), or mixed, in turn
                       over the sessions (sink)
  --payload SIZE       of each request (1MiB)
  --time TIME          how long, after one second that does not count (10s)
  --secret-file, --tls-ca, --tls-cert, --tls-key    as for a run

Each answer is compared, bytes or checksum. Rates are payload, MB is 1,000,000 bytes; latencies
are exact to 3 %.

Examples:
  perfclient load host2:8000
  perfclient load --connections 64 --kind mixed --time 10m host2:8000
  perfclient load --connections 8 --rate 500/s --payload 2KiB --kind echo host2:8000

Exit codes: 0 done; 2 usage; 3 the relay refused or was lost; 4 an answer was wrong; 6 interrupted.
)";

constexpr measure::Nanoseconds k_warmup = 1'000'000'000;
constexpr std::uint64_t k_most_connections = 10'000;
constexpr std::uint32_t k_key = 1;

enum class Kind : std::uint8_t { sink, source, echo };
constexpr std::array<const char*, 3> k_kinds = {"sink", "source", "echo"};

struct LoadOptions {
    Options common;  // security, address
    std::size_t connections = 1;
    double rate = 0;           // requests a second of all; 0: as answers come
    std::optional<Kind> kind;  // nothing: mixed
    std::size_t payload = std::size_t{1} << 20U;
    measure::Nanoseconds time = 10'000'000'000;
};

int give_up(ExitCode code, const std::string& line) {
    return client::complain(code, "load: " + line);
}

void sleep_until(measure::Nanoseconds when) {
    const timespec until{when / 1'000'000'000, when % 1'000'000'000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

// What all sessions share.
struct Load {
    Load(const LoadOptions& wanted, const std::atomic<int>& stopped)
        : options(wanted), payload(wanted.payload), stop(stopped) {
        std::mt19937_64 random(1);
        for (std::uint8_t& byte : payload)
            byte = static_cast<std::uint8_t>(random());
        checksum = crc32c(payload);
    }

    const LoadOptions& options;
    std::vector<std::uint8_t> payload;
    std::uint32_t checksum = 0;
    measure::Nanoseconds begins = 0;  // counting
    measure::Nanoseconds ends = 0;
    const std::atomic<int>& stop;

    std::mutex mutex;  // of what follows: the first failure
    std::atomic<bool> failed = false;
    ExitCode code = ExitCode::ok;
    std::string why;

    void fail(ExitCode with, std::string reason) {
        const std::lock_guard lock(mutex);
        if (!failed.exchange(true)) {
            code = with;
            why = std::move(reason);
        }
    }
    bool over() const { return failed || stop != 0; }
};

class Lane {
  public:
    Lane(Load& load, std::size_t number, std::unique_ptr<RelayConnection> connection)
        : kind(load.options.kind.value_or(static_cast<Kind>(number % k_kinds.size()))),
          load_(load),
          number_(number),
          connection_(std::move(connection)) {}

    void run() {
        Acknowledgement stored;
        if (kind == Kind::source && !connection_->put(k_key, load_.payload, stored)) return lost();
        const LoadOptions& options = load_.options;
        // Requests of all sessions are numbered from the begin of the warm-up, ours every so many.
        const double gap = options.rate > 0 ? 1e9 / options.rate : 0;
        for (std::size_t turn = number_;; turn += options.connections) {
            measure::Nanoseconds start = measure::now();
            if (gap > 0) {
                const auto due = load_.begins - k_warmup +
                                 static_cast<measure::Nanoseconds>(gap * static_cast<double>(turn));
                if (due >= load_.ends) return;
                if (due > start) sleep_until(due);
                start = due;
            }
            if (load_.over() || (gap == 0 && start >= load_.ends)) return;
            if (!request()) return;
            if (start < load_.begins) continue;
            const measure::Nanoseconds end = measure::now();
            latencies.add(end - start);
            if (end <= load_.ends) ++in_time;
            if (!verified()) {
                return load_.fail(ExitCode::verification,
                                  std::string(k_kinds[static_cast<std::size_t>(kind)]) +
                                      ": the answer is not what was sent");
            }
        }
    }

    const Kind kind;
    Latencies latencies;
    std::uint64_t in_time = 0;  // answered before the end

  private:
    bool request() {
        bool done = false;
        switch (kind) {
            case Kind::sink:
                done = connection_->sink(load_.payload, acknowledged_).has_value();
                break;
            case Kind::source: done = connection_->source(k_key, answer_).has_value(); break;
            case Kind::echo: done = connection_->echo(load_.payload, answer_).has_value(); break;
        }
        if (!done) lost();
        return done;
    }
    bool verified() const {
        if (kind == Kind::sink) {
            return acknowledged_.bytes == load_.payload.size() &&
                   acknowledged_.crc32c == load_.checksum;
        }
        const Bytes answer = answer_.view();
        return std::ranges::equal(answer, load_.payload);
    }
    void lost() {
        if (load_.stop == 0) load_.fail(ExitCode::connection, connection_->last_error());
    }

    Load& load_;
    std::size_t number_;
    std::unique_ptr<RelayConnection> connection_;
    Buffer answer_;
    Acknowledgement acknowledged_;
};

// One line for the sessions of a kind, and of all together.
struct Sum {
    std::size_t sessions = 0;
    std::uint64_t in_time = 0;
    Latencies latencies;

    void add(const Lane& lane) {
        ++sessions;
        in_time += lane.in_time;
        latencies.add(lane.latencies);
    }
};

void print(const LoadOptions& options, const std::vector<std::unique_ptr<Lane>>& lanes,
           const std::string& tls) {
    const double seconds = static_cast<double>(options.time) / 1e9;
    Table table({{.heading = {"KIND"}, .right = false},
                 {.heading = {"SESSIONS"}, .heading_right = true},
                 {.heading = {"REQUESTS/s"}, .heading_right = true},
                 {.heading = {"MB/s"}, .heading_right = true},
                 {.heading = {"P50"}, .heading_right = true},
                 {.heading = {"P95"}, .heading_right = true},
                 {.heading = {"P99"}, .heading_right = true},
                 {.heading = {"MAX"}, .heading_right = true}},
                2);
    const auto row = [&](const std::string& name, const Sum& sum, double bytes) {
        const double per_second = static_cast<double>(sum.in_time) / seconds;
        const auto at = [&](double fraction) {
            return format_duration(static_cast<double>(sum.latencies.quantile(fraction)));
        };
        table.row({name, std::to_string(sum.sessions), format_fixed(per_second, 1),
                   format_fixed(bytes / seconds / 1e6, 1), at(0.5), at(0.95), at(0.99),
                   format_duration(static_cast<double>(sum.latencies.largest()))});
    };
    Sum all;
    double all_bytes = 0;
    int kinds = 0;
    for (std::size_t i = 0; i < k_kinds.size(); ++i) {
        Sum sum;
        for (const auto& lane : lanes)
            if (static_cast<std::size_t>(lane->kind) == i) sum.add(*lane);
        if (sum.sessions == 0) continue;
        // Of an echo both ways count.
        const double ways = static_cast<Kind>(i) == Kind::echo ? 2 : 1;
        const double bytes =
            ways * static_cast<double>(sum.in_time) * static_cast<double>(options.payload);
        row(k_kinds[i], sum, bytes);
        ++kinds;
        all_bytes += bytes;
        all.sessions += sum.sessions;
        all.in_time += sum.in_time;
        all.latencies.add(sum.latencies);
    }
    if (kinds > 1) row("all", all, all_bytes);
    std::cout << format_bytes(options.payload) << " a request, "
              << format_duration(static_cast<double>(options.time)) << ", every answer verified"
              << (tls.empty() ? "" : "; " + tls) << '\n'
              << table.text();
    if (options.rate > 0) {
        std::cout << "offered " << format_fixed(options.rate, 1) << " requests/s, answered in time "
                  << format_fixed(static_cast<double>(all.in_time) / seconds, 1)
                  << "; latency from the intended start\n";
    }
}

int run(const LoadOptions& options) {
    const std::atomic<int>& stop = install_signals();
    Load load(options, stop);
    ConnectOptions how;
    how.tls = options.common.tls;
    how.secret = options.common.secret;
    how.stop = &stop;
    std::vector<std::unique_ptr<Lane>> lanes;
    std::string why;
    std::string tls;
    for (std::size_t i = 0; i < options.connections; ++i) {
        auto connection = RelayConnection::open(options.common.network->address, how, why);
        if (!connection) {
            return give_up(stop != 0 ? ExitCode::partial : ExitCode::connection,
                           "session " + std::to_string(i + 1) + ": " + why);
        }
        tls = (*connection)->peer().tls;
        lanes.push_back(std::make_unique<Lane>(load, i, std::move(*connection)));
    }
    load.begins = measure::now() + k_warmup;
    load.ends = load.begins + options.time;
    std::vector<std::thread> threads;
    try {
        for (const auto& lane : lanes)
            threads.emplace_back([&lane] { lane->run(); });
    } catch (const std::system_error& error) {
        load.fail(ExitCode::usage, std::string("thread: ") + error.what());
    }
    for (std::thread& thread : threads)
        thread.join();
    if (load.failed) return give_up(load.code, load.why);
    if (stop != 0) return give_up(ExitCode::partial, "interrupted");
    print(options, lanes, tls);
    std::cout.flush();
    return status(std::cout.good() ? ExitCode::ok : ExitCode::partial);
}

bool read_values(const CommandWords& words, LoadOptions& options, std::string& why) {
    if (words.has("connections")) {
        const auto count = parse_count(words.value("connections"), why);
        if (!count) return false;
        if (*count == 0 || *count > k_most_connections) {
            why = "--connections: from 1 to " + std::to_string(k_most_connections);
            return false;
        }
        options.connections = static_cast<std::size_t>(*count);
    }
    if (words.has("rate")) {
        std::string text = words.value("rate");
        if (text.ends_with("/s")) text.resize(text.size() - 2);
        const auto count = parse_count(text, why);
        if (!count || *count == 0) {
            why = "--rate '" + words.value("rate") + "': not a number of requests a second, 500/s";
            return false;
        }
        options.rate = static_cast<double>(*count);
    }
    if (words.has("kind")) {
        const std::string kind = words.value("kind");
        const auto* const found = std::ranges::find(k_kinds, kind);
        if (found == k_kinds.end() && kind != "mixed") {
            why = "--kind '" + kind + "': neither sink, source, echo nor mixed";
            return false;
        }
        options.kind.reset();
        if (kind != "mixed") options.kind = static_cast<Kind>(found - k_kinds.begin());
    }
    if (words.has("payload")) {
        const auto size = parse_bytes(words.value("payload"), why);
        if (!size) return false;
        options.payload = static_cast<std::size_t>(*size);
    }
    if (words.has("time")) {
        const auto time = parse_duration(words.value("time"), BareDuration::milliseconds, why);
        if (!time || *time == 0) {
            why = "--time " + (why.empty() ? "must be more than 0" : why);
            return false;
        }
        options.time = *time;
    }
    return true;
}

}  // namespace

int load_main(std::span<const char* const> words, const FormatTable&) {
    static constexpr std::string_view k_values[] = {"connections", "rate", "kind", "payload",
                                                    "time"};
    static constexpr std::string_view k_shared[] = {"secret-file", "tls-ca", "tls-cert", "tls-key"};
    LoadOptions options;
    options.kind = Kind::sink;
    std::string why;
    const auto read = read_command({"load", {}, k_values, k_shared}, words, options.common, why);
    if (!read) return give_up(ExitCode::usage, why);
    if (read->has("help")) {
        std::cout << k_help;
        return status(ExitCode::ok);
    }
    if (!read_values(*read, options, why)) return give_up(ExitCode::usage, why);
    if (read->files.size() != 1) {
        return give_up(ExitCode::usage,
                       "one HOST:PORT is needed; perfclient load --help shows how");
    }
    options.common.network = parse_network(read->files.front(), why);
    if (!options.common.network || options.common.network->address.port == 0) {
        return give_up(ExitCode::usage, why.empty() ? "which port? HOST:PORT" : why);
    }
    if (!read_security(options.common, why)) return give_up(ExitCode::usage, why);
    return run(options);
}

}  // namespace perfrelay::client
