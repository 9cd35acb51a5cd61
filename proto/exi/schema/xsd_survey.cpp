#include "proto/exi/schema/xsd_survey.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include <xercesc/framework/LocalFileInputSource.hpp>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/parsers/SAXParser.hpp>
#include <xercesc/sax/HandlerBase.hpp>
#include <xercesc/sax/SAXException.hpp>
#include <xercesc/util/SecurityManager.hpp>

#include "proto/exi/names.h"

namespace perfrelay::exi {

namespace x = xercesc;

namespace {

// Elements within each other. Xerces-C++ walks a schema by recursion.
constexpr std::size_t k_most_nested = 1000;
// What the quantifiers of a pattern come to: it makes as many copies.
constexpr std::uint64_t k_most_copies = 200'000;

// The most that a quantifier like {2,7} says, which starts at `at`; moves behind it.
std::uint64_t most_of_quantifier(std::string_view pattern, std::size_t& at) {
    const std::size_t end = std::min(pattern.find('}', at), pattern.size());
    std::uint64_t most = 1;
    for (++at; at < end;) {
        std::uint64_t number = 0;
        const auto [stop, error] =
            std::from_chars(pattern.data() + at, pattern.data() + end, number);
        if (error == std::errc::result_out_of_range) return k_most_copies + 1;
        most = std::max(most, number);
        at = static_cast<std::size_t>(stop - pattern.data()) + 1;
    }
    at = end + 1;
    return most;
}

bool expands_too_far(std::string_view pattern) {
    struct Group {
        std::uint64_t size = 0;
        std::uint64_t last = 0;  // of its last piece
    };
    std::vector<Group> open(1);
    const auto piece = [&](std::uint64_t size) {
        open.back().size += size;
        open.back().last = size;
    };
    for (std::size_t at = 0; at < pattern.size();) {
        switch (pattern[at]) {
            case '(': open.emplace_back(); break;
            case ')': {
                const std::uint64_t size = open.back().size + 1;
                if (open.size() > 1) open.pop_back();
                piece(size);
                break;
            }
            case '{': {
                Group& group = open.back();
                group.size -= group.last;
                group.last *= most_of_quantifier(pattern, at);
                group.size += group.last;
                if (group.size > k_most_copies) return true;
                continue;
            }
            case '\\':
                ++at;
                piece(1);
                break;
            default: piece(1);
        }
        ++at;
    }
    return false;
}

class Survey final : public x::HandlerBase {
  public:
    explicit Survey(XsdSurvey& out) : out_(out) {}

    void startElement(const XMLCh* const name, x::AttributeList& attributes) override {
        ++out_.elements;
        if (++depth_ > k_most_nested) refuse("elements nested deeper than the limit");
        const std::string element = utf8_of(name);
        if (depth_ == 1) start(attributes);
        if (depth_ == 2) {
            for (const char* const other : {"include", "import", "redefine"})
                out_.refers = out_.refers || element.ends_with(other);
            if (const XMLCh* const head = attributes.getValue("substitutionGroup")) {
                out_.heads[target_ + "}" + utf8_of(attributes.getValue("name"))] =
                    resolved(utf8_of(head));
            }
        }
        if (element.ends_with("pattern") && expands_too_far(utf8_of(attributes.getValue("value"))))
            refuse("a pattern whose quantifiers come to more than the limit");
    }
    void endElement(const XMLCh* const) override { --depth_; }
    x::InputSource* resolveEntity(const XMLCh* const, const XMLCh* const) override {
        static constexpr XMLByte k_empty[] = {' '};
        return new x::MemBufInputSource(k_empty, 1, "nothing");
    }

  private:
    [[noreturn]] static void refuse(const char* why) { throw x::SAXException(why); }

    void start(x::AttributeList& attributes) {
        target_ = utf8_of(attributes.getValue("targetNamespace"));
        out_.own = target_ == k_xsd_uri;
        for (XMLSize_t i = 0; i < attributes.getLength(); ++i)
            declared_[utf8_of(attributes.getName(i))] = utf8_of(attributes.getValue(i));
    }
    // By the declarations of the root.
    std::string resolved(const std::string& name) const {
        const std::size_t colon = name.find(':');
        const bool prefixed = colon != std::string::npos;
        const auto uri = declared_.find(prefixed ? "xmlns:" + name.substr(0, colon) : "xmlns");
        return (uri == declared_.end() ? "" : uri->second) + "}" +
               (prefixed ? name.substr(colon + 1) : name);
    }

    XsdSurvey& out_;
    std::size_t depth_ = 0;
    std::string target_;
    std::map<std::string, std::string> declared_;
};

}  // namespace

XsdSurvey survey_xsd(const std::string& path) {
    XsdSurvey out;
    Survey survey(out);
    FirstError errors;
    x::SecurityManager security;
    security.setEntityExpansionLimit(k_most_entities);
    x::SAXParser parser;
    parser.setDocumentHandler(&survey);
    parser.setErrorHandler(&errors);
    parser.setEntityResolver(&survey);
    parser.setSecurityManager(&security);
    parser.setLoadExternalDTD(false);
    try {
        parser.parse(x::LocalFileInputSource(wide_of(path).c_str()));
        out.fault = errors.text;
    } catch (const x::XMLException& found) {
        out.fault = path + ": " + utf8_of(found.getMessage());
    } catch (const x::SAXException& found) {
        out.fault = path + ": " + utf8_of(found.getMessage());
    }
    return out;
}

}  // namespace perfrelay::exi
