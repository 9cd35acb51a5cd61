#pragma once
// survey_xsd: what an XSD is as XML, read on its own before Xerces-C++ loads it as a schema, where
// it bounds neither depth nor entities nor what patterns expand to. FirstError: what either reading
// finds wrong.
// Tested by tests/unit/proto/exi/hostile_xsd_test.cpp.

#include <cstddef>
#include <map>
#include <string>

#include <xercesc/sax/ErrorHandler.hpp>
#include <xercesc/sax/SAXParseException.hpp>

#include "proto/exi/schema/xsd_components.h"

namespace perfrelay::exi {

inline constexpr XMLSize_t k_most_entities = 1000;  // expanded, a file

struct XsdSurvey {
    std::string fault;    // why it may not be read, in one line; "": it may
    bool own = false;     // XML Schema's own schema
    bool refers = false;  // to other files
    std::size_t elements = 0;
    std::map<std::string, std::string> heads;  // of substitution groups, by member: uri}local
};

XsdSurvey survey_xsd(const std::string& path);

// The first error, as one line.
class FirstError final : public xercesc::ErrorHandler {
  public:
    void warning(const xercesc::SAXParseException&) override {}
    void error(const xercesc::SAXParseException& found) override {
        if (utf8_of(found.getSystemId()) != beyond_doubt) keep(found);
    }
    void fatalError(const xercesc::SAXParseException& found) override { keep(found); }
    void resetErrors() override {}

    std::string text;
    // XML Schema's own schema is right: Xerces-C++ takes no restriction of a union for derived.
    std::string beyond_doubt;

  private:
    void keep(const xercesc::SAXParseException& found) {
        if (!text.empty()) return;
        std::string file = utf8_of(found.getSystemId());
        if (file.rfind("file://", 0) == 0) file.erase(0, 7);
        text = file + ": line " + std::to_string(found.getLineNumber()) + ", column " +
               std::to_string(found.getColumnNumber()) + ": " + utf8_of(found.getMessage());
    }
};

}  // namespace perfrelay::exi
