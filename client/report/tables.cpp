// The tables of the text report: efxperf's, a column a format, and the long one, a row a format.

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

constexpr double k_ns_a_ms = 1e6;
constexpr std::size_t k_size_width = 8;
constexpr std::size_t k_time_width = 9;
constexpr std::size_t k_file_width = 31;
constexpr int k_ratio_decimals = 4;

// Decimals that show the smallest time of a table with three digits: the same in all its cells, so
// that they align.
class Milliseconds {
  public:
    void include(const FileReport& file, const std::vector<Quantity>& shown) {
        for (const Row& row : file.rows) {
            if (!has_times(row)) continue;
            for (const Quantity quantity : shown) {
                const double ms = summary(row.main, quantity).median / k_ns_a_ms;
                if (ms > 0) smallest_ = std::min(smallest_, ms);
            }
        }
    }
    std::string text(double nanoseconds) const {
        return format_fixed(nanoseconds / k_ns_a_ms, std::clamp(decimals_for(smallest_, 3), 2, 6));
    }

  private:
    double smallest_ = std::numeric_limits<double>::max();
};

std::string size_text(const Row* row) {
    return row == nullptr || row->size == 0 ? "-" : std::to_string(row->size);
}

// What stands where a time would: it fits a column; the reason follows under the table.
std::string no_time(const Row* row) {
    if (row == nullptr) return "-";
    switch (row->status) {
        case RowStatus::not_representable: return "not repr.";
        case RowStatus::failed: return "FAILED";
        case RowStatus::unmeasured:
        case RowStatus::timed: break;
    }
    return "not meas.";
}

bool any_from_source(const Report& report) {
    return std::any_of(report.files.begin(), report.files.end(), [](const FileReport& file) {
        return std::any_of(file.rows.begin(), file.rows.end(),
                           [](const Row& row) { return row.from_source; });
    });
}

// Whether a row needs what is not sent with its documents.
bool any_shared(const Report& report) {
    const std::vector<Mode> all = modes(report);
    return std::any_of(all.begin(), all.end(),
                       [](const Mode& mode) { return mode.codec->shared_bytes != 0; });
}

std::string shared_lines(const std::vector<Mode>& all) {
    std::string text;
    for (const Mode& mode : all) {
        if (mode.codec->shared_bytes == 0) continue;
        text += "  " + mode.title + " needs " + format_bytes(mode.codec->shared_bytes) +
                " more, which both sides hold before anything is sent.\n";
    }
    return text;
}

std::string remarks(const FileReport& file) {
    std::string text;
    if (!file.error.empty()) text += printable(file.error) + "\n";
    for (const Row& row : file.rows) {
        const std::string said = remark(row);
        if (said.empty()) continue;
        text += row.codec.title + ", " + printable(file.name) + ": " + printable(said) + "\n";
    }
    return text;
}

Table empty_columns(const Report& report, const std::vector<Mode>& all,
                    const std::vector<Quantity>& groups, bool sizes) {
    std::vector<Column> columns;
    columns.reserve(all.size() * (groups.size() + 1) + 1);
    for (const Mode& mode : all) {
        if (sizes) columns.push_back({{mode.title, "SIZE*"}, k_size_width});
    }
    for (const Quantity quantity : groups) {
        for (const Mode& mode : all) {
            columns.push_back(
                {{mode.title, std::string(name(report, quantity)) + "**"}, k_time_width});
        }
    }
    columns.push_back({.heading = {"", "FILENAME"}, .right = false});
    return Table(std::move(columns), 1);
}

// Sizes and times of a file, a format after the other in each group.
std::vector<std::string> column_cells(const FileReport& file, const std::vector<Mode>& all,
                                      const std::vector<Quantity>& groups, bool sizes,
                                      const Milliseconds& milliseconds) {
    std::vector<std::string> cells;
    cells.reserve(all.size() * (groups.size() + 1) + 1);
    for (const Mode& mode : all) {
        if (sizes) cells.push_back(size_text(find_row(file, mode.spec)));
    }
    for (const Quantity quantity : groups) {
        for (const Mode& mode : all) {
            const Row* const row = find_row(file, mode.spec);
            const bool timed = row != nullptr && has_times(*row);
            cells.push_back(timed ? milliseconds.text(summary(row->main, quantity).median)
                                  : no_time(row));
        }
    }
    return cells;
}

