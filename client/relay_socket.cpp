#include "client/relay_socket.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "client/report/layout.h"
#include "common/net/tcp.h"

namespace perfrelay::client {
namespace {

constexpr std::size_t k_read_with_header = std::size_t{16} << 10U;  // bytes
// A later version's relay has something to say; one that says nothing else is none.
constexpr std::uint64_t k_most_skipped = std::uint64_t{64} << 20U;  // bytes of one session

iovec part(Bytes bytes) {
    // sendmsg does not write there, its iovec is only declared as if it did.
    return {
        const_cast<std::uint8_t*>(bytes.data()),  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        bytes.size()};
}
iovec part(std::span<std::uint8_t> bytes) {
    return {bytes.data(), bytes.size()};
}

// Drops the first `count` bytes of `parts`.
void drop_front(std::span<iovec>& parts, std::size_t count) {
    while (!parts.empty() && count >= parts.front().iov_len) {
        count -= parts.front().iov_len;
        parts = parts.subspan(1);
    }
    if (parts.empty()) return;
    parts.front().iov_base = static_cast<std::uint8_t*>(parts.front().iov_base) + count;
    parts.front().iov_len -= count;
}

// The first `count` bytes of `parts`, in `storage`.
std::span<iovec> front(std::span<const iovec> parts, std::size_t count,
                       std::array<iovec, 2>& storage) {
    std::size_t used = 0;
    for (; used < parts.size() && count != 0; ++used) {
        storage[used] = parts[used];
        storage[used].iov_len = std::min(storage[used].iov_len, count);
        count -= storage[used].iov_len;
    }
    return {storage.data(), used};
}

void set_timeouts(int fd) {
    const timeval timeout{k_tick / 1'000'000'000, k_tick % 1'000'000'000 / 1'000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

}  // namespace

Errc meaning(wire::ErrorCode code) {
    switch (code) {
        case wire::ErrorCode::malformed: return Errc::malformed;
        case wire::ErrorCode::unsupported_version:
        case wire::ErrorCode::unsupported_frame: return Errc::unsupported;
        case wire::ErrorCode::too_large:
        case wire::ErrorCode::storage_full: return Errc::limit_exceeded;
        case wire::ErrorCode::no_such_key: return Errc::malformed;
        case wire::ErrorCode::busy: return Errc::busy;
        case wire::ErrorCode::timed_out: return Errc::timed_out;
        case wire::ErrorCode::shutting_down: return Errc::closed;
        case wire::ErrorCode::authentication: return Errc::refused;
    }
    return Errc::closed;
}

RelaySocket::RelaySocket(net::Fd fd, net::Channel channel, std::string name,
                         const std::atomic<int>* stop)
    : fd_(std::move(fd)), channel_(std::move(channel)), name_(std::move(name)), stop_(stop) {
    set_timeouts(fd_.get());
}

Error RelaySocket::fail(Errc code, std::string message, int system) {
    usable_ = false;
    message_ = std::move(message);
    return {.code = code, .where = "relay", .system = system};
}

Error RelaySocket::fail_system(int error) {
    switch (error) {
        case EAGAIN:
        case ETIMEDOUT:
            return fail(Errc::timed_out, name_ + " made no progress for 15 s: relay or link gone",
                        error);
        case EPIPE:
        case ECONNRESET:
            return fail(Errc::closed, name_ + " closed the connection in mid-transfer", error);
        case EINTR: return fail(Errc::io, "stopped while waiting for " + name_, error);
        default:
            return fail(Errc::io,
                        "connection to " + name_ + ": " + std::generic_category().message(error),
                        error);
    }
}

Result<> RelaySocket::send(Bytes first, Bytes second, net::Pacer* pacer) {
    std::array<iovec, 2> storage = {part(first), part(second)};
    std::array<iovec, 2> some{};
    std::span<iovec> parts(storage);
    drop_front(parts, 0);
    int quiet_ticks = 0;
    while (!parts.empty()) {
        if (stopped()) return fail_system(EINTR);
        std::span<iovec> now_due = parts;
        if (pacer != nullptr) {
            pacer->release(measure::now());
            now_due = front(parts, pacer->released(), some);
            if (now_due.empty()) {
                if (auto waited = wait_for_due(*pacer); !waited) return waited;
                continue;
            }
        }
        const ssize_t sent = channel_.send(now_due, 0);
        if (sent < 0) {
            if (errno == EINTR || (errno == EAGAIN && may_wait(quiet_ticks))) continue;
            return explain_failed_send(errno);
        }
        quiet_ticks = 0;
        drop_front(parts, static_cast<std::size_t>(sent));
        if (pacer != nullptr) pacer->sent(static_cast<std::size_t>(sent));
    }
    return {};
}

Result<std::size_t> RelaySocket::send_due(Bytes bytes, net::Pacer& pacer) {
    pacer.release(measure::now());
    const std::size_t due = std::min(bytes.size(), pacer.released());
    if (due == 0) return std::size_t{0};
    iovec whole = part(bytes.first(due));
    const ssize_t sent = channel_.send({&whole, 1}, MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return std::size_t{0};
    if (sent < 0) return explain_failed_send(errno);
    pacer.sent(static_cast<std::size_t>(sent));
    return static_cast<std::size_t>(sent);
}

// A peer that goes meanwhile wakes us.
Result<> RelaySocket::wait_for_due(net::Pacer& pacer) {
    if (stopped()) return fail_system(EINTR);
    int quiet_ticks = 0;
    if (pacer.released() != 0) return wait(POLLOUT, measure::now() + k_tick, quiet_ticks);
    const auto waited = net::wait(fd(), 0, pacer.next_due(), stop_);
    if (waited) return explain_failed_send(ECONNRESET);
    if (waited.error().code == Errc::timed_out) return {};
    return fail_system(waited.error().system);
}

void RelaySocket::send_without_waiting(Bytes bytes) {
    iovec whole = part(bytes);
    (void)channel_.send({&whole, 1}, MSG_DONTWAIT);
}

bool RelaySocket::may_wait(int& quiet_ticks) {
    int queued = 0;
    ioctl(fd_.get(), SIOCOUTQ, &queued);
    quiet_ticks = std::exchange(queued_, queued) == queued ? quiet_ticks + 1 : 0;
    return quiet_ticks * k_tick < k_progress;
}

Result<> RelaySocket::wait(short events, measure::Nanoseconds deadline, int& quiet_ticks) {
    const measure::Nanoseconds tick = measure::now() + k_tick;
    const auto ready = net::wait(fd(), events, std::min(deadline, tick), stop_);
    if (ready) {
        quiet_ticks = 0;
        return {};
    }
    const bool timed_out = ready.error().code == Errc::timed_out;
    if (timed_out && (deadline < tick || may_wait(quiet_ticks))) return {};
    return fail_system(timed_out ? ETIMEDOUT : ready.error().system);
}

// A relay that refuses a payload says why and hangs up; its words may be waiting here.
Error RelaySocket::explain_failed_send(int error) {
    if (error != EPIPE && error != ECONNRESET) return fail_system(error);
    std::array<std::uint8_t, wire::k_header_size + wire::k_error_size + wire::k_max_error_text>
        words{};
    iovec room{words.data(), words.size()};
    const ssize_t got = channel_.receive({&room, 1}, MSG_DONTWAIT);
    if (got < static_cast<ssize_t>(wire::k_header_size)) return fail_system(error);
    const Bytes all = Bytes(words).first(static_cast<std::size_t>(got));
    const auto header = wire::decode_header(all.first(wire::k_header_size));
    if (!header) return fail_system(error);
    const Bytes body = all.subspan(wire::k_header_size);
    if (header->length != body.size()) return fail_system(error);
    return relay_said(*header, body);
}

Result<std::size_t> RelaySocket::receive_some(std::span<iovec> parts, int flags) {
    int quiet_ticks = 0;
    if (!kept_.empty()) return take_kept(parts);
    while (true) {
        if (stopped()) return fail_system(EINTR);
        const ssize_t got = channel_.receive(parts, flags);
        if (got > 0) return static_cast<std::size_t>(got);
        if (got == 0) return fail_system(ECONNRESET);
        if (errno == EINTR || (errno == EAGAIN && may_wait(quiet_ticks))) continue;
        return fail_system(errno);
    }
}

Result<> RelaySocket::receive_all(std::span<std::uint8_t> out) {
    while (!out.empty()) {
        std::array<iovec, 1> parts = {part(out)};
        const auto got = receive_some(parts, MSG_WAITALL);
        if (!got) return got.error();
        out = out.subspan(*got);
    }
    return {};
}

std::size_t RelaySocket::take_kept(std::span<iovec> parts) {
    std::size_t taken = 0;
    for (const iovec& to : parts) {
        const std::size_t size = std::min(to.iov_len, kept_.size() - taken);
        std::copy_n(kept_.data() + taken, size, static_cast<std::uint8_t*>(to.iov_base));
        taken += size;
    }
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(taken));
    return taken;
}

Result<> RelaySocket::skip(const wire::FrameHeader& header, std::span<const std::uint8_t> arrived) {
    if (header.length > k_most_skipped ||
        (skipped_ += wire::k_header_size + header.length) > k_most_skipped) {
        return fail(Errc::malformed, name_ +
                                         " sends frames that this perfclient does not know, "
                                         "and nothing else");
    }
    const auto length = static_cast<std::size_t>(header.length);
    if (arrived.size() > length) {
        const auto behind = arrived.subspan(length);
        kept_.insert(kept_.begin(), behind.begin(), behind.end());
        return {};
    }
    std::array<std::uint8_t, 4096> scratch;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    for (std::size_t left = length - arrived.size(); left > 0;) {
        const std::size_t size = std::min(left, scratch.size());
        if (auto read = receive_all(std::span(scratch).first(size)); !read) return read;
        left -= size;
    }
    return {};
}

Error RelaySocket::relay_said(const wire::FrameHeader& header, Bytes arrived) {
    if (header.type == wire::FrameType::bye) {
        return fail(Errc::closed, name_ + " is shutting down");
    }
    if (header.type != wire::FrameType::error) {
        return fail(Errc::malformed,
                    name_ + " sent " + std::string(wire::name(header.type)) + " out of turn");
    }
    const auto error = wire::decode_error(arrived);
    if (!error) return fail(Errc::malformed, name_ + " sent a malformed ERROR");
    return fail(meaning(error->code), name_ + " ended the session (" +
                                          std::string(wire::name(error->code)) +
                                          "): " + printable(error->text));
}

Result<> RelaySocket::check(const wire::FrameHeader& header, wire::FrameType type,
                            std::uint32_t request, std::size_t length, Bytes arrived) {
    if (header.type == type) {
        if (header.request != request) {
            return fail(Errc::malformed, name_ + " answered another request than the one made");
        }
        if (header.length == length) return {};
        return fail(Errc::malformed, name_ + " answered with " + std::to_string(header.length) +
                                         " bytes where " + std::to_string(length) + " were due");
    }
    if (header.length > wire::k_error_size + wire::k_max_error_text ||
        header.length < arrived.size()) {
        return fail(Errc::malformed, name_ + " sent a frame of unexpected length");
    }
    std::vector<std::uint8_t> rest(static_cast<std::size_t>(header.length));
    std::ranges::copy(arrived, rest.begin());
    if (auto read = receive_all(std::span(rest).subspan(arrived.size())); !read) return read;
    return relay_said(header, rest);
}

Result<RelaySocket::Arrival> RelaySocket::receive(wire::FrameType type, std::uint32_t request,
                                                  std::span<std::uint8_t> body) {
    // A large answer's header is taken alone: its arrival ends the way up, and reading the body
    // with it would count the body's copying as part of that. A small one costs no second call.
    const bool together = body.size() <= k_read_with_header;
    std::array<std::uint8_t, wire::k_header_size> header_bytes{};
    Arrival arrival;
    std::size_t of_body = 0;
    Result<wire::FrameHeader> header = wire::FrameHeader{};
    while (true) {
        std::array<iovec, 2> storage = {part(std::span<std::uint8_t>(header_bytes)), part(body)};
        std::span<iovec> parts(storage.data(), together ? 2 : 1);
        std::size_t arrived = 0;
        while (arrived < wire::k_header_size) {
            const auto got = receive_some(parts, 0);
            if (!got) return got.error();
            if (arrived == 0) arrival.first = measure::now();
            arrived += *got;
            drop_front(parts, *got);
        }
        of_body = arrived - wire::k_header_size;
        header = wire::decode_header(header_bytes);
        if (!header) return fail(Errc::malformed, name_ + " sent a damaged frame header");
        if (!wire::may_be_skipped(*header)) break;
        if (auto skipped = skip(*header, body.first(of_body)); !skipped) return skipped.error();
    }
    if (auto good = check(*header, type, request, body.size(), body.first(of_body)); !good) {
        return good.error();
    }
    if (auto rest = receive_all(body.subspan(of_body)); !rest) return rest.error();
    arrival.last = measure::now();
    return arrival;
}

Result<RelaySocket::Arrival> RelaySocket::receive_header(wire::FrameType type,
                                                         std::uint32_t request,
                                                         std::size_t length) {
    std::array<std::uint8_t, wire::k_header_size> bytes{};
    Arrival arrival;
    Result<wire::FrameHeader> header = wire::FrameHeader{};
    while (true) {
        if (auto read = receive_all(bytes); !read) return read.error();
        arrival.first = arrival.last = measure::now();
        header = wire::decode_header(bytes);
        if (!header) return fail(Errc::malformed, name_ + " sent a damaged frame header");
        if (!wire::may_be_skipped(*header)) break;
        if (auto skipped = skip(*header, {}); !skipped) return skipped.error();
    }
    if (auto good = check(*header, type, request, length, {}); !good) return good.error();
    return arrival;
}

Result<std::size_t> RelaySocket::receive_piece(std::span<std::uint8_t> out) {
    std::array<iovec, 1> parts = {part(out)};
    return receive_some(parts, 0);
}

// The answer's bytes as they come in, header first.
class RelaySocket::Incoming {
  public:
    Incoming(RelaySocket& socket, std::uint32_t request, std::span<std::uint8_t> body)
        : socket_(socket),
          request_(request),
          body_(body),
          storage_{part(std::span<std::uint8_t>(header_)), part(body)},
          parts_(storage_) {}

    bool complete() const { return checked_ && parts_.empty(); }
    const Arrival& arrival() const { return arrival_; }

    // What can be had without waiting.
    Result<> step() {
        while (!complete()) {
            if (!socket_.kept_.empty()) {
                if (auto taken = take(socket_.take_kept(parts_)); !taken) return taken;
                continue;
            }
            const ssize_t got = socket_.channel_.receive(parts_, MSG_DONTWAIT);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0 && errno == EAGAIN) return {};
            if (got <= 0) return socket_.fail_system(got == 0 ? ECONNRESET : errno);
            if (auto taken = take(static_cast<std::size_t>(got)); !taken) return taken;
        }
        return {};
    }

  private:
    Result<> take(std::size_t count) {
        if (arrived_ == 0) arrival_.first = measure::now();
        arrived_ += count;
        drop_front(parts_, count);
        if (!checked_ && arrived_ >= wire::k_header_size) {
            const auto header = wire::decode_header(header_);
            if (!header) {
                return socket_.fail(Errc::malformed,
                                    socket_.name() + " sent a damaged frame header");
            }
            if (wire::may_be_skipped(*header)) return skip(*header);
            if (auto good = socket_.check(*header, wire::FrameType::data, request_, body_.size(),
                                          body_.first(arrived_ - wire::k_header_size));
                !good) {
                return good;
            }
            checked_ = true;
        }
        if (complete()) arrival_.last = measure::now();
        return {};
    }

    // Waits for the rest of it, while nothing of ours goes out: it is small, or no answer.
    Result<> skip(const wire::FrameHeader& header) {
        const auto arrived = body_.first(arrived_ - wire::k_header_size);
        arrived_ = 0;
        storage_ = {part(std::span<std::uint8_t>(header_)), part(body_)};
        parts_ = storage_;
        return socket_.skip(header, arrived);
    }

    RelaySocket& socket_;
    std::uint32_t request_;
    std::span<std::uint8_t> body_;
    std::array<std::uint8_t, wire::k_header_size> header_{};
    std::array<iovec, 2> storage_;
    std::span<iovec> parts_;
    Arrival arrival_;
    std::size_t arrived_ = 0;
    bool checked_ = false;
};

Result<RelaySocket::Arrival> RelaySocket::exchange(Bytes header, Bytes payload,
                                                   std::uint32_t request,
                                                   std::span<std::uint8_t> body,
                                                   net::Pacer* pacer) {
    Incoming incoming(*this, request, body);
    std::array<iovec, 2> storage = {part(header), part(payload)};
    std::array<iovec, 2> some{};
    std::span<iovec> out(storage);
    drop_front(out, 0);
    int quiet_ticks = 0;
    while (true) {
        if (auto read = incoming.step(); !read) return read.error();
        if (incoming.complete() && out.empty()) return incoming.arrival();
        std::span<iovec> now_due = out;
        measure::Nanoseconds until = measure::k_never;
        if (pacer != nullptr) {
            pacer->release(measure::now());
            now_due = front(out, pacer->released(), some);
            if (now_due.empty()) until = pacer->next_due();
        }
        if (!now_due.empty()) {
            const ssize_t sent = channel_.send(now_due, MSG_DONTWAIT);
            if (sent >= 0) {
                drop_front(out, static_cast<std::size_t>(sent));
                if (pacer != nullptr) pacer->sent(static_cast<std::size_t>(sent));
                continue;
            }
            if (errno == EINTR) continue;
            if (errno != EAGAIN) return explain_failed_send(errno);
        }
        const auto events = static_cast<short>(now_due.empty() ? POLLIN : POLLIN | POLLOUT);
        if (auto ready = wait(events, until, quiet_ticks); !ready) return ready.error();
    }
}

}  // namespace perfrelay::client
