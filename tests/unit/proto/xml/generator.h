#pragma once
// Random well-formed documents, the same for the same seed on every machine.
//
// Everything that readers and writers of XML get wrong appears often: blanks, references to them,
// CR, CDATA, comments and instructions in all places, a DOCTYPE with entities (nested, with markup,
// external), default and tokenised attributes, namespaces declared, shadowed and undeclared, deep
// nesting, characters beyond U+FFFF, several encodings.

#include <cstdint>
#include <string>

namespace perfrelay::xml {

std::string random_document(std::uint64_t seed);

}  // namespace perfrelay::xml
