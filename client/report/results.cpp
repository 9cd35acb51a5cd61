#include "client/report/results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "client/report/sections.h"
#include "client/report/shown.h"
#include "client/report/verdicts.h"
#include "common/cli/units.h"
#include "common/net/shaper.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {
namespace {

constexpr double k_ns_a_second = 1e9;
constexpr int k_points_a_decade = 4;

std::size_t payload(const Row& row) {
    return static_cast<std::size_t>(row.size) + wire::k_header_size;
}

double transfer(const Report& report, const net::Link& link, const Row& row) {
    const net::LinkWays ways =
        net::ways_of(link, report.direction != Direction::decode,
                     report.direction != Direction::encode, report.schedule.seed);
    return static_cast<double>(
        net::modelled_exchange(ways, report.cut_through, wire::k_header_size, payload(row)));
}

// Of the rows with times that can be compared with that one, named by their SPECs.
std::vector<Contender> contenders(const Report& report, const FileReport& file, const Row& with) {
    const net::LinkWay way{.rate = 1, .overhead = net::Link{}.overhead};
    const double ways = report.direction == Direction::both ? 2 : 1;
    std::vector<Contender> all;
    for (const Row& row : file.rows) {
        if (!has_times(row) || !comparable(row.group, with.group)) continue;
        const auto bytes = static_cast<double>(net::wire_bytes(way, payload(row)));
        all.push_back({row.codec.spec, 8 * ways * bytes, processor_times(report, row)});
    }
    return all;
}

constexpr const char* k_few = " (too few runs for an interval)";

std::string verdict_text(const Crossover& found) {
    switch (found.verdict) {
        case Crossover::Verdict::every_speed:
            return std::string("at every speed") + (found.has_interval ? "" : k_few);
        case Crossover::Verdict::below:
            if (!found.has_interval) return "below " + speed_text(found.at) + k_few;
            return "below " + speed_text(found.at) + " (95 %: " + speed_text(found.low) + " to " +
                   speed_text(found.high) + ")";
        case Crossover::Verdict::undecided:
            return "below " + speed_text(found.low) + ", undecided above";
        case Crossover::Verdict::same_size: break;
    }
    return "same size: bytes decide nothing";
}

CrossoverResult crossover_result(const Crossover& found, const std::vector<Contender>& all) {
    CrossoverResult result{.smaller = all[found.smaller].name,
                           .larger = all[found.larger].name,
                           .verdict = found.verdict,
                           .at = found.at,
                           .low = found.low,
                           .high = found.high,
                           .has_interval = found.has_interval,
                           .text = verdict_text(found)};
    if (found.at > 0 && found.at < k_fastest_link) {
        const Contender& smaller = all[found.smaller];
        result.total =
            measure::summarise(smaller.cpu).median + smaller.bits / found.at * k_ns_a_second;
    }
    return result;
}

SpeedCurve curve_of(const Contender& contender, const std::vector<double>& speeds) {
    SpeedCurve curve{contender.name, contender.bits, {}, {}, {}};
    const measure::Summary cpu = measure::summarise(contender.cpu);
    for (const double speed : speeds) {
        const double wire = contender.bits / speed * k_ns_a_second;
        curve.total.push_back(wire + cpu.median);
        curve.low.push_back(wire + cpu.low);
        curve.high.push_back(wire + cpu.high);
    }
    return curve;
}

std::vector<VerdictResult> verdict_results(const Report& report, const FileReport& file) {
    std::vector<VerdictResult> results;
    for (const RowVerdict& each : verdicts(report, file)) {
        const measure::Comparison& found = each.against_first;
        results.push_back({each.row->codec.spec, each.first->codec.spec, key_of(each.quantity),
                           found.ratio, found.low, found.high, found.has_interval, found.rounds,
                           found.processes, found.verdict});
    }
    return results;
}

// Ratios and the best of one link's totals, among rows that can be compared.
void rate_link(std::span<LinkTotal> totals, const std::vector<const Row*>& rows) {
    for (std::size_t i = 0; i < totals.size(); ++i) {
        std::size_t first = i;
        std::size_t best = i;
        for (std::size_t k = totals.size(); k-- != 0;) {
            if (!comparable(rows[k]->group, rows[i]->group)) continue;
            first = k;
            if (totals[k].total <= totals[best].total) best = k;
        }
        totals[i].ratio = totals[i].total / totals[first].total;
        totals[i].best = best == i;
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    // The first is the section's heading.
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
}

}  // namespace

std::string speed_text(double bits_per_second) {
    const char* unit = "bit/s";
    for (const char* larger : {"kbit/s", "Mbit/s", "Gbit/s"}) {
        if (bits_per_second < 1000) break;
        bits_per_second /= 1000;
        unit = larger;
    }
    return format_fixed(bits_per_second, std::min(decimals_for(bits_per_second, 3), 2)) + " " +
           unit;
}

std::vector<double> processor_times(const Report& report, const Row& row) {
    std::vector<double> times = values(
        row.main, report.direction == Direction::decode ? Quantity::decode : Quantity::encode);
    if (report.direction != Direction::both) return times;
    const std::vector<double> decode = values(row.main, Quantity::decode);
    for (std::size_t i = 0; i < std::min(times.size(), decode.size()); ++i)
        times[i] += decode[i];
    return times;
}

bool models_links(const Report& report) {
    return !report.stream && report.threads <= 1;
}

std::vector<LinkTotal> link_totals(const Report& report, const FileReport& file) {
    std::vector<LinkTotal> totals;
    for (const net::Link& link : report.links) {
        const std::size_t first = totals.size();
        std::vector<const Row*> rows;
        for (const Row& row : file.rows) {
            if (!has_times(row)) continue;
            LinkTotal& cell = totals.emplace_back();
            cell.link = link.name;
            cell.spec = row.codec.spec;
            cell.packets = net::packets(payload(row));
            cell.transmit = transfer(report, link, row);
            cell.processor = measure::summarise_runs(row.main, processor_times(report, row));
            cell.total = cell.transmit + cell.processor.median;
            rows.push_back(&row);
        }
        rate_link(std::span(totals).subspan(first), rows);
    }
    return totals;
}

FileResults file_results(const Report& report, const FileReport& file) {
    FileResults results;
    results.sent = emulated_totals(report, file);
    results.verdicts = verdict_results(report, file);
    if (!models_links(report)) return results;
    results.links = link_totals(report, file);
    results.costs = link_costs(report, file);
    results.points = verified_points(report, file);
    const int points = k_points_a_decade *
                       static_cast<int>(std::lround(std::log10(k_fastest_link / k_slowest_link)));
    for (int i = 0; i <= points; ++i)
        results.speeds.push_back(
            std::round(k_slowest_link * std::pow(10.0, i / double{k_points_a_decade})));
    for (const Row& row : file.rows) {
        if (!has_times(row) || baseline(file, row) != &row) continue;
        const std::vector<Contender> all = contenders(report, file, row);
        // Of rows that can all be compared: the first one's.
        const bool first = results.curves.empty();
        for (const Contender& contender : all)
            results.curves.push_back(curve_of(contender, results.speeds));
        for (const Crossover& found : crossovers(all, report.schedule.seed))
            results.crossovers.push_back(crossover_result(found, all));
        if (!first) continue;
        for (const Best& each : best_by_speed(all))
            results.best.push_back({all[each.contender].name, each.up_to});
    }
    if (results.curves.empty()) results.speeds.clear();
    return results;
}

RowResults row_results(const Report& report, const FileReport& file, const Row& row) {
    RowResults results;
    results.remark = remark(row);
    results.notes = notes(report, row.codec);
    results.warnings = row_warnings(report, row);
    results.size_ratio = row.size == 0 || file.bytes == 0
                             ? std::numeric_limits<double>::quiet_NaN()
                             : static_cast<double>(row.size) / static_cast<double>(file.bytes);
    if (!has_times(row)) return results;
    const auto add = [&](const char* name, const std::vector<double>& times) {
        results.times.emplace_back(name, measure::summarise_runs(row.main, times));
    };
    for (const Quantity quantity : row_quantities(report)) {
        add(key_of(quantity), values(row.main, quantity));
        if (quantity != Quantity::transmit || report.direction != Direction::both) continue;
        add("up", row.main.per_document(k_up));
        if (!report.stream) add("down", row.main.per_document(k_down));
    }
    return results;
}

ReportResults report_results(const Report& report) {
    ReportResults results;
    results.status = report.partial ? "partial" : report.exit_code == 0 ? "ok" : "error";
    for (const Quantity quantity : row_quantities(report))
        results.quantities.push_back({key_of(quantity), name(report, quantity)});
    results.sets = set_results(report);
    results.rows = lines_of(about_rows(report));
    results.method = lines_of(about_method(report));
    for (std::string& line : lines_of(about_machine(report)))
        results.method.push_back(std::move(line));
    results.warnings = lines_of(warnings(report));
    return results;
}

}  // namespace perfrelay::client
