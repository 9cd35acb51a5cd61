#include "proto/xml/tinyxml2_format.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "proto/model/xml_chars.h"
#include "proto/xml/qualified_names.h"
#include "proto/xml/source_scan.h"
#include "proto/xml/survey.h"
#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {

namespace {

// tinyxml2 counts the document as one level, and <a/> as none.
constexpr std::size_t k_deepest_filled = TINYXML2_MAX_ELEMENT_DEPTH - 2;
// Each attribute is compared with all before it.
constexpr std::size_t k_most_attributes = 4096;
// Sizes are int in the printer, which doubles them.
constexpr std::size_t k_most_bytes = std::size_t{128} << 20U;

std::string version() {
    return std::to_string(TIXML2_MAJOR_VERSION) + "." + std::to_string(TIXML2_MINOR_VERSION) + "." +
           std::to_string(TIXML2_PATCH_VERSION);
}

const char* describe_code(tinyxml2::XMLError code) {
    switch (code) {
        case tinyxml2::XML_ERROR_PARSING_ELEMENT: return "an element that is not well-formed";
        case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE: return "an attribute that is not well-formed";
        case tinyxml2::XML_ERROR_PARSING_TEXT: return "text without an end";
        case tinyxml2::XML_ERROR_PARSING_CDATA: return "a CDATA section without its end";
        case tinyxml2::XML_ERROR_PARSING_COMMENT: return "a comment without its end";
        case tinyxml2::XML_ERROR_PARSING_DECLARATION:
            return "a processing instruction where tinyxml2 takes none";
        case tinyxml2::XML_ERROR_PARSING_UNKNOWN: return "a declaration without its end";
        case tinyxml2::XML_ERROR_EMPTY_DOCUMENT: return "no root element";
        case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT: return "mismatched tag";
        case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
            return "elements nested deeper than tinyxml2 reads";
        case tinyxml2::XML_SUCCESS:
        case tinyxml2::XML_NO_ATTRIBUTE:
        case tinyxml2::XML_WRONG_ATTRIBUTE_TYPE:
        case tinyxml2::XML_ERROR_FILE_NOT_FOUND:
        case tinyxml2::XML_ERROR_FILE_COULD_NOT_BE_OPENED:
        case tinyxml2::XML_ERROR_FILE_READ_ERROR:
        case tinyxml2::XML_ERROR_PARSING:
        case tinyxml2::XML_CAN_NOT_CONVERT_TEXT:
        case tinyxml2::XML_NO_TEXT_NODE:
        case tinyxml2::XML_ERROR_COUNT: break;
    }
    return "not well-formed";
}

std::optional<std::string> cannot_write(const Survey& survey) {
    if (survey.unwritable != nullptr) return survey.unwritable;
    if (survey.undeclared_names) {
        return "names whose namespace is not declared (tinyxml2 does not declare them)";
    }
    if (survey.deepest_filled > k_deepest_filled || survey.depth > k_deepest_filled + 1) {
        return too_deep(survey.depth, "tinyxml2 " + version(), k_deepest_filled);
    }
    if (survey.blank_text) return "text of white space alone (tinyxml2 drops it)";
    if (survey.return_in_text) return "a carriage return in text (tinyxml2 writes it raw)";
    if (survey.return_in_attribute || survey.blank_in_attribute) {
        return "a line end or tab in an attribute (tinyxml2 writes it raw)";
    }
    if (survey.late_instruction) {
        return "a processing instruction after the start (tinyxml2 refuses it)";
    }
    if (!survey.entity_references.empty()) {
        return "a reference to an entity that is declared elsewhere (tinyxml2 takes it for text)";
    }
    if (survey.most_attributes > k_most_attributes) {
        return "an element with " + std::to_string(survey.most_attributes) +
               " attributes (tinyxml2 compares each with all others; " +
               std::to_string(k_most_attributes) + " at most)";
    }
    if (survey.text_bytes > k_most_bytes) return "a document larger than 128 MiB";
    if (survey.doctype != nullptr) {
        for (const std::string_view part :
             {survey.doctype->system_id, survey.doctype->internal_subset}) {
            if (part.find('>') != std::string_view::npos) {
                return "declarations in the internal subset (tinyxml2 ends the DOCTYPE at the "
                       "first >)";
            }
        }
    }
    return std::nullopt;
}

// A document without those facts is the same to tinyxml2 as to a conforming parser.
std::optional<std::string> cannot_read(const Document& document) {
    Utf8Text reader;
    const auto text = reader.read(document.source.view(), Utf8Text::Form::owned,
                                  std::numeric_limits<std::size_t>::max() / 4);
    if (!text) return text.error().where;
    const std::string_view bytes = as_text(document.source.view());
    if (bytes.substr(bytes.size() - std::min(bytes.size(), text->size())) != *text) {
        return "encoding " + document.facts.encoding + " (tinyxml2 reads UTF-8)";
    }
    if (document.facts.general_entities) {
        return "entities of the internal subset (tinyxml2 does not expand them)";
    }
    if (document.facts.default_attributes) {
        return "default attributes of the internal subset (tinyxml2 does not add them)";
    }
    const SourceTraits traits = scan_source(*text);
    if (document.facts.tokenized_attributes && traits.collapsible_attribute) {
        return "attribute types in the internal subset (tinyxml2 does not normalise by them)";
    }
    if (traits.deepest_open > k_deepest_filled) {
        return too_deep(traits.deepest_open, "tinyxml2 " + version(), k_deepest_filled);
    }
    if (traits.blank_run) return "text of white space alone (tinyxml2 drops it)";
    if (traits.line_feed_then_return) {
        return "a line feed before a carriage return (tinyxml2 makes one line end of them)";
    }
    if (traits.raw_blank_in_attribute) {
        return "a line end or tab in an attribute (tinyxml2 does not make it a space)";
    }
    return std::nullopt;
}

}  // namespace

