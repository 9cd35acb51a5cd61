#pragma once
// Connection: one accepted socket and its Session. Reads and writes straight from the session's
// buffers, first without waiting, then by the event loop; a wait costs no timer, since the
// registry's sweep watches the deadlines and pokes.
//
// Contract: `retire` is called exactly once, when no operation is left in flight and the socket is
// closed; the connection may then be destroyed. One thread.
// Tested by tests/integration/relay_test.cpp.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include "common/net/channel.h"
#include "relay/log.h"
#include "relay/registry.h"
#include "relay/session.h"

namespace perfrelay::relay {

class Connection final : public Guest, private Session::Host {
  public:
    Connection(asio::ip::tcp::socket socket, Registry& registry, Log& log,
               std::function<void(Connection&)> retire);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() override;

    // The connection may be gone when this returns.
    void start();

    Session& session() override { return session_; }
    const std::string& host_address() const override { return host_address_; }
    bool drained_some() override;
    void poke() override;

  private:
    enum class Flush : std::uint8_t { done, blocked, again, failed };

    // Session::Host
    Verdict admit() override;
    std::shared_ptr<const Secret> secret() override { return registry_.places().access()->secret; }
    wire::Nonce nonce() override;
    wire::Status status() override { return registry_.status(); }
    void reclaim() override { registry_.reclaim(); }
    measure::Nanoseconds coarse_now() const override { return registry_.coarse_now(); }

    void advance();
    bool step();
    bool secure();
    Flush flush();
    bool read_now();
    bool read_failed(int error);
    void wait_for_pause();
    void wait_for_write();
    void wait_for_read(bool sending);
    void come_back_soon();
    void linger();
    bool drain();
    void finish();
    void settle();
    void log_end();

    // Everything in flight is counted: the connection lives until the last of it has come back.
    // `start` starts an operation with a handler made by `counted`.
    template <class Start>
    void in_flight(Start start);
    template <class Handler>
    auto counted(Handler handler);
    void out_of_memory();

    asio::ip::tcp::socket socket_;
    net::Channel channel_;
    std::shared_ptr<const net::TlsContext> tls_;  // until the handshake is over
    asio::steady_timer pause_;
    Registry& registry_;
    Log& log_;
    std::function<void(Connection&)> retire_;
    std::string address_;
    std::string host_address_;
    Session session_;
    int in_flight_ = 0;
    int queued_ = 0;  // bytes the peer had not acknowledged, at the last look
    int rounds_ = 0;  // system calls since others had their turn
    bool reading_ = false;
    bool writing_ = false;
    bool pausing_ = false;
    bool likely_more_ = false;  // the last read filled all it was given
    bool lingering_ = false;
    bool finished_ = false;
    std::size_t drained_ = 0;
};

}  // namespace perfrelay::relay
