#include "client/relay_handshake.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <vector>

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "client/relay_socket.h"
#include "client/report/layout.h"
#include "common/net/resolve.h"
#include "common/net/tcp.h"
#include "proto/wire/authentication.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {
namespace {

constexpr measure::Nanoseconds k_second = 1'000'000'000;
constexpr measure::Nanoseconds k_greeting = 5 * k_second;

// What the peer said to our HELLO, as far as it came.
class Greeting {
  public:
    Greeting(const net::Fd& fd, net::Channel& channel, const Address& address,
             const ConnectOptions& options)
        : fd_(fd), channel_(channel), address_(address), options_(options) {}

    Result<PeerInfo> run(std::string& why) {
        getrandom(hello_.nonce.data(), hello_.nonce.size(), 0);
        const auto bytes = wire::encode(hello_);
        if (!send(bytes)) return no_relay(Errc::closed, "it closed the connection at once", why);
        if (auto read = read_until(wire::k_magic.size(), why); !read) return read.error();
        if (said_[0] == static_cast<std::uint8_t>(wire::FrameType::error)) return refused(why);
        if (!wire::may_be_magic(said())) return answered(why);
        if (auto read = read_until(wire::k_hello_size, why); !read) return read.error();
        if (std::equal(bytes.begin(), bytes.end(), said_.begin())) {
            return no_relay(Errc::malformed, "it sends back what it is sent", why);
        }
        if (auto read = read_until(wire::k_welcome_size, why); !read) return read.error();
        return welcomed(why);
    }

    std::uint32_t retry_after_ms() const { return retry_after_ms_; }

  private:
    bool send(Bytes bytes) const {
        iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};  // NOLINT
        return channel_.send({&part, 1}, 0) == static_cast<ssize_t>(bytes.size());
    }
    ssize_t receive(std::size_t count) {
        iovec part{said_.data() + size_, count};
        return channel_.receive({&part, 1}, MSG_DONTWAIT);
    }

    Bytes said() const { return Bytes(said_).first(size_); }

    Error no_relay(Errc code, const std::string& reason, std::string& why) const {
        why = address_.text() + " is not a perfrelay: " + reason;
        return {.code = code, .where = "WIRE 2: no perfrelay"};
    }

    Error answered(std::string& why) {
        // A little more of it, if it is there, says more.
        const ssize_t got = receive(k_shown - size_);
        if (got > 0) size_ += static_cast<std::size_t>(got);
        std::string shown;
        for (const std::uint8_t byte : said()) {
            if (byte == '\r' || byte == '\n') break;
            shown += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
        }
        return no_relay(Errc::malformed, "it answered \"" + shown + "\"", why);
    }

    // At least `size` bytes in all.
    Result<> read_until(std::size_t size, std::string& why) {
        while (size_ < size) {
            const ssize_t got = receive(size - size_);
            if (got > 0) {
                size_ += static_cast<std::size_t>(got);
                continue;
            }
            if (got < 0 && errno == EINTR) continue;
            if (got == 0 || errno != EAGAIN) {
                const std::string plain =
                    options_.tls == nullptr ? " (does it want TLS? --tls-ca FILE)" : "";
                return no_relay(Errc::closed,
                                size_ == 0 ? "it closed the connection without an answer" + plain
                                           : "it closed the connection in mid-greeting",
                                why);
            }
            if (auto ready = net::wait(fd_.get(), POLLIN, deadline_, options_.stop); !ready) {
                if (ready.error().code != Errc::timed_out) {
                    why = "stopped while waiting for " + address_.text();
                    return ready;
                }
                return no_relay(Errc::timed_out,
                                size_ == 0 ? "it does not answer" : "it stops in mid-greeting",
                                why);
            }
        }
        return {};
    }

    Error refused(std::string& why) {
        if (auto read = read_until(wire::k_header_size, why); !read) return read.error();
        const auto header = wire::decode_header(said());
        if (!header || header->length < wire::k_error_size ||
            header->length > wire::k_error_size + wire::k_max_error_text) {
            return answered(why);
        }
        const std::size_t all = wire::k_header_size + static_cast<std::size_t>(header->length);
        if (auto read = read_until(all, why); !read) return read.error();
        const auto error = wire::decode_error(said().subspan(wire::k_header_size));
        if (!error) return answered(why);
        why = address_.text() + " refuses the session (" + std::string(wire::name(error->code)) +
              "): " + printable(error->text);
        retry_after_ms_ = error->retry_after_ms;
        return {.code = meaning(error->code), .where = "WIRE 6: refused"};
    }

