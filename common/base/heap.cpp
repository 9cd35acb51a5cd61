#include "common/base/heap.h"

#include <malloc.h>

namespace perfrelay {

void keep_heap() {
    constexpr int k_never = 1 << 30;
    // NOLINTBEGIN(concurrency-mt-unsafe): there is one thread yet
    mallopt(M_TRIM_THRESHOLD, k_never);
    mallopt(M_MMAP_THRESHOLD, k_never);
    mallopt(M_TOP_PAD, 64 << 20);
    // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace perfrelay
