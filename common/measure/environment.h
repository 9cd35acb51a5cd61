#pragma once
// Environment: what machine and what build numbers come from, as far as the system tells. What it
// does not tell is "" (or 0), never a guess.
// Tested by tests/unit/common/environment_test.cpp, on made-up systems.

#include <cstddef>
#include <string>

namespace perfrelay::measure {

struct Environment {
    std::string cpu;       // "AMD EPYC 7763 64-Core Processor"
    std::size_t cpus = 0;  // that this process may run on
    bool virtual_machine = false;
    std::string governor;     // of processor 0: "performance"; "": no frequency scaling to be seen
    std::string boost;        // "on", "off"
    std::string smt;          // "on", "off", "notsupported", ...
    std::string clocksource;  // "tsc"
    std::string kernel;       // "Linux 6.1.0-18-amd64 x86_64"
    double load = 0;          // average of the last minute, when asked; negative: not known
    std::string compiler;     // "gcc 12.2.0"
    std::string flags;        // that this file, and so every other, was compiled with
    bool assertions = false;  // not a build to measure with
};

// `root` stands before /proc and /sys: another system, for tests.
Environment environment(const std::string& root = "");

}  // namespace perfrelay::measure
