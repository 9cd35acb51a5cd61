#include "relay/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <fcntl.h>
#include <sys/socket.h>

#include "common/net/resolve.h"
#include "relay/places.h"
#include "relay/worker.h"

namespace perfrelay::relay {
namespace {

using asio::ip::tcp;

constexpr int k_accepted_in_a_row = 16;
constexpr measure::Nanoseconds k_between_warnings = 10'000'000'000;

net::Fd spare_descriptor() {
    return net::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// Both families where there is IPv6, IPv4 alone where not.
Result<net::Fd> listen_everywhere(const ServerOptions& options) {
    if (options.family != net::Family::v4) {
        auto v6 = net::resolve("", options.port, net::Family::v6, true);
        if (v6) {
            auto fd = net::listen(v6->front(), options.family == net::Family::v6);
            if (fd || options.family == net::Family::v6) return fd;
            const int error = fd.error().system;
            if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL) return fd;
        } else if (options.family == net::Family::v6) {
            return v6.error();
        }
    }
    auto v4 = net::resolve("", options.port, net::Family::v4, true);
    if (!v4) return v4.error();
    return net::listen(v4->front(), false);
}

Result<net::Fd> listen_as_asked(const ServerOptions& options) {
    if (options.bind.empty()) return listen_everywhere(options);
    auto endpoints = net::resolve(options.bind, options.port, options.family, true);
    if (!endpoints) return endpoints.error();
    return net::listen(endpoints->front(), options.family == net::Family::v6);
}

std::string why_not_listening(const ServerOptions& options, const Error& error) {
    const std::string port = std::to_string(options.port);
    const std::string where =
        options.bind.empty() ? "port " + port : options.bind + " port " + port;
    if (error.system == EADDRINUSE) {
        return "cannot listen on " + where +
               ": address in use; see who has it with: ss -ltnp 'sport = :" + port + "'";
    }
    if (error.system == EACCES) {
        return "cannot listen on " + where + ": permission denied; ports below 1024 are for root";
    }
    return "cannot listen on " + where + ": " + describe(error);
}

}  // namespace

struct Server::State {
    State(ServerOptions given, Log& logger);
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State();

    Result<> open(std::string& why);
    Result<> open_metrics(std::string& why);
    void run();
    void start_threads();
    void accept();
    int accept_waiting();
    void accept_failed(const std::error_code& error);
    void accept_later(std::chrono::milliseconds pause);
    bool make_room();
    void turn_one_away();
    Worker& least_busy() const;
    std::size_t connections() const;
    void stop(bool at_once);
    void leave();
    bool ending() const { return stopping || leaving; }
    bool admits(tcp::socket& socket);
    void watch_signals();
    void watch_hangups();
    void reload();
    void watch_lifeline();
    void watch_workers();
    void end_if_empty();

    ServerOptions options;
    Log& log;
    Places places;
    net::Fd spare = spare_descriptor();
    net::Endpoint endpoint;
    bool accepting = false;  // waits for somebody, or until it may
    bool stopping = false;
    bool leaving = false;  // with the last session
    std::uint64_t turned_away = 0;
    measure::Nanoseconds told_of_turned_away = 0;
    std::array<char, 16> lifeline_bytes{};

