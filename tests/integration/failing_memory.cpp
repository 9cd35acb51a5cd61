// In a file of its own: a compiler that sees both ends of an allocation warns of free and new.
#include "tests/integration/failing_memory.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::thread::id> g_starved{};
std::atomic<int> g_left{-1};  // allocations until one fails; -1: none does

}  // namespace

void* operator new(std::size_t size) {
    if (g_left >= 0 && std::this_thread::get_id() == g_starved.load() && g_left-- == 0) {
        throw std::bad_alloc();
    }
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace perfrelay {

void fail_allocation(std::thread::id thread, int count) {
    g_starved = thread;
    g_left = count;
}

bool end_of_failing() {
    return g_left.exchange(-1) < 0;
}

}  // namespace perfrelay
