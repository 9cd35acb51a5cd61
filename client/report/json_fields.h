#pragma once
// What of a Report is saved, and under which names: ONE line a member. Writer, reader and schema
// (json_write, json_read, json_schema) all go through these tables: a struct that gains a member
// gains a line here, and nothing else.
//
// Names end in their unit (_ns nanoseconds, _bps bits a second); what has none is a count, bytes,
// or a ratio.

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/report/report.h"
#include "client/report/results.h"

namespace perfrelay::client::json {

// NOLINTBEGIN(readability-identifier-naming): members of the tables, and of nothing else

// Grows when a member goes, or changes its name, its type or its meaning; not when one comes.
inline constexpr int k_schema_version = 1;
inline constexpr const char* k_format = "perfrelay report";

enum class Form : std::uint8_t {
    plain,
    decimal,  // an integer as text: JSON's readers keep 53 bits of a number
};

template <class Struct, class Value>
struct Field {
    const char* name;
    Value Struct::*member;
    const char* says;  // for the schema
    Form form = Form::plain;
};

template <class Struct, class Value>
Field(const char*, Value Struct::*, const char*) -> Field<Struct, Value>;
template <class Struct, class Value>
Field(const char*, Value Struct::*, const char*, Form) -> Field<Struct, Value>;

// Specialised for every struct that is saved: `name` in the schema, `all` its fields.
template <class Struct>
struct Fields;
template <class T>
concept Saved = requires {
    Fields<T>::all;
};

// Of an enumeration: its values' words, in their order.
template <class Enum>
struct Words;

template <>
struct Words<Direction> {
    static constexpr const char* all[] = {"both", "encode", "decode"};
};
template <>
struct Words<RowStatus> {
    static constexpr const char* all[] = {"timed", "not representable", "failed", "not measured"};
};
template <>
struct Words<Model> {
    static constexpr const char* all[] = {"xml", "objects"};
};
template <>
struct Words<RowGroup> {
    static constexpr const char* all[] = {"keeps references", "tree", "schema known"};
};
template <>
struct Words<measure::Verdict> {
    static constexpr const char* all[] = {"undecided", "faster", "slower", "equivalent"};
};
template <>
struct Words<Crossover::Verdict> {
    static constexpr const char* all[] = {"every speed", "below", "undecided", "same size"};
};

// A series is saved by columns, a value a run; those that hold zeros alone are left out.
struct Column {
    const char* name;
    const char* says;
    measure::Nanoseconds (*get)(const measure::Sample&);
    void (*set)(measure::Sample&, measure::Nanoseconds);
};
template <std::size_t Phase>
constexpr Column phase(const char* name, const char* says) {
    return {name, says, [](const measure::Sample& s) { return s.phase[Phase]; },
            [](measure::Sample& s, measure::Nanoseconds value) { s.phase[Phase] = value; }};
}
inline constexpr Column k_columns[] = {
    {"documents", "in this run, of each thread: times are those of all of them",
     [](const measure::Sample& s) { return measure::Nanoseconds{s.batch}; },
     [](measure::Sample& s, measure::Nanoseconds n) { s.batch = static_cast<std::uint32_t>(n); }},
    {"start_ns", "when it began, since the program did",
     [](const measure::Sample& s) { return s.start; },
     [](measure::Sample& s, measure::Nanoseconds n) { s.start = n; }},
    phase<k_encode>("encode_ns", "document to bytes; streamed, until the connection has them"),
    phase<k_up>("up_ns", "first byte sent to first byte of the answer"),
    phase<k_down>("down_ns", "first to last byte of the answer"),
    phase<k_decode>("decode_ns", "bytes to the last event"),
    {"total_ns", "all of it, measured on its own", [](const measure::Sample& s) { return s.total; },
     [](measure::Sample& s, measure::Nanoseconds n) { s.total = n; }},
    {"wall_ns", "of several threads: from the first one's start to the last one's end",
     [](const measure::Sample& s) { return s.wall; },
     [](measure::Sample& s, measure::Nanoseconds n) { s.wall = n; }},
    {"round", "of its stage, from 1: rows that ran in the same one can be compared",
     [](const measure::Sample& s) { return measure::Nanoseconds{s.round}; },
     [](measure::Sample& s, measure::Nanoseconds n) { s.round = static_cast<std::uint32_t>(n); }},
    {"process", "of several processes: which one, from 0",
     [](const measure::Sample& s) { return measure::Nanoseconds{s.process}; },
     [](measure::Sample& s, measure::Nanoseconds n) { s.process = static_cast<std::uint32_t>(n); }},
};

template <>
struct Fields<measure::Minimum> {
    static constexpr const char* name = "minimum";
    static constexpr auto all =
        std::tuple{Field{"time_ns", &measure::Minimum::time, "at least this long"},
                   Field{"runs", &measure::Minimum::runs, "and at least so many runs"}};
};

template <>
struct Fields<measure::ScheduleOptions> {
    using T = measure::ScheduleOptions;
    static constexpr const char* name = "schedule";
    static constexpr auto all =
        std::tuple{Field{"warmup", &T::warmup, "what warm-up takes"},
                   Field{"main", &T::main, "what is measured takes"},
                   Field{"seed", &T::seed, "of the order of turns", Form::decimal},
                   Field{"precision", &T::precision,
                         "half of an interval over its median that main went on for; 0: none"},
                   Field{"patience_ns", &T::patience, "how long for; 0: three times main"}};
};

template <>
struct Fields<measure::Environment> {
    using T = measure::Environment;
    static constexpr const char* name = "environment";
    static constexpr auto all =
        std::tuple{Field{"cpu", &T::cpu, "the processor's name for itself"},
                   Field{"cpus", &T::cpus, "that the program could run on"},
                   Field{"virtual_machine", &T::virtual_machine, ""},
                   Field{"governor", &T::governor, "of clock frequency; empty: none to be seen"},
                   Field{"boost", &T::boost, "on, off; empty: not known"},
                   Field{"smt", &T::smt, "as the system says it"},
                   Field{"clocksource", &T::clocksource, "of the kernel's clock"},
                   Field{"kernel", &T::kernel, "name, release, machine"},
                   Field{"load", &T::load, "average of the minute before; negative: not known"},
                   Field{"compiler", &T::compiler, "and its version"},
                   Field{"flags", &T::flags, "that everything was compiled with"},
                   Field{"assertions", &T::assertions, "true: not a build to measure with"}};
};

template <>
struct Fields<measure::Noise> {
    using T = measure::Noise;
    static constexpr const char* name = "noise";
    static constexpr auto all = std::tuple{
        Field{"kernel_ns", &T::kernel, "of the calibration kernel, once a round"},
        Field{"steal", &T::steal, "share of time the hypervisor took; negative: not known"},
        Field{"preempted", &T::preempted, "involuntary context switches"},
        Field{"duration_ns", &T::duration, "of all this"}};
};

template <>
struct Fields<Effort> {
    using T = Effort;
    static constexpr const char* name = "effort";
    static constexpr auto all =
        std::tuple{Field{"counted", &T::counted, "false: none of these is known"},
                   Field{"peak_memory", &T::peak_memory, "bytes: codec, buffers, output"},
                   Field{"allocations", &T::allocations, "for a later document"},
                   Field{"instructions", &T::instructions, "in user mode; 0: not counted"}};
};

template <>
struct Fields<net::Link> {
    using T = net::Link;
    static constexpr const char* name = "link";
    static constexpr auto all =
        std::tuple{Field{"name", &T::name, "as the user gave it"},
                   Field{"down_bps", &T::down, "relay to client"},
                   Field{"up_bps", &T::up, "client to relay"},
                   Field{"rtt_ns", &T::rtt, "round trip of an empty message"},
                   Field{"jitter_ns", &T::jitter, "each packet's delay is off by up to that much"},
                   Field{"loss", &T::loss, "share of packets, 0 to 0.5"},
                   Field{"overhead", &T::overhead, "bytes of headers a packet"},
                   Field{"cold", &T::cold, "a new connection each time"},
                   Field{"source", &T::source, "where the figures are from"}};
};

template <>
struct Fields<CodecInfo> {
    using T = CodecInfo;
    static constexpr const char* name = "codec";
    static constexpr auto all =
        std::tuple{Field{"spec", &T::spec, "what a user types"},
                   Field{"title", &T::title, "what tables say"},
                   Field{"reader", &T::reader, "engine and version that decodes"},
                   Field{"writer", &T::writer, "engine and version that encodes"},
                   Field{"notes", &T::notes, "what it does otherwise than others"},
                   Field{"encoder_notes", &T::encoder_notes, "the same, where it encodes"},
                   Field{"shared_bytes", &T::shared_bytes,
                         "that both sides hold beforehand, and size does not count"}};
};

template <>
struct Fields<OnLink> {
    using T = OnLink;
    static constexpr const char* name = "on_link";
    static constexpr auto all = std::tuple{
        Field{"runs", &T::runs, "sent for real, a document each"},
        Field{"planned_ns", &T::planned, "of each run, what its transfers should have taken"},
        Field{"delivered_ns", &T::delivered, "what they took"},
        Field{"repeated", &T::repeated, "other runs, which missed the link and were made again"},
        Field{"modelled", &T::modelled, "why there are no runs"}};
};

template <>
struct Fields<CurvePoint> {
    using T = CurvePoint;
    static constexpr const char* name = "curve_point";
    static constexpr auto all = std::tuple{Field{"rate_bps", &T::rate, "both ways, without delay"},
                                           Field{"modelled_ns", &T::modelled, "the transfer"},
                                           Field{"delivered_ns", &T::delivered, "what it took"},
                                           Field{"total_ns", &T::total, "of the run"}};
};

template <>
struct Fields<Row> {
    using T = Row;
    using Results = RowResults;
    static constexpr const char* name = "row";
    static constexpr auto all = std::tuple{
        Field{"codec", &T::codec, "the format, as the command line named it"},
        Field{"model", &T::model, "what it carries"},
        Field{"group", &T::group, "what it does with references"},
        Field{"status", &T::status, "only timed rows have times"},
        Field{"why", &T::why, "why it has none"},
        Field{"size", &T::size, "bytes of the encoded document"},
        Field{"events", &T::events, "delivered by one decode"},
        Field{"saved", &T::saved, "file that the encoded document was kept in"},
        Field{"from_source", &T::from_source, "decodes the file's own bytes"},
        Field{"complete", &T::complete, "both minima were met"},
        Field{"cold", &T::cold, "first encode and decode of a fresh codec, in memory"},
        Field{"encode_effort", &T::encode_effort, "what encoding takes beside time"},
        Field{"decode_effort", &T::decode_effort, "what decoding takes beside time"},
        Field{"warmup", &T::warmup, "runs that do not count"},
        Field{"main", &T::main, "runs that count"},
        Field{"threads", &T::threads, "of several threads: each one's runs, whose mean is main"},
        Field{"alone", &T::alone, "of several threads: the row on one thread alone"},
        Field{"on_links", &T::on_links, "over each of the links, for real; none: not at all"},
        Field{"curve", &T::curve, "points of total time by speed that were sent for real"}};
};

template <>
struct Fields<FileReport> {
    using T = FileReport;
    using Results = FileResults;
    static constexpr const char* name = "file";
    static constexpr auto all = std::tuple{
        Field{"name", &T::name, "as given; of what is generated, its kind"},
        Field{"bytes", &T::bytes, "as it is, packed or not"},
        Field{"content", &T::content, "CRC-32C of what was in it, unpacked, in hexadecimal"},
        Field{"part", &T::part, "of a merged report: the place in parts of who measured it"},
        Field{"schema", &T::schema, "none if empty"},
        Field{"whitespace_dropped", &T::whitespace_dropped, "texts left out by the policy"},
        Field{"mapping", &T::mapping, "how objects were made of XML, or XML of objects"},
        Field{"noise", &T::noise, "of the machine, while main was measured"},
        Field{"error", &T::error, "why it could not be read; no rows then"},
        Field{"cuts", &T::cuts, "what the budget left no time for"},
        Field{"rows", &T::rows, "one a format"}};
};

template <>
struct Fields<Report> {
    using T = Report;
    using Results = ReportResults;
    static constexpr const char* name = "report";
    static constexpr auto all = std::tuple{
        Field{"version", &T::version, "of perfclient"},
        Field{"command_line", &T::command_line, "words that it was started with"},
        Field{"started", &T::started, "UTC, ISO 8601"},
        Field{"exit_code", &T::exit_code, "of perfclient, as its --help lists them"},
        Field{"messages", &T::messages, "its complaints, as printed"},
        Field{"partial", &T::partial, "ended early; holds what there was until then"},
        Field{"direction", &T::direction, "what was measured"},
        Field{"network", &T::network, "host and port of the relay; in memory, empty"},
        Field{"relay", &T::relay, "who answered there"},
        Field{"decode_into", &T::decode_into, "parse: events; materialise: a document"},
        Field{"thread_count", &T::threads, "0: one, not asked for"},
        Field{"stream", &T::stream, "encoded into the connection, decoded out of it"},
        Field{"processes", &T::processes, "that measured; samples name theirs"},
        Field{"schedule", &T::schedule, "how long, how often, in which order"},
        Field{"environment", &T::environment, "machine and build"},
        Field{"commit", &T::commit, "of the source; empty: not known"},
        Field{"no_instructions", &T::no_instructions, "why none were counted; empty: they were"},
        Field{"whitespace", &T::whitespace, "policy for whitespace-only texts"},
        Field{"deflate_library", &T::deflate_library, "behind every format that uses deflate"},
        Field{"clock_cost_ns", &T::clock_cost_ns, "what a reading of the clock takes"},
        Field{"rtt_ns", &T::rtt_ns, "shortest round trip of an empty message; in memory, 0"},
        Field{"links", &T::links, "what results are modelled on"},
        Field{"link_relay", &T::link_relay, "who emulated them; empty: nobody"},
        Field{"not_emulated", &T::not_emulated, "and why"},
        Field{"link_time_ns", &T::link_time, "that a row may be sent for on a link"},
        Field{"cut_through", &T::cut_through, "the relay answered while bytes arrived"},
        Field{"price", &T::price, "of 10^6 bytes on links; 0: not asked for"},
        Field{"message_count", &T::message_count, "so many such documents on links"},
        Field{"budget_ns", &T::budget, "that all had to be done in; 0: none"},
        Field{"parts", &T::parts, "of a merged report: each one's own, without files"},
        Field{"files", &T::files, "one a document"}};
};

// ---- What is computed from the above: written, never read
// -----------------------------------------

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
