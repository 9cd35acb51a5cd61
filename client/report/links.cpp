// What the sizes and times mean on slow links (--link), and where formats overtake each other.

#include <algorithm>
#include <string>
#include <vector>

#include "client/report/crossover.h"
#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"
#include "common/net/shaper.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {
namespace {

// Encode and decode of each run together, as far as the direction has them.
std::vector<double> processor_times(const Report& report, const Row& row) {
    std::vector<double> times = values(
        row.main, report.direction == Direction::decode ? Quantity::decode : Quantity::encode);
    if (report.direction != Direction::both) return times;
    const std::vector<double> decode = values(row.main, Quantity::decode);
    for (std::size_t i = 0; i < std::min(times.size(), decode.size()); ++i)
        times[i] += decode[i];
    return times;
}

std::size_t payload(const Row& row) {
    return static_cast<std::size_t>(row.size) + wire::k_header_size;
}

double transfer(const Report& report, const net::Link& link, const Row& row) {
    double time = 0;
    if (report.direction != Direction::decode) {
        time += static_cast<double>(
            net::modelled_transfer(net::up_of(link, report.schedule.seed), payload(row)));
    }
    if (report.direction != Direction::encode) {
        time += static_cast<double>(
            net::modelled_transfer(net::down_of(link, report.schedule.seed), payload(row)));
    }
    return time;
}

const char* what_is_carried(const Report& report) {
    switch (report.direction) {
        case Direction::encode: return "encode, then up to the last byte";
        case Direction::decode: return "down to the last byte, then decode";
        case Direction::both: break;
    }
    return "encode, up, down, decode";
}

std::string described(const net::Link& link) {
    std::string text = printable(link.name) + ": " + net::format_rate(link.down) + " down, " +
                       net::format_rate(link.up) + " up, RTT " +
                       format_duration(static_cast<double>(link.rtt));
    if (link.jitter > 0) {
        text += ", jitter " + format_duration(static_cast<double>(link.jitter));
    }
    if (link.loss > 0) text += ", loss " + format_fixed(link.loss * 100, 2) + " %";
    if (link.cold) text += ", a new connection each time";
    return text + " (" + link.source + ")";
}

struct Cell {
    const Row* row;
    double transmit;
    measure::Summary processor;
    double total() const { return transmit + processor.median; }
};

std::string links_of(const Report& report, const FileReport& file) {
    std::vector<Column> columns;
    columns.push_back({.heading = {"LINK"}, .right = false});
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"PACKETS"}, 7, true, true});
    columns.push_back({{"TRANSMIT"}, 9, true, true});
    columns.push_back({{"PROCESSOR"}, 9, true, true});
    columns.push_back({{"TOTAL"}, 9, true, true});
    columns.push_back({{"RATIO"}, 7, true, true});
    columns.push_back({.heading = {"BEST"}, .right = false});
    Table table(std::move(columns), 2);
    for (const net::Link& link : report.links) {
        std::vector<Cell> cells;
        for (const Row& row : file.rows) {
            if (!has_times(row)) continue;
            cells.push_back({&row, transfer(report, link, row),
                             measure::summarise(processor_times(report, row))});
        }
        if (cells.empty()) return "";
        const auto best = std::ranges::min_element(cells, {}, &Cell::total);
        for (const Cell& cell : cells) {
            table.row({printable(link.name), cell.row->codec.title,
                       std::to_string(net::packets(payload(*cell.row))),
                       format_duration(cell.transmit), format_duration(cell.processor.median),
                       format_duration(cell.total()),
                       format_fixed(cell.total() / cells.front().total(), 4),
                       &cell == &*best ? "*" : ""});
        }
    }
    std::string text = "On links, modelled from exact sizes and the measured processor time (" +
                       std::string(what_is_carried(report)) + "): " + printable(file.name) + "\n";
    return text + table.text();
}

// "3.41 Mbit/s"
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

std::vector<Contender> contenders(const Report& report, const FileReport& file) {
    const net::LinkWay way{.rate = 1, .overhead = net::Link{}.overhead};
    const double ways = report.direction == Direction::both ? 2 : 1;
    std::vector<Contender> all;
    for (const Row& row : file.rows) {
        if (!has_times(row)) continue;
        const auto bytes = static_cast<double>(net::wire_bytes(way, payload(row)));
        all.push_back({row.codec.title, 8 * ways * bytes, processor_times(report, row)});
    }
    return all;
}

std::string crossovers_of(const Report& report, const FileReport& file) {
    const std::vector<Contender> all = contenders(report, file);
    if (all.size() < 2) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"SMALLER"}, .right = false});
    columns.push_back({.heading = {"LARGER"}, .right = false});
    columns.push_back({.heading = {"THE SMALLER IS FASTER IN ALL"}, .right = false});
    Table table(std::move(columns), 2);
    for (const Crossover& found : crossovers(all, report.schedule.seed))
        table.row({all[found.smaller].name, all[found.larger].name, verdict_text(found)});
    std::string best = "Best by speed: ";
    const std::vector<Best> order = best_by_speed(all);
    for (const Best& each : order) {
        const bool last = &each == &order.back();
        best += all[each.contender].name;
        best += last ? (order.size() == 1 ? " at every speed" : " above")
                     : " below " + speed_text(each.up_to) + ", ";
    }
    return "Cross-over, the same speed both ways: " + printable(file.name) + "\n" + table.text() +
           best + "\n";
}

}  // namespace

std::string links_tables(const Report& report) {
    if (report.links.empty()) return "";
    // Streamed, encode and transmit overlap; several threads share the link. Neither is modelled.
    if (report.stream || report.threads > 1) {
        return "On links: not modelled of streamed or multithreaded runs\n";
    }
    std::string text;
    for (const FileReport& file : report.files) {
        for (const std::string& table : {links_of(report, file), crossovers_of(report, file)}) {
            if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
        }
    }
    if (text.empty()) return "";
    text += "\nLinks, not emulated here:\n";
    for (const net::Link& link : report.links)
        text += "  " + described(link) + "\n";
    return text;
}

}  // namespace perfrelay::client
