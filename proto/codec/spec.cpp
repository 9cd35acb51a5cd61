#include "proto/codec/spec.h"

#include <utility>

namespace perfrelay {

namespace {

bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_key_char(char c) {
    return is_name_char(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '.';
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

class Parser {
  public:
    Parser(std::string_view text, std::string& why) : text_(text), why_(why) {}

    std::optional<Spec> run() {
        Spec spec;
        if (!part(spec.format, "a format name", ',')) return std::nullopt;
        while (next_ != text_.size()) {
            ++next_;  // a part ends only at the end or at a "+"
            SpecPart& compressor = spec.compressors.emplace_back();
            if (!part(compressor, "a compressor name after \"+\"", ':')) return std::nullopt;
        }
        return spec;
    }

  private:
    // name [":" option *(separator option)], up to a "+" or the end.
    bool part(SpecPart& out, const char* expected, char separator) {
        const std::size_t start = next_;
        while (next_ != text_.size() && is_name_char(text_[next_]))
            ++next_;
        if (next_ != text_.size() && !at(':') && !at('+')) return bad_name_char();
        if (next_ == start) return fail(start, std::string("expected ") + expected);
        out.name = text_.substr(start, next_ - start);
        if (!at(':')) return true;
        do {
            ++next_;
            if (!option(out.options.emplace_back(), separator)) return false;
        } while (at(separator));
        return true;
    }

    bool option(SpecOption& out, char separator) {
        const std::size_t start = next_;
        while (next_ != text_.size() && is_key_char(text_[next_]))
            ++next_;
        if (next_ == start && (next_ == text_.size() || at(separator) || at('+') || at('='))) {
            return fail(start,
                        "expected an option after \"" + std::string(1, text_[start - 1]) + "\"");
        }
        out.key = text_.substr(start, next_ - start);
        if (at('=')) {
            ++next_;
            return value(out.value.emplace(), separator);
        }
        if (next_ == text_.size() || at(separator) || at('+')) return true;
        return fail(next_, "unexpected " + quoted(text_.substr(next_, 1)) + " in an option's name");
    }

    bool value(std::string& out, char separator) {
        const std::size_t start = next_;
        for (; next_ != text_.size() && !at(separator) && !at('+'); ++next_) {
            if (at('}')) return fail(next_, "\"}\" without \"{\"");
            if (at('{')) {
                const std::size_t close = text_.find('}', next_);
                if (close == std::string_view::npos) return fail(next_, "\"{\" is never closed");
                if (!printable(next_, close)) return false;
                next_ = close;
            } else if (!printable(next_, next_ + 1)) {
                return false;
            }
        }
        out = text_.substr(start, next_ - start);
        return true;
    }

    // SPECs are printed in tables and messages: no line breaks, no terminal controls.
    bool printable(std::size_t from, std::size_t to) {
        for (std::size_t i = from; i != to; ++i) {
            if (is_control(text_[i])) return fail(i, "control character");
        }
        return true;
    }

    bool bad_name_char() {
        const char c = text_[next_];
        const bool upper = c >= 'A' && c <= 'Z';
        return fail(next_, "unexpected " + quoted(text_.substr(next_, 1)) +
                               (upper ? ": names are lower case" : ": names are a-z and 0-9"));
    }

    bool at(char c) const { return next_ != text_.size() && text_[next_] == c; }

    bool fail(std::size_t place, const std::string& what) {
        why_ = quoted(text_) + ", character " + std::to_string(place + 1) + ": " + what;
        return false;
    }

    std::string_view text_;
    std::string& why_;
    std::size_t next_ = 0;
};

void append(const SpecPart& part, char separator, std::string& out) {
    out += part.name;
    char before = ':';
    for (const SpecOption& option : part.options) {
        out += before;
        out += option.key;
        if (option.value) out += "=" + *option.value;
        before = separator;
    }
}

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::size_t k_longest = 60;
    std::string out = "\"";
    for (const char c : text.substr(0, k_longest))
        out += is_control(c) ? '?' : c;
    return out + (text.size() > k_longest ? "...\"" : "\"");
}

std::string Spec::text() const {
    std::string out;
    append(format, ',', out);
    for (const SpecPart& compressor : compressors) {
        out += '+';
        append(compressor, ':', out);
    }
    return out;
}

std::optional<Spec> parse_spec(std::string_view text, std::string& why) {
    return Parser(text, why).run();
}

}  // namespace perfrelay
