#include "common/base/arena.h"

#include <algorithm>

namespace perfrelay {

namespace {
constexpr std::size_t k_first_block = std::size_t{64} << 10U;
constexpr std::size_t k_largest_block = std::size_t{4} << 20U;
}  // namespace

void Arena::next_block(std::size_t size) {
    // After clear() the old blocks are used again, in order; one too small for `size` is passed
    // over.
    std::size_t next = blocks_.empty() ? 0 : current_ + 1;
    while (next < blocks_.size() && blocks_[next].size < size)
        ++next;
    if (next >= blocks_.size()) {
        const std::size_t doubled = blocks_.empty() ? k_first_block : blocks_.back().size * 2;
        const std::size_t wanted = std::max(size, std::min(doubled, k_largest_block));
        blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[wanted]), wanted});
        next = blocks_.size() - 1;
    }
    current_ = next;
    used_ = 0;
}

std::size_t Arena::capacity() const {
    std::size_t total = 0;
    for (const Block& block : blocks_)
        total += block.size;
    return total;
}

}  // namespace perfrelay
