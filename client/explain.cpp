#include "client/explain.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/byte_account.h"
#include "client/command_words.h"
#include "client/option_values.h"
#include "client/read_document.h"
#include "client/report/layout.h"
#include "client/signals.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr std::size_t k_most_names = 25;

constexpr const char* k_help =
    R"(perfclient explain says where the bytes of an encoded document go.

Usage: perfclient explain [options] FILE

  structure   event codes: which event comes, and that elements end
  names       qualified names, prefixes, declarations
  values      of attributes and elements, comments and the like

First by kind of event, then by name, the most expensive first. An event without a name counts for
the element around it; an element and an attribute of one name are one line. In a compressed
stream, a block's bytes are shared among what it holds in proportion to its size before.

Examples:
  perfclient explain a.exi
  perfclient explain --from exi:align=byte,prefixes a.exi    options that the file does not say
  perfclient explain --all a.exi.gz

Options:
  --from SPEC         how to read FILE; without it by its first bytes, name, first two bits
  --schema FILE.xsd   the schema that FILE was written with; xsd-types: built-in types alone
  --schema-auto       the schema that FILE names in its header (schemaId), beside it
  --catalogue L=FILE  where a schema that another imports is, by its location or namespace
  --all               every name, not the 25 most expensive
  --max-document SIZE refuse a larger FILE, packed or unpacked (1GiB)

Exit codes: 0 done; 2 usage; 5 FILE cannot be read, or its format cannot say;
6 interrupted.
)";

struct ExplainOptions {
    Options common;  // from, codecs
    Input input;
    bool all = false;
    bool help = false;
};

int complain(ExitCode code, const std::string& line) {
    return client::complain(code, "explain: " + line);
}

// Nothing and `why`.
std::optional<ExplainOptions> parse(std::span<const char* const> words, const FormatTable& formats,
                                    std::string& why) {
    static constexpr std::string_view k_switches[] = {"all", "schema-auto"};
    static constexpr std::string_view k_values[] = {"schema"};
    static constexpr std::string_view k_shared[] = {"from", "max-document", "catalogue"};
    ExplainOptions result;
    auto read =
        read_command({"explain", k_switches, k_values, k_shared}, words, result.common, why);
    if (!read) return std::nullopt;
    result.all = read->has("all");
    result.help = read->has("help");
    if (result.help) return result;
    if (read->files.size() != 1) {
        why = "one FILE is needed (- for standard input), and here are " +
              std::to_string(read->files.size()) + "; perfclient explain --help shows how";
        return std::nullopt;
    }
    result.input.path = std::move(read->files.front());
    result.input.schema = read->value("schema");
    result.input.schema_auto = read->has("schema-auto");
    if (result.input.schema_auto && read->has("schema")) {
        why = "--schema and --schema-auto exclude each other";
        return std::nullopt;
    }
    if (read->has("from") && !single_format(formats, result.common.from, why)) {
        why = "--from " + why;
        return std::nullopt;
    }
    return result;
}

using Cost = ByteAccount::Cost;
using Line = std::pair<std::string, Cost>;

// Of what parts a file is made: what each costs in it and, where it is packed, inside.
class PartsTable {
  public:
    PartsTable(const char* what, const ByteAccount& account, std::size_t file_bytes)
        : packed_(account.is_packed()),
          file_bits_(8.0 * static_cast<double>(file_bytes)),
          table_(columns(what, packed_), 2) {}

    void line(const Line& line) {
        const Cost& cost = line.second;
        std::vector<std::string> cells{std::to_string(cost.count)};
        for (const double bits : cost.in_file)
            cells.push_back(bytes(bits));
        row(std::move(cells), cost.total_in_file(), bytes(static_cast<double>(cost.total_inside())),
            line.first);
    }
    // What has no parts: the header, padding.
    void other(const std::string& what, double bits) {
        row(std::vector<std::string>(1 + ByteAccount::k_parts), bits, "", what);
    }
    std::string text() const { return table_.text(); }

