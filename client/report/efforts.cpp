// What the formats take of the machine beside time: memory, allocations, instructions.

#include <algorithm>
#include <string>
#include <vector>

#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"

namespace perfrelay::client {
namespace {

// "1234 kB": of powers of 1,000, so that it can be compared with SIZE.
std::string kilobytes(std::uint64_t bytes) {
    return std::to_string((bytes + 999) / 1000) + " kB";
}

struct Shown {
    const char* name;
    Effort Row::*effort;
};

std::vector<Shown> shown_efforts(const Report& report) {
    std::vector<Shown> shown;
    if (report.direction != Direction::decode) shown.push_back({"ENCODE", &Row::encode_effort});
    if (report.direction != Direction::encode) shown.push_back({"DECODE", &Row::decode_effort});
    return shown;
}

bool counted(const Row& row) {
    return row.encode_effort.counted || row.decode_effort.counted;
}

std::string efforts_of(const Report& report, const FileReport& file) {
    if (std::none_of(file.rows.begin(), file.rows.end(), counted)) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT", ""}, .right = false});
    const std::vector<Shown> shown = shown_efforts(report);
    const bool instructions = report.no_instructions.empty();
    for (const Shown& each : shown) {
        columns.push_back({{each.name, "peak memory"}, 0, true, true});
        columns.push_back({{each.name, "allocations"}, 0, true, true});
        if (instructions) columns.push_back({{each.name, "instructions"}, 0, true, true});
    }
    Table table(std::move(columns), 2);
    for (const Row& row : file.rows) {
        if (!has_times(row)) continue;
        std::vector<std::string> cells = {row.codec.title};
        for (const Shown& each : shown) {
            const Effort& effort = row.*each.effort;
            const auto cell = [&](const std::string& text) {
                cells.push_back(effort.counted ? text : "-");
            };
            cell(kilobytes(effort.peak_memory));
            cell(std::to_string(effort.allocations));
            if (!instructions) continue;
            cell(effort.instructions == 0 ? "-" : std::to_string(effort.instructions));
        }
        table.row(std::move(cells));
    }
    return "Counted in runs that are not timed: " + printable(file.name) + "\n" + table.text();
}

}  // namespace

std::string efforts_tables(const Report& report) {
    std::string text;
    for (const FileReport& file : report.files) {
        const std::string table = efforts_of(report, file);
        if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
    }
    if (text.empty()) return text;
    text +=
        "Peak memory: what a fresh codec holds at once for one document, output included.\n"
        "Allocations" +
        std::string(report.no_instructions.empty() ? ", instructions" : "") + ": for a later one.";
    if (!report.no_instructions.empty()) {
        text += " Instructions: none, " + printable(report.no_instructions) + ".";
    }
    return text + "\n";
}

}  // namespace perfrelay::client
