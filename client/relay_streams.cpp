#include "client/relay_streams.h"

#include <algorithm>

namespace perfrelay::client {

namespace {

// What is read at once: enough for few system calls, and still in the cache when it is decoded.
constexpr std::size_t k_read = std::size_t{64} << 10U;

}  // namespace

void OutgoingPayload::begin(const wire::FrameHeader& header) {
    header_ = wire::encode(header);
    header_sent_ = false;
    left_ = static_cast<std::size_t>(header.length);
}

Result<> OutgoingPayload::write(Bytes bytes) {
    if (bytes.size() > left_) {
        return Error{.code = Errc::malformed,
                     .where = "a streamed encode gave more bytes than the verified one"};
    }
    const Bytes header = header_sent_ ? Bytes() : Bytes(header_);
    header_sent_ = true;
    left_ -= bytes.size();
    return socket_.send(header, bytes);
}

Result<> OutgoingPayload::fill() {
    constexpr std::array<std::uint8_t, 4096> k_zeros{};
    while (left_ != 0 || !header_sent_) {
        if (auto sent = write(Bytes(k_zeros).first(std::min(left_, k_zeros.size()))); !sent) {
            return sent;
        }
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
