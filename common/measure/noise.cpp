#include "common/measure/noise.h"

#include <cmath>
#include <fstream>
#include <span>
#include <utility>

#include <sys/resource.h>

#include "common/cli/units.h"
#include "common/measure/summary.h"

namespace perfrelay::measure {
namespace {

std::uint64_t involuntary_switches() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

std::string percent(double share) {
    return format_fixed(100 * share, 1) + " %";
}

}  // namespace

std::uint64_t calibration_kernel() {
    constexpr int k_steps = 400'000;
    std::uint64_t state = 0x9E3779B97F4A7C15U;
    asm volatile("" : "+r"(state));  // not to be computed before it is asked for
    for (int i = 0; i < k_steps; ++i) {
        // Each step waits for the one before: no compiler or processor overlaps them.
        state ^= state >> 29U;
        state *= 0xBF58476D1CE4E5B9U;
    }
    return state;
}

NoiseVerdict judge(const Noise& noise) {
    constexpr std::size_t k_fewest = 6;  // fewer say nothing
    NoiseVerdict verdict;
    if (noise.kernel.size() >= k_fewest) {
        const std::vector<double> times(noise.kernel.begin(), noise.kernel.end());
        const Summary all = summarise(times);
        const std::span<const double> view(times);
        const std::size_t third = times.size() / 3;
        verdict.deviation = all.mad / all.median;
        verdict.trend =
            summarise(view.last(third)).median / summarise(view.first(third)).median - 1;
        if (verdict.deviation > k_most_deviation) {
            verdict.reasons.push_back("the calibration kernel varies by " +
                                      percent(verdict.deviation) + ", more than " +
                                      percent(k_most_deviation));
        }
        if (std::abs(verdict.trend) > k_most_trend) {
            verdict.reasons.push_back("the calibration kernel ended " +
                                      percent(std::abs(verdict.trend)) +
                                      (verdict.trend > 0 ? " slower" : " faster") +
                                      " than it began, more than " + percent(k_most_trend));
        }
    }
    if (noise.steal > k_most_steal) {
        verdict.reasons.push_back("the hypervisor took " + percent(noise.steal) +
                                  " of the processors' time");
    }
    return verdict;
}

NoiseMeter::NoiseMeter(std::string proc_stat)
    : proc_stat_(std::move(proc_stat)),
      before_(processor_time()),
      preempted_before_(involuntary_switches()),
      start_(now()) {}

void NoiseMeter::sample() {
    const Nanoseconds start = now();
    const std::uint64_t result = calibration_kernel();
    asm volatile("" : : "r"(result) : "memory");
    noise_.kernel.push_back(now() - start);
}

Noise NoiseMeter::finish() {
    const ProcessorTime after = processor_time();
    if (after.all > before_.all) {
        noise_.steal = (after.stolen - before_.stolen) / (after.all - before_.all);
    }
    noise_.preempted = involuntary_switches() - preempted_before_;
    noise_.duration = now() - start_;
    return std::move(noise_);
}

// proc(5): "cpu user nice system idle iowait irq softirq steal ..."; guest time is in user's.
NoiseMeter::ProcessorTime NoiseMeter::processor_time() const {
    constexpr int k_steal = 7;
    std::ifstream in(proc_stat_);
    std::string name;
    ProcessorTime time;
    in >> name;
    for (int i = 0; i <= k_steal; ++i) {
        double value = 0;
        if (!(in >> value)) return {};
        time.all += value;
        if (i == k_steal) time.stolen = value;
    }
    return time;
}

}  // namespace perfrelay::measure
