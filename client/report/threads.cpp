// What several threads got done together (-multithread).

#include <algorithm>
#include <string>
#include <vector>

#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr double k_ns_a_second = 1e9;
constexpr double k_ns_a_ms = 1e6;

// Documents a second of all threads together, a value each run.
measure::Summary rate(const measure::Series& series, std::size_t threads) {
    std::vector<double> rates;
    rates.reserve(series.samples.size());
    for (const measure::Sample& sample : series.samples) {
        const measure::Nanoseconds time = sample.wall != 0 ? sample.wall : sample.total;
        if (time <= 0) continue;
        rates.push_back(static_cast<double>(threads) * sample.batch * k_ns_a_second /
                        static_cast<double>(time));
    }
    return measure::summarise(rates);
}

std::string shown(double rate) {
    return format_fixed(rate, std::min(decimals_for(rate, 4), 3));
}

// "4.11 4.09", or "4.09-4.31" for more than fit.
std::string each(const std::vector<measure::Series>& threads) {
    constexpr std::size_t k_listed = 4;
    std::vector<double> times;
    times.reserve(threads.size());
    for (const measure::Series& series : threads)
        times.push_back(measure::summarise(series.total_per_document()).median / k_ns_a_ms);
    if (times.empty()) return "-";
    const auto [least, most] = std::ranges::minmax(times);
    const int decimals = std::clamp(decimals_for(least, 3), 0, 6);
    if (times.size() > k_listed) {
        return format_fixed(least, decimals) + "-" + format_fixed(most, decimals);
    }
    std::string text;
    for (const double time : times)
        text += (text.empty() ? "" : " ") + format_fixed(time, decimals);
    return text;
}

std::vector<std::string> cells_of(const FileReport& file, const Row& row, std::size_t threads) {
    const measure::Summary all = rate(row.main, threads);
    std::vector<std::string> cells = {row.codec.title, shown(all.median)};
    cells.push_back(all.has_interval ? shown(all.low) + "-" + shown(all.high) : "none");
    if (threads > 1) {
        const measure::Summary one = rate(row.alone, 1);
        const bool known = !row.alone.samples.empty() && one.median > 0;
        cells.push_back(known ? shown(one.median) : "-");
        cells.push_back(known ? format_fixed(all.median / one.median, 2) + "x" : "-");
    }
    cells.push_back(each(row.threads));
    cells.push_back(printable(file.name));
    return cells;
}

}  // namespace

std::string threads_table(const Report& report) {
    if (report.threads == 0) return "";
    const bool several = report.threads > 1;
    const std::string count = std::to_string(report.threads);
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT", ""}, .right = false});
    columns.push_back({{several ? count + " THREADS" : "1 THREAD", "docs/s"}, 9, true, true});
    columns.push_back({{"95 % INTERVAL", "docs/s"}, 13, true, true});
    if (several) {
        columns.push_back({{"1 THREAD", "docs/s"}, 9, true, true});
        columns.push_back({{"GAIN", ""}, 6, true, true});
    }
    columns.push_back({{"EACH THREAD", "total, ms"}, 0, true, true});
    columns.push_back({.heading = {"FILENAME", ""}, .right = false});
    Table table(std::move(columns), 2);
    for (const FileReport& file : report.files) {
        for (const Row& row : file.rows) {
            if (has_times(row)) table.row(cells_of(file, row, report.threads));
        }
    }
    std::string text = "Threads\n" + table.text();
    text += "Documents a second of all threads together, each with codecs";
    text += report.network.empty() ? "" : " and a session";
    text += " of its own; the times of the\nother tables are means over the threads.";
    if (several) text += " One thread was measured in turn with all of them.";
    return text + "\n";
}

}  // namespace perfrelay::client
