#pragma once
// Generated documents: when there is no document at hand, or one of a certain size and shape is
// wanted.
//
//   KIND[:SIZE]    records    orders with typed values, many small elements and attributes
//                  mixed      an article: long texts with markup inside
//                  messages   one SOAP-like envelope, many namespaces; larger: more in its body
//                  deep       trees up to 80 levels deep (engines exist that read 100)
//   KIND[:COUNT]   company    the blog's companies and towns, with so many employees
//                  objects    amf-benchmark's list of objects, each with 10 to 29 within
//                  strings    its list of strings
//
// Contract: of SIZE, well-formed XML 1.0 in UTF-8, without whitespace-only text; the size is that
// asked for, or at most one record more. Of COUNT, what Java's serialization writes of them
// (proto/model/sample_objects.h). The same kind, size and seed give the same bytes, on every
// machine and in every version: own generators of random numbers. Tested by
// tests/unit/client/generate_test.cpp, which holds hashes of the bytes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace perfrelay::client {

enum class GeneratedKind : std::uint8_t {
    records,
    mixed,
    messages,
    deep,
    company,
    objects,
    strings
};

struct GeneratedKindLine {
    std::string_view name;
    GeneratedKind kind;
    std::uint64_t size;           // when none is given: bytes, or a count
    std::string_view format;      // SPEC of what is written
    std::uint64_t seed = 1;       // when none is given
    std::uint64_t item_size = 0;  // bytes that one takes at most, or so; 0: the size is in bytes
};

std::span<const GeneratedKindLine> generated_kinds();

const GeneratedKindLine& line_of(GeneratedKind kind);

struct Generator {
    GeneratedKind kind = GeneratedKind::records;
    std::uint64_t size = 0;  // in bytes, or a count

    // Whether its document may be larger than that.
    bool exceeds(std::uint64_t bytes) const;
};

// Nothing, and one line in `why`, when `text` is no KIND[:SIZE] or KIND[:COUNT].
std::optional<Generator> parse_generator(std::string_view text, std::string& why);

// Appends the document.
void generate(const Generator& what, std::uint64_t seed, Buffer& out);

}  // namespace perfrelay::client
