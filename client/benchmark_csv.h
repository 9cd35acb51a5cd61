#pragma once
// amf-benchmark's CSV: of a fixed number of runs (-repeat N -time 0), a line for each row of
// objects, appended to <input>-<format>.csv, which begins with amf-benchmark's header when it is
// new:
//
//   Date,Amf3 Size,Iterations,Serialization Time,Deserialization Time
//
// Date: UTC, ISO 8601. Size: bytes, of whatever format. Times: milliseconds in total; nothing for a
// direction that was not measured.
// Tested by tests/unit/client/benchmark_csv_test.cpp.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

struct BenchmarkLine {
    std::string file;  // "small-list-objects-amf3.csv"
    std::string line;  // without a line end
};

inline constexpr std::string_view k_benchmark_header =
    "Date,Amf3 Size,Iterations,Serialization Time,Deserialization Time";

// None unless the number of runs was fixed. `now`: seconds since 1970.
std::vector<BenchmarkLine> benchmark_lines(const Report& report, std::int64_t now);

// Appends them to their files in `directory`. "" or why not, with the file's name.
std::string append_benchmark_lines(const std::vector<BenchmarkLine>& lines,
                                   const std::string& directory);

}  // namespace perfrelay::client
