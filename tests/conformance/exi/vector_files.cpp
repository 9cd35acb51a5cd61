#include "tests/conformance/exi/vector_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "proto/xml/loader.h"

namespace perfrelay::vectors {

namespace {

bool blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::optional<std::string> file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> parts(std::string_view text, char separator) {
    std::vector<std::string> all;
    std::size_t start = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i != text.size() && text[i] != separator) continue;
        all.emplace_back(text.substr(start, i - start));
        start = i + 1;
    }
    return all;
}

std::optional<std::vector<Row>> read_manifest(const std::string& path) {
    const std::optional<std::string> text = file_text(path);
    if (!text) return std::nullopt;
    std::vector<Row> rows;
    std::vector<std::string> columns;
    for (const std::string& line : parts(*text, '\n')) {
        if (line.empty()) continue;
        const std::vector<std::string> fields = parts(line, '\t');
        if (columns.empty()) {
            columns = fields;
            continue;
        }
        Row& row = rows.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i)
            row[columns[i]] = i < fields.size() ? fields[i] : "";
    }
    return rows;
}

namespace {

// Leaves out one element around everything.
class Inside {
  public:
    explicit Inside(XmlTape& tape) : sink_(tape) {}
    void start_document() { sink_.start_document(); }
    void doctype(const Doctype& doctype) { sink_.doctype(doctype); }
    void start_element(const QName* name) {
        if (depth_++ != 0) sink_.start_element(name);
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        sink_.namespace_declaration(prefix, uri);
    }
    void attribute(const QName* name, std::string_view value) { sink_.attribute(name, value); }
    void characters(std::string_view text) {
        if (depth_ > 1) sink_.characters(text);
    }
    void comment(std::string_view text) { sink_.comment(text); }
    void processing_instruction(std::string_view target, std::string_view data) {
        sink_.processing_instruction(target, data);
    }
    void entity_reference(std::string_view name) { sink_.entity_reference(name); }
    void end_element(const QName* name) {
        if (--depth_ != 0) sink_.end_element(name);
    }
    void end_document() { sink_.end_document(); }

  private:
    TapeSink<true> sink_;
    std::size_t depth_ = 0;
};

// What the oracle does with text that is only whitespace (EXI.md, section 1): it is kept where the
// tag before it was a start tag and the next event is not another, under xml:space="preserve", and
// beside references. Comments and instructions that are not kept are gone before.
class OraclePolicy {
  public:
    OraclePolicy(TapeSink<true>& sink, const Fidelity& shown, const XmlTape* seen)
        : sink_(sink), shown_(shown) {
        if (seen == nullptr) return;
        std::size_t tags = 0;
        for (const XmlTape::Event& event : seen->events()) {
            using Kind = XmlTape::Kind;
            if (event.kind() == Kind::start_element || event.kind() == Kind::end_element) ++tags;
            if (event.kind() == Kind::characters) seen_.insert(tags);
        }
    }

    void start_document() { sink_.start_document(); }
    void doctype(const Doctype& doctype) { sink_.doctype(doctype); }
    void start_element(const QName* name) {
        settle(false);
        ++tags_;
        after_start_ = true;
        preserved_.push_back(!preserved_.empty() && preserved_.back());
        sink_.start_element(name);
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        sink_.namespace_declaration(prefix, uri);
    }
    void attribute(const QName* name, std::string_view value) {
        if (name->local == "space" && name->prefix == "xml")
            preserved_.back() = value == "preserve";
        sink_.attribute(name, value);
    }
    void characters(std::string_view text) { text_ += text; }
    void comment(std::string_view text) {
        if (!shown_.comments) return;
        settle(after_start_);
        sink_.comment(text);
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        if (!shown_.processing_instructions) return;
        settle(after_start_);
        sink_.processing_instruction(target, data);
    }
    void entity_reference(std::string_view name) {
        settle(true);
        after_start_ = true;
        sink_.entity_reference(name);
    }
    void end_element(const QName* name) {
        settle(after_start_);
        ++tags_;
        after_start_ = false;
        preserved_.pop_back();
        sink_.end_element(name);
    }
    void end_document() { sink_.end_document(); }

  private:
    void settle(bool keep) {
        const bool preserved = !preserved_.empty() && preserved_.back();
        if (!text_.empty() && (keep || preserved || seen_.contains(tags_) || !blank(text_)))
            sink_.characters(text_);
        text_.clear();
    }

    TapeSink<true>& sink_;
    const Fidelity shown_;
    std::string text_;
    std::vector<bool> preserved_;
    bool after_start_ = false;
    std::size_t tags_ = 0;
    std::set<std::size_t> seen_;  // behind so many tags is text
};

}  // namespace

std::unique_ptr<Document> load(const std::string& path, bool fragment, bool keep_whitespace,
                               const Fidelity& shown, std::string& why, const XmlTape* seen) {
    std::optional<std::string> text = file_text(path);
    if (!text) {
        why = path + " cannot be read";
        return nullptr;
    }
    if (fragment) {
        const std::size_t end = text->rfind("<?xml", 0) == 0 ? text->find("?>") + 2 : 0;
        text = "<around>" + text->substr(end) + "</around>";
    }
    auto document = std::make_unique<Document>();
    document->name = path;
    document->source.append(*text);
    if (const Result<> done = xml::load(*document, Limits{}); !done) {
        why = path + ": " + describe(done.error());
        return nullptr;
    }
    if (fragment) {
        auto inside = std::make_unique<Document>();
        Inside sink(inside->xml);
        document->xml.play(sink);
        document = std::move(inside);
    }
    if (keep_whitespace) return document;
    auto kept = std::make_unique<Document>();
    TapeSink<true> tape(kept->xml);
    OraclePolicy policy(tape, shown, seen);
    document->xml.play(policy);
    return kept;
}

