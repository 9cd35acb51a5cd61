// The text report: sections put together, and the first of them, the run lines.

#include <algorithm>
#include <string>

#include "client/report/layout.h"
#include "client/report/report.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr double k_ns_a_ms = 1e6;

// "1002ms", "4.01ms", "0.0123ms": at least `decimals` and at least three significant digits.
std::string milliseconds(double nanoseconds, int decimals) {
    const double ms = nanoseconds / k_ns_a_ms;
    return format_fixed(ms, std::max(decimals, decimals_for(ms, 3))) + "ms";
}

std::string minimum_line(const char* stage, const measure::Minimum& minimum) {
    const double ms = static_cast<double>(minimum.time) / k_ns_a_ms;
    const bool whole = minimum.time % 1'000'000 == 0;
    return std::string(stage) + ": " + format_fixed(ms, whole ? 0 : 3) + " ms or " +
           std::to_string(minimum.runs) + " runs\n";
}

std::string spent(const measure::Series& series, Quantity quantity) {
    const auto time = static_cast<double>(elapsed(series, quantity));
    const std::size_t runs = series.runs();
    std::string text = milliseconds(time, 0) + " / " + std::to_string(runs) + " runs";
    if (runs == 0) return text;
    return text + " = " + milliseconds(time / static_cast<double>(runs), 2) + " per run";
}

// "median 3.98 ms (95 %: 3.95-4.02), min 3.90 ms, p95 4.40 ms"
std::string statistics(const Row& row, Quantity quantity) {
    const measure::Summary s = summary(row.main, quantity);
    const DurationUnit unit = duration_unit(s.median);
    const int decimals = decimals_for(s.median / unit.nanoseconds, 3);
    const auto in_unit = [&](double ns) { return format_fixed(ns / unit.nanoseconds, decimals); };
    std::string text = "median " + in_unit(s.median) + " " + unit.name;
    text += s.has_interval ? " (95 %: " + in_unit(s.low) + "-" + in_unit(s.high) + ")"
                           : " (no interval: " + too_few(row) + ")";
    return text + ", min " + format_duration(s.min) + ", p95 " + format_duration(s.p95);
}

// Both ways of a round trip; one way has nothing to tell apart.
std::string both_ways(const Report& report, const Row& row) {
    if (report.direction != Direction::both || report.stream) return "";
    return ", up " + format_duration(measure::summarise(row.main.per_document(k_up)).median) +
           ", down " + format_duration(measure::summarise(row.main.per_document(k_down)).median);
}

// "XML-ENCODE cold 12.3 ms": what the first one took; of several processes the median.
std::string cold_line(const std::string& label, const Row& row, Quantity quantity) {
    const measure::Summary cold = measure::summarise(values(row.cold, quantity));
    if (quantity == Quantity::total || cold.median <= 0) return "";
    std::string text = label + " cold " + milliseconds(cold.median, 2);
    if (cold.count > 1) text += ", median of " + std::to_string(cold.count) + " processes";
    return text + "\n";
}

std::string row_lines(const Report& report, const Row& row) {
    const std::string& title = row.codec.title;
    if (!has_times(row)) return title + " " + printable(remark(row)) + "\n";
    std::string text;
    for (const Quantity quantity : quantities(report)) {
        const std::string label = title + "-" + name(report, quantity);
        text += cold_line(label, row, quantity);
        text += label + " warmup " + spent(row.warmup, quantity) + "\n";
        text += label + " main " + spent(row.main, quantity) + ", " + statistics(row, quantity);
        if (quantity == Quantity::transmit) text += both_ways(report, row);
        text += "\n";
    }
    text += title + "-SIZE " + format_bytes(row.size) + "\n";
    if (!row.saved.empty()) text += title + "-SAVED " + printable(row.saved) + "\n";
    return text;
}

std::string marked(const Report& report, std::string text) {
    if (!report.partial) return text;
    return "partial: the run ended early, this is what was measured until then\n" + text +
           "partial: the run ended early\n";
}

// Not operator<<: it would obey a width left in the stream.
void put(std::ostream& out, const std::string& text) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace

std::string run_lines(const Report& report) {
    std::string text;
    if (!report.network.empty()) text += "network-host = " + printable(report.network) + "\n";
    text += minimum_line("warmup", report.schedule.warmup);
    text += minimum_line("main", report.schedule.main);
    for (std::size_t i = 0; i < report.files.size(); ++i) {
        const FileReport& file = report.files[i];
        text += "[" + std::to_string(i + 1) + "] file: " + printable(file.name);
        if (!file.error.empty()) {
            text += "\nerror: " + printable(file.error) + "\n";
            continue;
        }
        text += " (" + format_bytes(file.bytes) + ")\nschema:";
        if (!file.schema.empty()) text += " " + printable(file.schema);
        if (!file.schema_by.empty()) text += " (" + file.schema_by + ")";
        text += "\n";
        for (const Row& row : file.rows) {
            text += row_lines(report, row);
        }
    }
    return text;
}

void write_text(const Report& report, std::ostream& out) {
    std::string text = run_lines(report);
    for (const auto section :
         {tables, set_table, verdicts_tables, efforts_tables, threads_table, links_tables,
          object_figures, about_rows, about_method, about_machine, warnings}) {
        const std::string lines = section(report);
        if (!lines.empty()) text += "\n" + lines;
    }
    put(out, marked(report, std::move(text)));
}

void write_tables(const Report& report, std::ostream& out) {
    std::string text = tables(report);
    for (const auto section : {set_table, verdicts_tables, threads_table, links_tables}) {
        if (const std::string lines = section(report); !lines.empty()) text += "\n" + lines;
    }
    // Rows have notes of their own; columns have no room for them.
    const std::string lines = modes(report).size() <= k_most_in_columns ? warnings(report) : "";
    if (!lines.empty()) text += "\n" + lines;
    put(out, marked(report, std::move(text)));
}

}  // namespace perfrelay::client
