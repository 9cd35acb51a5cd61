#pragma once
// What the contract tests and the codec benchmark feed to formats.

#include <memory>
#include <string>
#include <string_view>

#include "proto/codec/document.h"
#include "proto/formats.h"

namespace perfrelay::contract {

// A document of these bytes, loaded, as events and as objects. Fails the program's test when it is
// not well-formed.
std::unique_ptr<Document> document_of(std::string name, std::string_view text);

// tests/data/`file`, loaded.
std::unique_ptr<Document> document_from(const std::string& file);

// `depth` elements in one another, with text in the innermost.
std::string nested(std::size_t depth);

// Flat records, at least `size` bytes of them.
std::string records(std::size_t size);

}  // namespace perfrelay::contract
