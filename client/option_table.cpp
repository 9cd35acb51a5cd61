// The option table: every option of perfclient, a line each, and what it does to Options.

#include <algorithm>
#include <charconv>
#include <thread>

#include "client/normalise.h"
#include "client/option_values.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr std::string_view k_json = "json";
constexpr std::string_view k_jsonl = "jsonl";
constexpr std::string_view k_csv = "csv";
constexpr std::string_view k_markdown = "markdown";
constexpr std::string_view k_html = "html";

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
bool set_zip(Options& options, const std::string&, std::string&) {
    options.efx.zip = true;
    return true;
}
bool set_lexical(Options& options, const std::string&, std::string&) {
    options.efx.lexical = true;
    return true;
}
bool set_strict(Options& options, const std::string&, std::string&) {
    options.efx.strict = true;
    return true;
}
bool set_extensible(Options& options, const std::string&, std::string&) {
    options.efx.extensible = true;
    return true;
}
bool set_schema_id(Options& options, const std::string& value, std::string& why) {
    // It becomes part of a SPEC.
    if (value.find_first_of(",+:") == std::string::npos) {
        options.efx.schema_id = value;
        return true;
    }
    why = "'" + value + "': a name without ',', '+' and ':'";
    return false;
}
bool set_catalogue(Options& options, const std::string& value, std::string& why) {
    const std::size_t equals = value.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == value.size()) {
        why = "'" + value + "': LOCATION=FILE or NAMESPACE=FILE";
        return false;
    }
    options.catalogue[value.substr(0, equals)] = value.substr(equals + 1);
    return true;
}
bool set_network(Options& options, const std::string& value, std::string& why) {
    options.network = parse_network(value, why);
    return options.network.has_value();
}
bool set_echo(Options& options, const std::string& value, std::string& why) {
    return choose(options.cut_through, value, "store", "cut-through", why);
}
bool set_link(Options& options, const std::string& value, std::string&) {
    options.link_words.push_back(value);
    return true;
}
bool set_link_file(Options& options, const std::string& value, std::string&) {
    options.link_file = value;
    return true;
}
bool set_link_time(Options& options, const std::string& value, std::string& why) {
    return store(options.link_time, parse_duration(value, BareDuration::milliseconds, why));
}
bool set_budget(Options& options, const std::string& value, std::string& why) {
    if (!store(options.budget, parse_duration(value, BareDuration::refused, why))) return false;
    if (options.budget > 0) return true;
    why = "'" + value + "': more than nothing";
    return false;
}
bool set_plan(Options& options, const std::string&, std::string&) {
    options.plan = true;
    return true;
}
bool set_price(Options& options, const std::string& value, std::string& why) {
    const auto [end, error] =
        std::from_chars(value.data(), value.data() + value.size(), options.price);
    const bool good = error == std::errc() && end == value.data() + value.size() &&
                      options.price > 0 && options.price < 1e9;
    if (!good) why = "'" + value + "': what a megabyte costs, such as 0.05";
    return good;
}
bool set_messages(Options& options, const std::string& value, std::string& why) {
    constexpr std::uint64_t k_most = 1'000'000;
    const auto count = parse_count(value, why);
    if (count && (*count < 2 || *count > k_most)) {
        why = "'" + value + "': from 2 to 1000000 documents";
        return false;
    }
    return store(options.messages, count);
}
bool set_emulate(Options& options, const std::string&, std::string&) {
    options.emulate = true;
    return true;
}
bool set_secret_file(Options& options, const std::string& value, std::string&) {
    options.secret_file = value;
    return true;
}
bool set_tls_cert(Options& options, const std::string& value, std::string&) {
    options.tls_files.certificate = value;
    return true;
}
bool set_tls_key(Options& options, const std::string& value, std::string&) {
    options.tls_files.key = value;
    return true;
}
bool set_tls_ca(Options& options, const std::string& value, std::string&) {
    options.tls_files.authorities = value;
    return true;
}
bool set_stream(Options& options, const std::string&, std::string&) {
    options.stream = true;
    return true;
}
bool set_multithread(Options& options, const std::string& value, std::string& why) {
    constexpr std::uint64_t k_most = 256;
    // Without a number: what the machine has.
    options.threads = std::max(1U, std::thread::hardware_concurrency());
    if (value == "auto") return true;
    const auto count = parse_count(value, why);
    if (!count) return false;
    if (*count == 0 || *count > k_most) {
        why = "'" + value + "': from 1 to " + std::to_string(k_most) + " threads";
        return false;
    }
    options.threads = static_cast<std::size_t>(*count);
    return true;
}
bool set_repeat(Options& options, const std::string& value, std::string& why) {
    options.minima_given = true;
    return store(options.schedule.main.runs, parse_count(value, why));
}
bool set_time(Options& options, const std::string& value, std::string& why) {
    options.minima_given = true;
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
    if (!store(options.schedule.seed, parse_seed(value, why))) return false;
    options.generator_seed = options.schedule.seed;
    return true;
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
bool set_processes(Options& options, const std::string& value, std::string& why) {
    constexpr std::uint64_t k_most = 100;
    const auto count = parse_count(value, why);
    if (!count) return false;
    if (*count == 0 || *count > k_most) {
        why = "'" + value + "': from 1 to " + std::to_string(k_most) + " processes";
        return false;
    }
    options.processes = static_cast<std::size_t>(*count);
    return true;
}
bool set_precision(Options& options, const std::string& value, std::string& why) {
    return store(options.precision, parse_percentage(value, why));
}
bool set_require_convergence(Options& options, const std::string&, std::string&) {
    options.require_convergence = true;
    return true;
}
bool set_from(Options& options, const std::string& value, std::string&) {
    options.from = value;
    return true;
}
bool set_whitespace(Options& options, const std::string& value, std::string& why) {
    for (const Whitespace policy : {Whitespace::automatic, Whitespace::keep, Whitespace::drop}) {
        if (whitespace_name(policy) != value) continue;
        options.whitespace = policy;
        return true;
    }
    why = "'" + value + "': neither auto, keep nor drop";
    return false;
}
bool set_binding(Options& options, const std::string& value, std::string& why) {
    bool typed = false;
    if (!choose(typed, value, "text", "typed", why)) return false;
    options.binding = typed ? bridge::Binding::typed : bridge::Binding::text;
    return true;
}
bool set_max_document(Options& options, const std::string& value, std::string& why) {
    return store(options.codecs.limits.max_document, parse_bytes(value, why));
}
bool set_save(Options& options, const std::string& value, std::string&) {
    options.save = value;
    return true;
}
template <const std::string_view& Kind>
bool set_output(Options& options, const std::string& value, std::string&) {
    options.outputs.push_back({std::string(Kind), value});
    return true;
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
using Names = std::array<std::string_view, 4>;
constexpr OptionArgument k_none = OptionArgument::none;
constexpr OptionArgument k_required = OptionArgument::required;
constexpr OptionArgument k_optional = OptionArgument::optional_number;

// One of efxperf's options, one of ours, and those that are not in this build, which have no help:
// nothing is said of what cannot be had.
constexpr OptionLine efxperf(Group group, Names names, std::string_view value,
                             std::string_view help, decltype(OptionLine::set) set) {
    return {names, value, help, "", set, group, value.empty() ? k_none : k_required, true, true};
}
constexpr OptionLine ours(Group group, Names names, std::string_view value, std::string_view help,
                          decltype(OptionLine::set) set) {
    return {names, value, help, "", set, group, value.empty() ? k_none : k_required, false, true};
}
constexpr OptionLine repeatable(Group group, Names names, std::string_view value,
                                std::string_view help, decltype(OptionLine::set) set) {
    OptionLine line = ours(group, names, value, help, set);
    line.repeatable = true;
    return line;
}
constexpr OptionLine mode(std::string_view name, std::string_view help) {
    return {{name}, "", help, name, nullptr, Group::modes, k_none, true, true};
}
constexpr OptionLine our_mode(std::string_view name, std::string_view help) {
    return {{name}, "", help, name, nullptr, Group::modes, k_none, false, true};
}
constexpr OptionLine command(std::string_view name, std::string_view words, std::string_view help) {
    return {{name}, words, help, "", nullptr, Group::commands, k_none, false, true};
}
constexpr OptionLine later(Group group, Names names, OptionArgument argument = k_none) {
    return {names, "", "", "", nullptr, group, argument, false, false};
}

constexpr OptionLine k_table[] = {
    mode("xml", "XML text"),
    mode("gzxml", "XML text, gzip"),
    {{"efx", "exi"},
     "",
     "Efficient XML: W3C EXI 1.0",
     "efx",
     nullptr,
     Group::modes,
     k_none,
     true,
     true},
    mode("transcode",
         "XML text to EXI (encode) and EXI to XML text (decode), without a document "
         "in between"),
    repeatable(Group::modes, {"format"}, "SPEC",
               "any format, repeatable: NAME[:OPTION[,OPTION...]][+COMPRESSOR[:LEVEL]...]",
               set_format),
    {{"zip"}, "", "EFX with EXI's compression", "", set_zip, Group::modes, k_none, true, true},
    {{"lexical", "l"},
     "",
     "EFX that keeps values as they are written (lexicalValues)",
     "",
     set_lexical,
     Group::modes,
     k_none,
     true,
     true},
    efxperf(Group::modes, {"extensible", "x"}, "",
            "EFX with a schema that also takes what deviates from it (default)", set_extensible),
    efxperf(Group::modes, {"strict"}, "", "EFX with a schema and nothing beside it", set_strict),
    our_mode("amf3", "AMF3, of objects; XML documents are bound to objects (--bind)"),
    our_mode("hessian", "Hessian 2, of objects as above"),
    our_mode("javaser", "Java serialization, of objects as above"),

    efxperf(Group::direction, {"decode", "d"}, "",
            "decode only; over the network the relay sends and we decode", set_decode),
    efxperf(Group::direction, {"encode", "e"}, "",
            "encode only; over the network we encode and the relay receives", set_encode),

    efxperf(Group::network, {"network", "net"}, "HOST:PORT",
            "through the relay there (net://HOST:PORT, [::1]:8000); localhost starts one on a free "
            "port, localhost:PORT uses the one listening there or starts one",
            set_network),
    ours(Group::network, {"echo"}, "store|cut-through",
         "when the relay answers a round trip: after the last byte (default), or as bytes arrive",
         set_echo),
    ours(Group::network, {"stream"}, "",
         "encode into the connection and decode out of it, while bytes travel", set_stream),
    efxperf(Group::network, {"netrelay"}, "PORT",
            "be the relay: perfrelay PORT, with all other words as its options (-v, --bind, ...)",
            nullptr),
    repeatable(
        Group::network, {"link"}, "LINK",
        "what the results mean on that link, modelled and sent for real as over it, and where "
        "formats overtake each other; repeatable: a name of --list-links, or down=240k,"
        "up=200k,rtt=840ms,jitter=50ms,loss=1%,cold",
        set_link),
    ours(Group::network, {"link-file"}, "FILE", "links of your own: lines NAME = down=240k,...",
         set_link_file),
    ours(Group::network, {"link-time"}, "TIME",
         "how long a row may be sent for real on a link (20s; 0: not at all); what takes longer is "
         "modelled",
         set_link_time),
    ours(Group::network, {"price"}, "PRICE", "what a megabyte (1000000 bytes) costs on links",
         set_price),
    ours(Group::network, {"messages"}, "N",
         "also what N such documents cost on links: sent at once, in turn, on new connections",
         set_messages),
    ours(Group::network, {"emulate"}, "", "send for real whatever time it takes", set_emulate),
    ours(Group::network, {"secret-file"}, "FILE",
         "the secret that relay and client prove to each other; else $PERFRELAY_SECRET",
         set_secret_file),
    ours(Group::network, {"tls-ca"}, "FILE",
         "TLS 1.3 with the relay, whose certificate one of these signed (PEM; system: this "
         "machine's "
         "own list); what it costs is part of what is measured",
         set_tls_ca),
    ours(Group::network, {"tls-cert"}, "FILE", "our certificate, when the relay asks for one (PEM)",
         set_tls_cert),
    ours(Group::network, {"tls-key"}, "FILE", "its key (PEM)", set_tls_key),

    efxperf(Group::measurement, {"repeat", "r"}, "N", "at least N runs (5)", set_repeat),
    efxperf(Group::measurement, {"time", "t"}, "TIME",
            "and at least this long (1s); a bare number is milliseconds; units ns us ms s m h; "
            "without -r and -t up to three times as long, until intervals are as narrow as for "
            "--precision 1% (2% over a network)",
            set_time),
    ours(Group::measurement, {"precision"}, "P%",
         "go on until each row's 95 % interval is within P % of its median, or a row has run for "
         "a minute",
         set_precision),
    efxperf(Group::measurement, {"warmup", "wr"}, "N",
            "before that, at least N runs that do not count (5)", set_warmup),
    efxperf(Group::measurement, {"warmup-time", "warmupTime", "wt"}, "TIME",
            "and at least this long (1s)", set_warmup_time),
    ours(Group::measurement, {"seed"}, "N",
         "of the order in which formats take turns (without it random, and printed) and of what is "
         "generated (1; of data sets their own)",
         set_seed),
    ours(Group::measurement, {"decode-into"}, "parse|materialise",
         "decode into events that are counted and touched (default), or into a document",
         set_decode_into),
    ours(Group::measurement, {"deflate"}, "zlib|libdeflate",
         "the library behind gzip and deflate, the same for every format of a run (zlib)",
         set_deflate),
    ours(Group::measurement, {"require-convergence"}, "",
         "exit 7 unless each row's 95 % interval is within 1 % of its median (2 % over a network), "
         "or "
         "as --precision says",
         set_require_convergence),
    {{"multithread", "mt"},
     "[N]",
     "N threads at once, one a processor without N, each with codecs and a session of its own; "
     "adds documents a second, and what one thread does alone",
     "",
     set_multithread,
     Group::measurement,
     k_optional,
     true,
     true},
    ours(Group::measurement, {"budget"}, "TIME",
         "do it all in this time: links, then warm-up and main are cut to fit, and the report says "
         "so",
         set_budget),
    ours(Group::measurement, {"plan"}, "", "say what would run and how long, and run nothing",
         set_plan),
    ours(Group::measurement, {"processes"}, "N",
         "measure in N fresh processes, one after another, and compare what they agree on: memory "
         "layout makes a format faster or slower for as long as a process lives (1)",
         set_processes),

    ours(Group::documents, {"from"}, "SPEC",
         "how to read inputs that do not say what they are: xml+gzip, ...; else by their first "
         "bytes, then their names",
         set_from),
    ours(Group::documents, {"ws"}, "auto|keep|drop",
         "whitespace-only texts, for every format: auto (default) keeps those that are all of an "
         "element or under xml:space=preserve, and takes the rest for indentation",
         set_whitespace),
    ours(Group::documents, {"generate"}, "KIND[:N]",
         "a document made here, in a file's place: records, mixed, deep (900kB), messages (1kB); "
         "objects as Java has them: company (1000), objects (50), strings (10000)",
         nullptr),
    ours(Group::documents, {"sqlite"}, "FILE",
         "a SQLite database, in a file's place: tables to classes, foreign keys to references",
         nullptr),
    ours(Group::documents, {"max-document"}, "SIZE",
         "refuse larger documents (1GiB); units kB MB GB KiB MiB GiB", set_max_document),
    efxperf(Group::documents, {"schema"}, "FILE.xsd",
            "the schema of the files that follow, for EFX; xsd-types: XML Schema's own types alone",
            nullptr),
    efxperf(Group::documents, {"noschema"}, "", "the files that follow have no schema", nullptr),
    ours(Group::documents, {"schema-id"}, "ID",
         "in EFX's header: options, and how the schema is called there", set_schema_id),
    repeatable(Group::documents, {"catalogue"}, "LOCATION=FILE",
               "where a schema that another imports or includes is: by its location or its "
               "namespace; nothing is fetched",
               set_catalogue),
    later(Group::documents, {"schema-auto"}, k_required),
    ours(Group::documents, {"bind"}, "text|typed",
         "how XML becomes objects: values as text (default), or numbers, booleans and dates where "
         "that is the text's one spelling",
         set_binding),

    efxperf(Group::output, {"quiet", "q"}, "", "the table alone: no run lines, no progress",
            set_quiet),
    efxperf(Group::output, {"verbose", "v"}, "",
            "also what the relay that was started wrote, on standard error", set_verbose),
    ours(Group::output, {"save"}, "DIR",
         "keep each encoded document there, named after file and format", set_save),
    repeatable(Group::output, {k_json}, "FILE",
               "the report as JSON, raw runs included, whatever ends the run (report.schema.json); "
               "- is standard output, in place of the tables",
               set_output<k_json>),
    repeatable(Group::output, {k_jsonl}, "FILE", "the same as JSON Lines: files, rows, runs",
               set_output<k_jsonl>),
    repeatable(Group::output, {k_csv}, "FILE", "a line a run, for spreadsheets and databases",
               set_output<k_csv>),
    repeatable(Group::output, {k_markdown}, "FILE", "tables for GitHub and its like",
               set_output<k_markdown>),
    repeatable(Group::output, {k_html}, "FILE", "one page to look at: charts, tables, method",
               set_output<k_html>),

    ours(Group::other, {"list-formats"}, "", "formats and compressors of this build", nullptr),
    ours(Group::other, {"list-links"}, "", "the links that have names, with their sources",
         nullptr),
    efxperf(Group::other, {"help", "?", "h"}, "", "this text", nullptr),
    ours(Group::other, {"version"}, "", "the version", nullptr),

    command("convert", "[--to SPEC] IN OUT", "any input into any format; convert --help"),
    command("explain", "FILE", "where the bytes of an EXI file go; explain --help"),
    command("load", "[options] HOST:PORT",
            "many sessions at once, or requests at a rate, on a relay; load --help"),
    command("status", "HOST:PORT", "what a relay is doing; status --help"),
    command("reference", "man|bash|zsh|fish", "the man page, or a shell's completion"),
    command("compile-schema", "IN.xsd OUT.cxs",
            "a schema that -schema reads at once; compile-schema --help"),
    command("train-dictionary", "IN... OUT",
            "a dictionary for +zstd:dict=OUT; train-dictionary --help"),
    command("report", "FILE.json...", "show saved reports, or several as one; report --help"),
    command("compare", "OLD.json NEW.json", "what became slower or larger; compare --help"),
    command("doctor", "[HOST:PORT]", "what stands between this machine and good numbers"),
};

}  // namespace

std::span<const OptionLine> option_table() {
    return k_table;
}

}  // namespace perfrelay::client
