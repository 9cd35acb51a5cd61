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
    const std::string& encoding() const { return encoding_; }
    bool byte_order_mark() const { return byte_order_mark_; }

    // The text of the owned form, writable, for parsers that work in place.
    char* data() { return reinterpret_cast<char*>(buffer_.data()); }

  private:
    class Converter;
    Result<> detect(Bytes input);
    Result<> convert(Bytes input, const std::string& from, std::size_t max_size);
    Result<> check_declared() const;

    std::string encoding_ = "UTF-8";
    bool byte_order_mark_ = false;
    std::size_t skip_ = 0;     // bytes of the mark
    std::string from_;         // what iconv is told; empty: no conversion
    std::size_t unit_ = 1;     // bytes of a code unit
    bool ascii_only_ = false;  // declared as US-ASCII
    Buffer buffer_;
    std::unique_ptr<Converter> converter_;
};

// The encoding that the XML declaration at the start of `text` names, or an empty text.
std::string_view declared_encoding(std::string_view text);

}  // namespace perfrelay::xml
