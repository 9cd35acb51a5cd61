#include "client/report/layout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <utility>

#include "common/base/utf8.h"

namespace perfrelay::client {
namespace {

char32_t code_point(std::string_view sequence) {
    const auto byte = [sequence](std::size_t i) { return static_cast<std::uint8_t>(sequence[i]); };
    if (sequence.size() == 1) return byte(0);
    auto code = static_cast<char32_t>(byte(0) & (0xFFU >> (sequence.size() + 1)));
    for (std::size_t i = 1; i < sequence.size(); ++i)
        code = code << 6U | (byte(i) & 0x3FU);
    return code;
}

// Controls, and what shows nothing of itself but turns what stands around it about, or breaks it:
// Unicode's general categories Cc, Cf, Zl and Zp, by ranges; a few of them print, and are few.
bool is_control(char32_t code) {
    constexpr std::pair<char32_t, char32_t> k_ranges[] = {
        {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x600, 0x605},
        {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},
        {0x8E2, 0x8E2},     {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},
        {0x2060, 0x206F},   {0xFEFF, 0xFEFF},   {0xFFF9, 0xFFFB},   {0x110BD, 0x110BD},
        {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
        {0xE0001, 0xE007F}};
    return std::any_of(std::begin(k_ranges), std::end(k_ranges), [code](const auto& range) {
        return code >= range.first && code <= range.second;
    });
}

void append_padded(std::string& line, const std::string& cell, std::size_t width, bool right) {
    const std::size_t used = text_width(cell);
    const std::string padding(width > used ? width - used : 0, ' ');
    line += right ? padding + cell : cell + padding;
}

void end_line(std::string& text, std::string& line) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line;
    text += '\n';
    line.clear();
}

}  // namespace

std::string printable(std::string_view text) {
    static constexpr std::string_view k_hex = "0123456789abcdef";
    std::string shown;
    while (!text.empty()) {
        const std::size_t length = utf8_size(text);
        const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
        if (length != 0 && !is_control(code_point(sequence))) {
            shown += sequence;
        } else {
            for (const char c : sequence) {
                const auto byte = static_cast<std::uint8_t>(c);
                shown += {'\\', 'x', k_hex[byte >> 4U], k_hex[byte & 15U]};
            }
        }
        text.remove_prefix(sequence.size());
    }
    return shown;
}

std::string date_text(std::int64_t seconds_since_1970) {
    const auto seconds = static_cast<std::time_t>(seconds_since_1970);
    std::tm parts{};
    if (::gmtime_r(&seconds, &parts) == nullptr) return "";
    std::array<char, 40> text{};
    const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return {text.data(), size};
}

std::size_t text_width(std::string_view text) {
    const auto starts = [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80U; };
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts));
}

void Table::row(std::vector<std::string> cells, std::string remark) {
    lines_.push_back({std::move(cells), std::move(remark)});
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (const Column& column : columns_) {
        std::size_t width = column.width;
        for (const std::string& line : column.heading) {
            width = std::max(width, text_width(line));
        }
        widths.push_back(width);
    }
    for (const Line& line : lines_) {
        for (std::size_t i = 0; i < line.cells.size() && i + 1 < widths.size(); ++i) {
            widths[i] = std::max(widths[i], text_width(line.cells[i]));
        }
    }
    return widths;
}

std::size_t Table::start_of_last() const {
    const std::vector<std::size_t> all = widths();
    std::size_t start = 0;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        start += all[i] + gap_.size();
    }
    return start;
}

std::string Table::text() const {
    const std::vector<std::size_t> width = widths();
    std::string text;
    std::string line;
    for (std::size_t h = 0; h < columns_.front().heading.size(); ++h) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            append_padded(line, columns_[i].heading[h], width[i], columns_[i].heading_right);
            line += gap_;
        }
        end_line(text, line);
    }
    for (const std::size_t dashes : width) {
        line += std::string(dashes, '-') + gap_;
    }
    end_line(text, line);
    for (const Line& row : lines_) {
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            append_padded(line, row.cells[i], width[i], columns_[i].right);
            line += gap_;
        }
        line += row.remark;
        end_line(text, line);
    }
    return text;
}

}  // namespace perfrelay::client
