#pragma once
// What a piece of work takes from the heap: how many allocations, and the most it held at once.
//
// malloc and its like are ours in every program that links this, and pass on to the C library's;
// C libraries' allocations are counted as well. Outside a count they cost a look at a flag. In
// builds with a sanitizer, whose heap it is, its hooks count.
// Tested by tests/unit/common/heap_use_test.cpp.

#include <cstdint>

namespace perfrelay::measure {

struct HeapUse {
    std::uint64_t allocations = 0;  // calls that returned memory; realloc is one
    std::uint64_t peak = 0;         // bytes held at once, beyond what was held at the start
};

// Counts this thread's from its making to `take`; one at a time a thread.
class HeapCount {
  public:
    HeapCount();
    HeapCount(const HeapCount&) = delete;
    HeapCount& operator=(const HeapCount&) = delete;
    ~HeapCount();

    HeapUse take();
};

}  // namespace perfrelay::measure
