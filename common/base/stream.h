#pragma once
// ByteSource and ByteDrain: bytes that are still on their way, from or to a connection, so that a
// codec works while they travel. One virtual call a piece of some ten kilobytes, never one a field.
//
// The same decoder runs over a block of memory (no source: the window is all there is) and over a
// source (the window grows when it runs short); the same encoder appends to a Buffer that keeps
// everything, or to one that hands full pieces to a drain.
// Tested by tests/unit/common/stream_test.cpp.

#include <cstddef>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace perfrelay {

class ByteSource {
  public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    // Waits for at least one more byte. The new window: what the reader has not consumed of the
    // last one (all but its first `consumed` bytes), and what has come since, in one piece; the
    // last window is void. A window with nothing new is the end of the input, for good.
    // Errors: whatever the transport, or a decompressor on the way, met.
    virtual Result<Bytes> refill(std::size_t consumed) = 0;
};

class ByteDrain {
  public:
    ByteDrain() = default;
    ByteDrain(const ByteDrain&) = delete;
    ByteDrain& operator=(const ByteDrain&) = delete;
    virtual ~ByteDrain() = default;

    // Takes all of `bytes`, waiting for room when there is none.
    virtual Result<> write(Bytes bytes) = 0;
};

// A source whose bytes are all there, in pieces of at most `piece`: what a stream does to a
// decoder, without a connection.
class MemorySource final : public ByteSource {
  public:
    MemorySource(Bytes bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
    Result<Bytes> refill(std::size_t consumed) override;

  private:
    Bytes bytes_;
    std::size_t piece_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

class BufferDrain final : public ByteDrain {
  public:
    explicit BufferDrain(Buffer& out) : out_(out) {}
    Result<> write(Bytes bytes) override {
        out_.append(bytes);
        return {};
    }

  private:
    Buffer& out_;
};

}  // namespace perfrelay
