// amf-benchmark's CSV, its report and the blog's table, of hand-made results.

#include "client/benchmark_csv.h"

#include <cstdio>

#include <gtest/gtest.h>

#include "report_samples.h"
#include "tests/support/files.h"

namespace perfrelay::client {
namespace {

using samples::k_us;

Row object_row(const std::string& spec, const std::string& title, std::uint64_t size, int runs) {
    Row made = samples::row(spec, title, size, {.encode = 400 * k_us, .decode = 200 * k_us}, runs);
    made.model = Model::objects;
    return made;
}

Report objects_report() {
    FileReport file = samples::file(
        {object_row("amf3:profile=blazeds", "AMF3:BLAZEDS", 351'532, 10'001), samples::xml_row()});
    file.name = "data/small-list-objects.ser";
    Report made = samples::report({file});
    made.schedule.main = {.time = 0, .runs = 10'000};
    return made;
}

TEST(BenchmarkCsv, ALineForEachRowOfObjects) {
    Report report = objects_report();
    auto lines = benchmark_lines(report, 1'400'074'972);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].file, "small-list-objects-amf3-profile-blazeds.csv");
    EXPECT_EQ(lines[0].line, "2014-05-14T13:42:52Z,351532,10001,4000,2000");
    report.direction = Direction::encode;
    EXPECT_EQ(benchmark_lines(report, 0)[0].line, "1970-01-01T00:00:00Z,351532,10001,4000,");
    report.direction = Direction::decode;
    EXPECT_EQ(benchmark_lines(report, 0)[0].line, "1970-01-01T00:00:00Z,351532,10001,,2000");
}

TEST(BenchmarkCsv, NoneUnlessTheRunsAreFixedAndDone) {
    Report report = objects_report();
    report.files[0].rows[0].complete = false;
    EXPECT_TRUE(benchmark_lines(report, 0).empty());
    report = objects_report();
    report.schedule.main.time = 1;
    EXPECT_TRUE(benchmark_lines(report, 0).empty());
}

TEST(BenchmarkCsv, NamesOfFilesAreHarmless) {
    Report report = objects_report();
    for (const auto& [name, stem] :
         {std::pair("../.hidden", ".hidden"), std::pair("-", "input"),
          std::pair("a b/c d.x.ser", "c-d.x"),
          std::pair("generated company seed 1", "generated-company-seed-1"),
          std::pair("a\n;rm.ser", "a-rm")}) {
        report.files[0].name = name;
        EXPECT_EQ(benchmark_lines(report, 0)[0].file,
                  std::string(stem) + "-amf3-profile-blazeds.csv");
    }
}

TEST(BenchmarkCsv, AppendsUnderOneHeader) {
    const std::string name = "benchmark_csv_test.csv";
    const std::string path = testing::TempDir() + name;
    (void)std::remove(path.c_str());
    EXPECT_EQ(append_benchmark_lines({{name, "a"}, {name, "b"}}, testing::TempDir()), "");
    EXPECT_EQ(append_benchmark_lines({{name, "c"}}, testing::TempDir()), "");
    EXPECT_EQ(file_text(path), std::string(k_benchmark_header) + "\na\nb\nc\n");
    EXPECT_NE(append_benchmark_lines({{name, "d"}}, path).find("cannot be opened"),
              std::string::npos);
    EXPECT_NE(append_benchmark_lines({{"full", "d"}}, "/dev").find("cannot be written"),
              std::string::npos);
    EXPECT_EQ(std::remove(path.c_str()), 0);
}

TEST(ObjectFigures, AsTheirAuthorsPrintedThem) {
    const std::string text = samples::text_of(objects_report());
    EXPECT_NE(text.find(R"(
serialization, data/small-list-objects.ser
FORMAT        Avg Time (microseconds)  Data size (kbytes)
------------  -----------------------  ------------------
AMF3:BLAZEDS                      400               343.3
XML                              4000               902.1
-----------------------------------------------------------------
  Platform                   : AMF3:BLAZEDS
  Input file                 : data/small-list-objects.ser
  AMF3:BLAZEDS output size   : 351,532 bytes (343.3 kb)
  Iterations                 : 10,001 times
  Total serialization time   : 4,000 ms (4.00 s)
  Total deserialization time : 2,000 ms (2.00 s)
-----------------------------------------------------------------
)"),
              std::string::npos)
        << text;
}

TEST(ObjectFigures, OnlyOfObjectsAndOfWhatWasMeasured) {
    Report report = objects_report();
    report.direction = Direction::decode;
    std::string text = samples::text_of(report);
    EXPECT_EQ(text.find("microseconds)"), std::string::npos);
    EXPECT_EQ(text.find("Total serialization"), std::string::npos);
    EXPECT_NE(text.find("Total deserialization"), std::string::npos);
    report = objects_report();
    report.schedule.main.time = 1'000'000;
    text = samples::text_of(report);
    EXPECT_NE(text.find("microseconds)"), std::string::npos);
    EXPECT_EQ(text.find("Platform"), std::string::npos);
    report.files[0].rows[0].model = Model::xml;
    EXPECT_EQ(samples::text_of(report).find("microseconds)"), std::string::npos);
}

}  // namespace
}  // namespace perfrelay::client