    std::vector<std::unique_ptr<Worker>> workers;  // the first runs in run()'s thread, as we do
    std::vector<std::thread> threads;              // of the others
    asio::io_context& context;
    tcp::acceptor acceptor{context};
    asio::steady_timer accept_pause{context};
    asio::steady_timer pulse{context};
    asio::signal_set signals{context};
    asio::signal_set hangups{context};
    asio::posix::stream_descriptor lifeline{context};
    std::optional<Metrics> metrics;
};

namespace {

std::vector<std::unique_ptr<Worker>> make_workers(std::uint32_t count, Places& places, Log& log,
                                                  const std::function<void()>& emptied) {
    const std::uint32_t strangers = (places.limits().max_strangers + count - 1) / count;
    std::vector<std::unique_ptr<Worker>> workers;
    for (std::uint32_t i = 0; i < count; ++i)
        workers.push_back(std::make_unique<Worker>(places, strangers, log, emptied));
    return workers;
}

}  // namespace

Server::State::State(ServerOptions given, Log& logger)
    : options(std::move(given)),
      log(logger),
      places(options.limits),
      workers(make_workers(options.threads, places, log,
                           [this] { asio::post(context, [this] { end_if_empty(); }); })),
      context(workers.front()->context()) {
    if (options.access != nullptr) places.set_access(options.access);
}

// Threads still run only when run() was left by an exception.
Server::State::~State() {
    for (const auto& worker : workers)
        worker->context().stop();
    for (std::thread& thread : threads)
        if (thread.joinable()) thread.join();
}

Result<> Server::State::open(std::string& why) {
    net::Fd fd = std::move(options.listener);
    if (!fd) {
        auto listening = listen_as_asked(options);
        if (!listening) {
            why = why_not_listening(options, listening.error());
            return listening.error();
        }
        fd = std::move(*listening);
    }
    endpoint = net::local_endpoint(fd.get());
    std::error_code error;
    acceptor.assign(endpoint.family() == AF_INET6 ? tcp::v6() : tcp::v4(), fd.get(), error);
    if (error) {
        why = "cannot listen: " + error.message();
        return Error{.code = Errc::io, .where = "listener", .system = error.value()};
    }
    (void)fd.release();
    acceptor.non_blocking(true, error);
    return open_metrics(why);
}

Result<> Server::State::open_metrics(std::string& why) {
    if (!options.metrics) return {};
    ServerOptions where;
    where.bind = options.metrics->host;
    where.port = options.metrics->port;
    auto listening = listen_as_asked(where);
    if (!listening) {
        why = "--metrics: " + why_not_listening(where, listening.error());
        return listening.error();
    }
    log.info("metrics on {}", net::local_endpoint(listening->get()).text());
    metrics.emplace(context, std::move(*listening),
                    [this] { return metrics_text(places, connections(), workers.size()); });
    return {};
}

void Server::State::run() {
    if (options.signals) {
        watch_signals();
        watch_hangups();
    }
    if (options.lifeline) watch_lifeline();
    start_threads();
    watch_workers();
    if (metrics) metrics->start();
    workers.front()->run([this] {
        if (!accepting && !ending()) accept();
    });
    for (std::thread& thread : threads)
        thread.join();
}

void Server::State::start_threads() {
    try {
        while (threads.size() + 1 < workers.size()) {
            Worker* const worker = workers[threads.size() + 1].get();
            threads.emplace_back([worker] { worker->run([] {}); });
        }
    } catch (const std::system_error& error) {
        log.warn("{} threads in place of {}: {}", threads.size() + 1, workers.size(), error.what());
        workers.resize(threads.size() + 1);
    }
}

// Waits before it accepts: without a free descriptor accept would fail though nobody is there.
void Server::State::accept() {
    acceptor.async_wait(tcp::acceptor::wait_read, [this](const std::error_code& error) {
        accepting = false;
        if (error || ending()) return;
        if (accept_waiting() >= 0) accept();
    });
    accepting = true;
}

// Those that wait, at most so many that others have their turn; says how many. -1: it cannot, and
// goes on later, by itself.
int Server::State::accept_waiting() {
    for (int i = 0; i < k_accepted_in_a_row; ++i) {
        std::error_code error;
        Worker& worker = least_busy();
        tcp::socket socket(worker.context());
        acceptor.accept(socket, error);
        if (error == asio::error::would_block || error == asio::error::try_again) return i;
        if (error) {
            accept_failed(error);
            return -1;
        }
        if (!admits(socket)) continue;
        try {
            worker.serve(std::move(socket));
        } catch (const std::bad_alloc&) {
            log.warn("no memory: a connection is turned away");
        }
    }
    return k_accepted_in_a_row;
}

bool Server::State::admits(tcp::socket& socket) {
    const auto access = places.access();
    if (!access->listed) return true;
    const net::Endpoint peer = net::remote_endpoint(socket.native_handle());
    if (access->admits(peer)) return true;
    const auto refused = ++places.refusals().address;
    if (places.may_warn()) {
        log.warn("{} is not in --allow; such connections so far: {}", peer.text(), refused);
    }
    return false;
}

Worker& Server::State::least_busy() const {
    return **std::ranges::min_element(
        workers, {}, [](const std::unique_ptr<Worker>& worker) { return worker->connections(); });
}

std::size_t Server::State::connections() const {
    std::size_t all = 0;
    for (const auto& worker : workers)
        all += worker->connections();
    return all;
}

void Server::State::accept_failed(const std::error_code& error) {
    using namespace std::chrono_literals;
    if (error.value() != EMFILE && error.value() != ENFILE) {
        // A connection that went away before it was taken, or a short memory: neither is for ever.
        log.warn("accept: {}", error.message());
        return accept_later(10ms);
    }
    // Strangers hold descriptors that clients need; without any, one connection is turned away with
    // the descriptor kept for this, so that it does not wait for a place that may never come.
    if (make_room()) return accept_later(1ms);
    turn_one_away();
    ++turned_away;
    ++places.refusals().descriptors;
    const measure::Nanoseconds now = measure::now();
    if (turned_away == 1 || now - told_of_turned_away > k_between_warnings) {
        told_of_turned_away = now;
        log.warn("out of file descriptors: {} connections turned away so far", turned_away);
    }
    accept_later(100ms);
}

// False when there are no strangers to show out.
bool Server::State::make_room() {
    Worker& fullest = **std::ranges::max_element(
        workers, {}, [](const std::unique_ptr<Worker>& worker) { return worker->strangers(); });
    if (fullest.strangers() == 0) return false;
    fullest.evict_oldest_stranger();
    return true;
}

void Server::State::turn_one_away() {
    spare.reset();
    const net::Fd visitor(
        accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    // Closed at the end of this scope: the spare must come back after it.
    [[maybe_unused]] const bool was_there = static_cast<bool>(visitor);
}

void Server::State::accept_later(std::chrono::milliseconds pause) {
    if (!spare) spare = spare_descriptor();
    accept_pause.expires_after(pause);
    accept_pause.async_wait([this](const std::error_code& error) {
        accepting = false;
        if (!error && !ending()) accept();
    });
    accepting = true;
}

void Server::State::stop(bool at_once) {
    if (stopping) at_once = true;
    if (!stopping) {
        stopping = true;
        log.info("stopping, sessions now: {}", places.status().sessions);
        options.notice.tell("STOPPING=1");
        std::error_code ignored;
        acceptor.close(ignored);
        accept_pause.cancel();
    }
    for (const auto& worker : workers)
        worker->stop(at_once);
}

// Whoever listens for the life-line's other end hears whether it has to wait for others' sessions.
void Server::State::leave() {
    if (ending()) return;
    // These came before the listener went.
    while (accept_waiting() == k_accepted_in_a_row) {
    }
    leaving = true;
    std::error_code ignored;
    acceptor.close(ignored);
    accept_pause.cancel();
    if (connections() != 0) {
        log.info("its starter has gone: ends with the last session, now: {}",
                 places.status().sessions);
        (void)::send(lifeline.native_handle(), "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (const auto& worker : workers)
        worker->leave();
}

void Server::State::end_if_empty() {
    if (ending() && connections() == 0) context.stop();
}

// The watchdog hears from us while every thread still sweeps.
void Server::State::watch_workers() {
    if (options.watchdog == 0) return;
    const auto late = [this](const std::unique_ptr<Worker>& worker) {
        return measure::now() - worker->swept() > options.watchdog / 2;
    };
    if (std::ranges::none_of(workers, late)) options.notice.tell("WATCHDOG=1");
    pulse.expires_after(std::chrono::nanoseconds(options.watchdog / 4));
    pulse.async_wait([this](const std::error_code& error) {
        if (!error) watch_workers();
    });
}

void Server::State::watch_signals() {
    signals.add(SIGTERM);
    signals.add(SIGINT);
    signals.async_wait([this](const std::error_code& error, int) {
        if (error) return;
        stop(false);
        watch_signals();
    });
}

void Server::State::watch_hangups() {
    hangups.add(SIGHUP);
    hangups.async_wait([this](const std::error_code& error, int) {
        if (error) return;
        reload();
        watch_hangups();
    });
}

// Sessions that there are go on as they began.
void Server::State::reload() {
    std::string why;
    auto access = load_access(options.access_files, why);
    if (access == nullptr) {
        log.error("not reloaded, all stays as it was: {}", why);
        return;
    }
    places.set_access(std::move(access));
    log.info("secret, lists and certificates reloaded");
}

void Server::State::watch_lifeline() {
    std::error_code error;
    if (!lifeline.is_open()) {
        lifeline.assign(options.lifeline.get(), error);
        if (error) {
            log.error("life-line: {}", error.message());
            return leave();
        }
        (void)options.lifeline.release();
    }
    lifeline.async_read_some(asio::buffer(lifeline_bytes),
                             [this](const std::error_code& failure, std::size_t) {
                                 if (!failure) return watch_lifeline();
                                 if (failure != asio::error::operation_aborted) leave();
                             });
}

Server::Server(ServerOptions options, Log& log)
    : state_(std::make_unique<State>(std::move(options), log)) {}

Server::~Server() = default;

Result<> Server::open(std::string& why) {
    return state_->open(why);
}

void Server::run() {
    state_->run();
}

void Server::stop(bool at_once) {
    asio::post(state_->context, [this, at_once] { state_->stop(at_once); });
}

std::uint16_t Server::port() const {
    return state_->endpoint.port();
}

net::Endpoint Server::endpoint() const {
    return state_->endpoint;
}

}  // namespace perfrelay::relay
