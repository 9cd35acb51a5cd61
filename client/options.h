#pragma once
// perfclient's command line, read into one value: `perfclient [modes] [options]
// ([-schema XSD | --schema-auto | -noschema] file...)+`, with efxperf's spellings (see
// normalise.h).
//
// Contract: parsing neither prints nor exits; what it refuses, it refuses in one line. The only
// things it takes from outside its arguments are a random seed when none is given, --link-file, and
// the secret and certificates.
// Tested by tests/unit/client/options_test.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/exit_codes.h"
#include "client/relay_connection.h"
#include "client/report/report.h"
#include "client/report_files.h"
#include "common/cli/secret.h"
#include "common/measure/schedule.h"
#include "common/net/link.h"
#include "common/net/tls.h"
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
    std::string path;          // "-": standard input; of what is generated: "records:1MB"
    std::string schema;        // "" for none
    bool generated = false;    // --generate
    bool sqlite = false;       // --sqlite
    bool schema_auto = false;  // --schema-auto: the one that the document names

    bool informed() const { return schema_auto || !schema.empty(); }

    friend bool operator==(const Input&, const Input&) = default;
};

// efxperf's settings of the EFX row: of -efx and -transcode, not of --format exi.
struct EfxSettings {
    bool zip = false;         // -zip: compression
    bool lexical = false;     // -lexical: lexicalValues
    bool strict = false;      // -strict
    bool extensible = false;  // -extensible, which is what is usual; not beside -strict
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
    net::TlsFiles tls_files;                          // --tls-cert, --tls-key, --tls-ca
    std::shared_ptr<const net::TlsContext> tls;       // of them
    std::string secret_file;                          // --secret-file
    std::shared_ptr<const Secret> secret;             // of it, or of $PERFRELAY_SECRET
    bool stream = false;                  // encode into the connection, decode out of it
    std::size_t threads = 0;              // -multithread; 0: not asked for, and one
    std::vector<std::string> link_words;  // --link, in the order given
    std::string link_file;                // --link-file
    std::vector<net::Link> links;         // what they mean
    measure::Nanoseconds link_time = 20'000'000'000;  // --link-time: for a row on a link
    double price = 0;                                 // --price, of a megabyte; 0: not asked for
    std::size_t messages = 1;                         // --messages
    measure::Nanoseconds budget = 0;                  // --budget; 0: none
    bool plan = false;                                // --plan: say what would run
    bool emulate = false;                             // --emulate: whatever time a transfer takes
    std::size_t processes = 1;                        // --processes
    std::uint32_t process = 0;                        // which of them this is
    bool minima_given = false;                        // -repeat or -time: main ends at its minima
    double precision = 0;                             // --precision; 0: not asked for
    bool require_convergence = false;                 // exit 7 when a row's interval is too wide
    std::string save;             // --save: the directory for encoded documents; "": none
    std::vector<Output> outputs;  // --json and its like, in the order given
    bool quiet = false;
    bool verbose = false;
    std::vector<Input> inputs;  // never empty when the action is run
    // For Action::relay: what perfrelay is to be started with, the port first.
    std::vector<std::string> relay_arguments;
};

struct Refusal {
    ExitCode code = ExitCode::usage;
    std::string line;               // for complain()
    std::vector<Output> outputs{};  // reports that were asked for nevertheless
};

// The secret and the certificates that the options name, for commands; a run's options have them.
bool read_security(Options& options, std::string& why);

// `words`: argv without the program's name. No words at all ask for help.
std::variant<Options, Refusal> parse_options(std::span<const char* const> words,
                                             const FormatTable& formats);

}  // namespace perfrelay::client
