#pragma once
// Files of reports. Where they go: --json, --jsonl, --csv, --markdown, --html. A file appears whole
// or not at all, whatever ended the run; "-" is standard output, in place of the text report. And
// back from JSON. Tested by tests/integration/reports.py.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

struct Output {
    std::string kind;  // the option's name: "json"
    std::string path;
};

// The writer that an option stands for; null when it is none of a report's.
ReportWriter writer_of(std::string_view kind);

// Before anything is measured: "" or why a file could not be written, or two outputs are one.
std::string check_outputs(const std::vector<Output>& outputs);

bool to_standard_output(const std::vector<Output>& outputs);

// Tries all of them. "" or why not, of the first that failed.
std::string write_outputs(const Report& report, const std::vector<Output>& outputs);

// A saved report; "-" is standard input. Nothing, and one line with the name in `why`.
std::optional<Report> load_report(const std::string& path, std::string& why);

}  // namespace perfrelay::client
