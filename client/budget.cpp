#include "client/budget.h"

#include <algorithm>
#include <cmath>

#include "client/report/layout.h"
#include "common/cli/units.h"

namespace perfrelay::client {

namespace {

using measure::Minimum;
using measure::Nanoseconds;

constexpr Nanoseconds k_curve_time = 10'000'000'000;
constexpr int k_halvings = 30;

std::string text(Nanoseconds time) {
    return format_duration(static_cast<double>(time));
}

Minimum scaled(const Minimum& minimum, double factor, std::uint64_t least_runs) {
    Minimum less = minimum;
    less.time = static_cast<Nanoseconds>(factor * static_cast<double>(minimum.time));
    less.runs = std::min(minimum.runs,
                         std::max(least_runs, static_cast<std::uint64_t>(std::ceil(
                                                  factor * static_cast<double>(minimum.runs)))));
    return less;
}

Nanoseconds time_of(const Minimum& minimum, std::span<const RowEstimate> rows) {
    Nanoseconds sum = 0;
    for (const RowEstimate& row : rows) {
        const auto runs = static_cast<Nanoseconds>(minimum.runs) * row.run;
        sum += static_cast<Nanoseconds>(row.subjects) * std::max(minimum.time, runs);
    }
    return sum;
}

bool sends(const Options& options) {
    return !options.links.empty() && options.threads <= 1 &&
           (options.link_time > 0 || options.emulate);
}

LinkTerms terms_of(const Options& options, Nanoseconds link_time) {
    LinkTerms terms = link_terms(options);
    terms.link_time = link_time;
    return terms;
}

Nanoseconds time_on_links(const Options& options, std::span<const RowEstimate> rows,
                          Nanoseconds link_time) {
    if (!sends(options)) return 0;
    const LinkTerms terms = terms_of(options, link_time);
    Nanoseconds sum = 0;
    for (const net::Link& link : options.links) {
        for (const RowEstimate& row : rows) {
            const LinkPlan plan = plan_link(terms, link, row.size, 0);
            if (plan.modelled.empty()) {
                sum += plan.time() + static_cast<Nanoseconds>(plan.runs + 1) * row.run;
            }
        }
    }
    return sum;
}

bool has_curves(const Options& options, std::span<const RowEstimate> rows) {
    return sends(options) && !options.stream && rows.size() > 1;
}

// The largest of 0 to `most` that `fits`, found by halving.
template <class Fits>
double largest(double most, Fits fits) {
    if (fits(most)) return most;
    double low = 0;
    double high = most;
    for (int i = 0; i < k_halvings; ++i) {
        const double middle = (low + high) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return low;
}

std::string minimum_text(const Minimum& minimum) {
    return text(minimum.time) + " and " + std::to_string(minimum.runs) +
           (minimum.runs == 1 ? " run" : " runs");
}

void cut_measuring(const Options& options, std::span<const RowEstimate> rows, Nanoseconds room,
                   Share& share) {
    const auto& wanted = options.schedule;
    const double factor = largest(1, [&](double part) {
        return time_of(scaled(wanted.warmup, part, 0), rows) +
                   time_of(scaled(wanted.main, part, 1), rows) <=
               room;
    });
    if (factor >= 1) return;
    share.warmup = scaled(wanted.warmup, factor, 0);
    share.main = scaled(wanted.main, factor, 1);
    share.measuring = time_of(share.warmup, rows) + time_of(share.main, rows);
    share.cuts.push_back("warm-up of " + minimum_text(wanted.warmup) + " cut to " +
                         minimum_text(share.warmup) + ", main of " + minimum_text(wanted.main) +
                         " to " + minimum_text(share.main) + ", of each format");
}

void cut_sending(const Options& options, std::span<const RowEstimate> rows, Nanoseconds room,
                 Share& share) {
    share.curve_time = std::min(share.curve_time, room / 5);
    const Nanoseconds for_links = std::max<Nanoseconds>(room - share.curve_time, 0);
    const double most = largest(static_cast<double>(options.link_time), [&](double time) {
        return time_on_links(options, rows, static_cast<Nanoseconds>(time)) <= for_links;
    });
    share.link_time = static_cast<Nanoseconds>(most);
    share.sending = time_on_links(options, rows, share.link_time) + share.curve_time;
    if (share.link_time < options.link_time) {
        share.cuts.push_back("--link-time " + text(options.link_time) + " cut to " +
                             text(share.link_time) + " a format and link; " +
                             "what takes longer is modelled alone");
    }
}

}  // namespace

Share share_out(const Options& options, std::span<const RowEstimate> rows, Nanoseconds time) {
    Share share;
    share.warmup = options.schedule.warmup;
    share.main = options.schedule.main;
    share.link_time = options.link_time;
    if (has_curves(options, rows)) {
        share.curve_time =
            std::min(k_curve_time, options.link_time) /
            static_cast<Nanoseconds>(std::max<std::size_t>(options.inputs.size(), 1));
    }
    share.measuring = time_of(share.warmup, rows) + time_of(share.main, rows);
    share.sending = time_on_links(options, rows, share.link_time) + share.curve_time;
    if (time == measure::k_never) return share;
    // A twentieth for what is not foreseen.
    const Nanoseconds room = std::max<Nanoseconds>(time - time / 20, 0);
    if (share.measuring + share.sending <= room) return share;
    cut_measuring(options, rows, std::max(room / 2, room - share.sending), share);
    if (sends(options)) cut_sending(options, rows, room - share.measuring, share);
    return share;
}

Nanoseconds file_deadline(const Options& options, Nanoseconds begun, std::size_t file) {
    if (options.budget == 0) return measure::k_never;
    // Each process begins anew, and has its share.
    const auto shares = static_cast<Nanoseconds>(options.inputs.size() * options.processes);
    return begun + options.budget / shares * static_cast<Nanoseconds>(file + 1);
}

measure::ScheduleOptions schedule_within(const Options& options, const Share& share,
                                         Nanoseconds now, Nanoseconds until) {
    measure::ScheduleOptions schedule = options.schedule;
    schedule.warmup = share.warmup;
    schedule.main = share.main;
    if (until == measure::k_never) return schedule;
    schedule.main.until = until - share.sending;
    const auto both = static_cast<double>(share.warmup.time + share.main.time);
    const double part = both > 0 ? static_cast<double>(share.warmup.time) / both : 0;
    schedule.warmup.until =
        now + static_cast<Nanoseconds>(part * static_cast<double>(schedule.main.until - now));
    return schedule;
}

void note_short_rows(const Share& share, FileReport& file) {
    for (const Row& row : file.rows) {
        if (row.status != RowStatus::timed || !row.complete) continue;
        if (row.main.elapsed() >= share.main.time && row.main.runs() >= share.main.runs) continue;
        file.cuts.push_back(row.codec.title + ": main ended after " +
                            std::to_string(row.main.runs()) + " runs");
    }
}

std::string plan_text(const Options& options, const std::string& file,
                      std::span<const RowEstimate> rows, const Share& share) {
    std::vector<Column> columns;
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({{"BYTES"}, 9, true, true});
    columns.push_back({{"A RUN"}, 9, true, true});
    columns.push_back({{"WARM-UP"}, 9, true, true});
    columns.push_back({{"MAIN"}, 9, true, true});
    Table measured(std::move(columns), 2);
    for (const RowEstimate& row : rows) {
        measured.row({row.title, std::to_string(row.size), text(row.run),
                      text(time_of(share.warmup, {&row, 1})),
                      text(time_of(share.main, {&row, 1}))});
    }
    std::string all = "Would be measured: " + printable(file) + "\n" + measured.text();
    if (sends(options)) {
        columns.clear();
        columns.push_back({.heading = {"LINK"}, .right = false});
        columns.push_back({.heading = {"FORMAT"}, .right = false});
        columns.push_back({{"TRANSFER"}, 9, true, true});
        columns.push_back({{"RUNS"}, 4, true, true});
        columns.push_back({{"TIME"}, 9, true, true});
        Table sent(std::move(columns), 2);
        const LinkTerms terms = terms_of(options, share.link_time);
        for (const net::Link& link : options.links) {
            for (const RowEstimate& row : rows) {
                const LinkPlan plan = plan_link(terms, link, row.size, 0);
                const bool good = plan.modelled.empty();
                sent.row({printable(link.name), row.title, text(plan.transfer),
                          good ? std::to_string(plan.runs + (plan.warm_up ? 1 : 0)) : "-",
                          good ? text(plan.time()) : "-"},
                         good ? "" : "modelled: " + plan.modelled);
            }
        }
        all += "\nWould be sent over links:\n" + sent.text();
        if (share.curve_time > 0) {
            all += "and three points of each curve, " + text(share.curve_time) + " in all\n";
        }
    }
    for (const std::string& cut : share.cuts)
        all += "Cut to fit: " + cut + "\n";
    return all + "In all about " + text(share.measuring + share.sending) + ": measuring " +
           text(share.measuring) + ", links " + text(share.sending) + "\n";
}

}  // namespace perfrelay::client