std::string columns_part(const Report& report, const std::vector<Mode>& all,
                         const std::vector<Quantity>& groups, bool sizes) {
    Table table = empty_columns(report, all, groups, sizes);
    Milliseconds milliseconds;
    for (const FileReport& file : report.files) {
        milliseconds.include(file, groups);
    }
    std::size_t longest = 0;
    for (const FileReport& file : report.files) {
        std::vector<std::string> cells = column_cells(file, all, groups, sizes, milliseconds);
        cells.push_back(printable(file.name));
        longest = std::max(longest, text_width(cells.back()));
        table.row(std::move(cells));
    }
    const std::size_t start = table.start_of_last();
    const std::size_t room = start < k_line_width ? k_line_width - start : 0;
    table.set_last_width(std::min(k_file_width, std::max(room, longest)));
    return table.text();
}

// efxperf's table: sizes and what the codecs took. What a network adds stands in a second one,
// since both side by side fit no screen.
std::string columns_table(const Report& report, const std::vector<Mode>& all) {
    std::vector<Quantity> codecs;
    std::vector<Quantity> network;
    for (const Quantity quantity : quantities(report)) {
        const bool codec = quantity == Quantity::encode || quantity == Quantity::decode;
        (codec ? codecs : network).push_back(quantity);
    }
    std::string text = columns_part(report, all, codecs, true);
    if (!network.empty()) text += "\n" + columns_part(report, all, network, false);
    text += "* Size measurements are in bytes.\n";
    if (any_from_source(report)) {
        text += "  In a decode test, SIZE of the file's own format is that of the file itself.\n";
    }
    text += shared_lines(all);
    text += "** Timing measurements are in milliseconds\n   Each is the median of all runs.\n";
    for (const FileReport& file : report.files) {
        text += remarks(file);
    }
    return text;
}

// Notes under the tables, numbered in the order of their first use.
class Legend {
  public:
    void use(std::string& cell, const std::string& note) {
        const auto found = std::find(notes_.begin(), notes_.end(), note);
        const auto at = static_cast<std::size_t>(found - notes_.begin());
        if (found == notes_.end()) notes_.push_back(note);
        if (!cell.empty()) cell += ",";
        cell += std::to_string(at + 1);
    }
    std::string text() const {
        std::string text;
        for (std::size_t i = 0; i < notes_.size(); ++i) {
            text += "(" + std::to_string(i + 1) + ") " + printable(notes_[i]) + "\n";
        }
        return text;
    }

  private:
    std::vector<std::string> notes_;
};

std::string notes_cell(const Report& report, const Row& row, Legend& legend) {
    std::string cell;
    for (const std::string& note : notes(report, row.codec)) {
        legend.use(cell, note);
    }
    if (has_times(row) && !row.complete) legend.use(cell, remark(row));
    if (const std::string few = too_few(row); !few.empty()) {
        legend.use(cell, "no interval: " + few);
    }
    if (!phases_add_up(row.main)) {
        legend.use(cell, "the phases do not add up to the total within 2 %");
    }
    return cell;
}

std::string ratio_text(const Row& row, const FileReport& file) {
    if (row.size == 0 || file.bytes == 0) return "-";
    const double ratio = static_cast<double>(row.size) / static_cast<double>(file.bytes);
    return format_fixed(ratio, std::max(k_ratio_decimals, decimals_for(ratio, 3)));
}

