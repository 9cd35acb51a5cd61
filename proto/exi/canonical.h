#pragma once
// check_canonical: whether a stream is what Canonical EXI 1.0 makes of its content under its own
// options: decoded, encoded canonically, compared byte by byte.
//
// Without a schema that means (sections of Canonical EXI): no cookie, no compression (3); the most
// precise production (4.2), no empty text (4.3.1), declarations by prefix, attributes by local
// name and URI (4.4), local hits before global ones (4.5). What whitespace a document has is its
// reader's decision (4.3.2). Tested by tests/unit/proto/exi/canonical_test.cpp.

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/exi/options.h"

namespace perfrelay::exi {

// The options that Canonical EXI 3 makes of these: compression is pre-compression, for the bytes of
// DEFLATE depend on who made them; an options document, unless that is omitted, says nothing that
// changes nothing: no block size without blocks, no datatype mapped to the representation it has,
// no map beside lexical values; mappings by the local name and URI of their type.
void make_canonical(EncoderOptions& options);

// `options` for what the stream's header does not say. The error names the first byte that differs.
Result<> check_canonical(Bytes stream, const EncoderOptions& options, const Limits& limits);

}  // namespace perfrelay::exi
