// The figures of the two comparisons of object formats that this program succeeds: amf-benchmark's,
// of a fixed number of runs, and the blog's.

#include <algorithm>
#include <cmath>
#include <string>

#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr double k_ns_a_us = 1e3;
constexpr double k_ns_a_ms = 1e6;
constexpr double k_ns_a_second = 1e9;
constexpr double k_bytes_a_kbyte = 1024;

// "351,532"
std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return digits;
}

std::string line(std::string label, const std::string& value) {
    constexpr std::size_t k_label_width = 27;
    label.resize(std::max(label.size(), k_label_width), ' ');
    return "  " + label + ": " + value + "\n";
}

std::string time_line(const char* label, const Row& row, Quantity quantity) {
    const auto time = static_cast<double>(elapsed(row.main, quantity));
    const auto whole = static_cast<std::uint64_t>(std::llround(time / k_ns_a_ms));
    return line(label, grouped(whole) + " ms (" + format_fixed(time / k_ns_a_second, 2) + " s)");
}

std::string benchmark_block(const Report& report, const FileReport& file, const Row& row) {
    const std::string rule(65, '-');
    std::string text =
        rule + "\n" + line("Platform", row.codec.title) + line("Input file", printable(file.name));
    text += line(row.codec.title + " output size",
                 grouped(row.size) + " bytes (" +
                     format_fixed(static_cast<double>(row.size) / k_bytes_a_kbyte, 1) + " kb)");
    text += line("Iterations", grouped(row.main.runs()) + " times");
    if (report.direction != Direction::decode) {
        text += time_line("Total serialization time", row, Quantity::encode);
    }
    if (report.direction != Direction::encode) {
        text += time_line("Total deserialization time", row, Quantity::decode);
    }
    return text + rule + "\n";
}

bool any_objects(const FileReport& file) {
    return std::any_of(file.rows.begin(), file.rows.end(), [](const Row& row) {
        return row.model == Model::objects && has_times(row);
    });
}

// Every row of the file, those of XML beside those of objects.
std::string blog_table(const FileReport& file) {
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"Avg Time (microseconds)"}, 0, true, true});
    columns.push_back({{"Data size (kbytes)"}, 0, true, true});
    Table table(std::move(columns), 2);
    for (const Row& row : file.rows) {
        if (!has_times(row)) continue;
        const double mean = static_cast<double>(elapsed(row.main, Quantity::encode)) /
                            static_cast<double>(row.main.runs()) / k_ns_a_us;
        table.row({row.codec.title, format_fixed(mean, mean < 100 ? decimals_for(mean, 3) : 0),
                   format_fixed(static_cast<double>(row.size) / k_bytes_a_kbyte, 1)});
    }
    return table.text();
}

}  // namespace

std::string object_figures(const Report& report) {
    std::string text;
    for (const FileReport& file : report.files) {
        if (!any_objects(file)) continue;
        if (report.direction != Direction::decode && !report.stream) {
            text += "serialization, " + printable(file.name) + "\n" + blog_table(file);
        }
        for (const Row& row : file.rows) {
            if (!has_fixed_runs(report) || row.model != Model::objects || !has_times(row)) continue;
            text += benchmark_block(report, file, row);
        }
    }
    return text;
}

}  // namespace perfrelay::client
