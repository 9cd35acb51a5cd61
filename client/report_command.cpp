#include "client/report_command.h"

#include <array>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "client/command_words.h"
#include "client/exit_codes.h"
#include "client/report/layout.h"
#include "client/report/saved_report.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_help =
    R"(perfclient report shows reports that --json saved; several are put together.

Usage: perfclient report [options] FILE.json...

Examples:
  perfclient report a.json                     the tables, as when it was measured
  perfclient report a.json --html a.html       a page to look at
  perfclient report host1.json host2.json --csv all.csv

Reports are put together file by file, in the order given; each file names the part that measured
it. Refused are those whose numbers mean something else: another direction, in memory and over a
network, other threads, whitespace or links.

Options:
  --html FILE, --markdown FILE, --csv FILE, --json FILE, --jsonl FILE
                      what to write, in place of the tables; - is standard output
  -quiet              the tables alone
  --schema            print the JSON Schema of saved reports

Exit codes: 0 done; 2 usage, or reports that do not go together; 5 FILE cannot be read or is no
report; 6 not everything was written.
)";

int refuse(ExitCode code, const std::string& line) {
    return complain(code, "report: " + line);
}

// The outputs are settings of a run, too, and mean the same.
constexpr std::array<std::string_view, 1> k_switches = {"schema"};
constexpr std::array<std::string_view, 6> k_shared = {"json",     "jsonl", "csv",
                                                      "markdown", "html",  "quiet"};
constexpr Command k_command{"report", k_switches, {}, k_shared};

int show(const Options& options, const std::vector<std::string>& files) {
    if (const std::string why = check_outputs(options.outputs); !why.empty()) {
        return refuse(ExitCode::usage, why);
    }
    std::vector<Report> reports;
    for (const std::string& file : files) {
        std::string why;
        auto report = load_report(file, why);
        if (!report) return refuse(ExitCode::bad_input, why);
        if (!reports.empty()) why = unlike(reports.front(), *report);
        if (!why.empty()) {
            return refuse(ExitCode::usage,
                          files.front() + " and " + file + " do not go together: " + why);
        }
        reports.push_back(std::move(*report));
    }
    const Report report = merge_reports(std::move(reports));
    if (options.outputs.empty()) (options.quiet ? write_tables : write_text)(report, std::cout);
    const std::string fault = write_outputs(report, options.outputs);
    std::cout.flush();
    if (!fault.empty()) return refuse(ExitCode::partial, fault);
    return status(std::cout ? ExitCode::ok : ExitCode::partial);
}

}  // namespace

int report_main(std::span<const char* const> words, const FormatTable&) {
    Options options;
    std::string why;
    const auto read = read_command(k_command, words, options, why);
    if (!read) return refuse(ExitCode::usage, why);
    if (read->has("help") || read->has("schema")) {
        std::cout << (read->has("help") ? std::string(k_help) : report_schema());
        return status(ExitCode::ok);
    }
    if (!read->files.empty()) return show(options, read->files);
    return refuse(ExitCode::usage, "no FILE.json; perfclient report --help shows how");
}

}  // namespace perfrelay::client
