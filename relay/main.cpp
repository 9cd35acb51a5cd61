// perfrelay: reads its command line, listens, serves until it is told to end.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "relay/log.h"
#include "relay/log_sink.h"
#include "relay/options.h"
#include "relay/server.h"

namespace perfrelay::relay {
namespace {

// 4,096 strangers and 64 sessions need more descriptors than the usual soft limit.
void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 65'536));
    setrlimit(RLIMIT_NOFILE, &limit);
}

int run(const Options& options) {
    // A log whose reader has gone ends no session.
    std::signal(SIGPIPE, SIG_IGN);
    Log log(std::make_shared<LogSink>(STDERR_FILENO),
            options.log_json ? Log::Style::json : Log::Style::text);
    log.set_level(options.verbose ? spdlog::level::debug : spdlog::level::info);
    ServerOptions wanted;
    wanted.limits = options.limits;
    wanted.bind = options.bind;
    wanted.family = options.family;
    wanted.port = options.port;
    wanted.signals = true;
    wanted.threads = options.threads;
    wanted.notice = options.notice;
    wanted.watchdog = options.watchdog;
    if (options.listener_fd >= 0) wanted.listener = net::Fd(options.listener_fd);
    if (options.lifeline_fd >= 0) wanted.lifeline = net::Fd(options.lifeline_fd);
    std::string why;
    wanted.metrics = options.metrics;
    wanted.access_files = options.access;
    wanted.access = load_access(options.access, why);
    if (wanted.access == nullptr) {
        std::fprintf(stderr, "perfrelay: %s\n", why.c_str());
        return 2;
    }
    const bool anyone = wanted.access->anyone();
    Server server(std::move(wanted), log);
    if (!server.open(why)) {
        std::fprintf(stderr, "perfrelay: %s\n", why.c_str());
        return 1;
    }
    log.info("perfrelay {} listening on {}", PERFRELAY_VERSION, server.endpoint().text());
    if (anyone && !server.endpoint().is_loopback()) {
        log.warn(
            "ANYONE who reaches this port can use the relay; --secret-file, --allow, --tls-ca or "
            "--bind "
            "narrow it");
    }
    options.notice.tell("READY=1");
    server.run();
    log.info("perfrelay ended");
    return 0;
}

}  // namespace
}  // namespace perfrelay::relay

int main(int argc, char** argv) {
    using namespace perfrelay::relay;  // NOLINT(google-build-using-namespace)
    try {
        Ending ending;
        const auto options =
            parse_options(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), ending);
        if (!options) {
            std::fputs(ending.text.c_str(), ending.status == 0 ? stdout : stderr);
            return ending.status;
        }
        raise_descriptor_limit();
        return run(*options);
    } catch (const std::system_error& error) {
        const int number = error.code().value();
        const bool too_few = number == EMFILE || number == ENFILE;
        std::fprintf(stderr, "perfrelay: %s\n",
                     too_few ? "too few file descriptors; ulimit -n 64 is enough" : error.what());
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "perfrelay: %s\n", error.what());
        return 1;
    }
}
