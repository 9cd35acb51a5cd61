#include "tests/hostile/heap.h"

#include <atomic>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFRELAY_COUNTS_HEAP 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFRELAY_COUNTS_HEAP 1
#endif

#ifdef PERFRELAY_COUNTS_HEAP
// The sanitizers' common interface; GCC ships the functions without their header.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                              void (*on_free)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* block);
}
#endif

namespace perfrelay::hostile {

namespace {

std::atomic<long long> now{0};
std::atomic<long long> peak{0};

#ifdef PERFRELAY_COUNTS_HEAP
void on_malloc(const volatile void*, std::size_t size) {
    const long long all = now += static_cast<long long>(size);
    if (all > peak) peak = all;
}

void on_free(const volatile void* block) {
    // The interface's own type is not volatile.
    void* const plain = const_cast<void*>(block);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (block != nullptr) now -= static_cast<long long>(__sanitizer_get_allocated_size(plain));
}
#endif

}  // namespace

PeakHeap::PeakHeap() {
#ifdef PERFRELAY_COUNTS_HEAP
    static const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    (void)installed;
#endif
    start_ = now;
    peak = now.load();
}

std::size_t PeakHeap::bytes() const {
    return static_cast<std::size_t>(peak - start_);
}

}  // namespace perfrelay::hostile
