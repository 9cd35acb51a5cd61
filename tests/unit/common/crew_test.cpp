#include "common/measure/crew.h"

#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace perfrelay::measure {
namespace {

TEST(Crew, EachNumberOnceOnItsOwnThread) {
    for (const std::size_t size : {1U, 2U, 5U}) {
        Crew crew(size);
        EXPECT_EQ(crew.size(), size);
        std::vector<std::thread::id> first(size);
        crew.run([&](std::size_t i) { first[i] = std::this_thread::get_id(); });
        EXPECT_EQ(first[0], std::this_thread::get_id());
        EXPECT_EQ(std::set(first.begin(), first.end()).size(), size);
        std::vector<int> counts(size, 0);
        for (int round = 0; round < 200; ++round) {
            crew.run([&](std::size_t i) {
                ++counts[i];
                EXPECT_EQ(std::this_thread::get_id(), first[i]);
            });
        }
        for (const int count : counts)
            EXPECT_EQ(count, 200);
    }
}

// Nobody begins before all are there, and `run` returns after the last.
TEST(Crew, AllAtTheSameMoment) {
    Crew crew(4);
    std::atomic<int> inside = 0;
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> arrived = 0;
        crew.run([&](std::size_t) {
            ++inside;
            ++arrived;
            // Would never end if they worked one after the other.
            while (arrived < 4)
                std::this_thread::yield();
            --inside;
        });
        EXPECT_EQ(inside, 0);
    }
}

TEST(Crew, EndsWithoutHavingWorked) {
    const Crew crew(3);
    EXPECT_EQ(crew.size(), 3U);
}

}  // namespace
}  // namespace perfrelay::measure
