#pragma once
// For tests of the relay: a relay in a thread of this process, and a peer that sends what it likes.

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "client/relay_connection.h"
#include "common/net/resolve.h"
#include "common/net/tcp.h"
#include "proto/wire/frames.h"
#include "relay/server.h"

namespace perfrelay {

using client::Address;
using client::ConnectOptions;
using client::RelayConnection;

inline constexpr measure::Nanoseconds k_millisecond = 1'000'000;
inline constexpr measure::Nanoseconds k_second = 1'000'000'000;

inline std::vector<std::uint8_t> bytes_of(std::size_t size) {
    std::mt19937 random(static_cast<unsigned>(size));
    std::vector<std::uint8_t> bytes(size);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

// A relay that lives as long as this object.
class RunningRelay {
  public:
    explicit RunningRelay(const relay::Limits& limits = {}, const std::string& bind = "127.0.0.1")
        : host_(bind), log_() {
        relay::ServerOptions options;
        options.limits = limits;
        options.bind = bind;
        server_ = std::make_unique<relay::Server>(std::move(options), log_);
        std::string why;
        opened_ = server_->open(why).has_value();
        if (opened_) thread_ = std::thread([this] { server_->run(); });
    }
    RunningRelay(const RunningRelay&) = delete;
    RunningRelay& operator=(const RunningRelay&) = delete;
    ~RunningRelay() { stop(true); }

    bool opened() const { return opened_; }
    std::thread::id thread_id() const { return thread_.get_id(); }
    relay::Server& server() const { return *server_; }
    Address address() const { return {host_, server_->port()}; }
    void stop(bool at_once) {
        if (!thread_.joinable()) return;
        server_->stop(at_once);
        thread_.join();
    }

    std::unique_ptr<RelayConnection> connect(const ConnectOptions& options = {}) const {
        std::string why;
        auto connection = RelayConnection::open(address(), options, why);
        EXPECT_TRUE(connection) << why;
        return connection ? std::move(*connection) : nullptr;
    }

  private:
    std::string host_;
    relay::Log log_;
    std::unique_ptr<relay::Server> server_;
    bool opened_ = false;
    std::thread thread_;
};

// A peer that sends what it likes.
class RawPeer {
  public:
    explicit RawPeer(const Address& address) {
        auto endpoints = net::resolve(address.host, address.port, net::Family::any, false);
        if (!endpoints) return;
        auto fd = net::connect(endpoints->front(), 5 * k_second);
        if (fd) fd_ = std::move(*fd);
    }

    int fd() const { return fd_.get(); }
    void send(Bytes bytes) const {
        (void)::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    void close() { fd_.reset(); }
    void end_output() const { shutdown(fd_.get(), SHUT_WR); }

    // All that comes until the relay closes; `closed` is false when that takes more than 20 s.
    std::vector<std::uint8_t> read_all(bool& closed) const {
        std::vector<std::uint8_t> all;
        std::vector<std::uint8_t> some(65536);
        const measure::Nanoseconds deadline = measure::now() + 20 * k_second;
        closed = false;
        while (net::wait(fd_.get(), POLLIN, deadline)) {
            const ssize_t got = recv(fd_.get(), some.data(), some.size(), 0);
            if (got <= 0) {
                closed = true;
                break;
            }
            all.insert(all.end(), some.begin(), some.begin() + got);
        }
        return all;
    }

    std::vector<std::uint8_t> read(std::size_t size) const {
        std::vector<std::uint8_t> bytes(size);
        const ssize_t got = recv(fd_.get(), bytes.data(), size, MSG_WAITALL);
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return bytes;
    }

    void hello() const {
        send(wire::encode(wire::Hello{}));
        EXPECT_TRUE(wire::decode_welcome(read(wire::k_welcome_size)));
    }

  private:
    net::Fd fd_;
};

}  // namespace perfrelay
