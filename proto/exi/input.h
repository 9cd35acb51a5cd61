#pragma once
// Input: where a stream's bytes come from: a block of memory, or a source whose window grows.
//
// Copied from reader to reader as one part of a stream ends and the next begins: the header is read
// in bits, the body in bits or bytes. Tested by tests/unit/proto/exi/bits_test.cpp.

#include <cstddef>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/base/stream.h"

namespace perfrelay::exi {

struct Input {
    const std::uint8_t* begin = nullptr;
    const std::uint8_t* next = nullptr;
    const std::uint8_t* end = nullptr;
    ByteSource* source = nullptr;  // none: the window is all there is
    std::size_t before = 0;        // bytes of the stream in front of the window
    std::size_t most = SIZE_MAX;   // that may come of a source, Limits::max_document

    static Input of(Bytes bytes) {
        return {.begin = bytes.data(), .next = bytes.data(), .end = bytes.data() + bytes.size()};
    }
    static Input of(ByteSource& source, std::size_t most) {
        return {.source = &source, .most = most};
    }

    std::size_t left() const { return static_cast<std::size_t>(end - next); }
    std::size_t offset() const { return before + static_cast<std::size_t>(next - begin); }

    // More bytes behind those of the window, waiting for them. False at the end of the input.
    Result<bool> more() {
        if (source == nullptr) return false;
        const std::size_t had = left();
        const std::size_t consumed = static_cast<std::size_t>(next - begin);
        const Result<Bytes> window = source->refill(consumed);
        if (!window) {
            begin = next = end = nullptr;
            source = nullptr;
            return window.error();
        }
        before += consumed;
        begin = next = window->data();
        end = begin + window->size();
        if (before + window->size() > most) {
            source = nullptr;
            end = begin;
            return Error{.code = Errc::limit_exceeded,
                         .offset = most,
                         .where = "EXI 4: the stream is longer than the limit on a document"};
        }
        return window->size() > had;
    }
};

}  // namespace perfrelay::exi
