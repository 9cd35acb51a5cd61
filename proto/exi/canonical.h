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

// `options` for what the stream's header does not say. The error names the first byte that differs.
Result<> check_canonical(Bytes stream, const EncoderOptions& options, const Limits& limits);

}  // namespace perfrelay::exi
