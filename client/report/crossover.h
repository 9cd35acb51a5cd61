#pragma once
// Where one format begins to beat another: total time over a link of B bit/s is
// cpu + 8 * bytes / B, so a smaller format that takes longer wins below one speed and loses above.
//
// Bytes are exact; processor times are medians of runs, and their doubt is bootstrapped.
// What formats share (round trips) makes no difference to the speed and is left out. Tested
// by tests/unit/client/crossover_test.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace perfrelay::client {

// A format as seen from a link.
struct Contender {
    std::string name;
    double bits = 0;          // on the wire, both ways together
    std::vector<double> cpu;  // ns a run: encode and decode together
};

struct Crossover {
    enum class Verdict : std::uint8_t {
        every_speed,  // the smaller is not slower either
        below,        // the smaller wins below `at`
        undecided,    // the smaller wins below `low`; above it, who knows
        same_size,    // bytes decide nothing
    };
    std::size_t smaller = 0;  // contenders
    std::size_t larger = 0;
    Verdict verdict = Verdict::same_size;
    bool has_interval = true;  // false: too few runs, `at` alone counts
    double at = 0;             // bit/s, of the medians
    double low = 0;            // its 95 % interval
    double high = 0;
};

constexpr double k_slowest_link = 1e3;   // bit/s
constexpr double k_fastest_link = 1e11;  // what is beyond is no link's

// Every pair, in the order of `all`. The same for the same seed.
std::vector<Crossover> crossovers(std::span<const Contender> all, std::uint64_t seed);

// The best format by the medians, from slow links to fast ones: each up to its speed.
struct Best {
    std::size_t contender = 0;
    double up_to = 0;  // bit/s; the last: k_fastest_link
};
std::vector<Best> best_by_speed(std::span<const Contender> all);

}  // namespace perfrelay::client