    Result<PeerInfo> welcomed(std::string& why) {
        const auto welcome = wire::decode_welcome(said());
        if (!welcome && welcome.error().code == Errc::unsupported) {
            why = address_.text() + " speaks version " + std::to_string(said_[4]) + "." +
                  std::to_string(said_[5]) + " of the relay protocol, this perfclient " +
                  std::to_string(wire::k_major) + "." + std::to_string(wire::k_minor);
            return welcome.error();
        }
        if (!welcome) return no_relay(Errc::malformed, "its WELCOME is malformed", why);
        if (auto proved = authenticate(*welcome, why); !proved) return proved.error();
        return PeerInfo{.address = net::remote_endpoint(fd_.get()).text(),
                        .major = welcome->major,
                        .minor = welcome->minor,
                        .capabilities = welcome->capabilities,
                        .max_payload = welcome->max_payload,
                        .idle = measure::Nanoseconds{welcome->idle_ms} * 1'000'000,
                        .longest = measure::Nanoseconds{welcome->max_session_s} * k_second,
                        .session = welcome->session,
                        .tls = channel_.tls() == nullptr ? "" : channel_.tls()->description(),
                        .handshake = 0,
                        .authenticated = welcome->auth_required};
    }

    Error strange(const std::string& reason, std::string& why) const {
        why = address_.text() + " " + reason;
        return {.code = Errc::refused, .where = "WIRE 2: authentication"};
    }

    // Both ends prove that they know the secret; a client with one talks to no relay without.
    Result<> authenticate(const wire::Welcome& welcome, std::string& why) {
        if (!welcome.auth_required && options_.secret == nullptr) return {};
        if (options_.secret == nullptr) {
            return strange("asks for a secret; --secret-file FILE gives one", why);
        }
        if (!welcome.auth_required) {
            return strange("asks for no secret, though you have one: is it the relay you mean?",
                           why);
        }
        const auto hello = wire::encode(hello_);
        const std::vector<std::uint8_t> welcomed(said_.begin(),
                                                 said_.begin() + wire::k_welcome_size);
        const Bytes secret = options_.secret->bytes();
        const auto proof = wire::prove(secret, wire::Side::client, hello, welcomed);
        Buffer frame;
        frame.append(
            wire::encode(wire::FrameHeader{.type = wire::FrameType::auth, .length = proof.size()}));
        frame.append(Bytes(proof));
        if (!send(frame.view())) {
            return no_relay(Errc::closed, "it closed the connection in mid-greeting", why);
        }
        size_ = 0;
        if (auto read = read_until(wire::k_header_size, why); !read) return read.error();
        if (said_[0] == static_cast<std::uint8_t>(wire::FrameType::error)) return refused(why);
        const auto header = wire::decode_header(said());
        if (!header || header->type != wire::FrameType::auth ||
            header->length != wire::k_proof_size) {
            return answered(why);
        }
        if (auto read = read_until(wire::k_header_size + wire::k_proof_size, why); !read) {
            return read.error();
        }
        const auto expected = wire::prove(secret, wire::Side::relay, hello, welcomed);
        if (wire::same(expected, said().subspan(wire::k_header_size))) return {};
        return strange("does not know the secret: it is not the relay you mean", why);
    }

    static constexpr std::size_t k_shown = 40;

    const net::Fd& fd_;
    net::Channel& channel_;
    const Address& address_;
    const ConnectOptions& options_;
    measure::Nanoseconds deadline_ = measure::now() + k_greeting;
    wire::Hello hello_;
    std::array<std::uint8_t, wire::k_header_size + wire::k_error_size + wire::k_max_error_text>
        said_{};
    std::size_t size_ = 0;
    std::uint32_t retry_after_ms_ = 0;
};

