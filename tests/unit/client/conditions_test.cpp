#include "client/report/conditions.h"

#include <string>

#include <gtest/gtest.h>

#include "client/report/sections.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

Report on_some_machine() {
    Report report = samples::report({samples::file({samples::xml_row()})});
    measure::Environment& machine = report.environment;
    machine.cpu = "Some CPU";
    machine.cpus = 2;
    machine.virtual_machine = true;
    machine.clocksource = "tsc";
    machine.kernel = "Linux 6.1 x86_64";
    machine.load = 0.5;
    machine.compiler = "gcc 12.2.0";
    machine.flags = "-O3 -DNDEBUG";
    report.commit = "0123456789ab";
    return report;
}

TEST(Conditions, NameTheMachineAndTheBuild) {
    const std::string text = about_machine(on_some_machine());
    EXPECT_NE(text.find("  machine   Some CPU, 2 processors, virtual machine, clock source tsc, "
                        "load 0.50\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  system    Linux 6.1 x86_64\n"), std::string::npos);
    EXPECT_NE(text.find("  build     gcc 12.2.0, flags -O3 -DNDEBUG, commit 0123456789ab\n"),
              std::string::npos)
        << text;
    Report debug = on_some_machine();
    debug.environment.assertions = true;
    EXPECT_NE(about_machine(debug).find("with assertions: not a build to measure with"),
              std::string::npos);
}

TEST(Conditions, NothingSeenIsNothingSaid) {
    EXPECT_EQ(about_machine(samples::report({})), "");
}

TEST(Conditions, TheNoiseCertificate) {
    Report report = on_some_machine();
    report.files[0].noise.kernel.assign(20, 612'000);
    report.files[0].noise.steal = 0;
    report.files[0].noise.preempted = 3;
    report.files[0].noise.duration = 2'000'000'000;
    EXPECT_NE(about_machine(report).find(
                  "  noise     quiet: calibration kernel 612 us x 20, deviation 0.0 %, trend 0.0 "
                  "%, steal 0.0 %, preempted 3 times in 2.00 s\n"),
              std::string::npos)
        << about_machine(report);
    EXPECT_EQ(warnings(report).find("noisy"), std::string::npos);
    report.files[0].noise.steal = 0.2;
    EXPECT_NE(about_machine(report).find("  noise     NOISY: "), std::string::npos);
    EXPECT_NE(
        warnings(report).find(
            "  noisy machine, test.xml: the hypervisor took 20.0 % of the processors' time\n"),
        std::string::npos);
}

TEST(Efforts, AreShownPerDirectionAndSayWhyThereAreNoInstructions) {
    Report report = on_some_machine();
    Row& row = report.files[0].rows[0];
    EXPECT_EQ(efforts_tables(report), "") << "nothing counted";
    row.encode_effort = {
        .counted = true, .peak_memory = 1'500'001, .allocations = 12, .instructions = 0};
    row.decode_effort = {
        .counted = true, .peak_memory = 999, .allocations = 0, .instructions = 4711};
    report.no_instructions = "this kernel has no perf events";
    const std::string without = efforts_tables(report);
    EXPECT_NE(without.find("XML         1501 kB           12         1 kB            0\n"),
              std::string::npos)
        << without;
    EXPECT_NE(without.find("Instructions: none, this kernel has no perf events.\n"),
              std::string::npos);
    report.no_instructions.clear();
    EXPECT_NE(efforts_tables(report).find("4711\n"), std::string::npos);
    report.direction = Direction::encode;
    EXPECT_EQ(efforts_tables(report).find("4711"), std::string::npos);
}

TEST(Conditions, OutliersAreCountedAndStayIn) {
    Report report = on_some_machine();
    Row& row = report.files[0].rows[0];
    const std::size_t count = row.main.samples.size();
    for (std::size_t i = 0; i < count; i += 4)
        row.main.samples[i].total *= 3;
    EXPECT_EQ(row.main.samples.size(), count);
    EXPECT_NE(about_machine(report).find("  outliers  XML 26 of 101 (26 severe)\n"),
              std::string::npos)
        << about_machine(report);
    EXPECT_EQ(doubts(report, row), std::vector<std::string>{"26 of 101 runs are outliers"});
}

TEST(Conditions, AWideIntervalIsToldWhereAWidthWasWanted) {
    Report report = on_some_machine();
    Row& row = report.files[0].rows[0];
    for (std::size_t i = 0; i < row.main.samples.size(); i += 2)
        row.main.samples[i].total *= 2;
    EXPECT_TRUE(doubts(report, row).empty());
    report.schedule.precision = 0.01;
    ASSERT_EQ(doubts(report, row).size(), 1U);
    EXPECT_TRUE(doubts(report, row)[0].starts_with("did not converge: interval within "));
    row.main.samples.resize(3);
    row.main.samples[1] = row.main.samples[0];
    EXPECT_TRUE(doubts(report, row).empty()) << "there is no interval: others say so";
}

}  // namespace
}  // namespace perfrelay::client
