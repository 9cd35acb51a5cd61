#include "client/relay_streams.h"

#include <algorithm>

namespace perfrelay::client {

namespace {

// What is read at once: enough for few system calls, and still in the cache when it is decoded.
constexpr std::size_t k_read = std::size_t{64} << 10U;

}  // namespace

void OutgoingPayload::begin(const wire::FrameHeader& header, net::Pacer* pacer, std::size_t bound) {
    header_ = wire::encode(header);
    header_sent_ = false;
    left_ = static_cast<std::size_t>(header.length);
    pacer_ = pacer;
    bound_ = bound;
    held_.clear();
    held_begin_ = 0;
}

Result<> OutgoingPayload::write(Bytes bytes) {
    if (bytes.size() > left_) {
        return Error{.code = Errc::malformed,
                     .where = "a streamed encode gave more bytes than the verified one"};
    }
    const Bytes header = header_sent_ ? Bytes() : Bytes(header_);
    header_sent_ = true;
    left_ -= bytes.size();
    if (pacer_ == nullptr) return socket_.send(header, bytes);
    if (auto held = hold(header); !held) return held;
    return hold(bytes);
}

Result<> OutgoingPayload::hold(Bytes bytes) {
    while (!bytes.empty()) {
        const std::size_t room = bound_ - (held_.size() - held_begin_);
        if (room == 0) {  // only then: when all that was held has left, nothing will be due
            if (auto waited = socket_.wait_for_due(*pacer_); !waited) return waited;
        }
        const Bytes some = bytes.first(std::min(bytes.size(), room));
        held_.insert(held_.end(), some.begin(), some.end());
        pacer_->offer(some.size(), measure::now());
        bytes = bytes.subspan(some.size());
        if (auto sent = send_held(); !sent) return sent;
    }
    return {};
}

// What is due of it, without waiting.
Result<> OutgoingPayload::send_held() {
    while (held_begin_ != held_.size()) {
        const auto sent = socket_.send_due(Bytes(held_).subspan(held_begin_), *pacer_);
        if (!sent) return sent.error();
        if (*sent == 0) break;
        held_begin_ += *sent;
    }
    if (held_begin_ == held_.size() || held_begin_ >= bound_) {
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(held_begin_));
        held_begin_ = 0;
    }
    return {};
}

Result<> OutgoingPayload::fill() {
    constexpr std::array<std::uint8_t, 4096> k_zeros{};
    while (left_ != 0 || !header_sent_) {
        if (auto sent = write(Bytes(k_zeros).first(std::min(left_, k_zeros.size()))); !sent) {
            return sent;
        }
    }
    while (held_begin_ != held_.size()) {
        if (auto waited = socket_.wait_for_due(*pacer_); !waited) return waited;
        if (auto sent = send_held(); !sent) return sent;
    }
    return {};
}

void IncomingPayload::begin(std::span<std::uint8_t> room) {
    room_ = room;
    begin_ = 0;
    end_ = 0;
}

Result<Bytes> IncomingPayload::refill(std::size_t consumed) {
    begin_ += consumed;
    if (end_ < room_.size()) {
        const auto got =
            socket_.receive_piece(room_.subspan(end_, std::min(k_read, room_.size() - end_)));
        if (!got) return got.error();
        end_ += *got;
    }
    return Bytes(room_.subspan(begin_, end_ - begin_));
}

Result<> IncomingPayload::finish() {
    while (end_ < room_.size()) {
        if (auto more = refill(0); !more) return more.error();
    }
    return {};
}

}  // namespace perfrelay::client
