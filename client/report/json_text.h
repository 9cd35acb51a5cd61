#pragma once
// JsonText: appends JSON (RFC 8259) to a string, value by value. Locale-free; what is no number is
// null; text passes `printable`, so that it is UTF-8 whatever it was; "<" is escaped, so that the
// result may stand in a page.
// Tested by tests/unit/client/saved_report_test.cpp.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace perfrelay::client {

class JsonText {
  public:
    enum class Layout : std::uint8_t { indented, one_line };
    explicit JsonText(std::string& out, Layout layout = Layout::indented)
        : out_(out), indented_(layout == Layout::indented) {}

    void begin_object() { begin('{'); }
    void end_object() { end('}'); }
    // `on_one_line`: whatever the layout; for many numbers.
    void begin_array(bool on_one_line = false) {
        begin('[');
        if (on_one_line && flat_ == 0) flat_ = depth_;
    }
    void end_array() { end(']'); }

    void key(std::string_view name);
    void text(std::string_view value);
    void number(double value);
    template <std::integral Integer>
    void number(Integer value) {
        literal(std::to_string(value));
    }
    void boolean(bool value) { literal(value ? "true" : "false"); }
    void null() { literal("null"); }
    // A value that is JSON already.
    void raw(std::string_view json) { literal(json); }

  private:
    void begin(char bracket);
    void end(char bracket);
    void literal(std::string_view value);
    void separate();
    void new_line();
    void quoted(std::string_view value);

    std::string& out_;
    bool indented_;
    bool first_ = true;       // nothing stands in the present object or array
    bool after_key_ = false;  // a value must follow
    std::size_t depth_ = 0;
    std::size_t flat_ = 0;  // from this depth on, all on one line; 0: nowhere
};

}  // namespace perfrelay::client
