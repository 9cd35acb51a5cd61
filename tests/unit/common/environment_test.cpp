#include "common/measure/environment.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace perfrelay::measure {
namespace {

// A system that says what the test wants.
class System {
  public:
    explicit System(const std::string& name) : root_(testing::TempDir() + name) {
        std::filesystem::remove_all(root_);
    }
    System& file(const std::string& path, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
        std::ofstream(root_ + path) << text;
        return *this;
    }
    const std::string& root() const { return root_; }

  private:
    std::string root_;
};

TEST(Environment, SaysWhatTheSystemSays) {
    System system("environment_full");
    system
        .file("/proc/cpuinfo",
              "processor\t: 0\nmodel name\t: Some CPU @ 2.0 GHz\nflags\t\t: fpu sse hypervisor\n\n"
              "processor\t: 1\nmodel name\t: Another\n")
        .file("/proc/loadavg", "1.25 0.50 0.20 2/345 6789\n")
        .file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n")
        .file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")
        .file("/sys/devices/system/cpu/smt/control", "off\n")
        .file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    const Environment found = environment(system.root());
    EXPECT_EQ(found.cpu, "Some CPU @ 2.0 GHz");
    EXPECT_TRUE(found.virtual_machine);
    EXPECT_EQ(found.governor, "performance");
    EXPECT_EQ(found.boost, "on");
    EXPECT_EQ(found.smt, "off");
    EXPECT_EQ(found.clocksource, "tsc");
    EXPECT_DOUBLE_EQ(found.load, 1.25);
}

TEST(Environment, GuessesNothing) {
    const System system("environment_empty");
    const Environment found = environment(system.root());
    EXPECT_EQ(found.cpu, "");
    EXPECT_FALSE(found.virtual_machine);
    EXPECT_EQ(found.governor, "");
    EXPECT_EQ(found.boost, "");
    EXPECT_EQ(found.clocksource, "");
    EXPECT_LT(found.load, 0);
}

TEST(Environment, KnowsThisBuildAndThisMachine) {
    const Environment found = environment();
    EXPECT_GT(found.cpus, 0U);
    EXPECT_TRUE(found.kernel.starts_with("Linux "));
    EXPECT_TRUE(found.compiler.starts_with("gcc ") || found.compiler.starts_with("clang "));
    EXPECT_FALSE(found.flags.empty());
}

TEST(Environment, BoostIsOffWhereTheSystemSaysSo) {
    System amd("environment_amd");
    amd.file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
    EXPECT_EQ(environment(amd.root()).boost, "off");
    System intel("environment_intel");
    intel.file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    EXPECT_EQ(environment(intel.root()).boost, "off");
}

}  // namespace
}  // namespace perfrelay::measure
