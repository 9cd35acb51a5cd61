// What the relay costs: echo round trips through perfrelay (store form) against a plain blocking
// echo, over the same loopback, turn by turn in one run. Prints medians and their ratios against
// the bounds we hold ourselves to; exit status 1 when one is missed.
//
//   bench_transport [ROUNDS_FACTOR]      1 is the default, 0.1 a quick look
//
// Where the scheduler happens to put two processes changes a round trip fivefold, so both peers are
// pinned alike. First to the client's own processor: nothing overlaps, every cycle of the relay
// counts; these figures are held against the bounds. Then to another processor, as between two
// hosts: reported, not judged, since wake-ups and whatever else runs there outweigh the relay (at
// 1 MB either peer's median is 0.4 or 0.8 ms from one run to the next).
//
// The plain peer reads a whole message of known size and writes it back, nothing else: no header,
// no event loop, no deadline. It is the least that a round trip over TCP can cost.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/relay_connection.h"
#include "common/measure/clock.h"
#include "common/net/resolve.h"
#include "common/net/tcp.h"

namespace perfrelay {
namespace {

struct Case {
    const char* name;
    std::size_t size;
    int rounds;
    double bound;  // 0: reported only
};
constexpr std::array<Case, 5> k_cases = {{
    {"64 B", 64, 20'000, 1.5},
    {"1 KB", 1'000, 20'000, 0},
    {"64 KB", 64'000, 5'000, 0},
    {"1 MB", 1'000'000, 1'500, 1.3},
    {"16 MB", 16'000'000, 60, 0},
}};

[[noreturn]] void die(const std::string& message) {
    std::fprintf(stderr, "bench_transport: %s\n", message.c_str());
    std::exit(2);  // NOLINT(concurrency-mt-unsafe)
}

bool receive_all(int fd, std::uint8_t* data, std::size_t size) {
    while (size != 0) {
        const ssize_t got = recv(fd, data, size, 0);
        if (got <= 0) return false;
        data += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

bool send_all(int fd, const std::uint8_t* data, std::size_t size) {
    while (size != 0) {
        const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        data += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

// One child process, ended with its parent or before.
class Child {
  public:
    template <class Body>
    explicit Child(Body body) : pid_(fork()) {
        if (pid_ < 0) die("fork");
        if (pid_ == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            body();
            _exit(127);
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        kill(pid_, SIGTERM);
        waitpid(pid_, nullptr, 0);
    }

    pid_t pid() const { return pid_; }

  private:
    pid_t pid_;
};

net::Fd listen_on_loopback(std::uint16_t& port) {
    auto endpoints = net::resolve("127.0.0.1", 0, net::Family::v4, true);
    if (!endpoints) die("127.0.0.1 does not resolve");
    auto fd = net::listen(endpoints->front(), false);
    if (!fd) die("cannot listen: " + describe(fd.error()));
    port = net::local_endpoint(fd->get()).port();
    return std::move(*fd);
}

// Size after size on one connection, each announced with its number of rounds.
void plain_echo(int listener) {
    const net::Fd fd(accept(listener, nullptr, nullptr));
    net::tune(fd.get());
    std::vector<std::uint8_t> buffer;
    std::array<std::uint8_t, 16> announced{};
    while (receive_all(fd.get(), announced.data(), announced.size())) {
        Reader in(announced);
        buffer.assign(static_cast<std::size_t>(in.u64()), 0);
        if (!send_all(fd.get(), announced.data(), 1)) return;
        for (std::uint64_t left = in.u64(); left != 0; --left) {
            if (!receive_all(fd.get(), buffer.data(), buffer.size()) ||
                !send_all(fd.get(), buffer.data(), buffer.size())) {
                return;
            }
        }
    }
}

[[noreturn]] void become_relay(int listener) {
    if (listener != 3) dup2(listener, 3);
    fcntl(3, F_SETFD, 0);
    const std::string pid = std::to_string(getpid());
    setenv("LISTEN_FDS", "1", 1);          // NOLINT(concurrency-mt-unsafe)
    setenv("LISTEN_PID", pid.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    const int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, STDERR_FILENO);
    execl(PERFRELAY_BINARY, "perfrelay", static_cast<char*>(nullptr));
    _exit(127);
}

class Plain {
  public:
    explicit Plain(std::uint16_t port) {
        auto endpoints = net::resolve("127.0.0.1", port, net::Family::v4, false);
        if (!endpoints) die("127.0.0.1 does not resolve");
        auto fd = net::connect(endpoints->front(), 5'000'000'000);
        if (!fd) die("plain echo: " + describe(fd.error()));
        fd_ = std::move(*fd);
    }

    void begin(std::size_t size, int rounds) {
        Buffer announced;
        announced.u64(size);
        announced.u64(static_cast<std::uint64_t>(rounds));
        answer_.assign(size, 0);
        std::uint8_t ready = 0;
        if (!send_all(fd_.get(), announced.data(), announced.size()) ||
            !receive_all(fd_.get(), &ready, 1)) {
            die("plain echo broke");
        }
    }
    measure::Nanoseconds round(Bytes payload) {
        const measure::Nanoseconds start = measure::now();
        if (!send_all(fd_.get(), payload.data(), payload.size()) ||
            !receive_all(fd_.get(), answer_.data(), answer_.size())) {
            die("plain echo broke");
        }
        const measure::Nanoseconds took = measure::now() - start;
        if (!std::equal(payload.begin(), payload.end(), answer_.begin())) die("plain echo differs");
        return took;
    }

  private:
    net::Fd fd_;
    std::vector<std::uint8_t> answer_;
};

measure::Nanoseconds relay_round(client::RelayConnection& relay, Bytes payload, Buffer& answer) {
    const auto exchange = relay.echo(payload, answer);
    if (!exchange) die(relay.last_error());
    const Bytes back = answer.view();
    if (!std::equal(payload.begin(), payload.end(), back.begin(), back.end())) die("echo differs");
    return exchange->up + exchange->down;
}

template <class T>
T median(std::vector<T>& samples) {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
}

bool run(const Case& each, double factor, bool judged, Plain& plain,
         client::RelayConnection& relay) {
    std::vector<std::uint8_t> payload(each.size);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : payload) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<std::uint8_t>(state >> 24U);
    }
    const int rounds = std::max(20, static_cast<int>(each.rounds * factor));
    const int warm_up = rounds / 10 + 3;
    std::vector<measure::Nanoseconds> of_plain;
    std::vector<measure::Nanoseconds> of_relay;
    std::vector<double> ratios;
    Buffer answer;
    plain.begin(each.size, rounds + warm_up);
    for (int i = 0; i < rounds + warm_up; ++i) {
        measure::Nanoseconds relay_took = 0;
        if (i % 2 == 0) relay_took = relay_round(relay, payload, answer);
        const measure::Nanoseconds plain_took = plain.round(payload);
        if (i % 2 != 0) relay_took = relay_round(relay, payload, answer);
        if (i < warm_up) continue;
        of_plain.push_back(plain_took);
        of_relay.push_back(relay_took);
        ratios.push_back(static_cast<double>(relay_took) / static_cast<double>(plain_took));
    }
    const double plain_us = static_cast<double>(median(of_plain)) / 1000.0;
    const double relay_us = static_cast<double>(median(of_relay)) / 1000.0;
    const double ratio = relay_us / plain_us;
    const bool pass = !judged || each.bound == 0 || ratio <= each.bound;
    const double paired = median(ratios);
    std::printf("%-6s %7d  %9.1f us  %9.1f us  %5.2fx  %5.2fx", each.name, rounds, plain_us,
                relay_us, ratio, paired);
    if (judged && each.bound != 0)
        std::printf("  %s (at most %.1fx)", pass ? "PASS" : "FAIL", each.bound);
    std::printf("\n");
    return pass;
}

// The processors that we may use, at most two.
std::vector<std::size_t> processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    std::vector<std::size_t> found;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return found;
    for (std::size_t i = 0; i < CPU_SETSIZE && found.size() < 2; ++i) {
        if (CPU_ISSET(i, &allowed)) found.push_back(i);
    }
    return found;
}

void pin(pid_t pid, std::size_t processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    if (sched_setaffinity(pid, sizeof one, &one) != 0) die("cannot pin to a processor");
}

bool run_all(double factor, bool judged, Plain& plain, client::RelayConnection& relay) {
    std::printf("size    rounds   plain echo     perfrelay   of medians  median of ratios\n");
    bool good = true;
    for (const Case& each : k_cases)
        good = run(each, factor, judged, plain, relay) && good;
    return good;
}

int bench(double factor) {
    std::uint16_t plain_port = 0;
    std::uint16_t relay_port = 0;
    net::Fd plain_listener = listen_on_loopback(plain_port);
    net::Fd relay_listener = listen_on_loopback(relay_port);
    const Child plain_child([&] { plain_echo(plain_listener.get()); });
    const Child relay_child([&] { become_relay(relay_listener.get()); });
    plain_listener.reset();
    relay_listener.reset();

    Plain plain(plain_port);
    std::string why;
    auto relay = client::RelayConnection::open({"127.0.0.1", relay_port}, {}, why);
    if (!relay) die(why);
    bool good = true;
    const std::vector<std::size_t> found = processors();
    for (const std::size_t processor : found) {
        std::printf("client on processor %zu, both peers on %zu\n", found.front(), processor);
        pin(0, found.front());
        pin(plain_child.pid(), processor);
        pin(relay_child.pid(), processor);
        good = run_all(factor, processor == found.front(), plain, **relay) && good;
    }
    return good && !found.empty() ? 0 : 1;
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    const double factor = argc > 1 ? std::strtod(argv[1], nullptr) : 1.0;
    return perfrelay::bench(factor > 0 ? factor : 1.0);
}
