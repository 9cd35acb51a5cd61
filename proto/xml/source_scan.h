#pragma once
// scan_source: how a well-formed document is written, where that decides what an engine makes of
// it.
//
// For documents that a conforming parser has accepted, UTF-8, line ends as they stand. One linear
// pass; it knows tags, quotes, comments, instructions, CDATA sections and the DOCTYPE, nothing
// else. Tested by tests/unit/proto/xml/source_scan_test.cpp.

#include <cstddef>
#include <map>
#include <set>
#include <string_view>

namespace perfrelay::xml {

struct SourceTraits {
    // General entities referred to, but for the five predefined ones; views into the text.
    std::set<std::string_view> references;
    std::map<std::string_view, std::size_t> attribute_references;  // the first place of each

    std::size_t most_attributes = 0;      // on one element, with declarations
    std::size_t deepest_open = 0;         // level of the deepest <a>...</a>; <a/> does not count
    bool blank_run = false;               // white space alone between two pieces of markup
    bool line_feed_then_return = false;   // LF CR, outside of tags
    bool return_in_instruction = false;   // CR in a processing instruction
    bool raw_blank_in_attribute = false;  // a tab, LF or CR that becomes a space
    bool collapsible_attribute = false;   // a value that a type other than CDATA would change
};

SourceTraits scan_source(std::string_view text);

// Whether an element of `text`, which need not be well-formed, has more than about `limit`
// attributes: for engines that compare each with all others. Costs next to nothing on documents
// that have none such.
bool has_flooded_tag(std::string_view text, std::size_t limit);

}  // namespace perfrelay::xml
