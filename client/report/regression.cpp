#include "client/report/regression.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "client/report/layout.h"
#include "client/report/saved_report.h"
#include "client/report/shown.h"
#include "common/cli/units.h"
#include "common/measure/bootstrap.h"
#include "common/measure/compare.h"

namespace perfrelay::client {
namespace {

constexpr double k_band_in_memory = 0.01;
constexpr double k_band_network = 0.02;

struct Limits {
    double band;
    double regression;
};

const FileReport* find_file(const Report& report, const FileReport& like) {
    const auto found = std::ranges::find_if(
        report.files, [&](const FileReport& file) { return file.name == like.name; });
    return found != report.files.end() ? &*found : nullptr;
}

void judge(Change& change, const Limits& limits) {
    using Verdict = Change::Verdict;
    if (change.low > 1 + limits.band) {
        change.verdict = Verdict::worse;
    } else if (change.high < 1 / (1 + limits.band)) {
        change.verdict = Verdict::better;
    } else if (change.low >= 1 / (1 + limits.band) && change.high <= 1 + limits.band) {
        change.verdict = Verdict::equivalent;
    }
    change.regression = change.verdict == Verdict::worse && change.ratio > 1 + limits.regression;
}

Change size_change(const Row& before, const Row& after, const Limits& limits) {
    Change change;
    change.quantity = "SIZE";
    change.before = static_cast<double>(before.size);
    change.after = static_cast<double>(after.size);
    change.ratio = change.low = change.high = change.after / change.before;
    judge(change, {.band = 0, .regression = limits.regression});
    return change;
}

// Of the ratio of two medians, from runs of one process each.
measure::Range bootstrapped(const std::vector<double>& before, const std::vector<double>& after,
                            std::mt19937_64& random) {
    const std::vector<double> old_medians = measure::resampled_medians(before, random);
    std::vector<double> ratios = measure::resampled_medians(after, random);
    for (std::size_t i = 0; i < ratios.size(); ++i)
        ratios[i] /= old_medians[i];
    return measure::middle_95(std::move(ratios));
}

// Of the same, from what processes found, each a median: these vary by more than runs do.
measure::Range of_processes(std::vector<double> before, std::vector<double> after, double ratio) {
    for (std::vector<double>* side : {&before, &after})
        std::ranges::transform(*side, side->begin(), [](double time) { return std::log(time); });
    const double half =
        std::hypot(measure::student_half_width(before), measure::student_half_width(after));
    return {.low = ratio * std::exp(-half), .high = ratio * std::exp(half)};
}

Change time_change(const measure::Series& before, const measure::Series& after, Quantity quantity,
                   const Limits& limits, std::mt19937_64& random) {
    const std::vector<double> then = values(before, quantity);
    const std::vector<double> now = values(after, quantity);
    Change change;
    change.before = measure::summarise(then).median;
    change.after = measure::summarise(now).median;
    if (change.before <= 0) return change;
    change.ratio = change.low = change.high = change.after / change.before;
    const std::vector<double> old_processes = measure::process_medians(before, then);
    const std::vector<double> new_processes = measure::process_medians(after, now);
    const bool several = std::min(old_processes.size(), new_processes.size()) > 1;
    change.has_interval =
        several || std::min(then.size(), now.size()) >= measure::k_min_for_interval;
    if (!change.has_interval) return change;
    const measure::Range range = several ? of_processes(old_processes, new_processes, change.ratio)
                                         : bootstrapped(then, now, random);
    change.low = range.low;
    change.high = range.high;
    judge(change, limits);
    return change;
}

// What else became different: a time may have changed because of it.
std::vector<std::string> other_conditions(const Report& before, const Report& after) {
    std::vector<std::string> all;
    const auto differ = [&](const char* what, const std::string& then, const std::string& now) {
        const auto said = [](const std::string& text) { return text.empty() ? "unknown" : text; };
        if (then != now)
            all.push_back(std::string(what) + ": " + said(then) + ", now " + said(now));
    };
    const measure::Environment& then = before.environment;
    const measure::Environment& now = after.environment;
    differ("processor", then.cpu, now.cpu);
    differ("processors", std::to_string(then.cpus), std::to_string(now.cpus));
    differ("governor", then.governor, now.governor);
    differ("boost", then.boost, now.boost);
    differ("SMT", then.smt, now.smt);
    differ("clock source", then.clocksource, now.clocksource);
    differ("system", then.kernel, now.kernel);
    differ("compiler", then.compiler, now.compiler);
    differ("flags", then.flags, now.flags);
    differ("assertions", then.assertions ? "on" : "off", now.assertions ? "on" : "off");
    differ("processes", std::to_string(before.processes), std::to_string(after.processes));
    return all;
}

class Comparer {
  public:
    Comparer(const Report& before, const Report& after, double limit)
        : before_(before),
          after_(after),
          limits_{before.network.empty() ? k_band_in_memory : k_band_network, limit} {}

    Changes operator()() {
        for (const FileReport& file : before_.files) {
            const FileReport* const now = find_file(after_, file);
            if (now == nullptr) {
                found_.unmatched.push_back(file.name + ": only in the old report");
                continue;
            }
            for (const Row& row : file.rows) {
                const Row* const other = find_row(*now, row.codec.spec);
                if (other == nullptr) {
                    found_.unmatched.push_back(file.name + ", " + row.codec.title +
                                               ": only in the old report");
                } else {
                    compare(file, row, *other);
                }
            }
            if (file.error.empty() && !now->error.empty()) lost(file, "", now->error);
        }
        only_new();
        found_.conditions = other_conditions(before_, after_);
        return std::move(found_);
    }

