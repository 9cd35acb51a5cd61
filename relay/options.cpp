#include "relay/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/cli/reference.h"
#include "common/cli/units.h"
#include "common/cli/version.h"

namespace perfrelay::relay {
namespace {

constexpr const char* k_description =
    "perfrelay: the far end of perfclient's measurements. Sends back, takes in or plays back what\n"
    "clients bring; knows no format and needs no configuration.";

constexpr const char* k_footer =
    "Examples:\n"
    "  perfrelay 8000                     every address of this host, IPv6 and IPv4\n"
    "  perfrelay 8000 --bind 127.0.0.1    this host alone\n"
    "  perfrelay 8000 -verbose            a line for every connection, also those of strangers\n"
    "then, on another host:\n"
    "  perfclient -net host2:8000 test.xml\n"
    "\n"
    "Without --secret-file and --allow, whoever reaches the port may use the relay.\n"
    "Durations need a unit (500ms, 15s, 10m, 1h), so do sizes above bytes (64KiB, 256MiB, 1GB).\n"
    "SIGTERM and SIGINT let running requests end first (--drain); a second one does not.\n"
    "SIGHUP reads the secret, the lists and the certificates again.\n"
    "\n"
    "Exit status: 0 ended as asked, 1 cannot listen, 2 wrong usage, or a secret, list or\n"
    "certificate that will not do.";

// efxperf's single-dash spellings of long options; CLI11 would read -verbose as -v -e -r ...
std::string normalised(const std::string& argument) {
    constexpr std::array<std::string_view, 4> k_long = {"-verbose", "-help", "-version", "-bind"};
    if (argument == "-?") return "--help";
    if (std::find(k_long.begin(), k_long.end(), argument) != k_long.end()) return "-" + argument;
    return argument;
}

std::string duration_text(measure::Nanoseconds value) {
    return value % 1'000'000'000 == 0 ? std::to_string(value / 1'000'000'000) + "s"
                                      : std::to_string(value / 1'000'000) + "ms";
}

std::string size_text(std::uint64_t value) {
    constexpr std::uint64_t k_mebibyte = std::uint64_t{1} << 20U;
    return value % k_mebibyte == 0 ? std::to_string(value / k_mebibyte) + "MiB"
                                   : std::to_string(value);
}

// Null unless the variable is a whole number.
std::optional<long> environment_number(const char* name) {
    // Before any thread is started.
    const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (text == nullptr) return std::nullopt;
    const std::string_view view(text);
    long value = 0;
    const auto parsed = std::from_chars(view.data(), view.data() + view.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != view.data() + view.size()) return std::nullopt;
    return value;
}

class CommandLine {
  public:
    CommandLine() {
        app_.set_help_flag("-?,--help", "this text");
        app_.set_version_flag("--version", "");
        app_.add_option("--reference", reference_, "man page or completion, for standard output")
            ->type_name("man|bash|zsh|fish");
        app_.footer(k_footer);
        app_.get_formatter()->column_width(34);
        app_.allow_extras();  // and refused below: CLI11 tells them in reverse
        port_ = app_.add_option("PORT", port_text_, "port to listen on; 0: any free one");
        app_.add_option("--bind", options_.bind,
                        "address or name to listen on [every address, both families]")
            ->type_name("ADDR");
        app_.add_flag("-4", v4_, "IPv4 only");
        app_.add_flag("-6", v6_, "IPv6 only");
        app_.add_flag("-v,--verbose", options_.verbose, "say more about each connection");
        app_.add_flag("--log-json", options_.log_json, "log JSON objects, one a line");
        app_.add_option("--metrics", metrics_,
                        "answer Prometheus there by HTTP, /metrics; without ADDR on the loopback")
            ->type_name("[ADDR:]PORT");
        app_.add_option("--threads", options_.threads, "threads to spread sessions over [1]")
            ->type_name("N")
            ->check(CLI::Range(1, 256));
        app_.add_option("--secret-file", options_.access.secret_file,
                        "clients must know the secret in it (mode 600), or in $PERFRELAY_SECRET")
            ->type_name("FILE");
        app_.add_option("--allow", options_.access.allow,
                        "only these addresses: 10.0.0.0/8,fd00::/8,192.0.2.7; repeatable")
            ->type_name("LIST")
            ->expected(1)
            ->take_all();
        app_.add_option("--allow-file", options_.access.allow_file,
                        "and those listed in this file; '#' begins a comment")
            ->type_name("FILE");
        app_.add_option("--tls-cert", options_.access.tls.certificate,
                        "speak TLS 1.3 alone, with this certificate (PEM, the chain)")
            ->type_name("FILE");
        app_.add_option("--tls-key", options_.access.tls.key, "its key (PEM)")->type_name("FILE");
        app_.add_option("--tls-ca", options_.access.tls.authorities,
                        "clients need a certificate signed by one of these (PEM)")
            ->type_name("FILE");
        Limits& limits = options_.limits;
        count("--max-sessions", limits.max_sessions, "sessions at once; more are told to wait");
        count("--max-per-address", limits.max_per_address, "sessions at once from one address");
        size("--max-payload", limits.max_payload, "largest single payload");
        size("--max-stored", limits.max_stored, "stored documents of one session together");
        size("--max-memory", limits.max_memory, "payloads and documents of all sessions");
        duration("--handshake", limits.handshake, "time to say HELLO");
        duration("--idle", limits.idle, "silence between two requests");
        duration("--progress", limits.progress, "silence within a transfer");
        duration("--max-session", limits.session, "length of one session");
        duration("--drain", limits.drain, "time to finish running requests when stopped");
        app_.add_option("--lifeline-fd", options_.lifeline_fd,
                        "at this descriptor's end of file take no more sessions, end with the last")
            ->type_name("FD")
            ->check(CLI::NonNegativeNumber);
    }

