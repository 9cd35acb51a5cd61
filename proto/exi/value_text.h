#pragma once
// What texts of values are taken apart and put together with: Scan and Put, for typed_value.cpp and
// date_time.cpp. Tested by tests/unit/proto/exi/datatypes_test.cpp.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perfrelay::exi {

inline bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// What is left of a text, taken from its front.
class Scan {
  public:
    explicit Scan(std::string_view text) : text_(text) {}

    bool end() const { return text_.empty(); }
    bool take(char c) {
        if (text_.empty() || text_[0] != c) return false;
        text_.remove_prefix(1);
        return true;
    }
    std::string_view digits() {
        std::size_t count = 0;
        while (count < text_.size() && is_digit(text_[count]))
            ++count;
        const std::string_view found = text_.substr(0, count);
        text_.remove_prefix(count);
        return found;
    }
    // Exactly two digits, at most `most`.
    bool two(std::uint8_t& out, unsigned most) {
        if (text_.size() < 2 || !is_digit(text_[0]) || !is_digit(text_[1])) return false;
        const auto value = static_cast<unsigned>((text_[0] - '0') * 10 + (text_[1] - '0'));
        text_.remove_prefix(2);
        out = static_cast<std::uint8_t>(value);
        return value <= most;
    }

  private:
    std::string_view text_;
};

inline std::string_view without_leading_zeros(std::string_view digits) {
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view() : digits.substr(first);
}
inline std::string_view without_trailing_zeros(std::string_view digits) {
    const std::size_t last = digits.find_last_not_of('0');
    return digits.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Appends to a text whose room is known.
class Put {
  public:
    explicit Put(char* to) : begin_(to), to_(to) {}
    void one(char c) { *to_++ = c; }
    void all(std::string_view text) { to_ = std::copy(text.begin(), text.end(), to_); }
    void number(std::uint64_t value) { to_ = std::to_chars(to_, to_ + 20, value).ptr; }
    void two(unsigned value) {
        one(static_cast<char>('0' + value / 10));
        one(static_cast<char>('0' + value % 10));
    }
    std::size_t size() const { return static_cast<std::size_t>(to_ - begin_); }

  private:
    char* begin_;
    char* to_;
};

}  // namespace perfrelay::exi
