#include "client/report/costs.h"

#include <algorithm>
#include <string>

#include "client/report/layout.h"
#include "client/report/results.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"
#include "common/net/shaper.h"
#include "proto/wire/frames.h"

namespace perfrelay::client {

namespace {

constexpr double k_megabyte = 1e6;

net::LinkWays ways_of(const Report& report, net::Link link, bool cold) {
    link.cold = cold;
    return net::ways_of(link, report.direction != Direction::decode,
                        report.direction != Direction::encode, report.schedule.seed);
}

double one(const net::LinkWays& ways, std::size_t message) {
    return static_cast<double>(net::modelled_transfer(ways.up, message) +
                               net::modelled_transfer(ways.down, message));
}

void add_messages(const Report& report, const net::Link& link, std::size_t message,
                  double processor, LinkCost& cost) {
    const auto count = static_cast<double>(report.message_count);
    const net::LinkWays warm = ways_of(report, link, false);
    const net::LinkWays cold = ways_of(report, link, true);
    const net::LinkWays& first = link.cold ? cold : warm;
    cost.at_once = count * processor +
                   static_cast<double>(net::modelled_batch(first, message, report.message_count));
    cost.in_turn = count * processor + one(first, message) + (count - 1) * one(warm, message);
    cost.new_each = count * (processor + one(cold, message));
}

std::string costs_of(const Report& report, const FileReport& file) {
    const std::vector<LinkCost> costs = link_costs(report, file);
    if (costs.empty()) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"LINK"}, .right = false});
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"ON THE WIRE"}, 11, true, true});
    columns.push_back({{"AIRTIME"}, 9, true, true});
    if (report.price > 0) columns.push_back({{"PRICE"}, 8, true, true});
    if (report.message_count > 1) {
        columns.push_back({{"AT ONCE"}, 9, true, true});
        columns.push_back({{"IN TURN"}, 9, true, true});
        columns.push_back({{"NEW EACH"}, 9, true, true});
    }
    Table table(std::move(columns), 2);
    for (const LinkCost& cost : costs) {
        std::vector<std::string> cells = {printable(cost.link), cost.title,
                                          std::to_string(cost.wire_bytes),
                                          format_duration(cost.airtime)};
        if (report.price > 0) {
            cells.push_back(format_fixed(cost.price, decimals_for(cost.price, 3)));
        }
        if (report.message_count > 1) {
            for (const double time : {cost.at_once, cost.in_turn, cost.new_each})
                cells.push_back(format_duration(time));
        }
        table.row(std::move(cells));
    }
    std::string text = "What they cost on links, modelled, both ways together";
    if (report.price > 0) text += ", at " + format_fixed(report.price, 4) + " a megabyte";
    text += ": " + printable(file.name) + "\n" + table.text();
    if (report.message_count > 1) {
        text +=
            std::to_string(report.message_count) +
            " such documents: AT ONCE without waiting for answers, IN TURN, on a NEW connection "
            "EACH\n";
    }
    return text;
}

}  // namespace

std::vector<LinkCost> link_costs(const Report& report, const FileReport& file) {
    std::vector<LinkCost> costs;
    for (const net::Link& link : report.links) {
        const net::LinkWays ways = ways_of(report, link, link.cold);
        for (const Row& row : file.rows) {
            if (!has_times(row)) continue;
            const std::size_t message = static_cast<std::size_t>(row.size) + wire::k_header_size;
            LinkCost cost{.link = link.name, .spec = row.codec.spec, .title = row.codec.title};
            for (const net::LinkWay* way : {&ways.up, &ways.down}) {
                if (way->rate == 0) continue;
                const std::uint64_t bytes = net::wire_bytes(*way, message);
                cost.wire_bytes += bytes;
                cost.airtime += static_cast<double>(net::Shaper(*way).wire_time(bytes));
            }
            cost.price = report.price * static_cast<double>(cost.wire_bytes) / k_megabyte;
            if (report.message_count > 1) {
                add_messages(report, link, message,
                             measure::summarise(processor_times(report, row)).median, cost);
            }
            costs.push_back(cost);
        }
    }
    return costs;
}

std::string costs_tables(const Report& report) {
    std::string text;
    for (const FileReport& file : report.files) {
        const std::string table = costs_of(report, file);
        if (!table.empty()) text += (text.empty() ? "" : "\n") + table;
    }
    return text;
}

}  // namespace perfrelay::client
