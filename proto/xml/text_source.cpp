#include "proto/xml/text_source.h"

#include <algorithm>
#include <utility>

#include "proto/xml/doctype.h"
#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {

namespace {

// Two byte-order marks: enough to tell every encoding that shows itself.
constexpr std::size_t k_signature = 6;

}  // namespace

Result<std::string_view> TextSource::head() {
    std::string_view text;
    PrologScan prolog;
    for (bool complete = false; !complete;) {
        auto window = source_.refill(0);
        if (!window) return window.error();
        if (window->size() == text.size()) break;  // the end
        text = as_text(*window);
        if (text.size() > k_longest_prolog) {
            return Error{.code = Errc::limit_exceeded,
                         .where = "more than 1 MiB before the root element cannot be streamed"};
        }
        if (text.size() < k_signature) continue;
        const std::size_t mark = text.starts_with(k_mark) ? k_mark.size() : 0;
        complete = prolog.length(text.substr(mark)).has_value();
    }
    window_ = text.size();
    const auto encoding = detect_encoding(as_bytes(text));
    if (!encoding) return encoding.error();
    if (!encoding->iconv_name.empty()) {
        return Error{.code = Errc::unsupported,
                     .where = "an encoding other than UTF-8 cannot be streamed"};
    }
    ascii_only_ = encoding->ascii_only;
    text.remove_prefix(encoding->mark);
    if (text.starts_with(k_mark)) return second_mark();
    if (auto good = check(text); !good) return good.error();
    return text;
}

Result<std::string_view> TextSource::next(std::size_t enough) {
    std::string_view text;
    while (text.size() < enough) {
        auto window = source_.refill(std::exchange(window_, 0));
        if (!window) return window.error();
        if (window->size() == text.size()) break;  // the end
        text = as_text(*window);
    }
    window_ = text.size();
    if (auto good = check(text); !good) return good.error();
    return text;
}

Result<> TextSource::check(std::string_view text) {
    bytes_ += text.size();
    if (bytes_ > limits_.max_document) {
        return Error{.code = Errc::limit_exceeded,
                     .where = "the document is larger than the limit"};
    }
    // No character of XML; after a UTF-8 mark libxml2 would take it for a sign of UTF-16.
    if (text.find('\0') != std::string_view::npos) return Error{.where = "a NUL character"};
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
