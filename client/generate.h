#pragma once
// Generated documents: when there is no document at hand, or one of a certain size and shape is
// wanted.
//
//   KIND[:SIZE]   records    orders with typed values, many small elements and attributes
//                 mixed      an article: long texts with markup inside
//                 messages   one SOAP-like envelope, many namespaces; larger: more in its body
//                 deep       trees up to 80 levels deep (engines exist that read 100)
//
// Contract: well-formed XML 1.0 in UTF-8, without whitespace-only text; the size is that asked for,
// or at most one record more. The same kind, size and seed give the same bytes, on every machine
// and in every version: own generator of random numbers, integers only.
// Tested by tests/unit/client/generate_test.cpp, which holds hashes of the bytes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace perfrelay::client {

enum class GeneratedKind : std::uint8_t { records, mixed, messages, deep };

struct GeneratedKindLine {
    std::string_view name;
    GeneratedKind kind;
    std::uint64_t size;  // when none is given
};

std::span<const GeneratedKindLine> generated_kinds();

struct Generator {
    GeneratedKind kind = GeneratedKind::records;
    std::uint64_t size = 0;
};

// Nothing, and one line in `why`, when `text` is no KIND[:SIZE].
std::optional<Generator> parse_generator(std::string_view text, std::string& why);

// Appends the document.
void generate(const Generator& what, std::uint64_t seed, Buffer& out);

}  // namespace perfrelay::client
