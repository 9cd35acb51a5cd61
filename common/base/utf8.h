#pragma once
// Well-formed UTF-8 (Unicode 15 table 3-7): no overlong form, no surrogate, nothing above U+10FFFF.
// Tested by tests/unit/common/utf8_test.cpp.

#include <cstddef>
#include <string_view>

namespace perfrelay {

// Bytes of the character that `text` begins with, 1 to 4; 0 if it begins with none.
std::size_t utf8_size(std::string_view text);

// Nothing but characters.
bool is_utf8(std::string_view text);

}  // namespace perfrelay
