#pragma once
// Report: everything a run of perfclient found out, as one value. The runner fills it in; writers
// are pure functions over it. Raw samples are in it, summaries are computed from them; how many
// documents a run holds is in every sample.
// Tested by tests/unit/client/report_test.cpp.

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "common/measure/environment.h"
#include "common/measure/noise.h"
#include "common/measure/recorder.h"
#include "common/measure/schedule.h"
#include "common/measure/summary.h"
#include "common/net/link.h"
#include "proto/codec/codec.h"
#include "proto/formats.h"

namespace perfrelay::client {

enum class Direction : std::uint8_t { both, encode, decode };

// The phases of a run, in the order of Sample::phase. In memory only encode and decode are timed.
// Streamed: encode ends when the last byte is with the connection, up with the answer's first byte
// (or the acknowledgement), decode with the last event; down is none.
enum PhaseIndex : std::size_t { k_encode, k_up, k_down, k_decode };

enum class RowStatus : std::uint8_t {
    timed,
    not_representable,  // a declared limit of the engine; no time, no failure
    failed,             // verification failed: no time, exit 4
    unmeasured,         // the run ended before its turn (connection lost, Ctrl-C)
};

// A row on one of Report::links, sent through a relay for real, each byte when it was due.
struct OnLink {
    measure::Series runs;  // a document each; times as over the network
    // Of each run: what its transfers should have taken together, and took. Streamed: up to the
    // first byte of the answer, and from the run's start.
    std::vector<measure::Nanoseconds> planned;
    std::vector<measure::Nanoseconds> delivered;
    std::size_t repeated = 0;  // other runs, which missed the link and were made again
    std::string modelled;      // why there are no runs; "" when there are
};

// Whether a transfer took what the link would have it take: to 1 %, or 1 ms.
bool on_time(measure::Nanoseconds planned, measure::Nanoseconds delivered);

// A point of a row's curve, total time by the speed of a link, that was sent for real.
struct CurvePoint {
    std::uint64_t rate = 0;             // bit/s, both ways, without delay
    measure::Nanoseconds modelled = 0;  // transfer alone
    measure::Nanoseconds delivered = 0;
    measure::Nanoseconds total = 0;  // of the run
};

// What one direction takes of the machine, counted apart from all timing (client/untimed.h).
struct Effort {
    bool counted = false;
    std::uint64_t peak_memory = 0;   // bytes: codec, buffers and output of the first document
    std::uint64_t allocations = 0;   // for a later document
    std::uint64_t instructions = 0;  // for a later document, in user mode; 0: see no_instructions
};

struct Row {
    CodecInfo codec;
    Model model = Model::xml;  // what the codec carries
    RowGroup group = RowGroup::tree;
    RowStatus status = RowStatus::unmeasured;
    std::string why;           // for every status but timed
    std::uint64_t size = 0;    // exact bytes: what decode reads, what encode wrote
    std::uint64_t events = 0;  // delivered by one decode
    std::string saved;         // where the encoded document was kept; "": nowhere
    bool from_source = false;  // size is the file's own (decode test of its own format)
    measure::Series warmup;    // samples start at nanoseconds since the program began
    measure::Series main;
    bool complete = false;  // both minima met
    // The first encode and decode by a fresh codec, in memory, one sample a process: buffers grow,
    // tables are built, code is paged in. Phases k_encode and k_decode.
    measure::Series cold;
    Effort encode_effort;
    Effort decode_effort;
    // With -multithread: main's samples of each thread, and those of the row on one thread alone
    // (none when there is only one).
    std::vector<measure::Series> threads;
    measure::Series alone;
    std::vector<OnLink> on_links;   // in the order of Report::links; none: nothing was emulated
    std::vector<CurvePoint> curve;  // slowest first
};

struct FileReport {
    std::string name;
    std::uint64_t bytes = 0;
    std::string content;                 // CRC-32C of what was in it, unpacked: "1c291ca3"
    std::size_t part = 0;                // of a merged report: which of its parts measured it
    std::string schema;                  // "" for none
    std::string schema_by;               // --schema-auto: what in the document names it
    std::size_t whitespace_dropped = 0;  // texts that Report::whitespace leaves out
    std::string mapping;  // how one model was made of the other, for rows of both; "": none was
    std::vector<Row> rows;
    measure::Noise noise;           // of the machine, while main was measured
    std::string error;              // the file could not be read; no rows then
    std::vector<std::string> cuts;  // what --budget left no time for
};

struct Report {
    std::string version;
    std::string command_line;
    std::string started;                // UTC: "2026-12-01T09:47:30Z"
    int exit_code = 0;                  // of the program that measured
    std::vector<std::string> messages;  // its complaints, as they were printed
    Direction direction = Direction::both;
    std::string network;        // "host2:8000"; "" in memory
    std::string relay;          // the relay's version and address; "" in memory
    std::string decode_into;    // "parse" or "materialise"
    std::size_t threads = 0;    // -multithread; 0: not asked for, and one
    bool stream = false;        // encoded into the connection, decoded out of it
    std::size_t processes = 1;  // --processes: that measured; samples name theirs
    measure::ScheduleOptions schedule;
    std::string whitespace;  // the policy: "auto", "keep", "drop"
    std::string deflate_library;
    measure::Environment environment;
    std::string commit;           // of the source, "-dirty" when changed since; "": not known
    std::string no_instructions;  // why none were counted; "": they were
    std::int64_t clock_cost_ns = 0;
    std::int64_t rtt_ns = 0;             // smallest PING round trip; 0 in memory
    std::vector<net::Link> links;        // --link: what the results mean there
    std::string link_relay;              // by which they were emulated; "" when they were not,
    std::string not_emulated;            // and why
    measure::Nanoseconds link_time = 0;  // that a row may be emulated for on a link
    bool cut_through = false;            // --echo: the relay answered while bytes arrived
    double price = 0;                    // of a megabyte (10^6 bytes) on links; 0: not asked for
    std::size_t message_count = 1;       // --messages: so many such documents on links
    measure::Nanoseconds budget = 0;     // --budget; 0: none
    std::vector<FileReport> files;
    bool partial = false;  // ended by Ctrl-C or a lost connection
    // Of a report merged from several: what each of them says besides its files. The members above
    // are those of the first; merge_reports sees to it that what decides how numbers are read is
    // the same in all.
    std::vector<Report> parts;
};

// Half of a 95 % interval over its median that is narrow enough; what is closer together than this
// is as good as equal.
constexpr double usual_precision(bool network) {
    return network ? 0.02 : 0.01;
}

// A writer: a pure function, the same bytes for the same report whatever the locale.
using ReportWriter = void (*)(const Report& report, std::ostream& out);

// For people, 100 columns where the contents allow: efxperf's run lines, the tables, what the rows
// are, how they were measured, warnings. A partial report says so in its first and last line.
void write_text(const Report& report, std::ostream& out);

// The tables alone (-quiet), with the reason for every cell that has no number.
void write_tables(const Report& report, std::ostream& out);

// All of it, raw samples included, and what is computed from them ("results"). report.schema.json
// describes it; saved_report.h reads it.
void write_json(const Report& report, std::ostream& out);

// The same as JSON Lines: report, then each file, row and run, then what became of it all.
void write_jsonl(const Report& report, std::ostream& out);

// Tidy (RFC 4180): a header, then a line a run; a row that was not timed has one line and says why.
void write_csv(const Report& report, std::ostream& out);

// One page that opens offline, with charts and the tables behind them.
void write_html(const Report& report, std::ostream& out);

// GitHub's Markdown: a table a file, links, what was measured and how.
void write_markdown(const Report& report, std::ostream& out);

}  // namespace perfrelay::client
