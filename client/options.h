#pragma once
// perfclient's command line, read into one value: `perfclient [modes] [options]
// ([-schema XSD | -noschema] file...)+`, with efxperf's spellings (see normalise.h).
//
// Contract: parsing neither prints nor exits; what it refuses, it refuses in one line. The only
// things it takes from outside its arguments are a random seed when none is given, and --link-file.
// Tested by tests/unit/client/options_test.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/exit_codes.h"
#include "client/relay_connection.h"
#include "client/report/report.h"
#include "common/measure/schedule.h"
#include "common/net/link.h"
#include "proto/formats.h"
#include "proto/schema_files.h"

namespace perfrelay::client {

enum class Action : std::uint8_t { run, help, version, list_formats, list_links, relay };

struct Network {
    Address address;
    // The host is the name "localhost": use what listens on the port, else start a relay there;
    // port 0: start one on a free port.
    bool start_local = false;
};

struct Input {
    std::string path;        // "-": standard input; of what is generated: "records:1MB"
    std::string schema;      // "" for none
    bool generated = false;  // --generate
    bool sqlite = false;     // --sqlite

    friend bool operator==(const Input&, const Input&) = default;
};

// efxperf's settings of the EFX row: of -efx and -transcode, not of --format exi.
struct EfxSettings {
    bool zip = false;         // -zip: compression
    bool lexical = false;     // -lexical: lexicalValues
    bool strict = false;      // -strict
    bool extensible = false;  // -extensible: said, not only so
    std::string schema_id;    // --schema-id, in the stream's header

    bool any() const { return zip || lexical || strict || !schema_id.empty(); }
};

struct Options {
    Action action = Action::run;
    // Canonical SPECs, aliases and "all" expanded, in the order given, each once; the headline set
    // when no mode is named. Each can be made with `codecs`.
    std::vector<std::string> formats;
    EfxSettings efx;
    Direction direction = Direction::both;
    std::optional<Network> network;  // nothing: in memory
    measure::ScheduleOptions schedule;
    CodecOptions codecs;        // without a schema: that is the input's
    SchemaCatalogue catalogue;  // --catalogue
    std::string from;           // --from: how inputs are read; "": see what they are
    bridge::Binding binding = bridge::Binding::text;  // --bind
    Whitespace whitespace = Whitespace::automatic;    // --ws
    std::optional<std::uint64_t> generator_seed;      // --seed; else the kind's own
    bool decode_into_tape = false;                    // --decode-into materialise
    bool cut_through = false;                         // --echo cut-through
    bool stream = false;                  // encode into the connection, decode out of it
    std::size_t threads = 0;              // -multithread; 0: not asked for, and one
    std::vector<std::string> link_words;  // --link, in the order given
    std::string link_file;                // --link-file
    std::vector<net::Link> links;         // what they mean
    bool require_convergence = false;     // exit 7 when a row's interval is too wide
    std::string save;                     // --save: the directory for encoded documents; "": none
    bool quiet = false;
    bool verbose = false;
    std::vector<Input> inputs;  // never empty when the action is run
    // For Action::relay: what perfrelay is to be started with, the port first.
    std::vector<std::string> relay_arguments;
};

struct Refusal {
    ExitCode code = ExitCode::usage;
    std::string line;  // for complain()
};

// `words`: argv without the program's name. No words at all ask for help.
std::variant<Options, Refusal> parse_options(std::span<const char* const> words,
                                             const FormatTable& formats);

}  // namespace perfrelay::client
