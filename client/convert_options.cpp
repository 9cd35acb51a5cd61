#include "client/convert_options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "client/generate.h"
#include "client/input_kind.h"
#include "client/normalise.h"

namespace perfrelay::client {
namespace {

// Options of the option table that convert has too.
constexpr std::array<std::string_view, 7> k_shared{"from",         "ws",      "generate", "seed",
                                                   "max-document", "deflate", "bind"};

Refusal refuse(const std::string& line) {
    return {ExitCode::usage, "perfclient: convert: " + line};
}

class Parser {
  public:
    Parser(std::span<const char* const> words, const FormatTable& formats)
        : words_(words), formats_(formats) {}

    std::variant<ConvertOptions, Refusal> operator()() {
        std::vector<std::string> files;
        bool only_files = false;
        for (; at_ < words_.size(); ++at_) {
            const std::string_view word = words_[at_];
            if (!only_files && word == "--") {
                only_files = true;
            } else if (only_files || word.size() < 2 || word.front() != '-') {
                files.emplace_back(word);
            } else if (!take_option(word)) {
                return refuse(why_);
            }
        }
        if (result_.help) return std::move(result_);
        if (!take_files(std::move(files)) || !check()) return refuse(why_);
        return std::move(result_);
    }

  private:
    bool fail(std::string why) {
        why_ = std::move(why);
        return false;
    }

    bool take_option(std::string_view word) {
        const std::size_t dashes = word.starts_with("--") ? 2 : 1;
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string_view name = word.substr(dashes, equals - dashes);
        const std::string spelling(word.substr(0, equals));
        std::optional<std::string> value;
        if (equals < word.size()) value = std::string(word.substr(equals + 1));

        const OptionLine* const line = find_option(name);
        const std::string_view known = line != nullptr ? line->names.front() : name;
        if (bool* const given = switch_of(known)) {
            if (value) return fail(spelling + " takes no value, and here is '" + *value + "'");
            *given = true;
            return true;
        }
        const bool shared = std::find(k_shared.begin(), k_shared.end(), known) != k_shared.end();
        if (known != "to" && known != "sqlite" && !shared) {
            if (line != nullptr && !line->built) return fail(spelling + " is not in this build");
            return fail(spelling +
                        (line != nullptr ? " is no option of convert" : ": unknown option") +
                        "; perfclient convert --help lists them");
        }
        return take_value(spelling, value) && apply(known, spelling, *value);
    }

    bool* switch_of(std::string_view name) {
        if (name == "help") return &result_.help;
        if (name == "events") return &result_.events;
        if (name == "graph") return &result_.graph;
        return name == "trace" ? &result_.trace : nullptr;
    }

    bool take_value(const std::string& spelling, std::optional<std::string>& value) {
        const std::string_view next = at_ + 1 < words_.size() ? words_[at_ + 1] : "";
        if (!value && !next.empty() && next.front() != '-') {
            value = std::string(next);
            ++at_;
        }
        return (value && !value->empty()) || fail(spelling + " needs a value");
    }

    bool apply(std::string_view name, const std::string& spelling, const std::string& value) {
        if (name == "to") {
            result_.to = value;
        } else if (name == "generate" || name == "sqlite") {
            if (has_input()) return fail(spelling + ": there is one input, and here are two");
            result_.input = {value, "", name == "generate", name == "sqlite"};
        } else {
            std::string why;
            if (!find_option(name)->set(result_.common, value, why)) {
                return fail(spelling + " " + why);
            }
            if (name == "ws") result_.ws_given = true;
        }
        return true;
    }

    // One that is no file among the words.
    bool has_input() const { return result_.input.generated || result_.input.sqlite; }

    bool take_files(std::vector<std::string> files) {
        const std::size_t wanted = has_input() ? 1 : 2;
        if (files.size() != wanted) {
            return fail((wanted == 2 ? "IN and OUT are needed (- for standard input and output), "
                                     : "OUT alone is needed beside --generate or --sqlite, ") +
                        std::string("and here are ") + std::to_string(files.size()) +
                        " files; perfclient convert --help shows how");
        }
        if (wanted == 2) result_.input.path = std::move(files.front());
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
        const std::vector<std::string> specs = formats_.expand(spec, why);
        if (specs.empty()) return fail(who + why);
        if (specs.size() > 1) return fail(who + "'" + spec + "': several formats");
        if (formats_.make(specs.front(), result_.common.codecs, why) == nullptr) {
            return fail(who + why);
        }
        spec = specs.front();
        return true;
    }

    std::span<const char* const> words_;
    const FormatTable& formats_;
    std::size_t at_ = 0;
    ConvertOptions result_;
    std::string why_;
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
  --bind text|typed   when XML becomes objects: values as text (default), or typed by their spelling
  --generate KIND[:N] instead of IN: records, mixed, deep (900kB), messages (1kB); objects as Java
                      has them: company (1000), objects (50), strings (10000)
  --sqlite FILE       instead of IN: a database
  --seed N            of what is generated (1; of data sets their own): same seed, same bytes
  --max-document SIZE refuse a larger IN, packed or unpacked (1GiB)
  --deflate LIBRARY   zlib or libdeflate writes gzip and deflate (zlib)

Exit codes: 0 done; 2 usage, or not in this build; 5 IN cannot be read, or OUT's format cannot
represent it; 6 OUT cannot be written, or interrupted.
)";
}

}  // namespace perfrelay::client
