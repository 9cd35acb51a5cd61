#include "client/report/emulated.h"

#include <algorithm>
#include <numeric>

#include "client/report/layout.h"
#include "client/report/results.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {

namespace {

double mean(const std::vector<double>& values) {
    return values.empty() ? 0
                          : std::accumulate(values.begin(), values.end(), 0.0) /
                                static_cast<double>(values.size());
}

double mean(const std::vector<measure::Nanoseconds>& values) {
    return mean(std::vector<double>(values.begin(), values.end()));
}

double median_processor(const Report& report, const Row& row) {
    return measure::summarise(processor_times(report, row)).median;
}

std::string sent_table(const Report& report, const FileReport& file) {
    const std::vector<EmulatedTotal> all = emulated_totals(report, file);
    if (all.empty()) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"LINK"}, .right = false});
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"RUNS"}, 4, true, true});
    columns.push_back({{"TRANSMIT"}, 9, true, true});
    columns.push_back({{"TOTAL"}, 9, true, true});
    columns.push_back({{"MODEL"}, 9, true, true});
    columns.push_back({{"OFF"}, 8, true, true});
    columns.push_back({{"LATEST"}, 9, true, true});
    Table table(std::move(columns), 2);
    for (const EmulatedTotal& each : all) {
        table.row({printable(each.link), each.title, std::to_string(each.runs),
                   format_duration(each.transmit), format_duration(each.total),
                   format_duration(each.model),
                   format_deviation(each.off) + (each.late == 0 ? "" : "!"),
                   format_duration(each.latest)});
    }
    std::string text = "Sent for real, each byte when it was due (means of RUNS; MODEL: of the " +
                       std::string(report.stream ? "transfers" : "same runs") +
                       "): " + printable(file.name) + "\n" + table.text();
    std::size_t repeated = 0;
    for (const EmulatedTotal& each : all)
        repeated += each.repeated;
    if (repeated != 0) {
        text += "Made again, having missed their link: " + std::to_string(repeated) + " runs\n";
    }
    if (std::ranges::any_of(all, [](const EmulatedTotal& each) { return each.late != 0; })) {
        text += "!: with runs that missed the link by more than 1 % and 1 ms, though repeated\n";
    }
    return text;
}

std::string curve_table(const Report& report, const FileReport& file) {
    const std::vector<VerifiedPoint> all = verified_points(report, file);
    if (all.empty()) return "";
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"SPEED"}, 5, true, true});
    columns.push_back({{"CURVE"}, 9, true, true});
    columns.push_back({{"SENT"}, 9, true, true});
    columns.push_back({{"OFF"}, 8, true, true});
    columns.push_back({{"TRANSFER"}, 8, true, true});
    Table table(std::move(columns), 2);
    for (const VerifiedPoint& each : all) {
        table.row({each.title, net::format_rate(static_cast<std::uint64_t>(each.rate)),
                   format_duration(each.curve), format_duration(each.sent),
                   format_deviation(each.off), format_deviation(each.transfer_off)});
    }
    return "Points of the curves, sent for real once (bit/s both ways; OFF: in all, TRANSFER: that "
           "alone): " +
           printable(file.name) + "\n" + table.text();
}

}  // namespace

bool on_time(measure::Nanoseconds planned, measure::Nanoseconds delivered) {
    constexpr measure::Nanoseconds k_millisecond = 1'000'000;
    return std::abs(delivered - planned) <= std::max(k_millisecond, planned / 100);
}

std::string format_deviation(double share) {
    return (share < 0 ? "" : "+") + format_fixed(share * 100, 2) + " %";
}

std::vector<EmulatedTotal> emulated_totals(const Report& report, const FileReport& file) {
    std::vector<EmulatedTotal> all;
    for (std::size_t link = 0; link < report.links.size(); ++link) {
        for (const Row& row : file.rows) {
            if (!has_times(row) || link >= row.on_links.size()) continue;
            const OnLink& sent = row.on_links[link];
            if (sent.planned.empty()) continue;
            EmulatedTotal total{
                .link = report.links[link].name, .spec = row.codec.spec, .title = row.codec.title};
            total.runs = sent.planned.size();
            total.repeated = sent.repeated;
            total.transmit = mean(sent.delivered);
            total.total = mean(sent.runs.total_per_document());
            total.model = mean(sent.planned) + (report.stream ? 0 : median_processor(report, row));
            total.off = (report.stream ? total.transmit : total.total) / total.model - 1;
            for (std::size_t i = 0; i < sent.planned.size(); ++i) {
                if (!on_time(sent.planned[i], sent.delivered[i])) ++total.late;
                total.latest = std::max(total.latest,
                                        static_cast<double>(sent.delivered[i] - sent.planned[i]));
            }
            all.push_back(total);
        }
    }
    return all;
}

std::vector<std::string> not_emulated(const Report& report, const FileReport& file) {
    std::vector<std::string> all;
    for (std::size_t link = 0; link < report.links.size(); ++link) {
        for (const Row& row : file.rows) {
            if (link >= row.on_links.size() || row.on_links[link].modelled.empty()) continue;
            all.push_back(report.links[link].name + ", " + row.codec.title + ": " +
                          row.on_links[link].modelled);
        }
    }
    return all;
}

std::vector<VerifiedPoint> verified_points(const Report& report, const FileReport& file) {
    std::vector<VerifiedPoint> all;
    for (const Row& row : file.rows) {
        for (const CurvePoint& point : row.curve) {
            VerifiedPoint found{.spec = row.codec.spec, .title = row.codec.title};
            found.rate = static_cast<double>(point.rate);
            found.curve = static_cast<double>(point.modelled) + median_processor(report, row);
            found.sent = static_cast<double>(point.total);
            found.off = found.sent / found.curve - 1;
            found.transfer_off =
                static_cast<double>(point.delivered) / static_cast<double>(point.modelled) - 1;
            all.push_back(found);
        }
    }
    return all;
}

std::string emulated_tables(const Report& report) {
    std::string text;
    const auto add = [&](const std::string& part) {
        if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
    };
    for (const FileReport& file : report.files) {
        add(sent_table(report, file));
        add(curve_table(report, file));
        std::string notes;
        for (const std::string& note : not_emulated(report, file))
            notes += "  " + printable(note) + "\n";
        if (!notes.empty()) add("Modelled alone: " + printable(file.name) + "\n" + notes);
    }
    return text;
}

}  // namespace perfrelay::client
