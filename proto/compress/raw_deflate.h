#pragma once
// RawInflater, RawDeflater: DEFLATE (RFC 1951) without a wrapper, one stream after the other, for
// formats that have DEFLATE inside (EXI 9.3).
//
// The inflater is a source over a source: it starts a stream when its first byte is asked for,
// gives out its bytes in pieces, and knows where in the input it ends. Its output is bounded by
// Limits::max_document and Limits::max_decompression_ratio, over all its streams together.
// Tested by tests/unit/proto/exi/ (streams, pieces, bombs).

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/base/limits.h"
#include "common/base/stream.h"

namespace perfrelay::compress {

class RawInflater final : public ByteSource {
  public:
    explicit RawInflater(const Limits& limits);
    ~RawInflater() override;

    // From here on. `input` stands at the first byte of the first stream.
    void open(ByteSource& input);

    Result<Bytes> refill(std::size_t consumed) override;

    // The stream must have ended, with all its bytes handed out and `unread` of them not taken. One
    // that was never started is none. The next refill starts another.
    Result<> end_stream(std::size_t unread);

    std::size_t consumed() const { return consumed_; }  // bytes of the input
    std::size_t produced() const { return produced_; }  // of all streams together

  private:
    struct State;
    Result<bool> inflate_some();
    Result<> step();
    Result<> check_limits() const;
    Result<bool> fetch();
    Error error(Errc code, const char* where) const;

    Limits limits_;
    std::unique_ptr<State> state_;
    ByteSource* input_ = nullptr;
    Bytes window_;           // of the input, behind what was consumed
    std::size_t taken_ = 0;  // of the window that the source gave
    bool started_ = false;
    bool ended_ = false;  // this stream
    bool input_ended_ = false;
    std::size_t consumed_ = 0;
    std::size_t produced_ = 0;
    std::unique_ptr<std::uint8_t[]> out_;
    std::size_t out_begin_ = 0;
    std::size_t out_end_ = 0;
};

// By zlib or, where its levels are wanted, libdeflate.
class RawDeflater {
  public:
    RawDeflater(bool by_libdeflate, int level);
    ~RawDeflater();
    RawDeflater(const RawDeflater&) = delete;
    RawDeflater& operator=(const RawDeflater&) = delete;

    // One whole stream, appended.
    Result<> run(Bytes in, Buffer& out);

    static int highest_level(bool by_libdeflate) { return by_libdeflate ? 12 : 9; }
    static const char* library(bool by_libdeflate);  // with its version

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace perfrelay::compress