std::string why_not_connected(const Address& address, const net::Endpoint& endpoint,
                              const Error& error) {
    const std::string numeric = endpoint.text();
    const std::string named =
        numeric == address.text() ? numeric : address.text() + " (" + numeric + ")";
    const std::string start = "cannot connect to " + named + ": ";
    if (error.system == EINTR) return start + "stopped";
    if (error.code == Errc::refused) {
        return start + "connection refused; is perfrelay running there? (perfrelay " +
               std::to_string(address.port) + ")";
    }
    if (error.code == Errc::timed_out) {
        return start + "timed out; check the host, its firewall and the port";
    }
    return start + std::generic_category().message(error.system);
}

// Each address in turn, the time left shared among those left.
Result<net::Fd> connect_any(const Address& address, const std::vector<net::Endpoint>& endpoints,
                            const ConnectOptions& options, std::string& why) {
    const measure::Nanoseconds deadline = measure::now() + options.connect_timeout;
    Error last;
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        const measure::Nanoseconds left =
            std::max<measure::Nanoseconds>(deadline - measure::now(), 0);
        const auto share = left / static_cast<measure::Nanoseconds>(endpoints.size() - i);
        auto fd = net::connect(endpoints[i], share, options.stop);
        if (fd) return fd;
        last = fd.error();
        why = why_not_connected(address, endpoints[i], last);
        if (last.system == EINTR) break;
    }
    return last;
}

// TLS over `fd`, agreed upon.
Result<net::Channel> secure(const net::Fd& fd, const Address& address,
                            const ConnectOptions& options, std::string& why) {
    using Progress = net::TlsStream::Progress;
    if (options.tls == nullptr) return net::Channel(fd.get());
    const std::string start = "TLS with " + address.text() + ": ";
    const measure::Nanoseconds deadline = measure::now() + k_greeting;
    auto stream = net::TlsStream::connect(*options.tls, fd.get(), address.host);
    if (stream == nullptr) {
        why = start + "no memory, or no name that a certificate can have";
        return Error{.code = Errc::io, .where = "TLS"};
    }
    while (true) {
        const Progress progress = stream->handshake();
        if (progress == Progress::done) return net::Channel(fd.get(), std::move(stream));
        if (progress == Progress::failed) {
            why = start + stream->error() + "; does a relay with --tls-cert listen there?";
            return Error{.code = Errc::refused, .where = "TLS"};
        }
        const short events = progress == Progress::wants_read ? POLLIN : POLLOUT;
        if (auto ready = net::wait(fd.get(), events, deadline, options.stop); !ready) {
            why = start + (ready.error().code == Errc::timed_out ? "no answer in time" : "stopped");
            return ready.error();
        }
    }
}

bool stopped(const ConnectOptions& options) {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed) >= 2;
}

}  // namespace

Result<Handshaken> shake_hands(const Address& address, const ConnectOptions& options,
                               std::string& why) {
    const measure::Nanoseconds give_up = measure::now() + options.busy_retry;
    auto endpoints = net::resolve({.host = address.host, .port = address.port},
                                  options.resolve_timeout, options.stop);
    if (!endpoints) {
        why = "cannot find host " + address.host + ": " + describe(endpoints.error());
        return endpoints.error();
    }
    while (true) {
        auto fd = connect_any(address, *endpoints, options, why);
        if (!fd) return fd.error();
        const measure::Nanoseconds connected = measure::now();
        auto channel = secure(*fd, address, options, why);
        if (!channel) return channel.error();
        const measure::Nanoseconds agreed = measure::now();
        Greeting greeting(*fd, *channel, address, options);
        auto peer = greeting.run(why);
        if (peer) {
            if (channel->tls() != nullptr) peer->handshake = agreed - connected;
            return Handshaken{std::move(*fd), std::move(*channel), std::move(*peer)};
        }
        const auto pause =
            measure::Nanoseconds{std::clamp(greeting.retry_after_ms(), 50U, 2000U)} * 1'000'000;
        // WIRE 6: after 0 trying again does not help.
        if (peer.error().code != Errc::busy || greeting.retry_after_ms() == 0 || stopped(options) ||
            measure::now() + pause > give_up) {
            return peer.error();
        }
        fd->reset();
        const timespec sleep{pause / k_second, pause % k_second};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, nullptr);
    }
}

}  // namespace perfrelay::client
