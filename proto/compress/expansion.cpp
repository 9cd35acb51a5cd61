#include "proto/compress/expansion.h"

#include <algorithm>

namespace perfrelay::compress {

namespace {

constexpr std::size_t k_free_of_ratio = std::size_t{16} << 20U;
constexpr std::size_t k_first_step = 4096;

// Text usually shrinks to a fifth or less; with this the first document needs few steps.
constexpr std::size_t k_first_ratio = 8;

std::size_t ratio_limit(std::size_t packed, std::uint64_t ratio) {
    const std::size_t allowed = ratio != 0 && packed > SIZE_MAX / ratio ? SIZE_MAX : packed * ratio;
    return std::max(allowed, k_free_of_ratio);
}

}  // namespace

std::size_t Expansion::most(std::size_t packed, const Limits& limits, std::size_t known) {
    const std::size_t by_ratio = ratio_limit(packed, limits.max_decompression_ratio);
    return std::min({std::max(by_ratio, known), limits.max_document, SIZE_MAX - 1});
}

Expansion::Expansion(std::size_t packed, const Limits& limits, Buffer& out, std::size_t known)
    : out_(out), start_(out.size()), packed_(packed), limit_(most(packed, limits, known)) {
    by_ratio_ = limit_ < limits.max_document;
}

std::span<std::uint8_t> Expansion::free() const {
    const std::size_t allowed = limit_ + 1 - produced();
    return {out_.data() + out_.size(), std::min(out_.capacity() - out_.size(), allowed)};
}

std::span<std::uint8_t> Expansion::room() {
    if (out_.capacity() == out_.size()) return room_above(0);
    return free();
}

std::span<std::uint8_t> Expansion::room_above(std::size_t tried) {
    const std::size_t allowed = limit_ + 1 - produced();
    if (tried >= allowed) return {};
    if (out_.capacity() - out_.size() <= tried) {
        const std::size_t first = std::max(k_first_step, packed_ * k_first_ratio);
        const std::size_t step = std::max({first, produced(), tried * 2});
        (void)out_.prepare(std::min(step, allowed));
    }
    return free();
}

Error Expansion::over_limit(std::size_t offset) const {
    return {.code = Errc::limit_exceeded,
            .offset = offset,
            .where = by_ratio_ ? "decompressed data exceeds the limit on the decompression ratio"
                               : "decompressed data exceeds the limit on a document's size"};
}

}  // namespace perfrelay::compress
