#include "relay/connection.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <new>
#include <span>
#include <system_error>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "common/net/tcp.h"

namespace perfrelay::relay {
namespace {

// System calls in a row before the other sessions get their turn.
constexpr int k_rounds = 32;

std::string without_port(const std::string& address) {
    return address.substr(0, address.rfind(':'));
}

std::string seconds(measure::Nanoseconds duration) {
    return fmt::format("{:.1f} s", static_cast<double>(duration) / 1e9);
}

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, Registry& registry, Log& log,
                       std::function<void(Connection&)> retire)
    : socket_(std::move(socket)),
      channel_(socket_.native_handle()),
      tls_(registry.places().access()->tls),
      pause_(socket_.get_executor()),
      registry_(registry),
      log_(log),
      retire_(std::move(retire)),
      address_(net::remote_endpoint(socket_.native_handle()).text()),
      host_address_(without_port(address_)),
      session_(registry.limits(), registry.memory(), *this) {
    net::tune(socket_.native_handle());
    std::error_code ignored;
    socket_.native_non_blocking(true, ignored);
    registry_.add(*this);
}

Connection::~Connection() {
    registry_.remove(*this);
}

Session::Host::Verdict Connection::admit() {
    Verdict verdict = registry_.admit(*this);
    if (verdict.id != 0) {
        log_.debug("session {} from {} begins", verdict.id, address_);
    }
    return verdict;
}

wire::Nonce Connection::nonce() {
    wire::Nonce nonce{};
    getrandom(nonce.data(), nonce.size(), 0);
    return nonce;
}

template <class Handler>
auto Connection::counted(Handler handler) {
    return [this, handler](auto... arguments) mutable {
        --in_flight_;
        try {
            handler(arguments...);
        } catch (const std::bad_alloc&) {
            out_of_memory();
        }
        settle();
    };
}

template <class Start>
void Connection::in_flight(Start start) {
    ++in_flight_;
    try {
        start();
    } catch (...) {
        --in_flight_;
        throw;
    }
}

void Connection::start() {
    try {
        advance();
    } catch (const std::bad_alloc&) {
        out_of_memory();
    }
    settle();
}

// This session ends; the relay, and the others, go on.
void Connection::out_of_memory() {
    session_.abandon("no memory");
    finished_ = true;
    std::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
}

bool Connection::drained_some() {
    int queued = 0;
    ioctl(socket_.native_handle(), SIOCOUTQ, &queued);
    return std::exchange(queued_, queued) > queued;
}

void Connection::poke() {
    std::error_code ignored;
    socket_.cancel(ignored);
    pause_.cancel();
    // What was cancelled comes back and looks at the session; if nothing was in flight, look now.
    if (in_flight_ == 0) come_back_soon();
}

// Sends and reads until it has to wait for something, then arranges to be called again.
void Connection::advance() {
    rounds_ = 0;
    while (!finished_ && step()) {
    }
}

// False when there is nothing to do before a wait is over.
bool Connection::step() {
    if (tls_ != nullptr && !session_.closed()) return secure();
    const Flush flushed = flush();
    if (session_.closed() || flushed == Flush::failed) {
        finish();
        return false;
    }
    if (flushed == Flush::again || rounds_ >= k_rounds) {
        come_back_soon();
        return false;
    }
    const bool blocked = flushed == Flush::blocked;
    if (session_.closing() && !blocked) {
        linger();
        return false;
    }
    const bool paused = session_.paused_until() != 0;
    if (paused) wait_for_pause();
    if (blocked) wait_for_write();
    if (reading_) return false;
    if (likely_more_) return read_now();
    if (session_.input().empty()) {
        // Asking for room may itself have ended in a refusal, which wants to be sent.
        return session_.closed() || (session_.closing() && !blocked);
    }
    wait_for_read(blocked || paused);
    return false;
}

// TLS first. Its state is made only for who begins as TLS does: silent strangers cost none.
bool Connection::secure() {
    if (reading_ || writing_) return false;
    if (channel_.tls() == nullptr) {
        constexpr std::uint8_t k_handshake_record = 0x16;  // RFC 8446 section 5.1
        std::uint8_t first = 0;
        const ssize_t got = recv(socket_.native_handle(), &first, 1, MSG_PEEK);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            wait_for_read(true);
            return false;
        }
        if (got <= 0 || first != k_handshake_record) {
            session_.abandon("no TLS");
            return true;
        }
        auto stream = net::TlsStream::accept(*tls_, socket_.native_handle());
        if (stream == nullptr) throw std::bad_alloc();
        channel_.secure(std::move(stream));
    }
    switch (channel_.tls()->handshake()) {
        case net::TlsStream::Progress::done: tls_.reset(); return true;
        case net::TlsStream::Progress::wants_read: wait_for_read(true); return false;
        case net::TlsStream::Progress::wants_write: wait_for_write(); return false;
        case net::TlsStream::Progress::failed:
            session_.abandon("TLS: " + channel_.tls()->error());
            return true;
    }
    return true;
}

