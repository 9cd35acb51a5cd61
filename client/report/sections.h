#pragma once
// The sections of the text report, in their order. Each is whole lines, or nothing.
// Tested by tests/unit/client/report_test.cpp.

#include <string>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

// efxperf's lines: what was asked, then warm-up, main and size of every row of every file.
std::string run_lines(const Report& report);

// Up to k_most_in_columns formats: a column a format and quantity, a row a file, as efxperf.
// More: a table a file, a row a format.
std::string tables(const Report& report);
constexpr std::size_t k_most_in_columns = 3;

// Which formats are faster than the first one, with what certainty; nothing of one format alone.
std::string verdicts_tables(const Report& report);

// Memory, allocations and instructions of each format; nothing when none were counted.
std::string efforts_tables(const Report& report);

// Of several files of several formats: how the formats compare over all of them.
std::string set_table(const Report& report);

// What several threads got done together; nothing without -multithread.
std::string threads_table(const Report& report);

// What sizes and times mean on the links that were asked for, and where formats overtake each
// other; nothing without --link.
std::string links_tables(const Report& report);

// What documents cost there; part of the above.
std::string costs_tables(const Report& report);

// What was sent over them for real; part of the above.
std::string emulated_tables(const Report& report);

// What those who measured formats of objects before us printed: of files with a row of objects the
// blog's microseconds and kbytes, and amf-benchmark's block a row when the number of runs was
// fixed.
std::string object_figures(const Report& report);

// Reader, writer and notes of every format.
std::string about_rows(const Report& report);

std::string about_method(const Report& report);

// The machine, the build, how quiet it was, outliers.
std::string about_machine(const Report& report);

// What a row's numbers give rise to.
std::vector<std::string> row_warnings(const Report& report, const Row& row);

// The report's own and what its numbers give rise to.
std::string warnings(const Report& report);

}  // namespace perfrelay::client
