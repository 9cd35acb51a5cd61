#pragma once
// RelaySocket: a connected socket used blocking, and the reading of what a relay says out of turn
// (ERROR, BYE). Every call returns within k_progress when the peer stops making progress; the
// time-out is the socket's own (SO_RCVTIMEO, SO_SNDTIMEO), so it costs no system call a message.
//
// Contract: after a failure `message` is one line for the user and the socket is of no more use.
// Tested by tests/integration/relay_test.cpp.

#include <atomic>
#include <span>
#include <string>
#include <vector>

#include <sys/uio.h>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/measure/clock.h"
#include "common/net/channel.h"
#include "common/net/fd.h"
#include "common/net/shaper.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

inline constexpr measure::Nanoseconds k_progress = 15'000'000'000;
// How often a wait looks whether anything still moves.
inline constexpr measure::Nanoseconds k_tick = 2'500'000'000;

class RelaySocket {
  public:
    // `name` is the relay's, for messages.
    RelaySocket(net::Fd fd, net::Channel channel, std::string name, const std::atomic<int>* stop);

    int fd() const { return fd_.get(); }
    const std::string& message() const { return message_; }
    const std::string& name() const { return name_; }
    bool usable() const { return usable_; }

    // What there is room for now, whatever becomes of it: the last words.
    void send_without_waiting(Bytes bytes);
    // All of both, in one gathered write where the kernel takes it; with a pacer, which has been
    // offered them, each byte when it is due.
    Result<> send(Bytes first, Bytes second, net::Pacer* pacer = nullptr);
    // How much of `bytes` is due and finds room now; does not wait.
    Result<std::size_t> send_due(Bytes bytes, net::Pacer& pacer);
    // Until more is due.
    Result<> wait_for_due(net::Pacer& pacer);

    struct Arrival {
        measure::Nanoseconds first = 0;  // when the first byte had come
        measure::Nanoseconds last = 0;
    };
    // One frame of `type` answering `request`, its payload exactly `body`; an ERROR or BYE instead
    // becomes the failure it reports.
    Result<Arrival> receive(wire::FrameType type, std::uint32_t request,
                            std::span<std::uint8_t> body);

    // The same for an answer that is taken in pieces: its header, which says `length` bytes follow,
    // then each time what has come of them, at least a byte.
    Result<Arrival> receive_header(wire::FrameType type, std::uint32_t request, std::size_t length);
    Result<std::size_t> receive_piece(std::span<std::uint8_t> out);

    // ECHO whose answer comes while the payload still goes out: both at once.
    Result<Arrival> exchange(Bytes header, Bytes payload, std::uint32_t request,
                             std::span<std::uint8_t> body, net::Pacer* pacer = nullptr);

    // Notes `message` and makes the socket unusable.
    Error fail(Errc code, std::string message, int system = 0);
    // The same for a system call that failed with `error` (an errno).
    Error fail_system(int error);

  private:
    class Incoming;

    bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed) >= 2; }
    // WIRE 3: reads over what is left of a frame of unknown type, of which `arrived` stands at the
    // start of `body`. What came behind it is kept for the next read.
    Result<> skip(const wire::FrameHeader& header, std::span<const std::uint8_t> arrived);
    // What was kept, into `parts`, or 0.
    std::size_t take_kept(std::span<iovec> parts);
    // Some bytes, at least one. `flags` as for recvmsg.
    Result<std::size_t> receive_some(std::span<iovec> parts, int flags);
    Result<> receive_all(std::span<std::uint8_t> out);
    // `arrived` of the payload are in `body` already.
    Result<> check(const wire::FrameHeader& header, wire::FrameType type, std::uint32_t request,
                   std::size_t length, Bytes arrived);
    Error relay_said(const wire::FrameHeader& header, Bytes arrived);
    Error explain_failed_send(int error);
    // After a tick without a byte: whether to go on waiting. What we sent may still lie in the
    // kernel's queue, on a slow link for minutes: while it shrinks, the peer is making progress.
    bool may_wait(int& quiet_ticks);
    // Until one of `events` (as for poll), `deadline`, or a tick in which something moved.
    Result<> wait(short events, measure::Nanoseconds deadline, int& quiet_ticks);

    net::Fd fd_;
    net::Channel channel_;
    std::string name_;
    const std::atomic<int>* stop_;
    std::string message_;
    std::vector<std::uint8_t> kept_;  // read too far, in the rare case that a frame was skipped
    std::uint64_t skipped_ = 0;       // bytes
    int queued_ = 0;                  // bytes not yet acknowledged by the peer, at the last look
    bool usable_ = true;
};

// What an ERROR frame means to the caller.
Errc meaning(wire::ErrorCode code);

}  // namespace perfrelay::client
