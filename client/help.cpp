#include "client/help.h"

#include <algorithm>
#include <string>
#include <vector>

#include "client/exit_codes.h"
#include "client/normalise.h"
#include "client/report/layout.h"
#include "common/cli/units.h"
#include "common/net/link.h"

namespace perfrelay::client {
namespace {

constexpr std::size_t k_width = 100;

// `left`, then `text` in a column of its own from `column` on, broken between words.
void two_columns(std::ostream& out, std::string_view left, std::size_t column,
                 std::string_view text) {
    std::string line = "  " + std::string(left);
    if (line.size() + 2 > column && !text.empty()) {
        out << line << '\n';
        line.clear();
    }
    line.resize(std::max(line.size(), column), ' ');
    while (line.size() + text.size() > k_width) {
        std::size_t cut = text.rfind(' ', k_width - line.size());
        if (cut == std::string_view::npos) cut = text.find(' ');
        if (cut == std::string_view::npos) break;
        out << line << text.substr(0, cut) << '\n';
        text.remove_prefix(cut + 1);
        line.assign(column, ' ');
    }
    line += text;
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
}

// "-repeat, -r N", "--seed N".
std::string spelling(const OptionLine& line) {
    std::string text;
    for (const std::string_view name : line.names) {
        if (name.empty()) continue;
        if (!text.empty()) text += ", ";
        if (line.group != OptionGroup::commands) text += line.efxperf ? "-" : "--";
        text += name;
    }
    if (!line.value.empty()) text += " " + std::string(line.value);
    return text;
}

}  // namespace

std::string_view option_group_title(OptionGroup group) {
    switch (group) {
        case OptionGroup::modes:
            return "Modes (what to measure; any number; without one, the formats marked *)";
        case OptionGroup::direction:
            return "Direction (without one: encode and decode; over the network, the round trip)";
        case OptionGroup::network: return "Network (without it: in memory)";
        case OptionGroup::measurement: return "Measurement (both minima hold, runs and time)";
        case OptionGroup::documents: return "Documents (- is standard input)";
        case OptionGroup::output: return "Output";
        case OptionGroup::other: return "Other";
        case OptionGroup::commands: return "Commands (the first word)";
    }
    return "";
}

namespace {

void write_group(std::ostream& out, OptionGroup group) {
    constexpr std::size_t k_column = 36;
    out << '\n' << option_group_title(group) << ":\n";
    for (const OptionLine& line : option_table()) {
        if (line.group == group) two_columns(out, spelling(line), k_column, line.help);
    }
}

}  // namespace

void write_formats(std::ostream& out, const FormatTable& formats) {
    constexpr std::size_t k_column = 24;
    out << "Formats (SPEC, shown with * in the headline set):\n";
    for (const FormatLine& line : formats.formats) {
        std::string left = (line.headline ? "* " : "  ") + line.spec;
        if (!line.alias.empty()) left += ", " + line.alias;
        two_columns(out, left, k_column, line.summary);
    }
    std::string typed;
    for (const FormatLine& line : formats.formats) {
        if (line.make_typed != nullptr) typed += (typed.empty() ? "of " : ", ") + line.spec;
    }
    out << "\nOptions of some (after a colon, as in exi:typed):\n";
    two_columns(out, "  typed", k_column,
                typed +
                    ": decode delivers numbers, dates, octets in place of text, as the file's "
                    "schema types them; such rows are compared apart");
    out << "\nCompressors (after any SPEC, as in xml+gzip):\n";
    for (const CompressorLine& line : formats.compressors) {
        two_columns(out, "  +" + line.name, k_column, line.summary);
    }
}

void write_links(std::ostream& out) {
    Table table({{.heading = {"LINK"}, .right = false},
                 {.heading = {"DOWN"}, .heading_right = true},
                 {.heading = {"UP"}, .heading_right = true},
                 {.heading = {"RTT"}, .heading_right = true},
                 {.heading = {"LOSS"}, .heading_right = true},
                 {.heading = {"SOURCE OF THE FIGURES"}, .right = false}},
                2);
    for (const net::Link& link : net::built_in_links()) {
        const std::string loss = link.loss > 0 ? format_fixed(link.loss * 100, 1) + " %" : "-";
        table.row({link.name, net::format_rate(link.down), net::format_rate(link.up),
                   format_duration(static_cast<double>(link.rtt)), loss, link.source});
    }
    out << "Rates in bit/s, k M G are powers of 1,000; RTT is that of an empty message.\n"
        << table.text();
}

void write_help(std::ostream& out, const FormatTable& formats) {
    out << "perfclient measures how documents are encoded, sent through a relay and decoded.\n"
           "\n"
           "Usage: perfclient [modes] [options] ([-schema XSD | --schema-auto | -noschema] "
           "file...)+\n"
           "\n"
           "Examples:\n"
           "  perfclient test.xml                               the headline formats, in memory\n"
           "  perfclient -net host2:8000 -xml -gzxml test.xml   through `perfrelay 8000` on host2\n"
           "  perfclient -net localhost -d -t 5s --format xml+zstd:3 a.xml b.xml\n"
           "                                                    decode, through a relay of its "
           "own\n"
           "\n"
           "Every option may be written with one dash or two, -repeat 5 or --repeat=5.\n";
    for (const OptionGroup group :
         {OptionGroup::modes, OptionGroup::direction, OptionGroup::network,
          OptionGroup::measurement, OptionGroup::documents, OptionGroup::output, OptionGroup::other,
          OptionGroup::commands}) {
        write_group(out, group);
    }
    out << '\n';
    write_formats(out, formats);
    out << "\nExit codes:\n";
    for (const ExitCodeLine& line : exit_code_table()) {
        two_columns(out, std::to_string(status(line.code)), 5, line.meaning);
    }
}

}  // namespace perfrelay::client
