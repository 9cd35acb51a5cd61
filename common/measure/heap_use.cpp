#include "common/measure/heap_use.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include <malloc.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERFRELAY_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERFRELAY_SANITIZED
#endif
#if defined(PERFRELAY_SANITIZED)
// sanitizer/allocator_interface.h, which Debian's GCC comes without.
extern "C" {
int __sanitizer_install_malloc_and_free_hooks(  // NOLINT(bugprone-reserved-identifier)
    void (*on_malloc)(const volatile void*, std::size_t), void (*on_free)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(  // NOLINT(bugprone-reserved-identifier)
    const volatile void* memory);
}
#endif

namespace perfrelay::measure {
namespace {

struct Count {
    bool counting = false;
    std::uint64_t allocations = 0;
    std::ptrdiff_t held = 0;  // less than nothing when what was there before is freed
    std::ptrdiff_t peak = 0;

    void took(std::size_t size) {
        ++allocations;
        held += static_cast<std::ptrdiff_t>(size);
        peak = std::max(peak, held);
    }
    void gave(std::size_t size) { held -= static_cast<std::ptrdiff_t>(size); }
};

thread_local constinit Count t_count;

#if defined(PERFRELAY_SANITIZED)

void on_malloc(const volatile void* /*memory*/, std::size_t size) {
    if (t_count.counting) t_count.took(size);
}

void on_free(const volatile void* memory) {
    if (memory != nullptr && t_count.counting) {
        t_count.gave(__sanitizer_get_allocated_size(memory));
    }
}

void install() {
    static const int installed = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    (void)installed;
}

#else

void install() {}

#endif

}  // namespace

HeapCount::HeapCount() {
    install();
    t_count = {.counting = true};
}

HeapCount::~HeapCount() {
    t_count.counting = false;
}

HeapUse HeapCount::take() {
    t_count.counting = false;
    return {.allocations = t_count.allocations, .peak = static_cast<std::uint64_t>(t_count.peak)};
}

}  // namespace perfrelay::measure

#if !defined(PERFRELAY_SANITIZED)

// glibc's own, under the names it keeps for those who replace malloc.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}

namespace {

void* counted(void* memory) {
    using perfrelay::measure::t_count;
    if (t_count.counting && memory != nullptr) t_count.took(malloc_usable_size(memory));
    return memory;
}

void forget(void* memory) {
    using perfrelay::measure::t_count;
    if (t_count.counting && memory != nullptr) t_count.gave(malloc_usable_size(memory));
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept {
    return counted(__libc_malloc(size));
}
void* calloc(std::size_t count, std::size_t size) noexcept {
    return counted(__libc_calloc(count, size));
}
void* realloc(void* memory, std::size_t size) noexcept {
    // Beforehand: what it gives back may be another thread's at once. A refusal keeps it.
    const std::size_t before = malloc_usable_size(memory);
    void* const moved = __libc_realloc(memory, size);
    using perfrelay::measure::t_count;
    if (t_count.counting && (moved != nullptr || size == 0)) t_count.gave(before);
    return counted(moved);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
    return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void* const made = counted(__libc_memalign(alignment, size));
    if (made == nullptr) return ENOMEM;
    *memory = made;
    return 0;
}
void free(void* memory) noexcept {
    forget(memory);
    __libc_free(memory);
}

}  // extern "C"

#endif
