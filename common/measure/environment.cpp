#include "common/measure/environment.h"

#include <charconv>
#include <fstream>
#include <string_view>

#include <sched.h>
#include <sys/utsname.h>

namespace perfrelay::measure {
namespace {

// The first line; "" when there is no such file.
std::string line_of(const std::string& file) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

// Of "model name\t: value" in /proc/cpuinfo.
std::string value_of(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return "";
    line.remove_prefix(colon + 1);
    const std::size_t start = line.find_first_not_of(' ');
    return start == std::string_view::npos ? "" : std::string(line.substr(start));
}

void read_cpuinfo(const std::string& file, Environment& found) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("model name") && found.cpu.empty()) found.cpu = value_of(line);
        if (line.starts_with("flags")) {
            found.virtual_machine = (line + " ").find(" hypervisor ") != std::string::npos;
            return;  // all processors say the same
        }
    }
}

double number(const std::string& text) {
    double value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

std::size_t usable_processors() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
    return static_cast<std::size_t>(CPU_COUNT(&set));
}

std::string boost_of(const std::string& cpu) {
    const std::string boost = line_of(cpu + "cpufreq/boost");
    const std::string no_turbo = line_of(cpu + "intel_pstate/no_turbo");
    if (boost.empty() && no_turbo.empty()) return "";
    return boost == "1" || no_turbo == "0" ? "on" : "off";
}

}  // namespace

Environment environment(const std::string& root) {
    Environment found;
    read_cpuinfo(root + "/proc/cpuinfo", found);
    found.cpus = usable_processors();
    const std::string cpu = root + "/sys/devices/system/cpu/";
    found.governor = line_of(cpu + "cpu0/cpufreq/scaling_governor");
    found.boost = boost_of(cpu);
    found.smt = line_of(cpu + "smt/control");
    found.clocksource =
        line_of(root + "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    utsname system{};
    if (::uname(&system) == 0) {
        found.kernel = std::string(static_cast<const char*>(system.sysname)) + " " +
                       static_cast<const char*>(system.release) + " " +
                       static_cast<const char*>(system.machine);
    }
    found.load = number(line_of(root + "/proc/loadavg"));
#if defined(__clang__)
    found.compiler = "clang " __clang_version__;
#else
    found.compiler = "gcc " __VERSION__;
#endif
    found.flags = PERFRELAY_FLAGS;
#if !defined(NDEBUG)
    found.assertions = true;
#endif
    return found;
}

}  // namespace perfrelay::measure
