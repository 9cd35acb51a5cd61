#pragma once
// Compressor: the virtual boundary of a compression library, one call a document.
//
// Contract:
//  - both calls append to `out`; equal input gives equal output, on every run;
//  - contexts are kept from call to call; one thread at a time, and the two directions share
//    nothing that a failure of one could spoil for the other;
//  - `decompress` takes one whole stream and nothing after it; it allocates for what the stream
//    has produced, never for what a header promises, and stops at the limits (expansion.h);
//  - bad input gives an Error, never a crash; what `out` then holds means nothing.
// Tested by tests/unit/proto/compress/.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "proto/compress/streams.h"

namespace perfrelay::compress {

class Compressor {
  public:
    Compressor() = default;
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;
    virtual ~Compressor() = default;

    // One line for the user: format, library with version, level: "gzip by zlib 1.2.13, level 6".
    virtual std::string description() const = 0;
    // Bytes that both sides must hold beforehand: those of a dictionary.
    virtual std::uint64_t shared() const { return 0; }

    virtual Result<> compress(Bytes in, Buffer& out) = 0;
    virtual Result<> decompress(Bytes in, Buffer& out) = 0;

    // So much has been packed here, and may come back however small it became.
    void expect(std::size_t size) { known_ = std::max(known_, size); }

    // The same step by step; null when the library has no such way. The packed bytes may differ
    // from those of `compress`, which knows how much there is. Owned by the compressor.
    virtual StreamCoder* packer() { return nullptr; }
    virtual StreamCoder* unpacker() { return nullptr; }

  protected:
    std::size_t known() const { return known_; }

  private:
    std::size_t known_ = 0;
};

}  // namespace perfrelay::compress
