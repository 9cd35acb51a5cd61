// The option table: every option of perfclient, a line each, and what it does to Options.

#include "client/normalise.h"
#include "client/option_values.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

template <class Value, class Parsed>
bool store(Value& to, const std::optional<Parsed>& parsed) {
    if (parsed) to = static_cast<Value>(*parsed);
    return parsed.has_value();
}

// One of two words: false for the first, true for the second.
bool choose(bool& to, const std::string& value, std::string_view no, std::string_view yes,
            std::string& why) {
    if (value != no && value != yes) {
        why = "'" + value + "': neither " + std::string(no) + " nor " + std::string(yes);
        return false;
    }
    to = value == yes;
    return true;
}

bool set_format(Options& options, const std::string& value, std::string&) {
    options.formats.push_back(value);
    return true;
}
// -d and -e together are what neither is: both.
bool set_decode(Options& options, const std::string&, std::string&) {
    options.direction = Direction::decode;
    return true;
}
bool set_encode(Options& options, const std::string&, std::string&) {
    options.direction =
        options.direction == Direction::decode ? Direction::both : Direction::encode;
    return true;
}
bool set_network(Options& options, const std::string& value, std::string& why) {
    options.network = parse_network(value, why);
    return options.network.has_value();
}
bool set_echo(Options& options, const std::string& value, std::string& why) {
    return choose(options.cut_through, value, "store", "cut-through", why);
}
bool set_repeat(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.main.runs, parse_count(value, why));
}
bool set_time(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.main.time,
                 parse_duration(value, BareDuration::milliseconds, why));
}
bool set_warmup(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.warmup.runs, parse_count(value, why));
}
bool set_warmup_time(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.warmup.time,
                 parse_duration(value, BareDuration::milliseconds, why));
}
bool set_seed(Options& options, const std::string& value, std::string& why) {
    return store(options.schedule.seed, parse_seed(value, why));
}
bool set_decode_into(Options& options, const std::string& value, std::string& why) {
    return choose(options.decode_into_tape, value, "parse", "materialise", why);
}
bool set_deflate(Options& options, const std::string& value, std::string& why) {
    bool libdeflate = false;
    if (!choose(libdeflate, value, "zlib", "libdeflate", why)) return false;
    options.codecs.deflate = libdeflate ? DeflateLibrary::libdeflate : DeflateLibrary::zlib;
    return true;
}
bool set_require_convergence(Options& options, const std::string&, std::string&) {
    options.require_convergence = true;
    return true;
}
bool set_max_document(Options& options, const std::string& value, std::string& why) {
    return store(options.codecs.limits.max_document, parse_bytes(value, why));
}
bool set_quiet(Options& options, const std::string&, std::string&) {
    options.quiet = true;
    return true;
}
bool set_verbose(Options& options, const std::string&, std::string&) {
    options.verbose = true;
    return true;
}

using Group = OptionGroup;
constexpr OptionArgument k_none = OptionArgument::none;
constexpr OptionArgument k_required = OptionArgument::required;
constexpr OptionArgument k_optional = OptionArgument::optional_number;

