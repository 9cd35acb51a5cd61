#pragma once
// RapidJSON's output stream over a Buffer: what it writes is appended.
// Tested by tests/unit/proto/neutral_json_test.cpp and tests/unit/proto/json/.

#include "common/base/bytes.h"

namespace perfrelay {

// NOLINTBEGIN(readability-identifier-naming): RapidJSON's names
class JsonStream {
  public:
    using Ch = char;
    explicit JsonStream(Buffer& out) : out_(out) {}
    void Put(char c) { out_.u8(static_cast<std::uint8_t>(c)); }
    void Flush() {}

    // RapidJSON asks for room once a text, then puts without looking.
    friend void PutReserve(JsonStream& stream, std::size_t count) {
        (void)stream.out_.prepare(count);
    }
    friend void PutUnsafe(JsonStream& stream, char c) {
        *stream.out_.prepare(0) = static_cast<std::uint8_t>(c);
        stream.out_.commit(1);
    }

  private:
    Buffer& out_;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace perfrelay
