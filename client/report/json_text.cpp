#include "client/report/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "client/report/layout.h"

namespace perfrelay::client {

void JsonText::begin(char bracket) {
    separate();
    out_ += bracket;
    first_ = true;
    ++depth_;
}

void JsonText::end(char bracket) {
    const bool empty = first_;
    --depth_;
    if (!empty) new_line();
    if (flat_ > depth_) flat_ = 0;
    out_ += bracket;
    first_ = false;
}

void JsonText::new_line() {
    if (!indented_ || flat_ != 0) return;
    out_ += '\n';
    out_.append(depth_, ' ');
}

void JsonText::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (depth_ == 0) return;
    if (!first_) out_ += ',';
    new_line();
    first_ = false;
}

void JsonText::key(std::string_view name) {
    separate();
    quoted(name);
    out_ += ':';
    if (indented_) out_ += ' ';
    after_key_ = true;
}

void JsonText::literal(std::string_view value) {
    separate();
    out_ += value;
    first_ = false;
}

void JsonText::text(std::string_view value) {
    separate();
    quoted(printable(value));
    first_ = false;
}

void JsonText::quoted(std::string_view value) {
    out_ += '"';
    for (const char c : value) {
        if (c == '<') {
            out_ += "\\u003c";
            continue;
        }
        if (c == '"' || c == '\\') out_ += '\\';
        out_ += c;
    }
    out_ += '"';
}

void JsonText::number(double value) {
    if (!std::isfinite(value)) {
        null();
        return;
    }
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    literal({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

}  // namespace perfrelay::client
