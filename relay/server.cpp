#include "relay/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <new>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <fcntl.h>
#include <spdlog/logger.h>
#include <sys/socket.h>

#include "common/net/resolve.h"
#include "relay/connection.h"
#include "relay/registry.h"

namespace perfrelay::relay {
namespace {

using asio::ip::tcp;

constexpr int k_accepted_in_a_row = 16;
constexpr long k_memory_pause_ns = 10'000'000;
constexpr measure::Nanoseconds k_between_warnings = 10'000'000'000;

net::Fd spare_descriptor() {
    return net::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// Often enough that no deadline is late by more than a quarter of itself, nor by more than 250 ms.
std::chrono::nanoseconds tick_of(const Limits& limits) {
    const auto shortest = std::min({limits.handshake, limits.idle, limits.progress, limits.session,
                                    limits.drain, limits.linger});
    return std::chrono::nanoseconds(
        std::clamp<measure::Nanoseconds>(shortest / 4, 10'000'000, 250'000'000));
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
    State(ServerOptions given, spdlog::logger& logger)
        : options(std::move(given)),
          log(logger),
          registry(options.limits),
          tick(tick_of(options.limits)) {}

    Result<> open(std::string& why);
    void run();
    void accept();
    int accept_waiting();
    void accept_failed(const std::error_code& error);
    void accept_later(std::chrono::milliseconds pause);
    void turn_one_away();
    void welcome(tcp::socket socket);
    void sweep();
    void stop(bool at_once);
    void leave();
    bool ending() const { return stopping || leaving; }
    void watch_signals();
    void watch_lifeline();
    void end_if_empty();

    ServerOptions options;
    spdlog::logger& log;
    Registry registry;
    std::chrono::nanoseconds tick;
    net::Fd spare = spare_descriptor();
    net::Endpoint endpoint;
    bool accepting = false;  // waits for somebody, or until it may
    bool sweeping = false;
    bool stopping = false;
    bool leaving = false;  // with the last session
    bool cut_off = false;
    measure::Nanoseconds cut_off_at = 0;
    std::uint64_t turned_away = 0;
    measure::Nanoseconds told_of_turned_away = 0;
    std::array<char, 16> lifeline_bytes{};

    asio::io_context context{1};
    tcp::acceptor acceptor{context};
    asio::steady_timer sweeper{context};
    asio::steady_timer accept_pause{context};
    asio::signal_set signals{context};
    asio::posix::stream_descriptor lifeline{context};
    // After the context: a connection's socket is closed through it.
    std::unordered_map<Connection*, std::unique_ptr<Connection>> connections;
};

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
    return {};
}

void Server::State::run() {
    if (options.signals) watch_signals();
    if (options.lifeline) watch_lifeline();
    while (true) {
        try {
            if (!accepting && !ending()) accept();
            if (!sweeping) sweep();
            context.run();
            return;
        } catch (const std::bad_alloc&) {
            // What a connection lacks ends that connection; here the server itself lacks some.
            registry.reclaim();
            const timespec pause{0, k_memory_pause_ns};
            nanosleep(&pause, nullptr);
        }
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
        tcp::socket socket(context);
        acceptor.accept(socket, error);
        if (error == asio::error::would_block || error == asio::error::try_again) return i;
        if (error) {
            accept_failed(error);
            return -1;
        }
        try {
            welcome(std::move(socket));
        } catch (const std::bad_alloc&) {
            log.warn("no memory: a connection is turned away");
        }
    }
    return k_accepted_in_a_row;
}

void Server::State::welcome(tcp::socket socket) {
    auto connection =
        std::make_unique<Connection>(std::move(socket), registry, log, [this](Connection& done) {
            connections.erase(&done);
            end_if_empty();
        });
    Connection& started = *connection;
    connections.emplace(&started, std::move(connection));
    started.start();
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
    if (registry.evict_oldest_stranger()) return accept_later(1ms);
    turn_one_away();
    ++turned_away;
    const measure::Nanoseconds now = measure::now();
    if (turned_away == 1 || now - told_of_turned_away > k_between_warnings) {
        told_of_turned_away = now;
        log.warn("out of file descriptors: {} connections turned away so far", turned_away);
    }
    accept_later(100ms);
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

void Server::State::sweep() {
    const measure::Nanoseconds now = measure::now();
    registry.sweep(now);
    if (stopping && !cut_off && now >= cut_off_at) {
        cut_off = true;
        registry.shut_down(true);
    }
    // end_if_empty may have come while this call was due: its cancel then found nothing to cancel.
    if (ending() && connections.empty()) return;
    sweeper.expires_after(tick);
    sweeper.async_wait([this](const std::error_code& error) {
        sweeping = false;
        if (!error) sweep();
    });
    sweeping = true;
}

void Server::State::stop(bool at_once) {
    if (stopping) at_once = true;
    if (!stopping) {
        stopping = true;
        log.info("stopping, sessions now: {}", registry.sessions());
        std::error_code ignored;
        acceptor.close(ignored);
        accept_pause.cancel();
        cut_off_at = measure::now() + options.limits.drain;
        registry.shut_down(false);
    }
    if (at_once && !cut_off) {
        cut_off = true;
        registry.shut_down(true);
    }
    end_if_empty();
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
    if (!connections.empty()) {
        log.info("its starter has gone: ends with the last session, now: {}", registry.sessions());
        (void)::send(lifeline.native_handle(), "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    end_if_empty();
}

void Server::State::end_if_empty() {
    if (!ending() || !connections.empty()) return;
    sweeper.cancel();
    std::error_code ignored;
    signals.cancel(ignored);
    lifeline.close(ignored);
}

void Server::State::watch_signals() {
    signals.add(SIGTERM);
    signals.add(SIGINT);
    signals.async_wait([this](const std::error_code& error, int) {
        if (error) return;
        stop(false);
        if (!connections.empty()) watch_signals();
    });
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

Server::Server(ServerOptions options, spdlog::logger& log)
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
