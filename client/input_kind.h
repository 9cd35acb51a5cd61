#pragma once
// What kind of document some bytes are: by their first bytes, else by the file's ending, else by
// EXI's distinguishing bits. And which format an output's ending asks for.
//
// The kinds are one table (input_kind.cpp). A kind names the SPEC that reads it; whether this build
// has that format is the format table's business, so a format that is added needs nothing here.
// Sources: EXI 1.0 5.1, 5.2 (cookie, distinguishing bits); XML 1.0 appendix F (encodings without a
// byte-order mark); RFC 1952 2.3.1; RFC 8878 3.1.1; LZ4 frame format 1.6; Java Object Serialization
// 6.4 (STREAM_MAGIC, version 5); SQLite file format 1.3.
// Tested by tests/unit/client/input_kind_test.cpp.

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "common/base/bytes.h"

namespace perfrelay::client {

struct InputKind {
    std::string_view title;  // "EXI"
    // The format's, "exi", or the compressor's when packed. "sqlite" is read, and no format.
    std::string_view name;
    bool packed = false;  // not a document, one is inside
    std::array<std::string_view, 3> magics{};
    std::array<std::string_view, 7> endings{};  // ".exi"
};

std::span<const InputKind> input_kinds();

struct Detected {
    const InputKind* kind = nullptr;
    const char* by = "";  // "by its first bytes"
};

// Nothing when neither the bytes nor the name say anything. `name`: of the file.
std::optional<Detected> detect_kind(Bytes content, std::string_view name);

// The kind that the ending of `name` stands for, null when none. Letter case does not count.
const InputKind* kind_by_ending(std::string_view name);

// "a.xml" for "a.xml.gz", when `kind` has the ending; `name` itself otherwise.
std::string_view without_ending(std::string_view name, const InputKind& kind);

}  // namespace perfrelay::client
