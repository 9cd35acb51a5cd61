#include "proto/model/event_listing.h"

#include <algorithm>

namespace perfrelay {

namespace {

constexpr std::string_view k_hex = "0123456789abcdef";

void escape_control(char c, std::string& out) {
    switch (c) {
        case '\n': out += "\\n"; return;
        case '\t': out += "\\t"; return;
        case '\r': out += "\\r"; return;
        default: break;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += "\\u00";
    out += k_hex[byte >> 4U];
    out += k_hex[byte & 0xFU];
}

void append_quoted(std::string_view text, std::string& out) {
    out += " \"";
    append_listed(text, out);
    out += '"';
}

// Namespace names and identifiers stand as they are, but never break the line.
void append_raw(std::string_view text, std::string& out) {
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            escape_control(c, out);
        } else {
            out += c;
        }
    }
}

void append_name(const QName& name, std::string& out) {
    out += '{';
    append_raw(name.uri, out);
    out += '}';
    out += name.local;
}

// UTF-16 code units sort as UTF-8 bytes do, but for U+E000 to U+FFFF (lead bytes EE and EF), which
// come behind the surrogates that stand for all above (lead bytes F0 to F4).
unsigned utf16_weight(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0xEE) return byte;
    return byte < 0xF0 ? byte + 0x10U : byte - 2U;
}

bool before_in_utf16(std::string_view a, std::string_view b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return utf16_weight(x) < utf16_weight(y);
    });
}

}  // namespace

void append_listed(std::string_view text, std::string& out) {
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool control = static_cast<unsigned char>(c) < 0x20;
        if (!control && c != '"' && c != '\\') continue;
        out += text.substr(from, i - from);
        from = i + 1;
        if (control) {
            escape_control(c, out);
        } else {
            out += '\\';
            out += c;
        }
    }
    out += text.substr(from);
}

std::string& EventListing::Lines::open() {
    return text_;
}

void EventListing::Lines::close() {
    text_ += '\n';
    ends_.push_back(text_.size());
}

void EventListing::Lines::write_sorted(Buffer& out) {
    if (ends_.size() > 1) {
        sorted_.clear();
        std::size_t from = 0;
        for (const std::size_t end : ends_) {
            sorted_.push_back(std::string_view(text_).substr(from, end - 1 - from));
            from = end;
        }
        std::stable_sort(sorted_.begin(), sorted_.end(), before_in_utf16);
        for (const std::string_view line : sorted_) {
            out.append(line);
            out.append("\n");
        }
    } else {
        out.append(text_);
    }
    text_.clear();
    ends_.clear();
}

// Whatever is open ends: a tag whose lines waited, a text.
void EventListing::begin_event() {
    if (in_tag_) {
        declarations_.write_sorted(out_);
        attributes_.write_sorted(out_);
        in_tag_ = false;
    }
    if (in_text_) {
        out_.append("\"\n");
        in_text_ = false;
    }
}

void EventListing::line(std::string_view text) {
    begin_event();
    out_.append(text);
    out_.append("\n");
}

void EventListing::start_document() {
    in_tag_ = in_text_ = false;
    line("SD");
}

void EventListing::end_document() {
    line("ED");
}

void EventListing::doctype(const Doctype& doctype) {
    if (!shown_.doctype) return;
    scratch_ = "DT ";
    scratch_ += doctype.name;
    for (const std::string_view part : {doctype.public_id, doctype.system_id}) {
        scratch_ += '|';
        append_raw(part, scratch_);
    }
    line(scratch_);
}

void EventListing::start_element(const QName* name) {
    scratch_ = "SE ";
    append_name(*name, scratch_);
    if (shown_.prefixes) {
        scratch_ += ' ';
        scratch_ += name->prefix;
    }
    line(scratch_);
    in_tag_ = true;
}

void EventListing::end_element(const QName*) {
    line("EE");
}

void EventListing::namespace_declaration(std::string_view prefix, std::string_view uri) {
    if (!shown_.prefixes) return;
    std::string& out = declarations_.open();
    out += "NS ";
    out += prefix;
    out += '=';
    append_raw(uri, out);
    declarations_.close();
}

void EventListing::attribute(const QName* name, std::string_view value) {
    std::string& out = attributes_.open();
    out += "AT ";
    append_name(*name, out);
    out += " =";
    append_quoted(value, out);
    attributes_.close();
}

void EventListing::characters(std::string_view piece) {
    if (piece.empty()) return;
    if (!in_text_) {
        begin_event();
        out_.append("CH \"");
        in_text_ = true;
    }
    scratch_.clear();
    append_listed(piece, scratch_);
    out_.append(scratch_);
}

void EventListing::comment(std::string_view text) {
    if (!shown_.comments) return;
    scratch_ = "CM";
    append_quoted(text, scratch_);
    line(scratch_);
}

void EventListing::processing_instruction(std::string_view target, std::string_view data) {
    if (!shown_.processing_instructions) return;
    scratch_ = "PI ";
    scratch_ += target;
    append_quoted(data, scratch_);
    line(scratch_);
}

void EventListing::entity_reference(std::string_view name) {
    if (!shown_.entity_references) return;
    scratch_ = "ER ";
    scratch_ += name;
    line(scratch_);
}

}  // namespace perfrelay