    std::optional<Options> parse(const std::vector<std::string>& arguments, Ending& ending) {
        std::vector<std::string> reversed;  // as CLI11 takes them
        reversed.reserve(arguments.size());
        for (const std::string& argument : arguments)
            reversed.push_back(normalised(argument));
        std::reverse(reversed.begin(), reversed.end());
        try {
            app_.parse(reversed);
        } catch (const CLI::CallForHelp&) {
            ending = {0, app_.help()};
            return std::nullopt;
        } catch (const CLI::CallForVersion&) {
            ending = {0, version_text("perfrelay",
                                      "TLS 1.3, secrets, address lists, threads, "
                                      "systemd, metrics, JSON log")};
            return std::nullopt;
        } catch (const CLI::ParseError& error) {
            return wrong(error.what(), ending);
        }
        if (const auto extra = app_.remaining(); !extra.empty()) {
            std::string all;
            for (const std::string& word : extra)
                all += (all.empty() ? "" : " ") + word;
            return wrong("not expected: " + all, ending);
        }
        if (!reference_.empty()) {
            const auto text = render(reference(), reference_);
            if (!text) return wrong("--reference man|bash|zsh|fish", ending);
            ending = {0, *text};
            return std::nullopt;
        }
        std::string why;
        options_.listener_fd = inherited_listener(why);
        if (!why.empty()) return wrong(why, ending);
        if (options_.lifeline_fd >= 0 && !readable(options_.lifeline_fd)) {
            return wrong("--lifeline-fd " + std::to_string(options_.lifeline_fd) +
                             " is no descriptor that is open for reading",
                         ending);
        }
        if (v4_ && v6_) return wrong("-4 and -6 exclude each other", ending);
        if (v4_) options_.family = net::Family::v4;
        if (v6_) options_.family = net::Family::v6;
        if (port_->empty() && options_.listener_fd < 0) {
            return wrong("which port? For example: perfrelay 8000", ending);
        }
        if (!port_->empty() && !parse_port()) {
            return wrong("PORT: " + port_text_ + " is no number from 0 to 65535", ending);
        }
        if (!metrics_.empty() && !parse_metrics()) {
            return wrong("--metrics " + metrics_ + ": not [ADDR:]PORT, such as 127.0.0.1:9464",
                         ending);
        }
        read_systemd();
        return options_;
    }

  private:
    static std::nullopt_t wrong(const std::string& message, Ending& ending) {
        ending = {2, "perfrelay: " + message + " (perfrelay --help tells all)\n"};
        return std::nullopt;
    }

    void read_systemd() {
        // Before any thread is started.
        const char* const notify = std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe)
        if (notify == nullptr) return;
        options_.notice = Notice(notify);
        const auto pid = environment_number("WATCHDOG_PID");
        const auto microseconds = environment_number("WATCHDOG_USEC");
        if (microseconds && *microseconds > 0 && (!pid || *pid == getpid())) {
            options_.watchdog = measure::Nanoseconds{*microseconds} * 1000;
        }
    }

