#pragma once
// Layout of text: columns that align, names that cannot harm a terminal.
// Tested by tests/unit/client/report_test.cpp.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfrelay::client {

constexpr std::size_t k_line_width = 100;

// Control and format characters (C0, C1, DEL, U+202E and its like) and what is not UTF-8 as \xNN,
// all else as it is; what comes out passes unchanged.
std::string printable(std::string_view text);

// UTC, ISO 8601: "2026-12-01T09:47:30Z".
std::string date_text(std::int64_t seconds_since_1970);

// Columns that valid UTF-8 takes: one a code point.
std::size_t text_width(std::string_view text);

struct Column {
    std::vector<std::string> heading;  // as many lines as the table's other columns
    std::size_t width = 0;             // at least; contents widen it, except the last column
    bool right = true;                 // how the cells align
    bool heading_right = false;
};

// Headings, a line of dashes, rows; columns `gap` spaces apart, no space at the end of a line.
class Table {
  public:
    Table(std::vector<Column> columns, std::size_t gap)
        : columns_(std::move(columns)), gap_(gap, ' ') {}

    // May hold fewer cells than there are columns. `remark` stands after the last cell, as long as
    // it needs to be.
    void row(std::vector<std::string> cells, std::string remark = "");

    // Columns before the last one: where it starts.
    std::size_t start_of_last() const;
    void set_last_width(std::size_t width) { columns_.back().width = width; }

    std::string text() const;

  private:
    struct Line {
        std::vector<std::string> cells;
        std::string remark;
    };
    std::vector<std::size_t> widths() const;

    std::vector<Column> columns_;
    std::string gap_;
    std::vector<Line> lines_;
};

}  // namespace perfrelay::client
