#include "relay/worker.h"

#include <algorithm>
#include <ctime>
#include <new>
#include <system_error>
#include <utility>

#include <asio/dispatch.hpp>
#include <asio/post.hpp>

namespace perfrelay::relay {
namespace {

constexpr long k_memory_pause_ns = 10'000'000;

// Often enough that no deadline is late by more than a quarter of itself, nor by more than 250 ms.
std::chrono::nanoseconds tick_of(const Limits& limits) {
    const auto shortest = std::min({limits.handshake, limits.idle, limits.progress, limits.session,
                                    limits.drain, limits.linger});
    return std::chrono::nanoseconds(
        std::clamp<measure::Nanoseconds>(shortest / 4, 10'000'000, 250'000'000));
}

}  // namespace

Worker::Worker(Places& places, std::uint32_t max_strangers, Log& log, std::function<void()> emptied)
    : log_(log),
      registry_(places, max_strangers),
      emptied_(std::move(emptied)),
      tick_(tick_of(places.limits())) {}

void Worker::run(const std::function<void()>& prepare) {
    while (true) {
        try {
            prepare();
            if (!sweeping_) sweep();
            context_.run();
            return;
        } catch (const std::bad_alloc&) {
            // What a connection lacks ends that connection; here the loop itself lacks some.
            registry_.reclaim();
            const timespec pause{0, k_memory_pause_ns};
            nanosleep(&pause, nullptr);
        }
    }
}

void Worker::serve(asio::ip::tcp::socket socket) {
    ++connected_;
    try {
        // At once, when this is the worker's own thread.
        asio::dispatch(
            context_, [this, socket = std::move(socket)]() mutable { welcome(std::move(socket)); });
    } catch (...) {
        --connected_;
        throw;
    }
}

void Worker::welcome(asio::ip::tcp::socket socket) {
    try {
        auto connection = std::make_unique<Connection>(std::move(socket), registry_, log_,
                                                       [this](Connection& done) {
                                                           connections_.erase(&done);
                                                           --connected_;
                                                           strangers_ = registry_.strangers();
                                                           end_if_empty();
                                                       });
        Connection& started = *connection;
        connections_.emplace(&started, std::move(connection));
        strangers_ = registry_.strangers();
        started.start();
    } catch (const std::bad_alloc&) {
        --connected_;
        log_.warn("no memory: a connection is turned away");
    }
}

void Worker::evict_oldest_stranger() {
    asio::dispatch(context_, [this] {
        registry_.evict_oldest_stranger();
        strangers_ = registry_.strangers();
    });
}

void Worker::sweep() {
    const measure::Nanoseconds now = measure::now();
    swept_ = now;
    registry_.sweep(now);
    strangers_ = registry_.strangers();
    if (!cut_off_ && now >= cut_off_at_) {
        cut_off_ = true;
        registry_.shut_down(true);
    }
    // end_if_empty may have come while this call was due: its cancel then found nothing to cancel.
    if (ending_ && connections_.empty()) return emptied_();
    sweeper_.expires_after(tick_);
    sweeper_.async_wait([this](const std::error_code& error) {
        sweeping_ = false;
        if (!error) sweep();
    });
    sweeping_ = true;
}

void Worker::leave() {
    asio::post(context_, [this] {
        ending_ = true;
        end_if_empty();
    });
}

void Worker::stop(bool at_once) {
    asio::post(context_, [this, at_once] {
        if (cut_off_at_ == measure::k_never) {
            cut_off_at_ = measure::now() + registry_.limits().drain;
            registry_.shut_down(false);
        }
        ending_ = true;
        if (at_once && !cut_off_) {
            cut_off_ = true;
            registry_.shut_down(true);
        }
        end_if_empty();
    });
}

void Worker::end_if_empty() {
    if (!ending_ || !connections_.empty()) return;
    sweeper_.cancel();
    emptied_();
}

}  // namespace perfrelay::relay
