#pragma once
// Noise: whether the machine was quiet enough to believe what was measured on it meanwhile.
//
// A calibration kernel (a fixed chain of integer operations, about a millisecond, no memory) runs
// once a round. Nothing of ours changes its time: what varies there is the machine's, its clock
// frequency, its neighbours. Beside it the time that a hypervisor took (/proc/stat) and how often
// others pushed this process off its processor (getrusage).
// Tested by tests/unit/common/noise_test.cpp.

#include <cstdint>
#include <string>
#include <vector>

#include "common/measure/clock.h"

namespace perfrelay::measure {

// What was seen while something was measured.
struct Noise {
    std::vector<Nanoseconds> kernel;  // its times, in order
    double steal = -1;                // share of the processors' time, 0 to 1; negative: not known
    std::uint64_t preempted = 0;      // involuntary context switches of this process
    Nanoseconds duration = 0;
};

struct NoiseVerdict {
    double deviation = 0;  // of the kernel: MAD x 1.4826 over the median
    double trend = 0;      // its last third against its first: 0.02 is 2 % slower
    // Why the measurement is noisy, a line each; none: it is not, or nothing was seen.
    std::vector<std::string> reasons;
};

constexpr double k_most_deviation = 0.03;
constexpr double k_most_trend = 0.02;
constexpr double k_most_steal = 0.01;

NoiseVerdict judge(const Noise& noise);

class NoiseMeter {
  public:
    // From here on. `proc_stat` is another file in tests.
    explicit NoiseMeter(std::string proc_stat = "/proc/stat");

    void sample();  // runs the kernel once
    Noise finish();

  private:
    // Of all processors since the system's start, in its own units.
    struct ProcessorTime {
        double all = 0;
        double stolen = 0;
    };
    ProcessorTime processor_time() const;

    std::string proc_stat_;
    Noise noise_;
    ProcessorTime before_;
    std::uint64_t preempted_before_ = 0;
    Nanoseconds start_ = 0;
};

// The kernel: the same operations each time. What it returns must be used.
std::uint64_t calibration_kernel();

}  // namespace perfrelay::measure
