#pragma once
// Latencies: any number of durations in a fixed amount of memory, to within 3 %.
// Contract: one thread; those of several are added afterwards.
// Tested by tests/unit/client/latencies_test.cpp.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/measure/clock.h"

namespace perfrelay::client {

class Latencies {
  public:
    void add(measure::Nanoseconds value) {
        const auto nanoseconds =
            static_cast<std::uint64_t>(std::max<measure::Nanoseconds>(value, 0));
        ++buckets_[bucket(nanoseconds)];
        ++count_;
        largest_ = std::max(largest_, value);
    }
    void add(const Latencies& more) {
        for (std::size_t i = 0; i < buckets_.size(); ++i)
            buckets_[i] += more.buckets_[i];
        count_ += more.count_;
        largest_ = std::max(largest_, more.largest_);
    }

    std::uint64_t count() const { return count_; }
    measure::Nanoseconds largest() const { return largest_; }
    // The smallest value that `fraction` (0 to 1) of them do not exceed; 0 when there are none.
    measure::Nanoseconds quantile(double fraction) const {
        const auto wanted = static_cast<std::uint64_t>(fraction * static_cast<double>(count_));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            seen += buckets_[i];
            if (seen != 0 && seen >= wanted) return std::min(largest_, upper_end(i));
        }
        return largest_;
    }

  private:
    // Of each power of two 32 buckets; those below 32 have one a nanosecond.
    static constexpr unsigned k_bits = 5;
    static constexpr std::uint64_t k_parts = 1U << k_bits;

    static std::size_t bucket(std::uint64_t value) {
        if (value < k_parts) return value;
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - 1 - k_bits;
        return static_cast<std::size_t>((shift + 1) * k_parts + (value >> shift) - k_parts);
    }
    static measure::Nanoseconds upper_end(std::size_t bucket) {
        if (bucket < k_parts) return static_cast<measure::Nanoseconds>(bucket);
        const std::uint64_t shift = bucket / k_parts - 1;
        return static_cast<measure::Nanoseconds>(((bucket % k_parts + k_parts + 1) << shift) - 1);
    }

    std::array<std::uint64_t, (64 - k_bits) * k_parts> buckets_{};
    std::uint64_t count_ = 0;
    measure::Nanoseconds largest_ = 0;
};

}  // namespace perfrelay::client
