#pragma once
// TextSource: the UTF-8 text of an XML document whose bytes are still arriving.
//
// The first piece is the whole prolog, up to and with the "<" of the root element, because readers
// look up the DOCTYPE's text in it; the pieces after it are what the source has. Only UTF-8 (with
// or without a byte-order mark) and US-ASCII can be read so: other encodings are converted as a
// whole (utf8_text.h). Memory is what the prolog takes, at most k_longest_prolog. XML 1.0
// section 2.8 [22] prolog, 4.3.3. Tested by tests/unit/proto/xml/text_source_test.cpp.

#include <cstddef>
#include <string_view>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/base/stream.h"

namespace perfrelay::xml {

class TextSource {
  public:
    static constexpr std::size_t k_longest_prolog = std::size_t{1} << 20U;

    TextSource(ByteSource& source, const Limits& limits) : source_(source), limits_(limits) {}

    // Once, before anything else. Lives until the first `next`, as `head_copy` would.
    Result<std::string_view> head();

    // More text, at least a byte, and `enough` if it does not end before; nothing at the end. The
    // piece before is void then. The first call after `head` drops the head.
    Result<std::string_view> next(std::size_t enough = 1);

    std::size_t bytes() const { return bytes_; }  // read so far

    // For readers that compare each attribute of an element with every other: more than `most` "="
    // between two "<" are an error.
    void watch_attributes(std::size_t most) { most_attributes_ = most; }

  private:
    Result<> check(std::string_view text);

    ByteSource& source_;
    const Limits& limits_;
    std::size_t window_ = 0;  // bytes given out
    std::size_t bytes_ = 0;
    std::size_t most_attributes_ = SIZE_MAX;
    std::size_t equals_ = 0;
    bool ascii_only_ = false;
};

}  // namespace perfrelay::xml
