#include "common/measure/instructions.h"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include "common/measure/noise.h"

namespace perfrelay::measure {
namespace {

TEST(Instructions, SayWhyTheyAreNotCounted) {
    EXPECT_EQ(why_no_counter(ENOENT, "2"),
              "this processor, or the virtual machine, has no instruction counter");
    EXPECT_EQ(why_no_counter(ENOSYS, ""), "this kernel has no perf events");
    EXPECT_EQ(why_no_counter(EACCES, "3"),
              "not permitted: kernel.perf_event_paranoid is 3, 2 or less counts user mode (a "
              "container may forbid it, too)");
    EXPECT_EQ(why_no_counter(EPERM, ""), "not permitted (a container may forbid it)");
    EXPECT_TRUE(why_no_counter(EBUSY, "").starts_with("perf_event_open: "));
}

TEST(Instructions, AreTheSameForTheSameWorkOrNone) {
    InstructionCounter counter;
    const auto of_the_kernel = [&] {
        counter.start();
        const std::uint64_t result = calibration_kernel();
        asm volatile("" : : "r"(result));
        return counter.stop();
    };
    const auto once = of_the_kernel();
    if (!counter.why_not().empty()) {
        EXPECT_FALSE(once);
        GTEST_SKIP() << counter.why_not();
    }
    const auto again = of_the_kernel();
    if (!once || !again) GTEST_SKIP() << "others had the counter";
    EXPECT_GT(*once, 1'000'000U);
    EXPECT_NEAR(static_cast<double>(*again), static_cast<double>(*once),
                0.001 * static_cast<double>(*once));
}

}  // namespace
}  // namespace perfrelay::measure
