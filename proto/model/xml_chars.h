#pragma once
// What XML 1.0 says of single characters: names, white space, what a document can hold at all.
//
// XML 1.0 (fifth edition) 2.2 Char, 2.3 S, Name; Namespaces in XML 1.0 section 3 NCName. Texts are
// taken to be UTF-8; malformed UTF-8 is no name.
// Tested by tests/unit/proto/xml_chars_test.cpp.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace perfrelay::xml {

// XML 1.0 2.3 [3] S.
constexpr bool is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

// Nothing but white space (also true of the empty text).
bool is_blank(std::string_view text);

bool is_name(std::string_view text);
bool is_ncname(std::string_view text);

// Where `text` has a character that no XML 1.0 document can hold, not even as a reference (a
// control, U+FFFE, U+FFFF); npos when it has none.
std::size_t find_forbidden(std::string_view text);

// XML 1.0 2.11: CR LF and CR become LF. `text` itself when there is nothing to do, else `scratch`.
std::string_view normalize_line_ends(std::string_view text, std::string& scratch);

}  // namespace perfrelay::xml
