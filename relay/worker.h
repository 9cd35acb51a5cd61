#pragma once
// Worker: one thread of the relay, with its event loop, its connections and the sweep that watches
// their deadlines. The relay has one, or --threads of them; the first shares its loop with the
// listener (relay/server.h).
//
// Contract: run() in one thread; it returns when the worker was told to end and has no connection
// left. Everything else from any thread.
// Tested by tests/integration/relay_test.cpp.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include "relay/connection.h"
#include "relay/log.h"
#include "relay/registry.h"

namespace perfrelay::relay {

class Worker {
  public:
    // `emptied` is called, in the worker's thread, each time its last connection has gone while it
    // is ending, and when it is told to end and has none.
    Worker(Places& places, std::uint32_t max_strangers, Log& log, std::function<void()> emptied);
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() = default;

    asio::io_context& context() { return context_; }
    // `prepare` runs before the loop, and again each time a lack of memory has thrown it out.
    void run(const std::function<void()>& prepare);

    // Takes over a socket made in context().
    void serve(asio::ip::tcp::socket socket);
    // Shows out its oldest stranger.
    void evict_oldest_stranger();
    // Ends with its last connection.
    void leave();
    // Its sessions end, at the latest when they have drained; `at_once`: now.
    void stop(bool at_once);

    std::size_t connections() const { return connected_.load(std::memory_order_relaxed); }
    std::size_t strangers() const { return strangers_.load(std::memory_order_relaxed); }
    // When its sweep ran last: long ago means that it is stuck.
    measure::Nanoseconds swept() const { return swept_.load(std::memory_order_relaxed); }

  private:
    void welcome(asio::ip::tcp::socket socket);
    void sweep();
    void end_if_empty();

    Log& log_;
    Registry registry_;
    std::function<void()> emptied_;
    std::chrono::nanoseconds tick_;
    bool sweeping_ = false;
    bool ending_ = false;
    bool cut_off_ = false;
    measure::Nanoseconds cut_off_at_ = measure::k_never;
    std::atomic<std::size_t> connected_ = 0;  // those on their way to welcome() included
    std::atomic<std::size_t> strangers_ = 0;
    std::atomic<measure::Nanoseconds> swept_ = measure::now();

    asio::io_context context_{1};
    asio::steady_timer sweeper_{context_};
    // After the context: a connection's socket is closed through it.
    std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
};

}  // namespace perfrelay::relay
