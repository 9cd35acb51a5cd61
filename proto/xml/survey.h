#pragma once
// survey: what a document holds that some engine cannot write or read back.
//
// The reasons that engines give in cannot_represent rest on this, on the facts of the source and on
// scan_source; nothing is tried out. Tested by tests/unit/proto/xml/survey_test.cpp and, through
// every engine, by engines_test.cpp.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "proto/codec/document.h"

namespace perfrelay::xml {

struct Survey {
    const char* unwritable = nullptr;  // what no XML document can hold, if anything
    bool undeclared_names = false;     // a name whose namespace is not declared where it stands
    std::size_t depth = 0;
    std::size_t deepest_filled = 0;   // level of the deepest element that is not empty
    std::size_t most_attributes = 0;  // on one element, with declarations
    std::size_t text_bytes = 0;       // of everything
    bool blank_text = false;
    bool return_in_text = false;
    bool return_in_attribute = false;
    bool blank_in_attribute = false;               // a tab or line feed
    std::set<std::string_view> entity_references;  // their names, which are the tape's
    bool late_instruction = false;                 // after a DOCTYPE, comment or element
    bool xml_prefix_declared = false;
    const Doctype* doctype = nullptr;
};

Survey survey(const XmlTape& tape);

// "nested 120 deep, tinyxml2 9.0 reads 98"
std::string too_deep(std::size_t depth, const std::string& engine, std::size_t limit);

}  // namespace perfrelay::xml
