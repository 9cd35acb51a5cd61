#include "common/measure/heap_use.h"

#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::measure {
namespace {

// What the compiler must not leave out.
template <class T>
T* kept(T* memory) {
    asm volatile("" : "+r"(memory) : : "memory");
    return memory;
}

TEST(HeapUse, CountsCallsAndTheMostAtOnce) {
    HeapCount count;
    for (int i = 0; i < 10; ++i)
        std::free(kept(std::malloc(1000)));
    void* const one = kept(std::malloc(5000));
    void* const two = kept(std::calloc(7, 1000));
    std::free(one);
    std::free(two);
    delete[] kept(new char[2000]);
    const HeapUse use = count.take();
    EXPECT_EQ(use.allocations, 13U);
    EXPECT_GE(use.peak, 12'000U);
    EXPECT_LE(use.peak, 12'200U);
}

TEST(HeapUse, ReallocationReplaces) {
    HeapCount count;
    void* memory = kept(std::malloc(1000));
    memory = kept(std::realloc(memory, 100'000));
    memory = kept(std::realloc(memory, 200'000));
    std::free(memory);
    const HeapUse use = count.take();
    EXPECT_EQ(use.allocations, 3U);
    EXPECT_GE(use.peak, 200'000U);
    EXPECT_LE(use.peak, 302'000U) << "a moved one may be there twice";
}

TEST(HeapUse, WhatWasThereBeforeMayGo) {
    auto before = std::make_unique<std::vector<char>>(100'000);
    HeapCount count;
    before.reset();
    std::free(kept(std::malloc(50'000)));
    EXPECT_EQ(count.take().peak, 0U) << "never more than at the start";
}

TEST(HeapUse, NothingOfOtherThreadsAndNothingAfterwards) {
    HeapCount count;
    std::free(kept(std::malloc(10)));
    const std::uint64_t own = count.take().allocations;
    EXPECT_EQ(own, 1U);
    std::free(kept(std::malloc(10)));
    HeapCount again;
    std::free(kept(std::malloc(10)));
    EXPECT_EQ(again.take().allocations, 1U);

    HeapCount third;
    std::thread other([] {
        for (int i = 0; i < 1000; ++i)
            std::free(kept(std::malloc(10)));
    });
    other.join();
    EXPECT_LT(third.take().allocations, 100U) << "those that starting a thread takes";
}

TEST(HeapUse, AlignedMemoryCounts) {
    HeapCount count;
    void* memory = nullptr;
    ASSERT_EQ(posix_memalign(&memory, 64, 1000), 0);
    std::free(kept(memory));
    std::free(kept(std::aligned_alloc(128, 1280)));
    EXPECT_EQ(count.take().allocations, 2U);
}

}  // namespace
}  // namespace perfrelay::measure
