#include "proto/xml/libxml2_format.h"

#include <utility>

#include "proto/xml/qualified_names.h"
#include "proto/xml/survey.h"

namespace perfrelay::xml {

namespace {

const xmlChar* chars(const std::string& text) {
    return reinterpret_cast<const xmlChar*>(text.c_str());
}
const xmlChar* chars(const char* text) {
    return reinterpret_cast<const xmlChar*>(text);
}

int append_to_buffer(void* buffer, const char* bytes, int size) {
    static_cast<Buffer*>(buffer)->append(std::string_view(bytes, static_cast<std::size_t>(size)));
    return size;
}

}  // namespace

// Plays a tape into xmlTextWriter. A call that fails is seen at the end.
class Libxml2Format::Sink {
  public:
    Result<> write(const XmlTape& tape, Buffer& out) {
        // A writer cannot be used again, nor the buffer that it takes with it.
        xmlOutputBufferPtr output =
            xmlOutputBufferCreateIO(append_to_buffer, nullptr, &out, nullptr);
        writer_ = output == nullptr ? nullptr : xmlNewTextWriter(output);
        if (writer_ == nullptr)
            return Error{.code = Errc::limit_exceeded, .where = "out of memory"};
        good_ = true;
        xmlResetLastError();
        tape.play(*this);
        xmlFreeTextWriter(writer_);
        writer_ = nullptr;
        if (!good_) {
            const xmlError* last = xmlGetLastError();
            const bool memory = last != nullptr && last->code == XML_ERR_NO_MEMORY;
            if (memory) return Error{.code = Errc::limit_exceeded, .where = "out of memory"};
            return Error{.where = "xmlTextWriter refused the document"};
        }
        return {};
    }

    void start_document() { check(xmlTextWriterStartDocument(writer_, nullptr, "UTF-8", nullptr)); }
    void doctype(const Doctype& doctype) {
        const std::string name(doctype.name);
        const std::string public_id(doctype.public_id);
        const std::string system_id(doctype.system_id);
        const std::string subset(doctype.internal_subset);
        const bool single = system_id.find('"') != std::string::npos;
        if (single) check(xmlTextWriterSetQuoteChar(writer_, '\''));
        check(xmlTextWriterWriteDTD(writer_, chars(name),
                                    public_id.empty() ? nullptr : chars(public_id),
                                    doctype.has_system_id ? chars(system_id) : nullptr,
                                    doctype.has_internal_subset ? chars(subset) : nullptr));
        if (single) check(xmlTextWriterSetQuoteChar(writer_, '"'));
    }
    void start_element(const QName* name) {
        check(xmlTextWriterStartElement(writer_, chars(names_.text(name))));
    }
    void namespace_declaration(std::string_view prefix, std::string_view uri) {
        declaration_name(prefix, name_);
        value_ = uri;
        check(xmlTextWriterWriteAttribute(writer_, chars(name_), chars(value_)));
    }
    void attribute(const QName* name, std::string_view value) {
        value_ = value;
        check(xmlTextWriterWriteAttribute(writer_, chars(names_.text(name)), chars(value_)));
    }
    void characters(std::string_view text) {
        value_ = text;
        check(xmlTextWriterWriteString(writer_, chars(value_)));
    }
    void comment(std::string_view text) {
        value_ = text;
        check(xmlTextWriterWriteComment(writer_, chars(value_)));
    }
    void processing_instruction(std::string_view target, std::string_view data) {
        name_ = target;
        value_ = data;
        check(xmlTextWriterWritePI(writer_, chars(name_), data.empty() ? nullptr : chars(value_)));
    }
    void entity_reference(std::string_view name) {
        value_ = "&";
        value_ += name;
        value_ += ';';
        check(xmlTextWriterWriteRaw(writer_, chars(value_)));
    }
    void end_element(const QName*) { check(xmlTextWriterEndElement(writer_)); }
    void end_document() { check(xmlTextWriterEndDocument(writer_)); }

  private:
    void check(int status) {
        if (status < 0) good_ = false;
    }

    xmlTextWriterPtr writer_ = nullptr;
    QualifiedNames names_;
    std::string name_;
    std::string value_;
    bool good_ = true;
};

Libxml2Format::Libxml2Format(std::string spec, const Limits& limits)
    : reader_(limits), sink_(std::make_unique<Sink>()) {
    info_.spec = std::move(spec);
    info_.title = "XML:LIBXML2";
    info_.reader = "libxml2 " + Libxml2Reader::version() + " SAX2";
    info_.writer = "libxml2 " + Libxml2Reader::version() + " xmlTextWriter";
    info_.text_xml = true;
}

Libxml2Format::~Libxml2Format() = default;

std::optional<std::string> Libxml2Format::cannot_represent(const Document& document,
                                                           bool source) const {
    const Survey found = survey(document.xml);
    if (found.unwritable != nullptr) return found.unwritable;
    if (found.undeclared_names) {
        return "names whose namespace is not declared (xmlTextWriter does not declare them)";
    }
    return Libxml2Reader::cannot_read(found, document, source);
}

Result<> Libxml2Format::encode(const Document& document, Buffer& out) {
    return sink_->write(document.xml, out);
}

}  // namespace perfrelay::xml
