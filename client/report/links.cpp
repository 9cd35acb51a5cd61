// What the sizes and times mean on slow links (--link), and where formats overtake each other.

#include <algorithm>
#include <string>
#include <vector>

#include "client/report/layout.h"
#include "client/report/results.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

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

// What tables call the row.
const std::string& title(const FileReport& file, const std::string& spec) {
    return find_row(file, spec)->codec.title;
}

std::string links_of(const Report& report, const FileReport& file,
                     const std::vector<LinkTotal>& totals) {
    if (totals.empty()) return "";
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
    for (const LinkTotal& cell : totals) {
        table.row({printable(cell.link), title(file, cell.spec), std::to_string(cell.packets),
                   format_duration(cell.transmit), format_duration(cell.processor.median),
                   format_duration(cell.total), format_fixed(cell.ratio, 4), cell.best ? "*" : ""});
    }
    std::string text = "On links, modelled from exact sizes and the measured processor time (" +
                       std::string(what_is_carried(report)) + "): " + printable(file.name) + "\n";
    return text + table.text();
}

std::string crossovers_of(const FileReport& file, const FileResults& results) {
    if (results.crossovers.empty()) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"SMALLER"}, .right = false});
    columns.push_back({.heading = {"LARGER"}, .right = false});
    columns.push_back({.heading = {"THE SMALLER IS FASTER IN ALL"}, .right = false});
    Table table(std::move(columns), 2);
    for (const CrossoverResult& found : results.crossovers)
        table.row({title(file, found.smaller), title(file, found.larger), found.text});
    std::string best = "Best by speed: ";
    for (const BestResult& each : results.best) {
        const bool last = &each == &results.best.back();
        best += title(file, each.spec);
        best += last ? (results.best.size() == 1 ? " at every speed" : " above")
                     : " below " + speed_text(each.up_to) + ", ";
    }
    return "Cross-over, the same speed both ways: " + printable(file.name) + "\n" + table.text() +
           best + "\n";
}

}  // namespace

std::string links_tables(const Report& report) {
    if (report.links.empty()) return "";
    std::string text;
    const auto add = [&](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
    };
    if (!models_links(report)) {
        add("On links: not modelled of streamed or multithreaded runs\n");
    } else {
        for (const FileReport& file : report.files) {
            const FileResults results = file_results(report, file);
            add(links_of(report, file, results.links));
            add(crossovers_of(file, results));
        }
        if (text.empty()) return "";
        add(costs_tables(report));
    }
    add(emulated_tables(report));
    text += "\nLinks";
    if (!report.not_emulated.empty()) {
        text += ", not emulated: " + printable(report.not_emulated);
    } else if (!report.link_relay.empty()) {
        text += ", emulated by the relay at " + report.link_relay;
    }
    text += "\n";
    for (const net::Link& link : report.links)
        text += "  " + described(link) + "\n";
    return text;
}

}  // namespace perfrelay::client