  private:
    static std::vector<Column> columns(const char* what, bool packed) {
        std::vector<Column> all;
        for (const char* heading : {"COUNT", "STRUCTURE", "NAMES", "VALUES", "BYTES", "SHARE"})
            all.push_back({.heading = {heading}, .width = 9, .heading_right = true});
        if (packed) all.push_back({.heading = {"UNPACKED"}, .width = 9, .heading_right = true});
        all.push_back({.heading = {what}, .right = false});
        return all;
    }
    static std::string bytes(double bits) { return format_fixed(bits / 8, 1); }
    void row(std::vector<std::string> cells, double bits, const std::string& unpacked,
             const std::string& what) {
        cells.push_back(bytes(bits));
        cells.push_back(format_fixed(file_bits_ == 0 ? 0 : 100 * bits / file_bits_, 1) + " %");
        if (packed_) cells.push_back(unpacked);
        cells.push_back(printable(what));
        table_.row(std::move(cells));
    }

    bool packed_;
    double file_bits_;
    Table table_;
};

std::vector<Line> by_cost(const std::map<std::string, Cost, std::less<>>& costs) {
    std::vector<Line> lines(costs.begin(), costs.end());
    std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return a.second.total_in_file() > b.second.total_in_file();
    });
    return lines;
}

void print(std::ostream& out, const ReadDocument& read, const ByteAccount& account, bool all) {
    const Document& document = read.document;
    const std::size_t size = document.source.size();
    out << printable(document.name) << ": " << document.source_spec << ", " << format_bytes(size);
    if (read.file_bytes != size) out << " (packed " << format_bytes(read.file_bytes) << ")";
    if (account.is_packed()) {
        out << "; " << account.streams() << " compressed streams hold "
            << format_bytes(account.unpacked_bytes());
    }
    out << '\n';

    PartsTable kinds("KIND", account, size);
    const Cost total = account.total();
    const auto header = static_cast<double>(account.header_bits());
    for (const Line& line : by_cost(account.events()))
        kinds.line(line);
    kinds.line({"all events", total});
    kinds.other("header", header);
    kinds.other("padding", 8.0 * static_cast<double>(size) - header - total.total_in_file());

    std::vector<Line> names = by_cost(account.names());
    const std::size_t hidden =
        all || names.size() <= k_most_names ? 0 : names.size() - k_most_names;
    names.resize(names.size() - hidden);
    PartsTable by_name("NAME", account, size);
    for (const Line& line : names)
        by_name.line(line);
    out << '\n' << kinds.text() << '\n' << by_name.text();
    if (hidden != 0) out << "and " << hidden << " more names; --all shows them\n";
}

int explain(const ExplainOptions& options, const FormatTable& formats) {
    const std::atomic<int>& stop = install_signals();
    std::string why;
    SchemaShelf schemas(options.common.catalogue);
    auto read = read_source(options.input, options.common, formats, schemas, &stop, why);
    if (!read) return complain(stop != 0 ? ExitCode::partial : ExitCode::bad_input, why);
    const Document& document = read->document;
    const std::string name = options.input.path == "-" ? "standard input" : document.name;
    const std::unique_ptr<Codec> codec = formats.make(document.source_spec, read->codecs, why);
    if (codec == nullptr) return complain(ExitCode::bad_input, name + ": " + why);

    ByteAccount account;
    if (auto done = codec->trace(document.source.view(), account); !done) {
        return complain(ExitCode::bad_input,
                        name + ": " + document.source_spec + ": " + describe(done.error()));
    }
    account.finish();
    print(std::cout, *read, account, options.all);
    std::cout.flush();
    return status(std::cout ? ExitCode::ok : ExitCode::partial);
}

}  // namespace

int explain_main(std::span<const char* const> words, const FormatTable& formats) {
    std::string why;
    const std::optional<ExplainOptions> options = parse(words, formats, why);
    if (!options) return complain(ExitCode::usage, why);
    if (!options->help) {
        try {
            return explain(*options, formats);
        } catch (const std::bad_alloc&) {
            return complain(ExitCode::bad_input,
                            options->input.path + ": not enough memory for this document");
        }
    }
    std::cout << k_help;
    return status(ExitCode::ok);
}

}  // namespace perfrelay::client
