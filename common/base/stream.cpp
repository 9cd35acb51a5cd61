#include "common/base/stream.h"

#include <algorithm>
#include <cassert>

namespace perfrelay {

Result<Bytes> MemorySource::refill(std::size_t consumed) {
    assert(consumed <= end_ - begin_);
    begin_ += consumed;
    end_ += std::min(piece_, bytes_.size() - end_);
    return bytes_.subspan(begin_, end_ - begin_);
}

}  // namespace perfrelay
