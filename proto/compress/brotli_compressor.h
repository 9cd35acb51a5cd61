#pragma once
// brotli (RFC 7932): window of 4 MiB, generic mode, no checksum (the format has none: some damaged
// streams decompress to something else). Its encoder and decoder cannot be reset: each document
// pays for a new one. The decoder's window is at most 16 MiB whatever a header asks for; large
// windows, which are not RFC 7932, are not read.
// Tested by tests/unit/proto/compress/compressors_test.cpp.

#include <memory>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/spec.h"
#include "proto/compress/compressor.h"

namespace perfrelay::compress {

// Null and `why` when `part` asks for what is not in this build. Levels 0 to 11, 5 by default.
std::unique_ptr<Compressor> make_brotli(const SpecPart& part, const Limits& limits,
                                        std::string& why);

}  // namespace perfrelay::compress
