#include "client/convert_options.h"

#include <utility>
#include <vector>

#include "client/command_words.h"
#include "client/generate.h"
#include "client/input_kind.h"
#include "client/option_values.h"

namespace perfrelay::client {
namespace {

constexpr std::string_view k_switches[] = {"events", "graph", "trace", "schema-auto"};
constexpr std::string_view k_values[] = {"to", "generate", "sqlite", "schema"};
constexpr std::string_view k_shared[] = {"from",    "ws",   "seed",     "max-document",
                                         "deflate", "bind", "catalogue"};
constexpr Command k_convert{"convert", k_switches, k_values, k_shared};

Refusal refuse(const std::string& line, ExitCode code = ExitCode::usage) {
    return {code, "convert: " + line};
}

class Parser {
  public:
    Parser(std::span<const char* const> words, const FormatTable& formats)
        : words_(words), formats_(formats) {}

    std::variant<ConvertOptions, Refusal> operator()() {
        auto read = read_command(k_convert, words_, result_.common, why_);
        if (!read) return refuse(why_);
        result_.ws_given = read->has("ws");
        result_.help = read->has("help");
        result_.events = read->has("events");
        result_.graph = read->has("graph");
        result_.trace = read->has("trace");
        result_.to = read->value("to");
        if (result_.help) return std::move(result_);
        if (read->has("schema") && read->has("schema-auto"))
            return refuse("--schema and --schema-auto exclude each other");
        if (result_.common.binding == bridge::Binding::schema && !read->has("schema") &&
            !read->has("schema-auto")) {
            return refuse("--bind schema needs one; add --schema FILE.xsd or --schema-auto");
        }
        if (!take_files(*read) || !check()) return refuse(why_, code_);
        return std::move(result_);
    }

  private:
    bool fail(std::string why) {
        why_ = std::move(why);
        return false;
    }

    bool take_files(CommandWords& read) {
        const bool generated = read.has("generate");
        const bool sqlite = read.has("sqlite");
        if (generated && sqlite) return fail("there is one input, and here are two");
        const std::size_t wanted = generated || sqlite ? 1 : 2;
        std::vector<std::string>& files = read.files;
        if (files.size() != wanted) {
            return fail((wanted == 2 ? "IN and OUT are needed (- for standard input and output), "
                                     : "OUT alone is needed beside --generate or --sqlite, ") +
                        std::string("and here are ") + std::to_string(files.size()) +
                        " files; perfclient convert --help shows how");
        }
        std::string in =
            wanted == 2 ? files.front() : read.value("generate") + read.value("sqlite");
        result_.input = {std::move(in), read.value("schema"), generated, sqlite,
                         read.has("schema-auto")};
        result_.output = std::move(files.back());
        return true;
    }

    bool check() {
        const Limits& limits = result_.common.codecs.limits;
        std::string why;
        if (result_.input.generated) {
            const auto generator = parse_generator(result_.input.path, why);
            if (!generator) return fail("--generate " + why);
            if (generator->exceeds(limits.max_document)) {
                return fail("--generate '" + result_.input.path +
                            "': larger than --max-document allows");
            }
        }
        if (!result_.common.from.empty() && !single(result_.common.from, "--from ")) return false;
        if (const int instead = result_.events + result_.graph + result_.trace; instead != 0) {
            return (result_.to.empty() && instead == 1) ||
                   fail("--events, --graph, --trace and --to exclude each other");
        }
        const bool given = !result_.to.empty();
        if (!given && !by_ending()) return false;
        return single(result_.to, given ? "--to " : result_.output + ": ");
    }

    // OUT's ending, else XML: "a.exi", "a.xml.gz" (xml+gzip), "a.gz" (the same).
    bool by_ending() {
        std::string_view name = result_.output;
        std::string packing;
        const InputKind* kind = kind_by_ending(name);
        for (; kind != nullptr && kind->packed; kind = kind_by_ending(name)) {
            packing.insert(0, "+" + std::string(kind->name));
            name = without_ending(name, *kind);
        }
        if (kind != nullptr && kind->name == "sqlite") {
            return fail(result_.output + ": " + std::string(kind->title) + " cannot be written");
        }
        result_.to = (kind != nullptr ? std::string(kind->name) : "xml") + packing;
        return true;
    }

