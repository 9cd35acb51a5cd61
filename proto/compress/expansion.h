#pragma once
// Expansion: how far the output of one decompression may grow, and how it grows.
//
// A bomb is a small input with a huge output. The bound is Limits::max_document, and beyond 16 MiB
// also Limits::max_decompression_ratio times the input. `known` bytes are no bomb whatever their
// ratio: so much has been packed here, and been in memory before. Memory is asked for step by step
// as output appears; the first step is a multiple of the input, not a size read from a header.
// Tested by tests/unit/proto/compress/expansion_test.cpp.

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"

namespace perfrelay::compress {

class Expansion {
  public:
    // Most bytes that an input of `packed` bytes may become.
    static std::size_t most(std::size_t packed, const Limits& limits, std::size_t known = 0);

    // For output appended to `out` from an input of `packed` bytes.
    Expansion(std::size_t packed, const Limits& limits, Buffer& out, std::size_t known = 0);

    std::size_t produced() const { return out_.size() - start_; }

    // Free room of at least one byte: all that the buffer has, or more of it when it has none.
    // Never more than one byte beyond the limit, so that reaching it shows.
    std::span<std::uint8_t> room();

    // Room larger than `tried`, for libraries that produce the whole output in one call or none.
    // Empty once `tried` was already all that the limit allows.
    std::span<std::uint8_t> room_above(std::size_t tried);

    // `count` bytes were written to the room. False when that is over the limit.
    bool commit(std::size_t count) {
        out_.commit(count);
        return produced() <= limit_;
    }

    Error over_limit(std::size_t offset) const;

  private:
    std::span<std::uint8_t> free() const;

    Buffer& out_;
    std::size_t start_;
    std::size_t packed_;
    std::size_t limit_;
    bool by_ratio_;
};

}  // namespace perfrelay::compress
