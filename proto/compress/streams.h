#pragma once
// Packing and unpacking while bytes travel: a drain that packs on its way to another, a source that
// unpacks what comes from another, over any library that works step by step.
//
// Contract: as Compressor; a stream cut short, damaged, or with bytes after it is an error when it
// is met; the limits of expansion.h hold on what has come so far. Memory: a piece each way.
// Tested by tests/unit/proto/compress/streams_test.cpp.

#include <algorithm>
#include <cstddef>
#include <span>

#include "common/base/limits.h"
#include "common/base/stream.h"

namespace perfrelay::compress {

// One direction of a library.
class StreamCoder {
  public:
    struct Step {
        std::size_t taken = 0;
        std::size_t made = 0;
        bool ended = false;  // the stream is complete, and all of it is out
    };

    StreamCoder() = default;
    StreamCoder(const StreamCoder&) = delete;
    StreamCoder& operator=(const StreamCoder&) = delete;
    virtual ~StreamCoder() = default;

    virtual Result<> restart() = 0;
    // As much as `in` and `out` allow. `last`: nothing comes after `in` (packing only).
    virtual Result<Step> step(Bytes in, bool last, std::span<std::uint8_t> out) = 0;
    // Whether what comes after a complete stream begins another one that belongs to it (gzip
    // members, zstd frames). Called with at least two bytes, if there are so many.
    virtual bool continues(Bytes) const { return false; }
    // What is wrong with input that ends too soon, and with bytes that should not be there.
    virtual const char* cut_short() const = 0;
    virtual const char* bytes_after() const = 0;
};

class PackingDrain final : public ByteDrain {
  public:
    explicit PackingDrain(StreamCoder& coder) : coder_(coder) {}
    Result<> start(ByteDrain& out);
    Result<> write(Bytes bytes) override { return run(bytes, false); }
    Result<> finish();
    // Bytes that it was given since `start`.
    std::size_t given() const { return given_; }

  private:
    Result<> run(Bytes bytes, bool last);

    StreamCoder& coder_;
    ByteDrain* out_ = nullptr;
    std::size_t given_ = 0;
    Buffer packed_;
};

class UnpackingSource final : public ByteSource {
  public:
    UnpackingSource(StreamCoder& coder, const Limits& limits) : coder_(coder), limits_(limits) {}
    Result<> start(ByteSource& in);
    // As Compressor::expect.
    void expect(std::size_t size) { known_ = std::max(known_, size); }
    Result<Bytes> refill(std::size_t consumed) override;
    // After the reader has had enough: nothing may be left.
    Result<> finish();

  private:
    Result<> more_input();
    Result<> next_stream();
    Error error(Errc code, const char* where) const;

    StreamCoder& coder_;
    Limits limits_;
    std::size_t known_ = 0;
    ByteSource* in_ = nullptr;
    Bytes window_;           // of in_, from `taken_` on not yet unpacked
    std::size_t taken_ = 0;  // of window_
    std::size_t read_ = 0;   // of the whole input
    std::size_t made_ = 0;
    bool ended_ = false;
    Buffer unpacked_;
    std::size_t begin_ = 0;  // of the reader's window, in unpacked_
};

}  // namespace perfrelay::compress
