#include "proto/xml/text_source.h"

#include <algorithm>
#include <cstring>

#include "proto/xml/chars.h"
#include "proto/xml/doctype.h"
#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {

namespace {

constexpr std::string_view k_mark = "\xEF\xBB\xBF";

// Whether what begins like `text` could still turn into `start`.
bool may_become(std::string_view text, std::string_view start) {
    return text.size() < start.size() && start.starts_with(text);
}

}  // namespace

std::optional<std::size_t> prolog_length(std::string_view text) {
    std::size_t at = 0;
    while (true) {
        while (at < text.size() && is_space(text[at]))
            ++at;
        const std::string_view rest = text.substr(at);
        if (rest.empty() || may_become(rest, "<!--") || may_become(rest, "<!DOCTYPE")) {
            return std::nullopt;
        }
        std::size_t size = 0;
        if (rest.starts_with("<?")) {
            const std::size_t end = rest.find("?>", 2);
            if (end == std::string_view::npos) return std::nullopt;
            size = end + 2;
        } else if (rest.starts_with("<!--")) {
            const std::size_t end = rest.find("-->", 4);
            if (end == std::string_view::npos) return std::nullopt;
            size = end + 3;
        } else if (rest.starts_with("<!DOCTYPE")) {
            const auto found = doctype_length(rest);
            if (!found) return std::nullopt;
            size = *found;
        } else {
            return at + 1;  // the root, or something that the parser will refuse
        }
        at += size;
    }
}

Result<std::string_view> TextSource::head() {
    std::string_view text;
    while (true) {
        auto window = source_.refill(0);
        if (!window) return window.error();
        const bool more = window->size() > text.size();
        text = as_text(*window);
        const std::string_view body = text.starts_with(k_mark) ? text.substr(3) : text;
        const bool complete = !may_become(text, k_mark) && prolog_length(body).has_value();
        if (complete || !more) break;
        if (text.size() > k_longest_prolog) {
            return Error{.code = Errc::limit_exceeded,
                         .where = "more than 1 MiB before the root element cannot be streamed"};
        }
    }
    window_ = text.size();
    const bool mark = text.starts_with(k_mark);
    if (mark) text.remove_prefix(k_mark.size());
    // A wide encoding shows itself by a zero, or by a mark that is no UTF-8.
    const std::string_view declared = declared_encoding(text);
    const auto is = [&](std::string_view name) {
        return std::ranges::equal(declared, name, [](char a, char b) {
            return (a >= 'a' && a <= 'z' ? a - 32 : a) == b;
        });
    };
    ascii_only_ = !mark && (is("US-ASCII") || is("ASCII"));
    const bool utf8 = declared.empty() || ascii_only_ || is("UTF-8") || is("UTF8");
    const bool wide = text.size() >= 2 && (text[0] == '\0' || text[1] == '\0' ||
                                           static_cast<unsigned char>(text[0]) >= 0xFE);
    if ((!utf8 && !mark) || wide) {
        return Error{.code = Errc::unsupported,
                     .where = "an encoding other than UTF-8 cannot be streamed"};
    }
    if (auto good = check(text); !good) return good.error();
    return text;
}

Result<std::string_view> TextSource::next() {
    auto window = source_.refill(window_);
    if (!window) return window.error();
    window_ = window->size();
    const std::string_view text = as_text(*window);
    if (auto good = check(text); !good) return good.error();
    return text;
}

Result<> TextSource::check(std::string_view text) {
    bytes_ += text.size();
    if (bytes_ > limits_.max_document) {
        return Error{.code = Errc::limit_exceeded,
                     .where = "the document is larger than the limit"};
    }
    if (ascii_only_ && std::ranges::any_of(text, [](char c) { return (c & 0x80) != 0; })) {
        return Error{.where = "bytes that are not of the document's encoding"};
    }
    if (most_attributes_ == SIZE_MAX) return {};
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t tag = std::min(text.find('<', at), text.size());
        const std::string_view stretch = text.substr(at, tag - at);
        equals_ += static_cast<std::size_t>(std::ranges::count(stretch, '='));
        if (equals_ > most_attributes_) {
            return Error{.code = Errc::limit_exceeded,
                         .where = "more attributes on an element than the reader can compare"};
        }
        if (tag < text.size()) equals_ = 0;
        at = tag + 1;
    }
    return {};
}

}  // namespace perfrelay::xml
