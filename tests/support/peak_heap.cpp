// In a file of its own: a compiler that sees both ends of an allocation warns of free and new.
#include "tests/support/peak_heap.h"

#include <atomic>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFRELAY_SANITIZER_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFRELAY_SANITIZER_HOOKS 1
#endif
#endif

namespace {

std::atomic<long long> g_held{0};
std::atomic<long long> g_peak{0};

void count_allocated(std::size_t size) {
    const long long held = g_held += static_cast<long long>(size);
    long long peak = g_peak;
    while (held > peak && !g_peak.compare_exchange_weak(peak, held)) {
    }
}
void count_freed(std::size_t size) {
    g_held -= static_cast<long long>(size);
}

}  // namespace

#ifdef PERFRELAY_SANITIZER_HOOKS

// The sanitizers' common interface; GCC ships the functions without their header.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, std::size_t),
                                              void (*on_free)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* block);
}

namespace {

void on_malloc(const volatile void* /*block*/, std::size_t size) {
    count_allocated(size);
}
void on_free(const volatile void* block) {
    if (block != nullptr) count_freed(__sanitizer_get_allocated_size(block));
}
void begin_counting() {
    static const int k_installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    (void)k_installed;
}

}  // namespace

#else

#include <cstdlib>
#include <new>

#include <malloc.h>

void* operator new(std::size_t size, const std::nothrow_t& /*none*/) noexcept {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory != nullptr) count_allocated(malloc_usable_size(memory));
    return memory;
}
void* operator new(std::size_t size) {
    if (void* const memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    count_freed(malloc_usable_size(memory));
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    operator delete(memory);
}

namespace {

void begin_counting() {}

}  // namespace

#endif

namespace perfrelay {

PeakHeap::PeakHeap() {
    begin_counting();
    start_ = g_held;
    g_peak = start_;
}

std::size_t PeakHeap::bytes() const {
    return static_cast<std::size_t>(g_peak - start_);
}

}  // namespace perfrelay
