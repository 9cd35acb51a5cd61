#pragma once
// Where in a text: lines and columns from 1, columns in characters (code points).
// Line ends are LF, CR LF and CR, as XML 1.0 section 2.11 has them.
// Tested by tests/unit/proto/xml/utf8_text_test.cpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace perfrelay::xml {

// An Error for byte `offset` of the UTF-8 `text`; its line and column are counted from the start.
inline Error error_at(std::string_view text, std::size_t offset, Errc code, const char* where) {
    Error error{.code = code, .offset = offset, .where = where, .line = 1, .column = 1};
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    for (std::size_t i = 0; i < before.size(); ++i) {
        const char c = before[i];
        if (c == '\n' || (c == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) {
            ++error.line;
            error.column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U && c != '\r') {
            ++error.column;
        }
    }
    return error;
}

}  // namespace perfrelay::xml
