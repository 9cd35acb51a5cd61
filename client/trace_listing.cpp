#include "client/trace_listing.h"

#include <algorithm>
#include <array>

#include "proto/model/event_listing.h"

namespace perfrelay::client {
namespace {

std::string name_text(const QName& name) {
    std::string text = "{";
    append_listed(name.uri, text);
    text += "}";
    append_listed(name.local, text);
    return text;
}

std::string quoted_text(std::string_view value) {
    std::string text = "\"";
    append_listed(value, text);
    return text + "\"";
}

// 74 bits from the start: byte 9, bit 2.
std::string offset_text(std::uint64_t bits) {
    return std::to_string(bits / 8) + "." + std::to_string(bits % 8);
}

std::string event_text(const TracedItem& item) {
    std::string text(item.event);
    if (item.name != nullptr) {
        text += " " + name_text(*item.name);
        if (!item.name->prefix.empty()) text += " prefix " + std::string(item.name->prefix);
    }
    if (!item.has_value) return text;
    text += (item.name != nullptr ? " = " : " ") + quoted_text(item.value);
    if (!item.second.empty()) text += " " + quoted_text(item.second);
    return text;
}

}  // namespace

void TraceListing::line(std::string_view offset, std::string_view code, std::string_view bits,
                        std::string_view event) {
    constexpr std::array<std::size_t, 3> k_columns{12, 10, 16};
    text_.clear();
    std::size_t column = 0;
    std::size_t i = 0;
    for (const std::string_view part : {offset, code, bits}) {
        text_ += part;
        column += k_columns[i++];
        text_.resize(std::max(column, text_.size() + 1), ' ');
    }
    text_.append(event).append("\n");
    out_.append(std::string_view(text_));
}

void TraceListing::header(std::uint64_t bits) {
    line(offset_text(0), "", std::to_string(bits), "header");
    line(offset_text(bits), "", "0", "SD");
}

void TraceListing::event(const TracedItem& item) {
    line(offset_text(item.at), item.code,
         std::to_string(item.code_bits) + "+" + std::to_string(item.name_bits) + "+" +
             std::to_string(item.value_bits),
         event_text(item));
}

void TraceListing::value(const QName& name, std::string_view value, std::uint64_t bits) {
    line("", "", std::to_string(bits), "value " + name_text(name) + " = " + quoted_text(value));
}

void TraceListing::packed(std::uint64_t bytes, std::uint64_t unpacked) {
    line("", "", std::to_string(bytes * 8),
         "packed: " + std::to_string(unpacked) + " bytes are " + std::to_string(bytes));
}

}  // namespace perfrelay::client