    // Replaces `spec` by its canonical form, if it is one format that can be made.
    bool single(std::string& spec, const std::string& who) {
        std::string why;
        auto one = single_format(formats_, spec, why);
        const CodecOptions codecs = for_trial(result_.common.codecs, result_.input.informed());
        if (!one || formats_.make(*one, codecs, why) == nullptr) {
            code_ = code_of_refused(spec);
            return fail(who + why);
        }
        spec = std::move(*one);
        return true;
    }

    std::span<const char* const> words_;
    const FormatTable& formats_;
    ConvertOptions result_;
    std::string why_;
    ExitCode code_ = ExitCode::usage;
};

}  // namespace

std::variant<ConvertOptions, Refusal> parse_convert(std::span<const char* const> words,
                                                    const FormatTable& formats) {
    return Parser(words, formats)();
}

void write_convert_help(std::ostream& out) {
    out <<
        R"(perfclient convert turns a document in any format into any other.

Usage: perfclient convert [options] IN OUT
       perfclient convert [options] --generate KIND[:N] | --sqlite FILE OUT

IN and OUT are files, or - for standard input and output. An OUT that is a file appears complete or
not at all.

Examples:
  perfclient convert a.xml a.xml.gz              pack it; OUT's ending says how
  perfclient convert a.xml.gz -                  and back, as UTF-8, to standard output
  perfclient convert --to xml+zstd:19 a.xml b    a format by its SPEC (perfclient --list-formats)
  perfclient convert --events a.xml -            what is in it, one event a line
  perfclient convert --graph a.ser -             which objects are in it
  perfclient convert --trace a.exi -             and how it is encoded
  perfclient convert --generate records:1MB --seed 7 r.xml

Options:
  --from SPEC         how to read IN; without it by its first bytes (XML, EXI's cookie, gzip, zstd,
                      LZ4 ...), else by its name, else by EXI's distinguishing bits
  --to SPEC           what to write; without it by OUT's ending, else xml
  --events            write the event listing instead: SD, SE {uri}local, AT, CH ... (what the
                      format of IN does not keep is not shown; of XML, all is)
  --graph             write the objects instead, in the neutral notation: JSON in which every value
                      says what it is (XML is bound to objects, --bind)
  --trace             write what IN is made of instead: each event with its offset, code, bits and
                      value, up to where IN is wrong if it is (of EXI)
  --ws POLICY         whitespace-only texts of IN: keep, drop, or auto, which keeps those that are
                      all of an element or under xml:space=preserve. Without it auto from XML to a
                      format that is not XML, keep in all other cases
  --schema FILE.xsd   the schema that EXI is read and written with; xsd-types: built-in types alone
  --schema-auto       the schema that IN names: XML on its root element, EXI in its header
  --catalogue L=FILE  where a schema that another imports is, by its location or namespace
  --bind HOW          when XML becomes objects: text (default), typed (values typed by their
                      spelling) or schema (values as the schema types them)
  --generate KIND[:N] instead of IN: records, mixed, deep (900kB), messages (1kB); objects as Java
                      has them: company (1000), objects (50), strings (10000)
  --sqlite FILE       instead of IN: a database
  --seed N            of what is generated (1; of data sets their own): same seed, same bytes
  --max-document SIZE refuse a larger IN, packed or unpacked (1GiB)
  --deflate LIBRARY   zlib or libdeflate writes gzip and deflate (zlib)

Exit codes: 0 done; 2 usage; 5 IN or a dictionary cannot be read, or OUT's
format cannot represent it; 6 OUT cannot be written, or interrupted.
)";
}

}  // namespace perfrelay::client
