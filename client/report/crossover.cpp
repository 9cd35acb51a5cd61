#include "client/report/crossover.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "common/measure/bootstrap.h"
#include "common/measure/summary.h"

namespace perfrelay::client {

namespace {

using measure::k_resamples;
constexpr double k_ns_a_second = 1e9;

double median_cpu(const Contender& contender) {
    return measure::summarise(contender.cpu).median;
}

// The speed at which `bits` more take as long as `ns` more of the processor.
double speed(double bits, double ns) {
    return bits / ns * k_ns_a_second;
}

Crossover compare(std::span<const Contender> all, std::size_t a, std::size_t b,
                  const std::vector<double>& medians_a, const std::vector<double>& medians_b) {
    Crossover found;
    found.smaller = a;
    found.larger = b;
    const double bits = all[b].bits - all[a].bits;
    if (bits <= 0) return found;
    std::vector<double> slower(k_resamples);
    for (std::size_t i = 0; i < k_resamples; ++i)
        slower[i] = medians_a[i] - medians_b[i];
    const auto [least, most] = measure::middle_95(std::move(slower));
    const double middle = median_cpu(all[a]) - median_cpu(all[b]);
    if (std::min(all[a].cpu.size(), all[b].cpu.size()) < measure::k_min_for_interval) {
        found.has_interval = false;
        found.at = middle > 0 ? speed(bits, middle) : k_fastest_link;
        found.verdict =
            found.at < k_fastest_link ? Crossover::Verdict::below : Crossover::Verdict::every_speed;
        return found;
    }
    if (most <= 0 || speed(bits, most) >= k_fastest_link) {
        found.verdict = Crossover::Verdict::every_speed;
        return found;
    }
    found.low = speed(bits, most);
    found.at = middle > 0 ? speed(bits, middle) : k_fastest_link;
    found.high = least > 0 ? speed(bits, least) : k_fastest_link;
    found.verdict = least > 0 ? Crossover::Verdict::below : Crossover::Verdict::undecided;
    return found;
}

}  // namespace

std::vector<Crossover> crossovers(std::span<const Contender> all, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<double>> medians;
    medians.reserve(all.size());
    for (const Contender& contender : all)
        medians.push_back(measure::resampled_medians(contender.cpu, random));
    std::vector<Crossover> found;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            const bool swapped = all[j].bits < all[i].bits;
            const std::size_t a = swapped ? j : i;
            const std::size_t b = swapped ? i : j;
            found.push_back(compare(all, a, b, medians[a], medians[b]));
        }
    }
    return found;
}

std::vector<Best> best_by_speed(std::span<const Contender> all) {
    std::vector<Best> best;
    if (all.empty()) return best;
    const auto better_on_slow = [&](const Contender& x, const Contender& y) {
        return x.bits != y.bits ? x.bits < y.bits : median_cpu(x) < median_cpu(y);
    };
    auto now =
        static_cast<std::size_t>(std::ranges::min_element(all, better_on_slow) - all.begin());
    // From one to the one that overtakes it first.
    while (true) {
        std::size_t next = now;
        double at = k_fastest_link;
        for (std::size_t other = 0; other < all.size(); ++other) {
            const double bits = all[other].bits - all[now].bits;
            const double slower = median_cpu(all[now]) - median_cpu(all[other]);
            if (bits <= 0 || slower <= 0 || speed(bits, slower) >= at) continue;
            at = speed(bits, slower);
            next = other;
        }
        if (at > k_slowest_link) best.push_back({now, at});
        if (next == now) return best;
        now = next;
    }
}

}  // namespace perfrelay::client
