#include "proto/exi/schema/schema_for_schemas.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <xercesc/framework/LocalFileInputSource.hpp>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/parsers/SAXParser.hpp>
#include <xercesc/sax/AttributeList.hpp>
#include <xercesc/sax/HandlerBase.hpp>

#include "proto/exi/names.h"
#include "proto/exi/schema/xsd_components.h"

namespace perfrelay::exi {

namespace x = xercesc;

namespace {

constexpr std::string_view k_stand_in = "urn:perfrelay:schema-for-schemas";
constexpr std::string_view k_prefix = "stand-in";

bool is_built_in(std::string_view type) {
    const auto names = xsd_type_names();
    return std::find(names.begin(), names.end(), type) != names.end();
}

// Writes the schema's elements and attributes again, and no text, which is documentation.
class Writer final : public x::HandlerBase {
  public:
    void startElement(const XMLCh* const name, x::AttributeList& attributes) override {
        if (++depth_ == 1 && !start(attributes)) throw x::SAXException("another schema");
        const std::string element = utf8_of(name);
        if (skipped_ == 0 && depth_ == 2 && element.ends_with("Type") &&
            is_built_in(utf8_of(attributes.getValue("name")))) {
            skipped_ = depth_;
        }
        if (skipped_ != 0) return;
        text += "<" + element;
        for (XMLSize_t i = 0; i < attributes.getLength(); ++i) {
            const std::string key = utf8_of(attributes.getName(i));
            write(key, rewritten(key, utf8_of(attributes.getValue(i))));
        }
        if (depth_ == 1) write("xmlns:" + std::string(k_prefix), k_stand_in);
        text += ">";
    }
    void endElement(const XMLCh* const name) override {
        if (skipped_ == 0) text += "</" + utf8_of(name) + ">";
        if (skipped_ == depth_) skipped_ = 0;
        --depth_;
    }
    x::InputSource* resolveEntity(const XMLCh* const, const XMLCh* const) override {
        static constexpr XMLByte k_empty[] = {' '};
        return new x::MemBufInputSource(k_empty, 1, "nothing");
    }

    std::string text;

  private:
    // Whether it is the one, and which prefix stands for it.
    bool start(x::AttributeList& attributes) {
        for (XMLSize_t i = 0; i < attributes.getLength(); ++i) {
            const std::string key = utf8_of(attributes.getName(i));
            if (utf8_of(attributes.getValue(i)) != k_xsd_uri) continue;
            if (key == "xmlns") prefix_ = "";
            if (key.starts_with("xmlns:")) prefix_ = key.substr(6) + ":";
        }
        return utf8_of(attributes.getValue("targetNamespace")) == k_xsd_uri;
    }
    std::string rewritten(const std::string& key, const std::string& value) const {
        constexpr std::array<std::string_view, 4> k_types{"type", "base", "itemType",
                                                          "memberTypes"};
        constexpr std::array<std::string_view, 3> k_others{"ref", "refer", "substitutionGroup"};
        if (key == "targetNamespace") return std::string(k_stand_in);
        const bool type = std::find(k_types.begin(), k_types.end(), key) != k_types.end();
        if (!type && std::find(k_others.begin(), k_others.end(), key) == k_others.end())
            return value;
        std::string out;
        for (std::size_t at = 0; at < value.size();) {
            const std::size_t end = std::min(value.find(' ', at), value.size());
            const std::string name = value.substr(at, end - at);
            const bool own =
                name.starts_with(prefix_) && name.find(':', prefix_.size()) == std::string::npos;
            const std::string local = own ? name.substr(prefix_.size()) : name;
            if (!out.empty()) out += ' ';
            out +=
                own && !(type && is_built_in(local)) ? std::string(k_prefix) + ":" + local : name;
            at = end + 1;
        }
        return out;
    }
    void write(std::string_view key, std::string_view value) {
        text.append(" ").append(key).append("=\"");
        for (const char c : value) {
            switch (c) {
                case '&': text += "&amp;"; break;
                case '<': text += "&lt;"; break;
                case '"': text += "&quot;"; break;
                case '\n': text += "&#10;"; break;
                case '\t': text += "&#9;"; break;
                default: text += c;
            }
        }
        text += '"';
    }

    std::string prefix_;
    std::size_t depth_ = 0;
    std::size_t skipped_ = 0;  // depth of what is left out
};

}  // namespace

std::optional<std::string> with_stand_in(const std::string& path) {
    Writer writer;
    x::SAXParser parser;
    parser.setDocumentHandler(&writer);
    parser.setErrorHandler(&writer);
    parser.setEntityResolver(&writer);
    parser.setLoadExternalDTD(false);
    try {
        parser.parse(x::LocalFileInputSource(wide_of(path).c_str()));
    } catch (const x::SAXException&) {
        return std::nullopt;
    }
    return std::move(writer.text);
}

void give_back_namespace(Components& components) {
    const auto give = [](std::string& uri) {
        if (uri == k_stand_in) uri = k_xsd_uri;
    };
    for (SimpleType& type : components.simple_types)
        give(type.name.uri);
    for (ComplexType& type : components.complex_types) {
        give(type.name.uri);
        if (!type.attribute_wildcard) continue;
        for (std::string& uri : type.attribute_wildcard->uris)
            give(uri);
    }
    for (ElementDeclaration& element : components.elements)
        give(element.name.uri);
    for (AttributeDeclaration& attribute : components.attributes)
        give(attribute.name.uri);
    for (Wildcard& wildcard : components.wildcards) {
        for (std::string& uri : wildcard.uris)
            give(uri);
    }
    for (std::string& uri : components.target_namespaces)
        give(uri);
}

}  // namespace perfrelay::exi
