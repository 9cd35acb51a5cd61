// In a file of its own: a compiler that sees both ends of an allocation warns of free and new.
#include "tests/support/counting_memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

// Of one thread; what was allocated before the mark may be freed behind it.
std::ptrdiff_t g_held = 0;
std::ptrdiff_t g_peak = 0;

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t& /*none*/) noexcept {
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) return nullptr;
    g_held += static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    g_peak = std::max(g_peak, g_held);
    return memory;
}
void* operator new(std::size_t size) {
    if (void* const memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}
// A sanitizer has these of its own, which do not come here.
void* operator new[](std::size_t size) {
    return operator new(size);
}
void operator delete(void* memory) noexcept {
    g_held -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory));
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}
void operator delete[](void* memory) noexcept {
    operator delete(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    operator delete(memory);
}

namespace perfrelay {

void mark_memory() {
    g_held = g_peak = 0;
}

std::size_t peak_memory() {
    return static_cast<std::size_t>(g_peak);
}

}  // namespace perfrelay
