#include "client/local_relay.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/loopback.h"
#include "client/report/layout.h"
#include "common/net/tcp.h"

namespace perfrelay::client {
namespace {

constexpr int k_listener_fd = 3;  // sd_listen_fds(3)
constexpr int k_lifeline_fd = 4;
constexpr int k_first_high_fd = 10;  // ours, out of the way of those two
constexpr std::string_view k_pid_variable = "LISTEN_PID=";

std::string error_text(int error) {
    return std::generic_category().message(error);
}

// The same descriptor at 10 or above, so that the child can put others at 3 and 4 without losing
// it.
net::Fd out_of_the_way(int fd) {
    const net::Fd low(fd);
    return net::Fd(low ? ::fcntl(fd, F_DUPFD_CLOEXEC, k_first_high_fd) : -1);
}

struct Pipe {
    net::Fd reading;
    net::Fd writing;
};

struct Pair {
    net::Fd ours;
    net::Fd theirs;
};

Pair open_pair() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
    return {out_of_the_way(ends[0]), out_of_the_way(ends[1])};
}

Pipe open_pipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    return {out_of_the_way(ends[0]), out_of_the_way(ends[1])};
}

// Everything the child needs, made before the fork: after it, only async-signal-safe calls.
struct Launch {
    const char* program = nullptr;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    char* pid_digits = nullptr;  // within "LISTEN_PID=", to be filled in by the child
    std::size_t pid_room = 0;
    int listener = -1;
    int lifeline = -1;
    int log = -1;
    int null = -1;
    int failure = -1;  // errno goes here when exec fails
    pid_t parent = 0;
    bool shared = false;
};

void reset_signals() {
    // What is ignored stays ignored across exec; perfclient ignores SIGPIPE.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGQUIT})
        ::sigaction(signal, &action, nullptr);
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

bool arrange_descriptors(const Launch& launch) {
    return ::dup2(launch.null, STDIN_FILENO) >= 0 && ::dup2(launch.log, STDOUT_FILENO) >= 0 &&
           ::dup2(launch.log, STDERR_FILENO) >= 0 && ::dup2(launch.listener, k_listener_fd) >= 0 &&
           ::dup2(launch.lifeline, k_lifeline_fd) >= 0;
}

[[noreturn]] void run_child(const Launch& launch) {
    // The parent may have gone before the death signal was asked for: then nobody would send it.
    // A relay on a port that others know of outlives us for their sake.
    if (!launch.shared &&
        (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != launch.parent)) {
        ::_exit(127);
    }
    ::setpgid(0, 0);
    reset_signals();
    const auto [end, failed] = std::to_chars(launch.pid_digits, launch.pid_digits + launch.pid_room,
                                             static_cast<long>(::getpid()));
    if (failed == std::errc()) {
        *end = '\0';
        if (arrange_descriptors(launch)) {
            // What we inherited ourselves is none of the relay's business. Kernels before 5.11
            // cannot, and then the relay holds a few descriptors more.
            ::close_range(k_lifeline_fd + 1, ~0U, CLOSE_RANGE_CLOEXEC);
            ::execve(launch.program, launch.arguments.data(), launch.environment.data());
        }
    }
    const int error = errno;
    // If even this fails, the parent sees a child that ended with 127.
    if (::write(launch.failure, &error, sizeof(error)) < 0) ::_exit(126);
    ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// Ours, without what a systemd further up may have left, then what the relay is to read.
std::vector<std::string> child_environment() {
    std::vector<std::string> texts;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view text = *variable;
        // A notification or watchdog is between systemd and its own child.
        const bool foreign = text.starts_with("LISTEN_") || text.starts_with("NOTIFY_SOCKET=") ||
                             text.starts_with("WATCHDOG_");
        if (!foreign) texts.emplace_back(text);
    }
    texts.emplace_back("LISTEN_FDS=1");
    texts.emplace_back(std::string(k_pid_variable) + std::string(24, '\0'));
    return texts;
}

std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

}  // namespace

