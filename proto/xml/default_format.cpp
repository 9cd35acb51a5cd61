#include "proto/xml/default_format.h"

#include <utility>

#include "proto/xml/survey.h"

namespace perfrelay::xml {

DefaultFormat::DefaultFormat(std::string spec, const Limits& limits) : reader_(limits) {
    info_.spec = std::move(spec);
    info_.title = "XML";
    info_.reader = "libxml2 " + Libxml2Reader::version() + " SAX2";
    info_.writer = "perfrelay streaming writer";
    info_.text_xml = true;
}

std::optional<std::string> DefaultFormat::cannot_represent(const Document& document,
                                                           bool source) const {
    const Survey found = survey(document.xml);
    if (found.unwritable != nullptr) return found.unwritable;
    return Libxml2Reader::cannot_read(found, document, source);
}

Result<> DefaultFormat::encode(const Document& document, Buffer& out) {
    writer_.write_to(out);
    document.xml.play(writer_);
    return writer_.finish();
}

}  // namespace perfrelay::xml
