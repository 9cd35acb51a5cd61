#include "common/base/bytes.h"

#include <algorithm>

namespace perfrelay {

void Buffer::grow(std::size_t count) {
    const std::size_t wanted = std::max({std::size_t{4096}, capacity_ * 2, size_ + count});
    // Plain new[]: the bytes are written before they are read, zeroing them would cost a pass.
    std::unique_ptr<std::uint8_t[]> larger(new std::uint8_t[wanted]);
    if (size_ != 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = wanted;
}

}  // namespace perfrelay
