#pragma once
// Utf8Text: the text of a document in UTF-8, whatever encoding its bytes are in.
//
// XML 1.0 section 2.8 (the declaration), 4.3.3 (declared encodings, the byte-order mark) and
// appendix F (finding out). UTF-8 and US-ASCII stay where they are; everything else that iconv
// knows is converted as a whole, so that every parser behind this reads UTF-8 and lines and columns
// are the document's own. A byte-order mark wins over the declaration and is not part of the text.
// UTF-8 itself is not checked here: each parser does that, or says that it does not.
// Tested by tests/unit/proto/xml/utf8_text_test.cpp.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace perfrelay::xml {

inline constexpr std::string_view k_mark = "\xEF\xBB\xBF";  // U+FEFF in UTF-8

struct SourceEncoding {
    std::string name = "UTF-8";  // as declared, or as found out
    std::string iconv_name;      // what iconv is told; empty: the bytes are UTF-8 as they are
    std::size_t mark = 0;        // bytes of the byte-order mark
    std::size_t unit = 1;        // bytes of a code unit
    bool ascii_only = false;     // declared as US-ASCII
};

// What a document that begins with `start` is written in; its XML declaration must be whole there.
// Errors: a declaration of a wide encoding that is written in a narrow one. (The other way round is
// seen once the text can be read.)
Result<SourceEncoding> detect_encoding(Bytes start);

// What a second byte-order mark at the start is: only the first is none of the document's
// characters (XML 1.0 4.3.3), though parsers skip more.
Error second_mark();

class TextConverter;  // an open iconv

class Utf8Text {
  public:
    enum class Form {
        borrowed,  // the input itself when it is UTF-8 already
        owned,     // always a copy in memory of this object, with a NUL behind it
    };

    Utf8Text();
    Utf8Text(Utf8Text&&) noexcept;
    Utf8Text& operator=(Utf8Text&&) noexcept;
    ~Utf8Text();

    // The text; it lives until the next call, and as long as `input` when borrowed. Errors, with
    // line and column: an encoding iconv does not know (unsupported), bytes that are not of the
    // encoding, a declaration that contradicts the bytes, a second byte-order mark, more than
    // `max_size` bytes of UTF-8.
    Result<std::string_view> read(Bytes input, Form form, std::size_t max_size);

    // Of the document read last. The encoding as declared, or as found out.
    const std::string& encoding() const { return encoding_.name; }
    bool byte_order_mark() const { return encoding_.mark != 0; }

    // The text of the owned form, writable, for parsers that work in place.
    char* data() { return reinterpret_cast<char*>(buffer_.data()); }

  private:
    Result<> convert(Bytes input, std::size_t max_size);
    Result<> check_declared() const;

    SourceEncoding encoding_;
    Buffer buffer_;
    std::unique_ptr<TextConverter> converter_;
};

// The encoding that the XML declaration at the start of `text` names, or an empty text.
std::string_view declared_encoding(std::string_view text);

}  // namespace perfrelay::xml
