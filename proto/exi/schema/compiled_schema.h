#pragma once
// Compiled schemas (.cxs): a Schema as a file, read without the XSDs and without what reads them.
//
//   file    := "EXCS" version:u16 crc32c:u32 body        the checksum is the body's
//   body    := uris types states productions documents[2] fragments[2] elements named attributes
//   uris    := count (text count text*)*                  namespaces and their local names
//   types   := count type*        type := uri local base variety item space facets built_in
//   states  := count (first count attributes content empty kind kind)*
//   productions := count (event name next target)*
// Numbers are little-endian groups of seven bits, texts are their length and UTF-8; what may be
// absent is one more than its number, 0 for none.
// Contract: whatever the bytes, reading ends in an error or in a schema that a decoder can use:
// every number is in its range. A file of another version is refused. Tested by
// tests/unit/proto/exi/compiled_schema_test.cpp and tests/fuzz/fuzz_compiled_schema.cpp.

#include <memory>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "proto/exi/schema/schema.h"

namespace perfrelay::exi {

inline constexpr std::uint16_t k_compiled_version = 1;

bool is_compiled_schema(Bytes bytes);
void write_compiled_schema(const Schema& schema, Buffer& out);
Result<std::shared_ptr<const Schema>> read_compiled_schema(Bytes bytes);

}  // namespace perfrelay::exi