std::string find_perfrelay(const std::string& beside, const std::string& path, std::string& why) {
    std::vector<std::string> places;
    if (!beside.empty()) {
        places.push_back(beside);
    } else {
        std::array<char, 4096> self{};
        const ssize_t size = ::readlink("/proc/self/exe", self.data(), self.size());
        const std::string_view text(self.data(),
                                    static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
        if (const std::size_t slash = text.rfind('/'); slash != std::string_view::npos) {
            places.emplace_back(text.substr(0, slash));
        }
    }
    const std::string looked_at = places.empty() ? "" : places.front() + " and ";
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find(':', begin), path.size());
        if (end > begin) places.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    for (const std::string& place : places) {
        std::string program = place + "/perfrelay";
        struct stat facts {};
        if (::stat(program.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
            ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    why = "no perfrelay program in " + looked_at + "PATH; install it beside perfclient";
    return "";
}

std::unique_ptr<LocalRelay> LocalRelay::start(const std::string& program, std::uint16_t port,
                                              std::string& why,
                                              const std::vector<std::string>& more) {
    LoopbackListener listener = listen_on_loopback(port);
    std::unique_ptr<LocalRelay> relay(new LocalRelay);
    if (listener.error == EADDRINUSE && port != 0) {
        relay->address_ = listener.address;
        return relay;
    }
    if (listener.error != 0) {
        why = "cannot listen on " + Address{"localhost", port}.text() + ": " +
              error_text(listener.error);
        return nullptr;
    }
    relay->address_ = listener.address;
    relay->shared_ = port != 0;
    // Ours is closed at the end: were it open, connections to a relay that died would be accepted.
    const net::Fd socket = out_of_the_way(listener.socket.release());
    if (!relay->spawn(program, socket.get(), more, why)) return nullptr;
    return relay;
}

bool LocalRelay::spawn(const std::string& program, int listener,
                       const std::vector<std::string>& more, std::string& why) {
    Pair lifeline = open_pair();
    Pipe failure = open_pipe();
    net::Fd log = out_of_the_way(::memfd_create("perfrelay-log", MFD_CLOEXEC));
    const net::Fd null = out_of_the_way(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (listener < 0 || !log || !null || !lifeline.ours || !lifeline.theirs || !failure.reading ||
        !failure.writing) {
        // fcntl says EINVAL when no number from 10 on is allowed.
        const bool too_few = errno == EMFILE || errno == EINVAL;
        why = "cannot start " + program + ": " +
              (too_few ? "too few file descriptors; ulimit -n 64 is enough" : error_text(errno));
        return false;
    }
    ::fcntl(log.get(), F_SETFL, O_APPEND);

    std::vector<std::string> arguments{program, "--lifeline-fd", std::to_string(k_lifeline_fd)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<std::string> environment = child_environment();
    Launch launch;
    launch.program = program.c_str();
    launch.arguments = pointers(arguments);
    launch.environment = pointers(environment);
    launch.pid_digits = environment.back().data() + k_pid_variable.size();
    launch.pid_room = environment.back().size() - k_pid_variable.size() - 1;
    launch.listener = listener;
    launch.lifeline = lifeline.theirs.get();
    launch.log = log.get();
    launch.null = null.get();
    launch.failure = failure.writing.get();
    launch.parent = ::getpid();
    launch.shared = shared_;

    const pid_t pid = ::fork();
    if (pid == 0) run_child(launch);
    if (pid < 0) {
        why = "cannot start " + program + ": " + error_text(errno);
        return false;
    }
    pid_ = pid;
    lifeline_ = std::move(lifeline.ours);
    log_ = std::move(log);
    failure.writing.reset();
    // End of file: exec has closed the other end.
    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(failure.reading.get(), &error, sizeof(error));
    } while (got < 0 && errno == EINTR);
    if (got == 0) return true;
    why = "cannot start " + program + ": " + error_text(error);
    return false;
}

bool LocalRelay::wait_for_end(int milliseconds) {
    constexpr int k_step = 5;
    constexpr long k_step_ns = 5'000'000;
    for (int waited = 0; !ended_; waited += k_step) {
        const pid_t ended = ::waitpid(pid_, &wait_status_, WNOHANG);
        // ECHILD: somebody else took the status; the process is gone all the same.
        ended_ = ended == pid_ || (ended < 0 && errno == ECHILD);
        if (ended_ || waited >= milliseconds) break;
        const timespec step{0, k_step_ns};
        ::nanosleep(&step, nullptr);
    }
    return ended_;
}

LocalRelay::~LocalRelay() {
    constexpr int k_lifeline_ms = 2000;
    constexpr int k_term_ms = 1000;
    if (pid_ <= 0) return;
    ::shutdown(lifeline_.get(), SHUT_WR);
    if (shared_ && serves_others(k_lifeline_ms)) return;
    lifeline_.reset();
    if (!wait_for_end(k_lifeline_ms)) ::kill(pid_, SIGTERM);
    if (!wait_for_end(k_term_ms)) ::kill(pid_, SIGKILL);
    while (!ended_)
        wait_for_end(k_term_ms);
}

// It says so by a byte when it has sessions. Ours may be among them: it is just about to end.
bool LocalRelay::serves_others(int milliseconds) {
    constexpr int k_our_own_ms = 200;
    const auto deadline = measure::now() + measure::Nanoseconds{milliseconds} * 1'000'000;
    char byte = 0;
    return net::wait(lifeline_.get(), POLLIN, deadline) &&
           ::recv(lifeline_.get(), &byte, 1, MSG_DONTWAIT) == 1 && !wait_for_end(k_our_own_ms);
}

std::optional<std::string> LocalRelay::why_dead() {
    constexpr int k_patience_ms = 200;
    if (!started() || !wait_for_end(k_patience_ms)) return std::nullopt;
    std::string text = "perfrelay ended";
    if (WIFSIGNALED(wait_status_)) {
        text += " by signal " + std::to_string(WTERMSIG(wait_status_));
    } else {
        text += " with status " + std::to_string(WEXITSTATUS(wait_status_));
    }
    const std::string said = printable(first_line(log()));
    return said.empty() ? text : text + ": " + said;
}

std::string LocalRelay::log() const {
    std::string text(std::size_t{64} << 10U, '\0');
    const ssize_t got = !log_ ? 0 : ::pread(log_.get(), text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

std::string become_relay(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    ::execv(program.c_str(), pointers(words).data());
    return "cannot start " + program + ": " + error_text(errno);
}

}  // namespace perfrelay::client
