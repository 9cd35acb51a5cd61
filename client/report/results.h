#pragma once
// What is computed from a Report for writers that do not lay out text: summaries, totals on links,
// cross-overs. Names are SPECs, times nanoseconds a document, speeds bits a second.
// Tested by tests/unit/client/saved_report_test.cpp.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/report/costs.h"
#include "client/report/crossover.h"
#include "client/report/emulated.h"
#include "client/report/report.h"
#include "common/measure/compare.h"
#include "common/measure/summary.h"

namespace perfrelay::client {

template <class Value>
using Named = std::vector<std::pair<std::string, Value>>;

struct RowResults {
    Named<measure::Summary> times;  // by quantity: what was measured; nothing without times
    double size_ratio = 0;          // NaN: not known
    std::string remark;
    std::vector<std::string> notes;
    std::vector<std::string> warnings;
};
RowResults row_results(const Report& report, const FileReport& file, const Row& row);

struct LinkTotal {
    std::string link;
    std::string spec;
    std::uint64_t packets = 0;
    double transmit = 0;
    measure::Summary processor;
    double total = 0;
    double ratio = 0;
    bool best = false;
};

struct SpeedCurve {
    std::string spec;
    double bits = 0;
    std::vector<double> total;
    std::vector<double> low;
    std::vector<double> high;
};

struct CrossoverResult {
    std::string smaller;
    std::string larger;
    Crossover::Verdict verdict = Crossover::Verdict::same_size;
    double at = 0;
    double low = 0;
    double high = 0;
    bool has_interval = true;
    double total = 0;
    std::string text;
};

struct BestResult {
    std::string spec;
    double up_to = 0;
};

// A row's speed against the first one's (verdicts.h).
struct VerdictResult {
    std::string spec;
    std::string baseline;
    std::string quantity;
    double ratio = 1;
    double low = 1;
    double high = 1;
    bool has_interval = false;
    std::size_t rounds = 0;
    std::size_t processes = 0;
    measure::Verdict verdict = measure::Verdict::undecided;
};

struct FileResults {
    std::vector<LinkTotal> links;
    std::vector<LinkCost> costs;
    std::vector<EmulatedTotal> sent;
    std::vector<VerifiedPoint> points;
    std::vector<double> speeds;
    std::vector<SpeedCurve> curves;
    std::vector<CrossoverResult> crossovers;
    std::vector<BestResult> best;
    std::vector<VerdictResult> verdicts;
};
// "3.41 Mbit/s"
std::string speed_text(double bits_per_second);

// Encode and decode of each run together, as far as the direction has them.
std::vector<double> processor_times(const Report& report, const Row& row);

// Streamed, encode and transmit overlap; several threads share the link. Neither is modelled.
bool models_links(const Report& report);

// On every link of the report, its rows with times.
std::vector<LinkTotal> link_totals(const Report& report, const FileReport& file);

// Links and curves (not verdicts) are empty of streamed and multithreaded runs, which are not
// modelled.
FileResults file_results(const Report& report, const FileReport& file);

// A row of all files together, against the first one.
struct SetRatio {
    double ratio = 1;  // geometric mean over the files
    double low = 1;    // of its 95 % interval, bootstrapped over the files; both the ratio without
    double high = 1;
    bool has_interval = false;  // of fewer than 6 files there is none
};
struct SetResult {
    std::string spec;
    std::string baseline;         // SPEC of the first
    std::size_t files = 0;        // in which both were timed
    Named<SetRatio> ratios = {};  // by "size" and quantity
};
// Of every format but the first, that has two such files; nothing of one file.
std::vector<SetResult> set_results(const Report& report);
// What they are ratios to, by title: "XML; of typed values to XML:TYPED".
struct Mode;
std::string set_baselines(const std::vector<SetResult>& results, const std::vector<Mode>& all);

struct QuantityTitle {
    std::string key;    // in RowResults::times
    std::string title;  // "ENCODE"
};

struct ReportResults {
    std::string status;
    std::vector<QuantityTitle> quantities;
    std::vector<SetResult> sets;
    std::vector<std::string> rows;
    std::vector<std::string> method;
    std::vector<std::string> warnings;
};
ReportResults report_results(const Report& report);

}  // namespace perfrelay::client
