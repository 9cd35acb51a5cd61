// write_markdown: tables that GitHub, GitLab and CommonMark with tables show.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/report/emulated.h"
#include "client/report/layout.h"
#include "client/report/report.h"
#include "client/report/results.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"
#include "common/net/link.h"

namespace perfrelay::client {
namespace {

// What Markdown would take for its own, and what would break a cell.
std::string plain(const std::string& text) {
    std::string out;
    for (const char c : printable(text)) {
        if (std::string_view("\\`*_{}[]<>#|~!&").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

class MarkdownTable {
  public:
    // `left`: so many columns from the left hold words, the others numbers.
    MarkdownTable(const std::vector<std::string>& headings, std::size_t left) {
        row(headings);
        text_ += "|";
        for (std::size_t i = 0; i < headings.size(); ++i)
            text_ += i < left ? " :-- |" : " --: |";
        text_ += "\n";
    }
    void row(const std::vector<std::string>& cells) {
        text_ += "|";
        for (const std::string& cell : cells)
            text_ += " " + cell + " |";
        text_ += "\n";
    }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

std::string interval(const measure::Summary& summary) {
    if (!summary.has_interval) return "none";
    return format_duration(summary.low) + " to " + format_duration(summary.high);
}

std::string rows_of(const Report& report, const FileReport& file) {
    const std::vector<Quantity> shown = row_quantities(report);
    std::vector<std::string> headings = {"Format", "Size, bytes", "Ratio"};
    for (const Quantity quantity : shown)
        headings.emplace_back(name(report, quantity));
    headings.push_back(std::string("95 % interval of ") + name(report, shown.back()));
    MarkdownTable table(headings, 1);
    std::string remarks;
    for (const Row& row : file.rows) {
        const RowResults results = row_results(report, file, row);
        const std::string title = plain(row.codec.title);
        std::vector<std::string> cells = {title, row.size == 0 ? "" : std::to_string(row.size),
                                          row.size == 0 ? "" : format_fixed(results.size_ratio, 4)};
        if (has_times(row)) {
            for (const Quantity quantity : shown)
                cells.push_back(
                    format_duration(measure::summarise(values(row.main, quantity)).median));
            cells.push_back(interval(summary(row.main, shown.back())));
        } else {
            cells.resize(headings.size());
        }
        table.row(cells);
        std::vector<std::string> said = results.notes;
        said.insert(said.end(), results.warnings.begin(), results.warnings.end());
        if (!results.remark.empty()) said.insert(said.begin(), results.remark);
        for (const std::string& each : said)
            remarks += "- " + title + ": " + plain(each) + "\n";
    }
    return table.text() + (remarks.empty() ? "" : "\n" + remarks);
}

// What was sent over emulated links, and what was not.
std::string sent_of(const Report& report, const FileReport& file, const FileResults& results) {
    std::string text;
    if (!results.sent.empty()) {
        MarkdownTable table(
            {"Link", "Format", "Runs", "Transmit", "Total", "Model", "Off", "Late", "Repeated"}, 2);
        for (const EmulatedTotal& each : results.sent) {
            table.row({plain(each.link), plain(each.title), std::to_string(each.runs),
                       format_duration(each.transmit), format_duration(each.total),
                       format_duration(each.model), format_deviation(each.off),
                       std::to_string(each.late), std::to_string(each.repeated)});
        }
        text += "\nSent for real, each byte when it was due; means of the runs:\n\n" + table.text();
    }
    if (!results.points.empty()) {
        MarkdownTable table({"Format", "Speed, bit/s", "Curve", "Sent", "Off", "Transfer off"}, 1);
        for (const VerifiedPoint& each : results.points) {
            table.row({plain(each.title), net::format_rate(static_cast<std::uint64_t>(each.rate)),
                       format_duration(each.curve), format_duration(each.sent),
                       format_deviation(each.off), format_deviation(each.transfer_off)});
        }
        text +=
            "\nPoints of the curves of total time by speed, sent for real once:\n\n" + table.text();
    }
    const std::vector<std::string> modelled = not_emulated(report, file);
    if (!modelled.empty()) text += "\nModelled alone:\n\n";
    for (const std::string& note : modelled)
        text += "- " + plain(note) + "\n";
    return text;
}

std::string links_of(const Report& report, const FileReport& file, const FileResults& results) {
    const auto title = [&](const std::string& spec) {
        return plain(find_row(file, spec)->codec.title);
    };
    std::string text;
    if (!results.links.empty()) {
        MarkdownTable table(
            {"Link", "Format", "Packets", "Transmit", "Processor", "Total", "Ratio"}, 2);
        for (const LinkTotal& cell : results.links) {
            const std::string total = format_duration(cell.total);
            table.row({plain(cell.link), title(cell.spec), std::to_string(cell.packets),
                       format_duration(cell.transmit), format_duration(cell.processor.median),
                       cell.best ? "**" + total + "**" : total, format_fixed(cell.ratio, 4)});
        }
        text +=
            "\nOn links, modelled from exact sizes and the measured processor time; the best "
            "total of a link is bold:\n\n" +
            table.text();
    }
    if (!results.crossovers.empty()) {
        MarkdownTable table({"Smaller", "Larger", "The smaller is faster in all"}, 3);
        for (const CrossoverResult& found : results.crossovers)
            table.row({title(found.smaller), title(found.larger), found.text});
        text += "\nCross-over, the same speed both ways:\n\n" + table.text();
    }
    return text + sent_of(report, file, results);
}

std::string sets_of(const Report& report, const ReportResults& results) {
    if (results.sets.empty()) return "";
    std::vector<std::string> headings = {"Format", "Files", "Size"};
    for (const QuantityTitle& quantity : results.quantities)
        headings.push_back(quantity.title);
    MarkdownTable table(headings, 1);
    const std::vector<Mode> all = modes(report);
    const auto title = [&](const std::string& spec) {
        return plain(std::ranges::find(all, spec, &Mode::spec)->title);
    };
    for (const SetResult& set : results.sets) {
        std::vector<std::string> cells = {title(set.spec), std::to_string(set.files)};
        for (const auto& [name, ratio] : set.ratios) {
            const int decimals = decimals_for(ratio.ratio, 3);
            cells.push_back(format_fixed(ratio.ratio, decimals));
            if (!ratio.has_interval) continue;
            cells.back() += " (" + format_fixed(ratio.low, decimals) + " to " +
                            format_fixed(ratio.high, decimals) + ")";
        }
        table.row(cells);
    }
    return "\n## All files together\n\nGeometric means of ratios to " +
           plain(set_baselines(results.sets, all)) + ", with 95 % intervals over the files.\n\n" +
           table.text();
}

std::string list(const char* heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return "";
    std::string text = std::string("\n## ") + heading + "\n\n";
    for (const std::string& line : lines) {
        const std::size_t indent = line.find_first_not_of(' ');
        if (indent == std::string::npos) continue;
        text += (indent > 2 ? "  - " : "- ") + plain(line.substr(indent)) + "\n";
    }
    return text;
}

}  // namespace

void write_markdown(const Report& report, std::ostream& out) {
    const ReportResults results = report_results(report);
    std::string text =
        "# perfclient: " +
        std::string(report.files.size() == 1 ? "1 file"
                                             : std::to_string(report.files.size()) + " files") +
        "\n";
    if (report.partial) text += "\n**Partial:** the run ended early.\n";
    for (const std::string& message : report.messages)
        text += "\n> " + plain(message) + "\n";
    for (const FileReport& file : report.files) {
        text += "\n## " + plain(file.name);
        if (!report.parts.empty()) text += ", part " + std::to_string(file.part + 1);
        text += "\n\n";
        if (!file.error.empty()) {
            text += plain(file.error) + "\n";
            continue;
        }
        text += format_bytes(file.bytes) + ". Times are medians of a document.\n\n";
        text += rows_of(report, file) + links_of(report, file, file_results(report, file));
    }
    text += sets_of(report, results);
    text += list("What these rows are", results.rows);
    text += list("How they were measured", results.method);
    text += list("Warnings", results.warnings);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace perfrelay::client
