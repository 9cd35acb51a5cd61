#pragma once
// The two ends of a streamed exchange: a drain into the payload of a request, a source out of the
// payload of an answer. Sizes are known before: what is streamed has been verified, and an encoder
// that makes other bytes than then has failed.
// Tested by tests/integration/relay_test.cpp.

#include <array>
#include <cstdint>
#include <vector>

#include "client/relay_socket.h"
#include "common/base/stream.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

class OutgoingPayload final : public ByteDrain {
  public:
    explicit OutgoingPayload(RelaySocket& socket) : socket_(socket) {}

    // The header goes out with the first piece. Over an emulated link bytes are held until they are
    // due, at most `bound` of them, as a program's socket would; they leave when more are written.
    void begin(const wire::FrameHeader& header, net::Pacer* pacer = nullptr, std::size_t bound = 0);
    // More bytes than the header says are refused, and none of them sent.
    Result<> write(Bytes bytes) override;
    // Zeros for what was not written, so that the session can go on; returns when all has left.
    Result<> fill();

  private:
    Result<> hold(Bytes bytes);
    Result<> send_held();

    RelaySocket& socket_;
    net::Pacer* pacer_ = nullptr;
    std::size_t bound_ = 0;
    std::vector<std::uint8_t> held_;
    std::size_t held_begin_ = 0;
    std::array<std::uint8_t, wire::k_header_size> header_{};
    bool header_sent_ = true;
    std::size_t left_ = 0;
};

class IncomingPayload final : public ByteSource {
  public:
    explicit IncomingPayload(RelaySocket& socket) : socket_(socket) {}

    // After the header: all of `room` is to come.
    void begin(std::span<std::uint8_t> room);
    Result<Bytes> refill(std::size_t consumed) override;
    // Reads what has not been asked for.
    Result<> finish();

  private:
    RelaySocket& socket_;
    std::span<std::uint8_t> room_;
    std::size_t begin_ = 0;  // of the window
    std::size_t end_ = 0;
};

}  // namespace perfrelay::client
