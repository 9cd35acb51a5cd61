#include "client/explain.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/byte_account.h"
#include "client/normalise.h"
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
  --all               every name, not the 25 most expensive
  --max-document SIZE refuse a larger FILE, packed or unpacked (1GiB)

Exit codes: 0 done; 2 usage, or not in this build; 5 FILE cannot be read, or its format cannot say;
6 interrupted.
)";

struct ExplainOptions {
    Options common;  // from, codecs
    Input input;
    bool all = false;
    bool help = false;
};

int complain(ExitCode code, const std::string& line) {
    std::cerr << "perfclient: explain: " << printable(line) << '\n';
    return status(code);
}

// Nothing and `why`.
std::optional<ExplainOptions> parse(std::span<const char* const> words, std::string& why) {
    ExplainOptions result;
    std::vector<std::string> files;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word == "-" || !word.starts_with('-')) {
            files.emplace_back(word);
            continue;
        }
        const std::size_t equals = std::min(word.find('='), word.size());
        const std::string spelling(word.substr(0, equals));
        const std::string_view name =
            std::string_view(spelling).substr(spelling.starts_with("--") ? 2 : 1);
        const OptionLine* const line = find_option(name);
        const std::string_view known = line != nullptr ? line->names.front() : name;
        if (known == "help" || known == "all") {
            (known == "help" ? result.help : result.all) = true;
            continue;
        }
        if (known != "from" && known != "max-document") {
            why = spelling +
                  (line == nullptr ? ": unknown option"
                   : !line->built  ? " is not in this build"
                                   : " is no option of explain") +
                  "; perfclient explain --help lists them";
            return std::nullopt;
        }
        std::string value;
        if (equals < word.size()) {
            value = word.substr(equals + 1);
        } else if (i + 1 < words.size()) {
            value = words[++i];
        }
        if (value.empty()) {
            why = spelling + " needs a value";
            return std::nullopt;
        }
        if (!line->set(result.common, value, why)) {
            why = spelling + " " + why;
            return std::nullopt;
        }
    }
    if (!result.help && files.size() != 1) {
        why = "one FILE is needed (- for standard input), and here are " +
              std::to_string(files.size()) + "; perfclient explain --help shows how";
        return std::nullopt;
    }
    if (!files.empty()) result.input.path = std::move(files.front());
    return result;
}

using Cost = ByteAccount::Cost;
using Line = std::pair<std::string, Cost>;

// A table over the parts: what each costs in the file and, where that is packed, inside.
class Table {
  public:
    Table(std::ostream& out, const ByteAccount& account, std::size_t file_bytes)
        : out_(out),
          packed_(account.is_packed()),
          file_bits_(8.0 * static_cast<double>(file_bytes)) {}

    void heading(const std::string& what) {
        out_ << '\n';
        row(what, {"COUNT", "STRUCTURE", "NAMES", "VALUES", "BYTES", "SHARE"},
            packed_ ? "UNPACKED" : "");
    }
    void line(const Line& line) {
        const Cost& cost = line.second;
        std::array<std::string, 6> cells{std::to_string(cost.count)};
        for (std::size_t part = 0; part < ByteAccount::k_parts; ++part)
            cells[part + 1] = bytes(cost.in_file[part]);
        share(line.first, cells, cost.total_in_file(),
              packed_ ? bytes(static_cast<double>(cost.total_inside())) : "");
    }
    // What has no parts: the header, padding.
    void other(const std::string& what, double bits) { share(what, {}, bits, ""); }

  private:
    static std::string bytes(double bits) { return format_fixed(bits / 8, 1); }
    void share(const std::string& what, std::array<std::string, 6> cells, double bits,
               const std::string& unpacked) {
        cells[4] = bytes(bits);
        cells[5] = format_fixed(file_bits_ == 0 ? 0 : 100 * bits / file_bits_, 1) + " %";
        row(what, cells, unpacked);
    }
    void row(const std::string& what, const std::array<std::string, 6>& cells,
             const std::string& unpacked) {
        constexpr std::size_t k_cell = 11;
        std::string text;
        const auto put = [&](const std::string& cell) {
            text += std::string(cell.size() < k_cell ? k_cell - cell.size() : 1, ' ') + cell;
        };
        for (const std::string& cell : cells)
            put(cell);
        if (packed_) put(unpacked);
        out_ << text << "  " << printable(what) << '\n';
    }

    std::ostream& out_;
    bool packed_;
    double file_bits_;
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

    Table table(out, account, size);
    const Cost total = account.total();
    const auto header = static_cast<double>(account.header_bits());
    table.heading("KIND");
    for (const Line& line : by_cost(account.events()))
        table.line(line);
    table.line({"all events", total});
    table.other("header", header);
    table.other("padding", 8.0 * static_cast<double>(size) - header - total.total_in_file());

    std::vector<Line> names = by_cost(account.names());
    const std::size_t hidden =
        all || names.size() <= k_most_names ? 0 : names.size() - k_most_names;
    names.resize(names.size() - hidden);
    table.heading("NAME");
    for (const Line& line : names)
        table.line(line);
    if (hidden != 0) out << "and " << hidden << " more names; --all shows them\n";
}

int explain(ExplainOptions& options, const FormatTable& formats) {
    const std::atomic<int>& stop = install_signals();
    std::string why;
    Options& common = options.common;
    if (!common.from.empty()) {
        const std::vector<std::string> specs = formats.expand(common.from, why);
        if (specs.size() != 1) {
            return complain(
                ExitCode::usage,
                "--from " + (specs.empty() ? why : "'" + common.from + "': several formats"));
        }
    }
    auto read = read_source(options.input, common, formats, &stop, why);
    if (!read) return complain(stop != 0 ? ExitCode::partial : ExitCode::bad_input, why);
    const Document& document = read->document;
    const std::string name = options.input.path == "-" ? "standard input" : document.name;
    const std::unique_ptr<Codec> codec = formats.make(document.source_spec, common.codecs, why);
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
    std::optional<ExplainOptions> options = parse(words, why);
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
