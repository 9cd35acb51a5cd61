#include "common/base/bytes.h"

#include <algorithm>

#include "common/base/stream.h"

namespace perfrelay {

Buffer::Buffer(ByteDrain& drain, std::size_t piece)
    : data_(new std::uint8_t[piece]), capacity_(piece), drain_(&drain) {}

Result<> Buffer::finish() {
    if (drain_ != nullptr && size_ != 0) {
        if (drained_) drained_ = drain_->write(view());
        handed_over_ = {last(0), last(1), last(2), last(3)};
        size_ = 0;
    }
    return drained_;
}

void Buffer::grow(std::size_t count) {
    if (drain_ != nullptr) {
        (void)finish();
        if (count <= capacity_) return;
    }
    const std::size_t wanted = std::max({std::size_t{4096}, capacity_ * 2, size_ + count});
    // Plain new[]: the bytes are written before they are read, zeroing them would cost a pass.
    std::unique_ptr<std::uint8_t[]> larger(new std::uint8_t[wanted]);
    if (size_ != 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = wanted;
}

}  // namespace perfrelay