namespace {

class WithSubset : public TapeSink<true> {
  public:
    WithSubset(XmlTape& out, const Doctype* doctype) : TapeSink(out), doctype_(doctype) {}
    void doctype(const Doctype& doctype) { TapeSink::doctype(doctype_ ? *doctype_ : doctype); }

  private:
    const Doctype* doctype_;
};

}  // namespace

void take_internal_subset(const XmlTape& from, const XmlTape& like, XmlTape& out) {
    const Doctype* doctype = nullptr;
    for (const XmlTape::Event& event : like.events()) {
        if (event.kind() == XmlTape::Kind::doctype) doctype = event.doctype;
    }
    WithSubset sink(out, doctype);
    from.play(sink);
}

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '\r') {
            out += "\\r";
        } else {
            out += c;
        }
    }
    return out + '"';
}

bool shows(std::string_view shown, std::string_view what) {
    return shown.find(what) != std::string_view::npos;
}

class SuiteSink {
  public:
    explicit SuiteSink(std::string_view shown) : shown_(shown) {}

    void start_document() {}
    void doctype(const Doctype& d) {
        if (!shows(shown_, "dtds")) return;
        flush();
        line("DT " + quoted(std::string(d.name) + "|" + std::string(d.public_id) + "|" +
                            std::string(d.system_id)));
    }
    void start_element(const QName* name) {
        flush();
        line("SE " + named(*name));
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        if (!shows(shown_, "prefixes")) return;
        declarations_.push_back("NS " + quoted(std::string(prefix) + "=" + std::string(uri)));
    }
    void attribute(const QName* name, std::string_view value) {
        std::string text = quoted(value);
        // Without prefixes the suite gives the type's name and no text.
        if (name->local == "type" && name->uri == k_xsi && !shows(shown_, "prefixes"))
            text = quoted(generated(value) ? value.substr(value.find(':') + 1) : value);
        attributes_.push_back("AT " + named(*name) + " " + text);
    }
    void characters(std::string_view piece) {
        close_tag();
        text_ += piece;
    }
    void comment(std::string_view text) {
        if (!shows(shown_, "comments")) return;
        flush();
        line("CM " + quoted(text));
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        if (!shows(shown_, "pis")) return;
        flush();
        line("PI " + quoted(std::string(target) + " " + std::string(data)));
    }
    void entity_reference(std::string_view name) {
        if (!shows(shown_, "dtds")) return;
        flush();
        line("ER " + quoted(name));
    }
    void end_element(const QName*) {
        flush();
        line("EE");
    }
    void end_document() {}

    std::string out;

  private:
    static constexpr std::string_view k_xsi = "http://www.w3.org/2001/XMLSchema-instance";

    // "ns4:t": a prefix that stands for the number of a URI.
    static bool generated(std::string_view value) {
        const std::size_t colon = value.find(':');
        return value.substr(0, 2) == "ns" && colon != std::string_view::npos && colon > 2 &&
               value.substr(2, colon - 2).find_first_not_of("0123456789") == std::string_view::npos;
    }
    std::string named(const QName& name) const {
        std::string text = "{" + std::string(name.uri) + "}" + std::string(name.local);
        if (shows(shown_, "prefixes") && !name.prefix.empty())
            text += " pfx=" + std::string(name.prefix);
        return text;
    }
    void line(const std::string& text) { out += text + "\n"; }
    void close_tag() {
        for (std::vector<std::string>* lines : {&declarations_, &attributes_}) {
            std::sort(lines->begin(), lines->end());
            for (const std::string& text : *lines)
                line(text);
            lines->clear();
        }
    }
    void flush() {
        close_tag();
        if (!text_.empty() && !blank(text_)) line("CH " + quoted(text_));
        text_.clear();
    }

    std::string_view shown_;
    std::vector<std::string> declarations_;
    std::vector<std::string> attributes_;
    std::string text_;
};

}  // namespace

std::string suite_listing(const XmlTape& document, std::string_view shown) {
    SuiteSink sink(shown);
    document.play(sink);
    return std::move(sink.out);
}

std::string suite_expected(std::string_view listing, std::string_view shown) {
    std::string out;
    for (std::string text : parts(listing, '\n')) {
        if (text.empty()) continue;
        const std::string_view kind = std::string_view(text).substr(0, 2);
        if (kind == "NS" && !shows(shown, "prefixes")) continue;
        if (kind == "CM" && !shows(shown, "comments")) continue;
        if (kind == "PI" && !shows(shown, "pis")) continue;
        if ((kind == "DT" || kind == "ER") && !shows(shown, "dtds")) continue;
        if (kind == "AT" || kind == "CH") {
            const std::size_t coded = text.rfind(" :");
            const std::string how = text.substr(coded + 2);
            text.resize(coded);
            const bool valued = text.back() == '"' && text.find('"') + 1 != text.size();
            if (kind == "AT" && !valued) {
                // An empty value is not printed; a type's name only here.
                if (text.back() == '"') text.resize(text.size() - 3);
                text += how[0] == '{' ? " " + quoted(how.substr(how.rfind('}') + 1)) : " \"\"";
            }
        }
        if (kind == "CH") {
            std::string plain;
            for (std::size_t i = 4; i + 1 < text.size(); ++i) {
                plain +=
                    text[i] == '\\' && text[i + 1] != '"' && text[i + 1] != '\\' ? ' ' : text[i];
                if (text[i] == '\\') ++i;
            }
            if (blank(plain)) continue;
        }
        out += text + "\n";
    }
    return out;
}

}  // namespace perfrelay::vectors
