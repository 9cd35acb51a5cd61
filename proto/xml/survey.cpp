#include "proto/xml/survey.h"

#include <algorithm>

#include "proto/model/xml_chars.h"
#include "proto/xml/writer.h"

namespace perfrelay::xml {

namespace {

bool has(std::string_view text, const char* characters) {
    return text.find_first_of(characters) != std::string_view::npos;
}

// Sees every event, and has the writer see it, whose verdict on it is wanted and not its output.
class SurveySink {
  public:
    explicit SurveySink(Survey& survey) : survey_(survey) { writer_.write_to(output_); }

    void start_document() { writer_.start_document(); }
    void doctype(const Doctype& doctype) {
        started_ = true;
        survey_.doctype = &doctype;
        count(doctype.internal_subset.size() + doctype.system_id.size());
        writer_.doctype(doctype);
    }
    void start_element(const QName* name) {
        started_ = true;
        if (depth_ > 0) survey_.deepest_filled = std::max(survey_.deepest_filled, depth_);
        survey_.depth = std::max(survey_.depth, ++depth_);
        attributes_ = 0;
        count(name->local.size() + name->prefix.size());
        writer_.start_element(name);
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        if (prefix == "xml") survey_.xml_prefix_declared = true;
        attribute_seen(uri);
        writer_.namespace_declaration(prefix, uri);
    }
    void attribute(const QName* name, std::string_view value) {
        attribute_seen(value);
        writer_.attribute(name, value);
    }
    void characters(std::string_view text) {
        inside(text.size());
        if (is_blank(text)) survey_.blank_text = true;
        if (has(text, "\r")) survey_.return_in_text = true;
        writer_.characters(text);
    }
    void comment(std::string_view text) {
        started_ = true;
        inside(text.size());
        writer_.comment(text);
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        if (started_) survey_.late_instruction = true;
        inside(data.size());
        writer_.processing_instruction(target, data);
    }
    void entity_reference(std::string_view name) {
        inside(name.size());
        survey_.entity_references.insert(name);
        writer_.entity_reference(name);
    }
    void end_element(const QName* name) {
        --depth_;
        writer_.end_element(name);
    }
    void end_document() {
        writer_.end_document();
        if (auto done = writer_.finish(); !done) survey_.unwritable = done.error().where;
        survey_.undeclared_names = writer_.invented();
    }

  private:
    // Every event comes by here or through attribute_seen; what was written before is let go.
    void count(std::size_t bytes) {
        survey_.text_bytes += bytes;
        output_.clear();
    }
    void inside(std::size_t bytes) {
        count(bytes);
        survey_.deepest_filled = std::max(survey_.deepest_filled, depth_);
    }
    void attribute_seen(std::string_view value) {
        count(value.size());
        survey_.most_attributes = std::max(survey_.most_attributes, ++attributes_);
        if (has(value, "\r")) survey_.return_in_attribute = true;
        if (has(value, "\t\n")) survey_.blank_in_attribute = true;
    }

    Survey& survey_;
    Buffer output_;
    XmlWriter writer_;
    std::size_t depth_ = 0;
    std::size_t attributes_ = 0;
    bool started_ = false;
};

}  // namespace

Survey survey(const XmlTape& tape) {
    Survey result;
    SurveySink sink(result);
    tape.play(sink);
    return result;
}

std::string too_deep(std::size_t depth, const std::string& engine, std::size_t limit) {
    return "nested " + std::to_string(depth) + " deep, " + engine + " reads " +
           std::to_string(limit);
}

}  // namespace perfrelay::xml