    Reference reference() const {
        Reference page;
        page.program = "perfrelay";
        page.summary = "the far end of perfclient's measurements";
        page.synopsis = "[options] PORT";
        page.description = std::string(k_description) + "\n\n" + k_footer;
        page.description.resize(page.description.find("\n\nExit status"));
        for (const CLI::Option* option : app_.get_options()) {
            if (option->get_positional()) continue;
            ReferenceOption line;
            for (const std::string& name : option->get_snames())
                line.names.push_back("-" + name);
            for (const std::string& name : option->get_lnames())
                line.names.push_back("--" + name);
            // Behind the colon stands what CLI11 thinks of it.
            const std::string value = option->get_type_name();
            if (option->get_items_expected_max() != 0)
                line.value = value.substr(0, value.find(':'));
            line.help = option->get_description();
            page.options.push_back(std::move(line));
        }
        page.statuses = {{"0", "ended as asked"},
                         {"1", "cannot listen"},
                         {"2", "wrong usage, or a secret, list or certificate that will not do"}};
        page.see_also = "perfclient(1)";
        return page;
    }

    static bool readable(int fd) {
        const int flags = fcntl(fd, F_GETFL);
        return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
    }

    bool parse_port() {
        const char* const end = port_text_.data() + port_text_.size();
        const auto parsed = std::from_chars(port_text_.data(), end, options_.port);
        return parsed.ec == std::errc() && parsed.ptr == end;
    }

    bool parse_metrics() {
        const std::size_t colon = metrics_.rfind(':');
        MetricsAddress address;
        if (colon != std::string::npos) {
            address.host = metrics_.substr(0, colon);
            if (address.host.starts_with('[') && address.host.ends_with(']')) {
                address.host = address.host.substr(1, address.host.size() - 2);
            }
        }
        const char* const begin = metrics_.data() + (colon == std::string::npos ? 0 : colon + 1);
        const char* const end = metrics_.data() + metrics_.size();
        const auto parsed = std::from_chars(begin, end, address.port);
        if (parsed.ec != std::errc() || parsed.ptr != end || address.host.empty()) return false;
        options_.metrics = std::move(address);
        return true;
    }

    void count(const char* name, std::uint32_t& value, const char* meaning) {
        app_.add_option(name, value, std::string(meaning) + " [" + std::to_string(value) + "]")
            ->type_name("N")
            ->check(CLI::Range(1, 100'000));
    }

    void size(const char* name, std::uint64_t& value, const char* meaning) {
        const auto take = [&value, name](const std::string& text) {
            std::string why;
            const auto parsed = parse_bytes(text, why);
            if (!parsed) throw CLI::ValidationError(name, why);
            value = *parsed;
        };
        app_.add_option_function<std::string>(name, take,
                                              std::string(meaning) + " [" + size_text(value) + "]")
            ->type_name("SIZE");
    }

    void duration(const char* name, measure::Nanoseconds& value, const char* meaning) {
        const auto take = [&value, name](const std::string& text) {
            std::string why;
            const auto parsed = parse_duration(text, BareDuration::refused, why);
            if (!parsed) throw CLI::ValidationError(name, why);
            if (*parsed == 0) throw CLI::ValidationError(name, "must be more than 0");
            value = *parsed;
        };
        app_.add_option_function<std::string>(
                name, take, std::string(meaning) + " [" + duration_text(value) + "]")
            ->type_name("TIME");
    }

    CLI::App app_{k_description, "perfrelay"};
    Options options_;
    std::string port_text_;
    std::string metrics_;
    std::string reference_;
    CLI::Option* port_ = nullptr;
    bool v4_ = false;
    bool v6_ = false;
};

}  // namespace

int inherited_listener(std::string& why) {
    constexpr int k_first = 3;
    if (environment_number("LISTEN_PID") != getpid()) return -1;
    const std::optional<long> count = environment_number("LISTEN_FDS");
    if (!count || *count < 1) return -1;
    int listening = 0;
    socklen_t size = sizeof listening;
    if (getsockopt(k_first, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0) {
        why = "LISTEN_FDS is set, but descriptor 3 is no listening socket";
    } else if (*count > 1) {
        why = "LISTEN_FDS hands over " + std::to_string(*count) + " sockets; a relay takes one";
    } else {
        fcntl(k_first, F_SETFD, FD_CLOEXEC);
        return k_first;
    }
    return -1;
}

std::optional<Options> parse_options(const std::vector<std::string>& arguments, Ending& ending) {
    return CommandLine().parse(arguments, ending);
}

}  // namespace perfrelay::relay