// Group, names (canonical first), efxperf's, argument, its name, help, in this build, mode, setter.
// Those that are not in this build have no help: nothing is said of what cannot be had.
constexpr OptionLine k_table[] = {
    {Group::modes, {"xml"}, true, k_none, "", "XML text", true, "xml", nullptr},
    {Group::modes, {"gzxml"}, true, k_none, "", "XML text, gzip", true, "gzxml", nullptr},
    {Group::modes,
     {"format"},
     false,
     k_required,
     "SPEC",
     "any format, repeatable: NAME[:OPTION[,OPTION...]][+COMPRESSOR[:LEVEL]...]",
     true,
     "",
     set_format},
    {Group::modes, {"efx", "exi"}, true, k_none, "", "", false, "", nullptr},
    {Group::modes, {"transcode"}, true, k_none, "", "", false, "", nullptr},
    {Group::modes, {"zip"}, true, k_none, "", "", false, "", nullptr},
    {Group::modes, {"lexical", "l"}, true, k_none, "", "", false, "", nullptr},
    {Group::modes, {"extensible", "x"}, true, k_none, "", "", false, "", nullptr},
    {Group::modes, {"strict"}, true, k_none, "", "", false, "", nullptr},
    {Group::modes, {"amf3"}, false, k_none, "", "", false, "", nullptr},
    {Group::modes, {"hessian"}, false, k_none, "", "", false, "", nullptr},
    {Group::modes, {"javaser"}, false, k_none, "", "", false, "", nullptr},

    {Group::direction,
     {"decode", "d"},
     true,
     k_none,
     "",
     "decode only; over the network the relay sends and we decode",
     true,
     "",
     set_decode},
    {Group::direction,
     {"encode", "e"},
     true,
     k_none,
     "",
     "encode only; over the network we encode and the relay receives",
     true,
     "",
     set_encode},

    {Group::network,
     {"network", "net"},
     true,
     k_required,
     "HOST:PORT",
     "through the relay there (net://HOST:PORT, [::1]:8000); localhost starts one on a free port, "
     "localhost:PORT uses the one listening there or starts one",
     true,
     "",
     set_network},
    {Group::network,
     {"echo"},
     false,
     k_required,
     "store|cut-through",
     "when the relay answers a round trip: after the last byte (default), or as bytes arrive",
     true,
     "",
     set_echo},
    {Group::network,
     {"netrelay"},
     true,
     k_required,
     "PORT",
     "be the relay: perfrelay PORT, with all other words as its options (-v, --bind, ...)",
     true,
     "",
     nullptr},
    {Group::network, {"link"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"list-links"}, false, k_none, "", "", false, "", nullptr},
    {Group::network, {"link-file"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"link-time"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"emulate"}, false, k_none, "", "", false, "", nullptr},
    {Group::network, {"stream"}, false, k_none, "", "", false, "", nullptr},
    {Group::network, {"connections"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"rate"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"secret-file"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"tls-cert"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"tls-key"}, false, k_required, "", "", false, "", nullptr},
    {Group::network, {"tls-ca"}, false, k_required, "", "", false, "", nullptr},

    {Group::measurement,
     {"repeat", "r"},
     true,
     k_required,
     "N",
     "at least N runs (5)",
     true,
     "",
     set_repeat},
    {Group::measurement,
     {"time", "t"},
     true,
     k_required,
     "TIME",
     "and at least this long (1s); a bare number is milliseconds; units ns us ms s m h",
     true,
     "",
     set_time},
    {Group::measurement,
     {"warmup", "wr"},
     true,
     k_required,
     "N",
     "before that, at least N runs that do not count (5)",
     true,
     "",
     set_warmup},
    {Group::measurement,
     {"warmup-time", "warmupTime", "wt"},
     true,
     k_required,
     "TIME",
     "and at least this long (1s)",
     true,
     "",
     set_warmup_time},
    {Group::measurement,
     {"seed"},
     false,
     k_required,
     "N",
     "of the order in which formats take turns; random, and printed, without it",
     true,
     "",
     set_seed},
    {Group::measurement,
     {"decode-into"},
     false,
     k_required,
     "parse|materialise",
     "decode into events that are counted and touched (default), or into a document",
     true,
     "",
     set_decode_into},
    {Group::measurement,
     {"deflate"},
     false,
     k_required,
     "zlib|libdeflate",
     "the library behind gzip and deflate, the same for every format of a run (zlib)",
     true,
     "",
     set_deflate},
    {Group::measurement,
     {"require-convergence"},
     false,
     k_none,
     "",
     "exit 7 unless each row's 95 % interval is within 1 % of its median (2 % over a network)",
     true,
     "",
     set_require_convergence},
    {Group::measurement, {"multithread", "mt"}, true, k_optional, "", "", false, "", nullptr},
    {Group::measurement, {"precision"}, false, k_required, "", "", false, "", nullptr},
    {Group::measurement, {"budget"}, false, k_required, "", "", false, "", nullptr},
    {Group::measurement, {"plan"}, false, k_none, "", "", false, "", nullptr},
    {Group::measurement, {"processes"}, false, k_required, "", "", false, "", nullptr},

    {Group::documents,
     {"noschema"},
     true,
     k_none,
     "",
     "the files that follow have no schema",
     true,
     "",
     nullptr},
    {Group::documents,
     {"max-document"},
     false,
     k_required,
     "SIZE",
     "refuse larger documents (1GiB); units kB MB GB KiB MiB GiB",
     true,
     "",
     set_max_document},
    {Group::documents, {"schema"}, true, k_required, "", "", false, "", nullptr},
    {Group::documents, {"schema-id"}, false, k_required, "", "", false, "", nullptr},
    {Group::documents, {"schema-auto"}, false, k_none, "", "", false, "", nullptr},
    {Group::documents, {"bind"}, false, k_required, "", "", false, "", nullptr},
    {Group::documents, {"sqlite"}, false, k_required, "", "", false, "", nullptr},
    {Group::documents, {"generate"}, false, k_required, "", "", false, "", nullptr},

    {Group::output,
     {"quiet", "q"},
     true,
     k_none,
     "",
     "the table alone: no run lines, no progress",
     true,
     "",
     set_quiet},
    {Group::output,
     {"verbose", "v"},
     true,
     k_none,
     "",
     "more: engines, intervals, the relay's own lines",
     true,
     "",
     set_verbose},
    {Group::output, {"save"}, false, k_required, "", "", false, "", nullptr},
    {Group::output, {"json"}, false, k_required, "", "", false, "", nullptr},
    {Group::output, {"jsonl"}, false, k_required, "", "", false, "", nullptr},
    {Group::output, {"csv"}, false, k_required, "", "", false, "", nullptr},
    {Group::output, {"markdown"}, false, k_required, "", "", false, "", nullptr},
    {Group::output, {"html"}, false, k_required, "", "", false, "", nullptr},

    {Group::other,
     {"list-formats"},
     false,
     k_none,
     "",
     "formats and compressors of this build",
     true,
     "",
     nullptr},
    {Group::other, {"help", "?", "h"}, true, k_none, "", "this text", true, "", nullptr},
    {Group::other, {"version"}, false, k_none, "", "the version", true, "", nullptr},

    {Group::commands, {"convert"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"explain"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"compile-schema"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"train-dictionary"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"report"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"compare"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"doctor"}, false, k_none, "", "", false, "", nullptr},
    {Group::commands, {"status"}, false, k_none, "", "", false, "", nullptr},
};

}  // namespace

std::span<const OptionLine> option_table() {
    return k_table;
}

}  // namespace perfrelay::client
