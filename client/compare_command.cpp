#include "client/compare_command.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "client/command_words.h"
#include "client/exit_codes.h"
#include "client/report/layout.h"
#include "client/report/regression.h"
#include "client/report_files.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_help =
    R"(perfclient compare says what became slower or larger between two saved reports.

Usage: perfclient compare [--fail-above PERCENT] OLD.json NEW.json

Example:
  perfclient compare --fail-above 5% yesterday.json today.json

Rows of the same file and format are held against each other: sizes exactly, times by the ratio of
their medians with its 95 % interval, bootstrapped; where both have several processes
(--processes), it counts these. SLOWER: all of the interval is above equality by
more than 1 % (2 % over a network); equivalent: all of it is within; undecided: neither, measure
longer. A program that was only started anew may be faster or slower by some per cent, by where its
code and data lie: --processes 5 in both runs takes that into account. What was otherwise about
machine and build is listed below the table.

Refused are reports that measured something else: another direction, way, document or link.

Options:
  --fail-above PERCENT   exit 1 if anything is slower, or larger, by more (5%); without it never.
                         A row that had times and has none any more counts, too

Exit codes: 0 no regression; 1 a regression; 2 usage, or reports that are not to be compared; 5 a
file cannot be read or is no report.
)";

int refuse(ExitCode code, const std::string& line) {
    return complain(code, "compare: " + line);
}

// "5%", "5", "0.5%"
std::optional<double> parse_percent(std::string text) {
    if (text.ends_with('%')) text.pop_back();
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] =
        std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (text.empty() || stopped != end || error != std::errc() || !(value >= 0 && value <= 1000)) {
        return std::nullopt;
    }
    return value / 100;
}

constexpr std::array<std::string_view, 1> k_values = {"fail-above"};
constexpr Command k_command{"compare", {}, k_values, {}};

}  // namespace

int compare_main(std::span<const char* const> words, const FormatTable&) {
    Options none;
    std::string why;
    const auto read = read_command(k_command, words, none, why);
    if (!read) return refuse(ExitCode::usage, why);
    if (read->has("help")) {
        std::cout << k_help;
        return status(ExitCode::ok);
    }
    double limit = std::numeric_limits<double>::infinity();
    if (const std::string value = read->value("fail-above"); !value.empty()) {
        const auto percent = parse_percent(value);
        if (!percent) {
            return refuse(ExitCode::usage,
                          "--fail-above '" + value + "': per cent from 0 to 1000, as in 5%");
        }
        limit = *percent;
    }
    if (read->files.size() != 2) {
        return refuse(ExitCode::usage, "OLD.json and NEW.json are needed, and here are " +
                                           std::to_string(read->files.size()) +
                                           " files; perfclient compare --help shows how");
    }
    std::vector<Report> reports;
    for (const std::string& file : read->files) {
        auto report = load_report(file, why);
        if (!report) return refuse(ExitCode::bad_input, why);
        reports.push_back(std::move(*report));
    }
    why = incomparable(reports[0], reports[1]);
    if (!why.empty()) return refuse(ExitCode::usage, "not to be compared: " + why);
    const Changes found = changes(reports[0], reports[1], limit);
    if (found.all.empty()) {
        return refuse(ExitCode::usage, "not to be compared: no row of the two has times in both");
    }
    std::cout << changes_text(found, limit) << std::flush;
    const bool worse = std::ranges::any_of(found.all, &Change::regression);
    if (worse) return status(ExitCode::regression);
    return status(std::cout ? ExitCode::ok : ExitCode::partial);
}

}  // namespace perfrelay::client