// Builds tinyxml2's DOM from a tape.
class Tinyxml2Format::Builder {
  public:
    explicit Builder(tinyxml2::XMLDocument& document) : document_(document), at_(&document) {}

    void start_document() {
        document_.Clear();
        at_->InsertEndChild(document_.NewDeclaration());
    }
    void doctype(const Doctype& doctype) {
        value_ = "DOCTYPE " + declaration_text(doctype);
        at_->InsertEndChild(document_.NewUnknown(value_.c_str()));
    }
    void start_element(const QName* name) {
        element_ = document_.NewElement(names_.text(name));
        at_->InsertEndChild(element_);
        at_ = element_;
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        declaration_name(prefix, name_);
        value_ = uri;
        element_->SetAttribute(name_.c_str(), value_.c_str());
    }
    void attribute(const QName* name, std::string_view value) {
        value_ = value;
        element_->SetAttribute(names_.text(name), value_.c_str());
    }
    void characters(std::string_view text) {
        value_ = text;
        at_->InsertEndChild(document_.NewText(value_.c_str()));
    }
    void comment(std::string_view text) {
        value_ = text;
        at_->InsertEndChild(document_.NewComment(value_.c_str()));
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        value_ = target;
        if (!data.empty()) value_ += ' ';
        value_ += data;
        at_->InsertEndChild(document_.NewDeclaration(value_.c_str()));
    }
    // Refused before.
    void entity_reference(std::string_view) {}
    void end_element(const QName*) { at_ = at_->Parent(); }
    void end_document() {}

  private:
    tinyxml2::XMLDocument& document_;
    tinyxml2::XMLNode* at_;
    tinyxml2::XMLElement* element_ = nullptr;
    QualifiedNames names_;
    std::string name_;
    std::string value_;
};

Tinyxml2Format::Tinyxml2Format(std::string spec, const Limits& limits)
    : limits_(limits), namespaces_(limits) {
    info_.spec = std::move(spec);
    info_.title = "XML:TINYXML2";
    info_.reader = "tinyxml2 " + version() + " DOM, walked; namespace layer added";
    info_.writer = "tinyxml2 " + version() + " XMLPrinter, from DOM";
    info_.encoder_notes = {"from DOM: encode writes a tree that was built untimed"};
    info_.notes = {
        "checks neither UTF-8 nor characters nor undefined entities",
    };
    info_.text_xml = true;
    info_.fidelity.entity_references = true;
}

std::optional<std::string> Tinyxml2Format::cannot_represent(const Document& document,
                                                            bool source) const {
    if (auto reason = cannot_write(survey(document.xml))) return reason;
    return source ? cannot_read(document) : std::nullopt;
}

Result<> Tinyxml2Format::prepare(const Document& document) {
    if (cannot_write(survey(document.xml))) {
        return Error{.code = Errc::unsupported, .where = "a document that tinyxml2 cannot hold"};
    }
    Builder builder(built_);
    document.xml.play(builder);
    return {};
}

Result<> Tinyxml2Format::encode(const Document&, Buffer& out) {
    printer_.ClearBuffer();
    printer_.write_to(out);
    built_.Print(&printer_);
    return {};
}

Result<> Tinyxml2Format::parse(Bytes input) {
    if (input.size() > limits_.max_document) {
        return Error{.code = Errc::limit_exceeded,
                     .where = "the document is larger than the limit"};
    }
    const std::string_view text = as_text(input);
    if (has_flooded_tag(text, k_most_attributes)) {
        return Error{.code = Errc::limit_exceeded,
                     .where = "more attributes on an element than tinyxml2 can compare"};
    }
    const tinyxml2::XMLError code = parsed_.Parse(text.data(), text.size());
    if (code == tinyxml2::XML_SUCCESS) return {};
    return Error{.code = code == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED ? Errc::limit_exceeded
                                                                      : Errc::malformed,
                 .where = describe_code(code),
                 .line = static_cast<std::uint32_t>(parsed_.ErrorLineNum())};
}

Error Tinyxml2Format::fault(const tinyxml2::XMLNode* node, const char* where) const {
    Error error = namespaces_.fault();
    if (where != nullptr) error = {.where = where};
    error.line = static_cast<std::uint32_t>(node->GetLineNum());
    return error;
}

bool Tinyxml2Format::split_instruction(std::string_view value, std::string_view& target,
                                       std::string_view& data) {
    const std::size_t end = std::min(value.find_first_of(" \t\n\r"), value.size());
    target = value.substr(0, end);
    data = value.substr(end);
    while (!data.empty() && is_space(data.front()))
        data.remove_prefix(1);
    return is_ncname(target);
}

bool Tinyxml2Format::is_doctype(const tinyxml2::XMLNode& node) {
    constexpr std::string_view k_keyword = "DOCTYPE";
    const std::string_view value = node.Value();
    return node.ToUnknown() != nullptr && namespaces_.depth() == 0 &&
           value.starts_with(k_keyword) && doctype_.parse(value.substr(k_keyword.size()));
}

}  // namespace perfrelay::xml
