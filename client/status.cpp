#include "client/status.h"

#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "client/command_words.h"
#include "client/exit_codes.h"
#include "client/option_values.h"
#include "client/options.h"
#include "client/relay_connection.h"
#include "client/report/layout.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_help =
    R"(perfclient status says what a relay is doing.

Usage: perfclient status [options] HOST:PORT

One line a figure, NAME VALUE, in this order: relay, protocol, tls, uptime, sessions (this one
among them, of how many), served, refused (all places taken), strangers (connections that were
never a session), received, sent, memory (held for payloads), rtt.

Examples:
  perfclient status host2:8000
  perfclient status --secret-file secret host2:8000

Options:
  --secret-file FILE  the secret that relay and client prove to each other; else $PERFRELAY_SECRET
  --tls-ca FILE       TLS; who signed the relay's certificate (PEM; system: this machine's list)
  --tls-cert FILE     our certificate, when the relay asks for one (PEM)
  --tls-key FILE      its key (PEM)

Exit codes: 0 it answered; 2 usage; 3 it did not: refused, busy, no relay, another secret.
)";

constexpr int k_pings = 5;

int give_up(ExitCode code, const std::string& line) {
    return client::complain(code, "status: " + line);
}

std::string duration(measure::Nanoseconds value) {
    return format_duration(static_cast<double>(value));
}

int ask(const Options& options, const Address& address) {
    std::string why;
    ConnectOptions how;
    how.tls = options.tls;
    how.secret = options.secret;
    const auto relay = RelayConnection::open(address, how, why);
    if (!relay) return give_up(ExitCode::connection, why);
    const auto rtt = (*relay)->ping(k_pings);
    const auto figures = rtt ? (*relay)->status() : Result<wire::Status>(rtt.error());
    if (!figures) return give_up(ExitCode::connection, (*relay)->last_error());
    const PeerInfo& peer = (*relay)->peer();
    const std::vector<std::pair<const char*, std::string>> lines = {
        {"relay", peer.address},
        {"protocol", std::to_string(peer.major) + "." + std::to_string(peer.minor)},
        {"tls", peer.tls.empty() ? "none" : peer.tls},
        {"uptime", duration(static_cast<measure::Nanoseconds>(figures->uptime_ms) * 1'000'000)},
        {"sessions",
         std::to_string(figures->sessions) + " of " + std::to_string(figures->max_sessions)},
        {"served", std::to_string(figures->sessions_served)},
        {"refused", std::to_string(figures->sessions_refused)},
        {"strangers", std::to_string(figures->strangers)},
        {"received", format_bytes(figures->bytes_in)},
        {"sent", format_bytes(figures->bytes_out)},
        {"memory", format_bytes(figures->memory)},
        {"rtt", duration(*rtt)},
    };
    for (const auto& [name, value] : lines)
        std::cout << name << std::string(10 - std::string_view(name).size(), ' ') << value << '\n';
    std::cout.flush();
    return status(std::cout.good() ? ExitCode::ok : ExitCode::partial);
}

}  // namespace

int status_main(std::span<const char* const> words, const FormatTable&) {
    static constexpr std::string_view k_shared[] = {"secret-file", "tls-ca", "tls-cert", "tls-key"};
    Options options;
    std::string why;
    const auto read = read_command({"status", {}, {}, k_shared}, words, options, why);
    if (!read) return give_up(ExitCode::usage, why);
    if (read->has("help")) {
        std::cout << k_help;
        return status(ExitCode::ok);
    }
    if (read->files.size() != 1) {
        return give_up(ExitCode::usage,
                       "one HOST:PORT is needed; perfclient status --help shows how");
    }
    options.network = parse_network(read->files.front(), why);
    if (!options.network || options.network->address.port == 0) {
        return give_up(ExitCode::usage, why.empty() ? "which port? HOST:PORT" : why);
    }
    if (!read_security(options, why)) return give_up(ExitCode::usage, why);
    return ask(options, options.network->address);
}

}  // namespace perfrelay::client