Connection::Flush Connection::flush() {
    while (!session_.closed()) {
        const Session::Output output = session_.output();
        std::array<iovec, 3> parts{};
        std::size_t count = 0;
        for (const Bytes bytes : output) {
            if (bytes.empty()) continue;
            // sendmsg only reads there, though an iovec does not say so.
            parts[count++] = {const_cast<std::uint8_t*>(bytes.data()),  // NOLINT
                              bytes.size()};
        }
        if (count == 0) return Flush::done;
        if (writing_) return Flush::blocked;
        if (rounds_++ >= k_rounds) return Flush::again;
        const ssize_t sent = channel_.send(std::span(parts).first(count), 0);
        if (sent >= 0) {
            session_.sent(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN) {
            return Flush::blocked;
        } else if (errno != EINTR) {
            session_.abandon("the connection broke: " + std::generic_category().message(errno));
            return Flush::failed;
        }
    }
    return Flush::failed;
}

// Reads without waiting. False when the socket was empty: wait_for_read is arranged for.
bool Connection::read_now() {
    const auto room = session_.input();
    if (room.empty()) {
        likely_more_ = false;
        return true;
    }
    ++rounds_;
    iovec part{room.data(), room.size()};
    const ssize_t got = channel_.receive({&part, 1}, 0);
    if (got > 0) {
        likely_more_ = static_cast<std::size_t>(got) == room.size();
        session_.received(static_cast<std::size_t>(got));
        return true;
    }
    if (got == 0) {
        likely_more_ = false;
        session_.input_ended();
        return true;
    }
    return read_failed(errno);
}

bool Connection::read_failed(int error) {
    if (error == EINTR) return true;
    likely_more_ = false;
    if (error != EAGAIN) {
        session_.abandon("the connection broke: " + std::generic_category().message(error));
    }
    return true;
}

void Connection::wait_for_pause() {
    if (pausing_) return;
    pausing_ = true;
    pause_.expires_at(
        std::chrono::steady_clock::time_point(std::chrono::nanoseconds(session_.paused_until())));
    in_flight([this] {
        pause_.async_wait(counted([this](const std::error_code& error) {
            pausing_ = false;
            // It may have been set for a pause that ended otherwise.
            if (!error && measure::now() >= session_.paused_until()) session_.pause_over();
            advance();
        }));
    });
}

void Connection::wait_for_write() {
    if (writing_) return;
    writing_ = true;
    in_flight([this] {
        socket_.async_wait(asio::ip::tcp::socket::wait_write,
                           counted([this](const std::error_code&) {
                               writing_ = false;
                               advance();
                           }));
    });
}

void Connection::wait_for_read(bool sending) {
    reading_ = true;
    if (sending || channel_.tls() != nullptr || tls_ != nullptr) {
        // Cut-through with a slow reader, or over a slow link: the place where the bytes go may be
        // another by then. TLS: the socket's bytes are not yet the session's.
        in_flight([this] {
            socket_.async_wait(asio::ip::tcp::socket::wait_read,
                               counted([this](const std::error_code& error) {
                                   reading_ = false;
                                   likely_more_ = !error;
                                   advance();
                               }));
        });
        return;
    }
    const auto room = session_.input();
    in_flight([this, room] {
        socket_.async_receive(
            asio::buffer(room.data(), room.size()),
            counted([this, size = room.size()](const std::error_code& error, std::size_t count) {
                reading_ = false;
                likely_more_ = count == size;
                if (count != 0) session_.received(count);
                if (error == asio::error::eof) {
                    session_.input_ended();
                } else if (error && error != asio::error::operation_aborted) {
                    session_.abandon("the connection broke: " + error.message());
                }
                advance();
            }));
    });
}

void Connection::come_back_soon() {
    in_flight([this] { asio::post(socket_.get_executor(), counted([this] { advance(); })); });
}

// The last words are sent. Reading on for a moment lets them arrive: closing with unread bytes
// would reset the connection and may take them from the peer.
void Connection::linger() {
    if (!lingering_) {
        lingering_ = true;
        if (channel_.tls() != nullptr) channel_.tls()->end_output();
        std::error_code ignored;
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    }
    if (!drain()) return finish();
    if (reading_) return;
    reading_ = true;
    in_flight([this] {
        socket_.async_wait(asio::ip::tcp::socket::wait_read,
                           counted([this](const std::error_code&) {
                               reading_ = false;
                               advance();
                           }));
    });
}

// False when there will be nothing more to read, or there was enough.
bool Connection::drain() {
    std::array<std::uint8_t, 16384> unread;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (drained_ < registry_.limits().linger_bytes) {
        const ssize_t got = recv(socket_.native_handle(), unread.data(), unread.size(), 0);
        if (got > 0) {
            drained_ += static_cast<std::size_t>(got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return false;
        } else if (errno == EAGAIN) {
            return true;
        }
    }
    return false;
}

void Connection::finish() {
    if (finished_) return;
    finished_ = true;
    log_end();
    std::error_code ignored;
    socket_.close(ignored);
    pause_.cancel();
    if (in_flight_ == 0) come_back_soon();
}

// Last thing of every handler: `this` may be gone afterwards.
void Connection::settle() {
    if (!finished_ || in_flight_ != 0) return;
    const auto retire = std::move(retire_);  // outlives the connection that it destroys
    retire(*this);
}

void Connection::log_end() {
    const Tally& tally = session_.tally();
    const measure::Nanoseconds lasted = measure::now() - session_.started();
    if (session_.forged()) {
        const auto failures = ++registry_.places().refusals().authentication;
        if (registry_.places().may_warn()) {
            log_.warn("wrong secret from {}; such connections so far: {}", address_, failures);
        }
        return;
    }
    if (!session_.admitted()) {
        log_.debug("stranger from {}: {} bytes in {}; {}", address_, tally.bytes_in,
                   seconds(lasted), session_.outcome());
        return;
    }
    log_.session(
        {.id = session_.id(),
         .peer = address_,
         .protocol = std::to_string(wire::k_major) + "." + std::to_string(session_.peer_minor()),
         .tls = channel_.tls() == nullptr ? "" : channel_.tls()->description(),
         .authenticated = session_.authenticated(),
         .tally = tally,
         .lasted = lasted,
         .outcome = session_.outcome()});
}

}  // namespace perfrelay::relay
