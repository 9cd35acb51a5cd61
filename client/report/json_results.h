#pragma once
// What a saved report says beside what was measured: what is computed from it (results.h), ONE line
// a member. Written, in the schema, and never read: it is computed anew (json_fields.h has the
// tables of what is).

#include <string>
#include <tuple>
#include <vector>

#include "client/report/json_fields.h"
#include "client/report/results.h"

namespace perfrelay::client::json {

// NOLINTBEGIN(readability-identifier-naming): members of the tables, and of nothing else

template <>
struct Words<measure::Verdict> {
    static constexpr const char* all[] = {"undecided", "faster", "slower", "equivalent"};
};
template <>
struct Words<Crossover::Verdict> {
    static constexpr const char* all[] = {"every speed", "below", "undecided", "same size"};
};

template <>
struct Fields<measure::Summary> {
    using T = measure::Summary;
    static constexpr const char* name = "summary";
    static constexpr auto all = std::tuple{
        Field{"count", &T::count, "values: runs, a batch being one"},
        Field{"median", &T::median, ""},
        Field{"has_interval", &T::has_interval, "false of fewer than 6 values"},
        Field{"low", &T::low, "of the 95 % interval of the median; without one, the median"},
        Field{"high", &T::high, "of the 95 % interval of the median; without one, the median"},
        Field{"min", &T::min, ""},
        Field{"p05", &T::p05, "quantile"},
        Field{"p25", &T::p25, "quantile"},
        Field{"p75", &T::p75, "quantile"},
        Field{"p95", &T::p95, "quantile"},
        Field{"max", &T::max, ""},
        Field{"mean", &T::mean, ""}};
};

template <>
struct Fields<RowResults> {
    using T = RowResults;
    static constexpr const char* name = "row_results";
    static constexpr auto all =
        std::tuple{Field{"times_ns", &T::times,
                         "a document: encode, up, down, transmit, decode, total, as "
                         "far as they were measured"},
                   Field{"size_ratio", &T::size_ratio, "size over the file's bytes"},
                   Field{"remark", &T::remark, "of a row without times, or interrupted"},
                   Field{"notes", &T::notes, "what it does otherwise, in this direction"},
                   Field{"warnings", &T::warnings, "what its numbers give rise to"}};
};

template <>
struct Fields<LinkTotal> {
    using T = LinkTotal;
    static constexpr const char* name = "link_total";
    static constexpr auto all =
        std::tuple{Field{"link", &T::link, "its name"},
                   Field{"spec", &T::spec, "of the row"},
                   Field{"packets", &T::packets, "one way"},
                   Field{"transmit_ns", &T::transmit, "on the wire, modelled"},
                   Field{"processor_ns", &T::processor, "encode and decode, measured"},
                   Field{"total_ns", &T::total, "transmit and the processor's median"},
                   Field{"ratio", &T::ratio, "total over that of the first row"},
                   Field{"best", &T::best, "the least total on this link"}};
};

template <>
struct Fields<LinkCost> {
    using T = LinkCost;
    static constexpr const char* name = "link_cost";
    static constexpr auto all =
        std::tuple{Field{"link", &T::link, "its name"},
                   Field{"spec", &T::spec, "of the row"},
                   Field{"wire_bytes", &T::wire_bytes, "packets' headers included, all ways"},
                   Field{"airtime_ns", &T::airtime, "in which the link carries them"},
                   Field{"price", &T::price, "of them"},
                   Field{"at_once_ns", &T::at_once, "of several documents: without waiting"},
                   Field{"in_turn_ns", &T::in_turn, "each when the one before is back"},
                   Field{"new_each_ns", &T::new_each, "so, on a new connection each"}};
};

template <>
struct Fields<EmulatedTotal> {
    using T = EmulatedTotal;
    static constexpr const char* name = "emulated_total";
    static constexpr auto all =
        std::tuple{Field{"link", &T::link, "its name"},
                   Field{"spec", &T::spec, "of the row"},
                   Field{"runs", &T::runs, "sent for real"},
                   Field{"transmit_ns", &T::transmit, "mean"},
                   Field{"total_ns", &T::total, "mean"},
                   Field{"model_ns", &T::model, "mean of what the same runs should have taken"},
                   Field{"off", &T::off, "how far they are from it, as a share"},
                   Field{"late", &T::late, "runs that missed the link, though repeated"},
                   Field{"latest_ns", &T::latest, "the most that one took beyond its plan"}};
};

template <>
struct Fields<VerifiedPoint> {
    using T = VerifiedPoint;
    static constexpr const char* name = "verified_point";
    static constexpr auto all =
        std::tuple{Field{"spec", &T::spec, "of the row"},
                   Field{"rate_bps", &T::rate, "both ways"},
                   Field{"curve_ns", &T::curve, "in all, by the model"},
                   Field{"sent_ns", &T::sent, "in all, sent for real"},
                   Field{"off", &T::off, "how far that is from the curve, as a share"},
                   Field{"transfer_off", &T::transfer_off, "the same of the transfer alone"}};
};

template <>
struct Fields<SpeedCurve> {
    using T = SpeedCurve;
    static constexpr const char* name = "speed_curve";
    static constexpr auto all =
        std::tuple{Field{"spec", &T::spec, "of the row"},
                   Field{"bits", &T::bits, "on the wire, all ways together"},
                   Field{"total_ns", &T::total, "at each of speeds_bps"},
                   Field{"low_ns", &T::low, "with the low end of the processor's interval"},
                   Field{"high_ns", &T::high, "with its high end"}};
};

template <>
struct Fields<CrossoverResult> {
    using T = CrossoverResult;
    static constexpr const char* name = "crossover";
    static constexpr auto all =
        std::tuple{Field{"smaller", &T::smaller, "SPEC of the row of fewer bytes"},
                   Field{"larger", &T::larger, "SPEC of the other"},
                   Field{"verdict", &T::verdict, "where the smaller is faster in all"},
                   Field{"at_bps", &T::at,
                         "speed at which both take as long, by the medians; with it the "
                         "smaller wins below"},
                   Field{"low_bps", &T::low, "of its 95 % interval"},
                   Field{"high_bps", &T::high, "of its 95 % interval; 1e11 is no limit"},
                   Field{"has_interval", &T::has_interval, "false of too few runs"},
                   Field{"total_ns", &T::total, "what both take there; 0 where they never do"},
                   Field{"text", &T::text, "the verdict in words"}};
};

template <>
struct Fields<BestResult> {
    using T = BestResult;
    static constexpr const char* name = "best";
    static constexpr auto all =
        std::tuple{Field{"spec", &T::spec, "the least total by the medians"},
                   Field{"up_to_bps", &T::up_to, "as far as this speed; 1e11 is no limit"}};
};

template <>
struct Fields<VerdictResult> {
    using T = VerdictResult;
    static constexpr const char* name = "verdict";
    static constexpr auto all = std::tuple{
        Field{"spec", &T::spec, "of the row"},
        Field{"baseline", &T::baseline, "SPEC of the row it is compared with"},
        Field{"quantity", &T::quantity, "as in times_ns"},
        Field{"ratio", &T::ratio, "of its time to the baseline's, round by round"},
        Field{"low", &T::low, "of the interval, 95 % for all rows together"},
        Field{"high", &T::high, "of the interval; both are the ratio when there is none"},
        Field{"has_interval", &T::has_interval, "false of too few rounds"},
        Field{"rounds", &T::rounds, "in which both ran"},
        Field{"processes", &T::processes, "that these are of"},
        Field{"verdict", &T::verdict, "a word where the interval allows one"}};
};

template <>
struct Fields<FileResults> {
    using T = FileResults;
    static constexpr const char* name = "file_results";
    static constexpr auto all =
        std::tuple{Field{"links", &T::links, "totals on the links asked for"},
                   Field{"costs", &T::costs, "on them, besides time"},
                   Field{"sent", &T::sent, "over them, for real"},
                   Field{"points", &T::points, "of the curves, sent for real"},
                   Field{"speeds_bps", &T::speeds, "speeds of the curves"},
                   Field{"curves", &T::curves, "total time over the speed of a link, a row each"},
                   Field{"crossovers", &T::crossovers, "of every pair of rows"},
                   Field{"best", &T::best, "the best row, from slow links to fast ones"},
                   Field{"verdicts", &T::verdicts, "each row's speed against the first one's"}};
};

template <>
struct Fields<SetRatio> {
    using T = SetRatio;
    static constexpr const char* name = "set_ratio";
    static constexpr auto all =
        std::tuple{Field{"ratio", &T::ratio, "geometric mean over the files"},
                   Field{"has_interval", &T::has_interval, "false of fewer than 6 files"},
                   Field{"low", &T::low, "of its 95 % interval, bootstrapped over the files"},
                   Field{"high", &T::high, "of its 95 % interval, bootstrapped over the files"}};
};

template <>
struct Fields<SetResult> {
    using T = SetResult;
    static constexpr const char* name = "set";
    static constexpr auto all = std::tuple{
        Field{"spec", &T::spec, "of the rows"},
        Field{"baseline", &T::baseline, "SPEC of those that they are held against"},
        Field{"files", &T::files, "in which both were timed"},
        Field{"ratios", &T::ratios, "theirs over the baseline's: size, and each quantity"}};
};

template <>
struct Fields<QuantityTitle> {
    using T = QuantityTitle;
    static constexpr const char* name = "quantity";
    static constexpr auto all = std::tuple{Field{"key", &T::key, "in times_ns"},
                                           Field{"title", &T::title, "what tables say"}};
};

template <>
struct Fields<ReportResults> {
    using T = ReportResults;
    static constexpr const char* name = "report_results";
    static constexpr auto all = std::tuple{
        Field{"status", &T::status, "ok: measured; partial: ended early; error: see exit_code"},
        Field{"quantities", &T::quantities, "what was measured, in its order"},
        Field{"sets", &T::sets, "the formats over all files, but the first; of one file none"},
        Field{"rows", &T::rows, "what the rows are, a line each"},
        Field{"method", &T::method, "how they were measured, a line each"},
        Field{"warnings", &T::warnings, "what to beware of, a line each"}};
};

// NOLINTEND(readability-identifier-naming)

}  // namespace perfrelay::client::json