  private:
    void add(const FileReport& file, const Row& row, const char* quantity, Change change) {
        change.file = file.name;
        change.title = row.codec.title;
        change.quantity = quantity;
        found_.all.push_back(std::move(change));
    }

    void lost(const FileReport& file, const std::string& title, const std::string& why) {
        Change change;
        change.file = file.name;
        change.title = title;
        change.verdict = Change::Verdict::lost;
        change.regression = std::isfinite(limits_.regression);
        change.remark = why;
        found_.all.push_back(std::move(change));
    }

    void compare(const FileReport& file, const Row& row, const Row& other) {
        if (!has_times(row)) return;
        if (!has_times(other)) return lost(file, row.codec.title, remark(other));
        add(file, row, "SIZE", size_change(row, other, limits_));
        for (const Quantity quantity : row_quantities(before_)) {
            add(file, row, name(before_, quantity),
                time_change(row.main, other.main, quantity, limits_, random_));
        }
    }

    void only_new() {
        for (const FileReport& file : after_.files) {
            const FileReport* const old = find_file(before_, file);
            if (old == nullptr) {
                found_.unmatched.push_back(file.name + ": only in the new report");
                continue;
            }
            for (const Row& row : file.rows) {
                if (find_row(*old, row.codec.spec) != nullptr) continue;
                found_.unmatched.push_back(file.name + ", " + row.codec.title +
                                           ": only in the new report");
            }
        }
    }

    const Report& before_;
    const Report& after_;
    Limits limits_;
    std::mt19937_64 random_;  // the same for the same reports
    Changes found_;
};

std::string percent(double ratio) {
    const double change = (ratio - 1) * 100;
    return (change >= 0 ? "+" : "-") + format_fixed(std::abs(change), 1) + " %";
}

std::string word(const Change& change) {
    const bool size = change.quantity == "SIZE";
    switch (change.verdict) {
        case Change::Verdict::equivalent: return size ? "same" : "equivalent";
        case Change::Verdict::better: return size ? "smaller" : "faster";
        case Change::Verdict::worse: return size ? "LARGER" : "SLOWER";
        case Change::Verdict::lost: return "LOST";
        case Change::Verdict::undecided: break;
    }
    return "undecided";
}

std::string quantity_text(const Change& change, double value) {
    return change.quantity == "SIZE" ? std::to_string(std::llround(value)) : format_duration(value);
}

}  // namespace

std::string incomparable(const Report& before, const Report& after) {
    if (std::string why = unlike(before, after); !why.empty()) return why;
    for (const FileReport& file : before.files) {
        const FileReport* const now = find_file(after, file);
        if (now == nullptr || !file.error.empty() || !now->error.empty()) continue;
        if (now->content != file.content || now->bytes != file.bytes) {
            return file.name + ": another document under the same name";
        }
        if (now->schema != file.schema) return file.name + ": another schema";
    }
    return "";
}

Changes changes(const Report& before, const Report& after, double limit) {
    return Comparer(before, after, limit)();
}

std::string changes_text(const Changes& found, double limit) {
    std::vector<Column> columns;
    columns.push_back({.heading = {"FILE"}, .right = false});
    columns.push_back({.heading = {"FORMAT"}, .right = false});
    columns.push_back({.heading = {"QUANTITY"}, .right = false});
    columns.push_back({{"OLD"}, 9, true, true});
    columns.push_back({{"NEW"}, 9, true, true});
    columns.push_back({{"CHANGE"}, 8, true, true});
    columns.push_back({{"95 % INTERVAL"}, 17, true, true});
    columns.push_back({.heading = {"VERDICT"}, .right = false});
    Table table(std::move(columns), 2);
    std::size_t regressions = 0;
    for (const Change& change : found.all) {
        regressions += change.regression ? 1 : 0;
        const std::string verdict = word(change) + (change.regression ? ": regression" : "");
        if (change.verdict == Change::Verdict::lost) {
            table.row({printable(change.file), change.title, "", "", "", "", "",
                       verdict + ", " + printable(change.remark)});
            continue;
        }
        const bool exact = change.quantity == "SIZE";
        table.row({printable(change.file), change.title, change.quantity,
                   quantity_text(change, change.before), quantity_text(change, change.after),
                   percent(change.ratio),
                   change.has_interval ? percent(change.low) + " " + percent(change.high)
                   : exact             ? "exact"
                                       : "none",
                   verdict});
    }
    std::string text = found.all.empty() ? "" : table.text();
    for (const std::string& line : found.unmatched)
        text += printable(line) + "\n";
    if (!found.conditions.empty()) {
        text += "Measured under other conditions, which may be why times differ:\n";
        for (const std::string& line : found.conditions)
            text += "  " + printable(line) + "\n";
    }
    if (!std::isfinite(limit)) return text;
    return text + std::to_string(regressions) +
           (regressions == 1 ? " regression" : " regressions") + " of more than " +
           format_fixed(limit * 100, decimals_for(limit * 100, 2)) + " %\n";
}

}  // namespace perfrelay::client
