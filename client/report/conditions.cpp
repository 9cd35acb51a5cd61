#include "client/report/conditions.h"

#include <cmath>

#include "client/report/items.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"
#include "common/measure/outliers.h"
#include "common/measure/summary.h"

namespace perfrelay::client {
namespace {

// "XML 12 of 450 (3 severe)", of the total's runs.
std::string outliers_of(const FileReport& file) {
    std::string text;
    for (const Row& row : file.rows) {
        if (!has_times(row)) continue;
        const measure::Outliers found = measure::outliers(row.main.total_per_document());
        text += (text.empty() ? "" : ", ") + row.codec.title + " " + std::to_string(found.flagged) +
                " of " + std::to_string(found.count);
        if (found.severe != 0) text += " (" + std::to_string(found.severe) + " severe)";
    }
    return text;
}

// How quiet the machine was; "" when nobody looked.
std::string noise_of(const FileReport& file) {
    const measure::Noise& noise = file.noise;
    if (noise.kernel.empty()) return "";
    const measure::NoiseVerdict verdict = measure::judge(noise);
    const std::vector<double> times(noise.kernel.begin(), noise.kernel.end());
    std::string text = verdict.reasons.empty() ? "quiet" : "NOISY";
    text += ": calibration kernel " + format_duration(measure::summarise(times).median) + " x " +
            std::to_string(times.size()) + ", deviation " +
            format_fixed(100 * verdict.deviation, 1) + " %, trend " +
            format_fixed(100 * verdict.trend, 1) + " %";
    if (noise.steal >= 0) text += ", steal " + format_fixed(100 * noise.steal, 1) + " %";
    return text + ", preempted " + std::to_string(noise.preempted) + " times in " +
           format_duration(static_cast<double>(noise.duration));
}

// One line a file; of several files with their names.
template <class Of>
void add_for_files(const Report& report, Items& items, std::string_view name, Of of) {
    for (const FileReport& file : report.files) {
        std::string text = of(file);
        if (text.empty()) continue;
        if (report.files.size() > 1) text = file.name + ": " + text;
        items.add(name, text);
    }
}

void add_environment(const Report& report, Items& items) {
    const measure::Environment& of = report.environment;
    const auto with = [](const char* name, const std::string& value) {
        return value.empty() ? "" : std::string(", ") + name + " " + value;
    };
    items.add("machine", (of.cpu.empty() ? "unknown processor" : of.cpu) + ", " +
                             std::to_string(of.cpus) +
                             (of.cpus == 1 ? " processor" : " processors") +
                             (of.virtual_machine ? ", virtual machine" : "") +
                             with("governor", of.governor) + with("boost", of.boost) +
                             with("SMT", of.smt) + with("clock source", of.clocksource) +
                             (of.load < 0 ? "" : ", load " + format_fixed(of.load, 2)));
    items.add("system", of.kernel);
    items.add("build", of.compiler + with("flags", of.flags) + with("commit", report.commit) +
                           (of.assertions ? ", with assertions: not a build to measure with" : ""));
}

}  // namespace

std::vector<std::string> doubts(const Report& report, const Row& row) {
    std::vector<std::string> found;
    const std::vector<double> totals = row.main.total_per_document();
    const double width = summary(row.main, Quantity::total).relative_half_width();
    if (const double wanted = report.schedule.precision;
        wanted > 0 && std::isfinite(width) && width > wanted) {
        found.push_back("did not converge: interval within " + format_fixed(100 * width, 1) +
                        " % of the median, " + format_fixed(100 * wanted, 1) + " % wanted");
    }
    const measure::Outliers outliers = measure::outliers(totals);
    if (outliers.many()) {
        found.push_back(std::to_string(outliers.flagged) + " of " + std::to_string(outliers.count) +
                        " runs are outliers");
    }
    if (outliers.cluster_early()) {
        found.push_back("most outliers are in the first quarter: warm up longer, with -wt or -wr");
    }
    return found;
}

std::string about_machine(const Report& report) {
    if (report.environment.kernel.empty()) return "";  // nobody looked
    Items items("Where they were measured");
    add_environment(report, items);
    add_for_files(report, items, "noise", noise_of);
    add_for_files(report, items, "outliers", outliers_of);
    return items.text();
}

}  // namespace perfrelay::client