// The rows as they were asked for, those of the first one's group first, then the next one's.
std::vector<const Row*> by_group(const FileReport& file) {
    std::vector<const Row*> rows;
    for (const Row& first : file.rows) {
        const auto same = [&](const Row* row) { return row->group == first.group; };
        if (std::any_of(rows.begin(), rows.end(), same)) continue;
        for (const Row& row : file.rows) {
            if (row.group == first.group) rows.push_back(&row);
        }
    }
    return rows;
}

std::string rows_table(const Report& report, const FileReport& file,
                       const std::vector<Quantity>& shown, Legend& legend) {
    std::vector<Column> columns;
    const auto number = [&](const char* heading, const char* unit, std::size_t width) {
        columns.push_back({{heading, unit}, width, true, true});
    };
    columns.push_back({.heading = {"FORMAT", ""}, .right = false});
    number("SIZE", "bytes", k_size_width);
    number("RATIO", "to file", 0);
    const bool shared = any_shared(report);
    if (shared) number("SHARED", "bytes", 0);
    for (const Quantity quantity : shown) {
        number(name(report, quantity), "ms", k_time_width - 1);
    }
    const std::string of = std::string("of ") + name(report, shown.back());
    number("95 % INTERVAL", (of + ", ms").c_str(), 0);
    columns.push_back({.heading = {"NOTES", ""}, .right = false});
    Table table(std::move(columns), 2);

    Milliseconds milliseconds;
    milliseconds.include(file, shown);
    const bool groups = several_groups(report);
    RowGroup group = RowGroup::tree;
    for (const Row* const each : by_group(file)) {
        const Row& row = *each;
        if (groups && (each == &file.rows.front() || row.group != group)) {
            table.row({"(" + std::string(group_name(row.group)) + ")"});
        }
        group = row.group;
        std::vector<std::string> cells = {row.codec.title, size_text(&row), ratio_text(row, file)};
        if (shared) {
            cells.push_back(row.codec.shared_bytes == 0 ? "-"
                                                        : std::to_string(row.codec.shared_bytes));
        }
        if (!has_times(row)) {
            table.row(std::move(cells), printable(remark(row)));
            continue;
        }
        for (const Quantity quantity : shown) {
            cells.push_back(milliseconds.text(summary(row.main, quantity).median));
        }
        const measure::Summary last = summary(row.main, shown.back());
        cells.push_back(last.has_interval
                            ? milliseconds.text(last.low) + "-" + milliseconds.text(last.high)
                            : "none");
        cells.push_back(notes_cell(report, row, legend));
        table.row(std::move(cells));
    }
    return table.text();
}

std::string rows_tables(const Report& report) {
    const std::vector<Quantity> shown = row_quantities(report);
    Legend legend;
    std::string text;
    for (std::size_t i = 0; i < report.files.size(); ++i) {
        const FileReport& file = report.files[i];
        text += "[" + std::to_string(i + 1) + "] " + printable(file.name);
        if (!file.error.empty()) {
            text += "\n" + printable(file.error) + "\n\n";
            continue;
        }
        text += " (" + format_bytes(file.bytes) + ")\n";
        text += rows_table(report, file, shown, legend) + "\n";
    }
    text += "SIZE: bytes that are sent and decoded";
    text += any_from_source(report)
                ? "; of the file's own format in a decode test, the file itself.\n"
                : ".\n";
    text += "RATIO: SIZE to the size of the file as it is. Times: the median of all runs.\n";
    if (any_shared(report)) {
        text += "SHARED: what both sides hold before anything is sent; not in SIZE.\n";
    }
    return text + legend.text();
}

}  // namespace

std::string tables(const Report& report) {
    const std::vector<Mode> all = modes(report);
    const bool typed = std::ranges::any_of(
        all, [](const Mode& mode) { return mode.group == RowGroup::typed_values; });
    // Typed values are labelled as such, in a table of rows.
    if (!all.empty() && all.size() <= k_most_in_columns && !typed)
        return columns_table(report, all);
    if (!all.empty()) return rows_tables(report);
    std::string text;  // no file could be read
    for (const FileReport& file : report.files) {
        text += remarks(file);
    }
    return text;
}

}  // namespace perfrelay::client
