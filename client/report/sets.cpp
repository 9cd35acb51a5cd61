// Several files as one data set: geometric means of ratios to the first format.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "client/report/layout.h"
#include "client/report/results.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"
#include "common/measure/bootstrap.h"

namespace perfrelay::client {
namespace {

// `logs`: logarithms of a ratio, a file each.
SetRatio ratio_of(const std::vector<double>& logs, std::mt19937_64& random) {
    SetRatio found;
    double sum = 0;
    for (const double log : logs)
        sum += log;
    found.ratio = found.low = found.high = std::exp(sum / static_cast<double>(logs.size()));
    found.has_interval = logs.size() >= measure::k_min_for_interval;
    if (!found.has_interval) return found;
    const measure::Range range = measure::middle_95(measure::resampled_means(logs, random));
    found.low = std::exp(range.low);
    found.high = std::exp(range.high);
    return found;
}

double median(const Row& row, Quantity quantity) {
    return measure::summarise(values(row.main, quantity)).median;
}

SetResult result_of(const Report& report, const Mode& mode, const Mode& baseline,
                    std::mt19937_64& random) {
    SetResult result{.spec = mode.spec, .baseline = baseline.spec};
    const std::vector<Quantity> quantities = row_quantities(report);
    std::vector<double> sizes;
    std::vector<std::vector<double>> times(quantities.size());
    for (const FileReport& file : report.files) {
        const Row* const row = find_row(file, mode.spec);
        const Row* const base = find_row(file, baseline.spec);
        if (row == nullptr || base == nullptr || !has_times(*row) || !has_times(*base)) continue;
        ++result.files;
        sizes.push_back(std::log(static_cast<double>(row->size) / static_cast<double>(base->size)));
        for (std::size_t i = 0; i < quantities.size(); ++i)
            times[i].push_back(
                std::log(median(*row, quantities[i]) / median(*base, quantities[i])));
    }
    if (result.files == 0) return result;
    result.ratios.emplace_back("size", ratio_of(sizes, random));
    for (std::size_t i = 0; i < quantities.size(); ++i)
        result.ratios.emplace_back(key_of(quantities[i]), ratio_of(times[i], random));
    return result;
}

std::string ratio_text(const SetRatio& ratio) {
    const int decimals = decimals_for(ratio.ratio, 3);
    std::string text = format_fixed(ratio.ratio, decimals);
    if (!ratio.has_interval) return text;
    return text + " (" + format_fixed(ratio.low, decimals) + "-" +
           format_fixed(ratio.high, decimals) + ")";
}

}  // namespace

std::vector<SetResult> set_results(const Report& report) {
    const std::vector<Mode> all = modes(report);
    if (report.files.size() < 2 || all.size() < 2) return {};
    std::mt19937_64 random(report.schedule.seed);
    std::vector<SetResult> results;
    for (std::size_t i = 1; i < all.size(); ++i) {
        const Mode& first = *std::ranges::find_if(
            all, [&](const Mode& each) { return comparable(each.group, all[i].group); });
        if (&first == &all[i]) continue;
        SetResult result = result_of(report, all[i], first, random);
        if (result.files >= 2) results.push_back(std::move(result));
    }
    return results;
}

std::string set_baselines(const std::vector<SetResult>& results, const std::vector<Mode>& all) {
    std::string text;
    for (const Mode& mode : all) {
        const auto of = [&](const SetResult& result) { return result.baseline == mode.spec; };
        if (std::ranges::none_of(results, of)) continue;
        text += text.empty() ? mode.title : "; of typed values to " + mode.title;
    }
    return text;
}

std::string set_table(const Report& report) {
    const std::vector<SetResult> results = set_results(report);
    if (results.empty()) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"FILES"}, 5, true, true});
    columns.push_back({{"SIZE"}, 8, true, true});
    for (const Quantity quantity : row_quantities(report))
        columns.push_back({{name(report, quantity)}, 8, true, true});
    Table table(std::move(columns), 2);
    const std::vector<Mode> all = modes(report);
    std::size_t last = 0;
    for (const Mode& mode : all) {
        for (const SetResult& result : results) {
            if (result.spec != mode.spec) continue;
            std::vector<std::string> cells = {mode.title, std::to_string(result.files)};
            for (const auto& [name, ratio] : result.ratios)
                cells.push_back(ratio_text(ratio));
            last = std::max(last, text_width(cells.back()));
            table.row(std::move(cells));
        }
    }
    table.set_last_width(last);
    return "All files together: geometric means of ratios to " + set_baselines(results, all) +
           ", 95 % intervals over the files\n" + table.text();
}

}  // namespace perfrelay::client
