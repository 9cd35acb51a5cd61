// The option table: every option of perfclient, a line each; what it does to Options is in
// option_setters.

#include "client/normalise.h"
#include "client/option_setters.h"

namespace perfrelay::client {
namespace {

constexpr std::string_view k_json = "json";
constexpr std::string_view k_jsonl = "jsonl";
constexpr std::string_view k_csv = "csv";
constexpr std::string_view k_markdown = "markdown";
constexpr std::string_view k_html = "html";

template <const std::string_view& Kind>
bool set_output(Options& options, const std::string& value, std::string&) {
    options.outputs.push_back({std::string(Kind), value});
    return true;
}
using Group = OptionGroup;
using Names = std::array<std::string_view, 4>;
constexpr OptionArgument k_none = OptionArgument::none;
constexpr OptionArgument k_required = OptionArgument::required;
constexpr OptionArgument k_optional = OptionArgument::optional_number;

// One of efxperf's options, one of ours.
constexpr OptionLine efxperf(Group group, Names names, std::string_view value,
                             std::string_view help, decltype(OptionLine::set) set) {
    return {names, value, help, "", set, group, value.empty() ? k_none : k_required, true};
}
constexpr OptionLine ours(Group group, Names names, std::string_view value, std::string_view help,
                          decltype(OptionLine::set) set) {
    return {names, value, help, "", set, group, value.empty() ? k_none : k_required, false};
}
constexpr OptionLine repeatable(Group group, Names names, std::string_view value,
                                std::string_view help, decltype(OptionLine::set) set) {
    OptionLine line = ours(group, names, value, help, set);
    line.repeatable = true;
    return line;
}
constexpr OptionLine mode(std::string_view name, std::string_view help) {
    return {{name}, "", help, name, nullptr, Group::modes, k_none, true};
}
constexpr OptionLine our_mode(std::string_view name, std::string_view help) {
    return {{name}, "", help, name, nullptr, Group::modes, k_none, false};
}
constexpr OptionLine command(std::string_view name, std::string_view words, std::string_view help) {
    return {{name}, words, help, "", nullptr, Group::commands, k_none, false};
}

constexpr OptionLine k_table[] = {
    mode("xml", "XML text"),
    mode("gzxml", "XML text, gzip"),
    {{"efx", "exi"}, "", "Efficient XML: W3C EXI 1.0", "efx", nullptr, Group::modes, k_none, true},
    mode("transcode",
         "XML text to EXI (encode) and EXI to XML text (decode), without a document "
         "in between"),
    repeatable(Group::modes, {"format"}, "SPEC",
               "any format, repeatable: NAME[:OPTION[,OPTION...]][+COMPRESSOR[:LEVEL]...]",
               set_format),
    {{"zip"}, "", "EFX with EXI's compression", "", set_zip, Group::modes, k_none, true},
    {{"lexical", "l"},
     "",
     "EFX that keeps values as they are written (lexicalValues)",
     "",
     set_lexical,
     Group::modes,
     k_none,
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
    ours(Group::documents, {"schema-auto"}, "",
         "each file that follows has the schema it names itself, xsi:schemaLocation of the root or "
         "EXI's schemaId: beside it or in the catalogue; -schema or -noschema ends this",
         nullptr),
    ours(Group::documents, {"bind"}, "text|typed|schema",
         "how XML becomes objects: values as text (default); numbers, booleans and dates where "
         "that is the text's one spelling; or what the file's schema says that they are",
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
