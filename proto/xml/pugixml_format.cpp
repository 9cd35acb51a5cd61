#include "proto/xml/pugixml_format.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "proto/xml/position.h"
#include "proto/xml/qualified_names.h"
#include "proto/xml/source_scan.h"
#include "proto/xml/survey.h"
#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {

namespace {

std::string version() {
    // 1130 is 1.13.
    return std::to_string(PUGIXML_VERSION / 1000) + "." +
           std::to_string(PUGIXML_VERSION % 1000 / 10);
}

std::optional<std::string> cannot_write(const Survey& survey) {
    if (survey.unwritable != nullptr) return survey.unwritable;
    if (survey.undeclared_names) {
        return "names whose namespace is not declared (pugixml does not declare them)";
    }
    if (survey.return_in_text) return "a carriage return in text (pugixml writes it raw)";
    if (!survey.entity_references.empty()) {
        return "a reference to an entity that is declared elsewhere (pugixml takes it for text)";
    }
    return std::nullopt;
}

// UTF-8, UTF-16 and UTF-32 by their marks or first bytes, ISO-8859-1 by its declaration; everything
// else pugixml takes for UTF-8.
bool reads_encoding(const Document& document, const Utf8Text& reader, std::string_view text) {
    const std::string_view bytes = as_text(document.source.view());
    if (bytes.substr(bytes.size() - std::min(bytes.size(), text.size())) == text) return true;
    std::string name = reader.encoding();
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return name.starts_with("UTF-16") || name.starts_with("UTF-32") || name == "ISO-8859-1" ||
           name == "LATIN1";
}

std::optional<std::string> cannot_read(const Document& document) {
    Utf8Text reader;
    const auto text = reader.read(document.source.view(), Utf8Text::Form::owned,
                                  std::numeric_limits<std::size_t>::max() / 4);
    if (!text) return text.error().where;
    if (!reads_encoding(document, reader, *text)) {
        return "encoding " + document.facts.encoding +
               " (pugixml reads UTF-8, UTF-16, UTF-32 and ISO-8859-1)";
    }
    if (document.facts.general_entities) {
        return "entities of the internal subset (pugixml does not expand them)";
    }
    if (document.facts.default_attributes) {
        return "default attributes of the internal subset (pugixml does not add them)";
    }
    const SourceTraits traits = scan_source(*text);
    if (document.facts.tokenized_attributes && traits.collapsible_attribute) {
        return "attribute types in the internal subset (pugixml does not normalise by them)";
    }
    if (traits.return_in_instruction) {
        return "a carriage return in a processing instruction (pugixml keeps it)";
    }
    return std::nullopt;
}

class Output final : public pugi::xml_writer {
  public:
    explicit Output(Buffer& buffer) : buffer_(buffer) {}
    void write(const void* data, std::size_t size) override {
        buffer_.append(Bytes(static_cast<const std::uint8_t*>(data), size));
    }

  private:
    Buffer& buffer_;
};

Errc class_of(pugi::xml_parse_status status) {
    if (status == pugi::status_out_of_memory) return Errc::limit_exceeded;
    return status == pugi::status_no_document_element ? Errc::truncated : Errc::malformed;
}

}  // namespace

// Builds pugixml's DOM from a tape.
class PugixmlFormat::Builder {
  public:
    explicit Builder(pugi::xml_document& document) : document_(document), at_(document.root()) {}

    void start_document() {
        document_.reset();
        at_ = document_.root();
        pugi::xml_node declaration = at_.append_child(pugi::node_declaration);
        declaration.append_attribute("version") = "1.0";
        declaration.append_attribute("encoding") = "UTF-8";
    }
    void doctype(const Doctype& doctype) {
        value_ = declaration_text(doctype);
        add(pugi::node_doctype);
    }
    void start_element(const QName* name) {
        at_ = at_.append_child(pugi::node_element);
        check(at_.set_name(names_.text(name)));
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        declaration_name(prefix, name_);
        value_ = uri;
        check(at_.append_attribute(name_.c_str()).set_value(value_.c_str()));
    }
    void attribute(const QName* name, std::string_view value) {
        value_ = value;
        check(at_.append_attribute(names_.text(name)).set_value(value_.c_str()));
    }
    void characters(std::string_view text) {
        value_ = text;
        add(pugi::node_pcdata);
    }
    void comment(std::string_view text) {
        value_ = text;
        add(pugi::node_comment);
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        name_ = target;
        value_ = data;
        pugi::xml_node node = at_.append_child(pugi::node_pi);
        check(node.set_name(name_.c_str()));
        if (!data.empty()) check(node.set_value(value_.c_str()));
    }
    // Refused before.
    void entity_reference(std::string_view) {}
    void end_element(const QName*) { at_ = at_.parent(); }
    void end_document() {}

    bool good() const { return good_; }

  private:
    void add(pugi::xml_node_type type) { check(at_.append_child(type).set_value(value_.c_str())); }
    void check(bool done) { good_ = good_ && done; }

    pugi::xml_document& document_;
    pugi::xml_node at_;
    QualifiedNames names_;
    std::string name_;
    std::string value_;
    bool good_ = true;
};

PugixmlFormat::PugixmlFormat(std::string spec, const Limits& limits)
    : limits_(limits), namespaces_(limits) {
    info_.spec = std::move(spec);
    info_.title = "XML:PUGIXML";
    info_.reader = "pugixml " + version() + " DOM, walked; namespace layer added";
    info_.writer = "pugixml " + version() + ", from DOM";
    info_.encoder_notes = {"from DOM: encode writes a tree that was built untimed"};
    info_.notes = {
        "checks neither UTF-8 nor characters nor undefined entities",
    };
    info_.text_xml = true;
}

std::optional<std::string> PugixmlFormat::cannot_represent(const Document& document,
                                                           bool source) const {
    if (auto reason = cannot_write(survey(document.xml))) return reason;
    return source ? cannot_read(document) : std::nullopt;
}

Result<> PugixmlFormat::prepare(const Document& document) {
    if (cannot_write(survey(document.xml))) {
        return Error{.code = Errc::unsupported, .where = "a document that pugixml cannot hold"};
    }
    Builder builder(built_);
    document.xml.play(builder);
    if (!builder.good()) return Error{.code = Errc::limit_exceeded, .where = "out of memory"};
    return {};
}

Result<> PugixmlFormat::encode(const Document&, Buffer& out) {
    Output output(out);
    built_.save(output, "", pugi::format_raw, pugi::encoding_utf8);
    return {};
}

Result<> PugixmlFormat::parse(Bytes input) {
    if (input.size() > limits_.max_document) {
        return Error{.code = Errc::limit_exceeded,
                     .where = "the document is larger than the limit"};
    }
    buffer_.clear();
    buffer_.append(input);
    const pugi::xml_parse_result result = parsed_.load_buffer_inplace(
        buffer_.data(), buffer_.size(), pugi::parse_full | pugi::parse_ws_pcdata);
    if (result) return {};
    const Errc code = class_of(result.status);
    if (result.encoding != pugi::encoding_utf8) {
        return Error{.code = code, .where = result.description()};
    }
    return error_at(as_text(input),
                    static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, result.offset)), code,
                    result.description());
}

}  // namespace perfrelay::xml
