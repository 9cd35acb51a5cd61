#include "client/report/verdicts.h"

#include <algorithm>
#include <span>

#include "client/report/layout.h"
#include "client/report/sections.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

std::vector<measure::RoundTime> rounds(const Row& row, Quantity quantity) {
    return measure::by_round(row.main, values(row.main, quantity));
}

// "faster 2.31x (2.27-2.35)", "equivalent (0.996-1.004)"; over 1 in the sense of the word, and of
// speed where there is no word.
std::string cell(const measure::Comparison& found) {
    if (found.rounds == 0) return "-";
    constexpr int k_decimals = 3;
    const bool slower = found.verdict == measure::Verdict::slower;
    const auto factor = [&](double ratio) {
        const double shown = slower ? ratio : 1 / ratio;
        return format_fixed(shown, std::clamp(decimals_for(shown, 4), 0, k_decimals));
    };
    std::string text = word(found.verdict);
    const bool decided =
        found.verdict == measure::Verdict::faster || found.verdict == measure::Verdict::slower;
    if (decided || !found.has_interval) text += " " + factor(found.ratio) + "x";
    if (!found.has_interval) return text + " (too few rounds)";
    const std::string low = factor(slower ? found.low : found.high);
    return text + " (" + low + "-" + factor(slower ? found.high : found.low) + ")";
}

// Those against one first row.
std::string verdicts_against(const Report& report, const FileReport& file,
                             std::span<const RowVerdict> all) {
    const std::vector<Quantity> shown = row_quantities(report);
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    for (const Quantity quantity : shown)
        columns.push_back({.heading = {name(report, quantity)}, .right = false});
    Table table(std::move(columns), 2);
    std::size_t rounds = all.front().against_first.rounds;
    std::size_t processes = 1;
    for (std::size_t i = 0; i < all.size(); i += shown.size()) {
        std::vector<std::string> cells = {all[i].row->codec.title};
        for (std::size_t k = 0; k < shown.size(); ++k) {
            const measure::Comparison& found = all[i + k].against_first;
            cells.push_back(cell(found));
            rounds = std::min(rounds, found.rounds);
            processes = std::max(processes, found.processes);
        }
        table.row(std::move(cells));
    }
    std::string how = std::to_string(rounds) + (rounds == 1 ? " round" : " rounds");
    if (processes > 1) how += " of " + std::to_string(processes) + " processes";
    return "Speed against " + all.front().first->codec.title + ", pairs from " + how + ": " +
           printable(file.name) + "\n" + table.text();
}

std::string verdicts_of(const Report& report, const FileReport& file) {
    const std::vector<RowVerdict> all = verdicts(report, file);
    std::string text;
    for (auto at = all.begin(); at != all.end();) {
        const auto end = std::find_if(
            at, all.end(), [&](const RowVerdict& each) { return each.first != at->first; });
        text += (text.empty() ? "" : "\n") + verdicts_against(report, file, {at, end});
        at = end;
    }
    return text;
}

}  // namespace

double equivalence_band(const Report& report) {
    return usual_precision(!report.network.empty());
}

const Row* baseline(const FileReport& file, const Row& row) {
    const auto first = std::ranges::find_if(file.rows, [&](const Row& each) {
        return has_times(each) && comparable(each.group, row.group);
    });
    return first == file.rows.end() ? nullptr : &*first;
}

std::vector<RowVerdict> verdicts(const Report& report, const FileReport& file) {
    std::vector<RowVerdict> all;
    const std::vector<Quantity> shown = row_quantities(report);
    for (const Row& first : file.rows) {
        if (!has_times(first) || baseline(file, first) != &first) continue;
        for (const Row& row : file.rows) {
            if (&row == &first || !has_times(row) || !comparable(row.group, first.group)) continue;
            for (const Quantity quantity : shown)
                all.push_back({&row, &first, quantity, {}});
        }
    }
    const std::size_t compared = all.size() / shown.size();
    const measure::CompareOptions options{
        .band = equivalence_band(report),
        .confidence = 1 - (1 - measure::k_confidence) / static_cast<double>(compared)};
    for (RowVerdict& each : all) {
        each.against_first = measure::compare(rounds(*each.first, each.quantity),
                                              rounds(*each.row, each.quantity), options);
    }
    const auto paired = [](const RowVerdict& each) { return each.against_first.rounds != 0; };
    if (std::ranges::none_of(all, paired)) all.clear();
    return all;
}

const char* word(measure::Verdict verdict) {
    switch (verdict) {
        case measure::Verdict::faster: return "faster";
        case measure::Verdict::slower: return "slower";
        case measure::Verdict::equivalent: return "equivalent";
        case measure::Verdict::undecided: break;
    }
    return "undecided";
}

std::string verdicts_tables(const Report& report) {
    std::string text;
    for (const FileReport& file : report.files) {
        const std::string table = verdicts_of(report, file);
        if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
    }
    if (text.empty()) return text;
    const std::string band = format_fixed(100 * equivalence_band(report), 0) + " %";
    return text + "(95 % interval, for all formats together.) A word is given where the interval " +
           "allows it:\nfaster, slower: by more than " + band + "; equivalent: within " + band +
           ".\n";
}

}  // namespace perfrelay::client
