#pragma once
// What of a Report is saved, and under which names: ONE line a member. Writer, reader and schema
// (json_write, json_read, json_schema) all go through these tables: a struct that gains a member
// gains a line here, and nothing else.
//
// Here is what was measured; what is computed from it, and never read back, is in
// json_results.h. Names end in their unit (_ns nanoseconds, _bps bits a second); what has none is a
// count, bytes, or a ratio.

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
    static constexpr const char* all[] = {"keeps references", "tree", "schema known",
                                          "typed values"};
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
        Field{"group", &T::group,
              "what it does with references, or that it delivers typed values: compared apart"},
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
        Field{"schema_by", &T::schema_by, "of --schema-auto: what in the document names it"},
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

// NOLINTEND(readability-identifier-naming)

}  // namespace perfrelay::client::json
