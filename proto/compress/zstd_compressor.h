#pragma once
// zstd (RFC 8878), as the zstd tool writes it: one frame with the size of its content and a
// checksum. Several frames and skippable frames are read. With dict=FILE both directions use that
// dictionary (zstd_dictionary.h), set up once, untimed; without, frames that need one are refused.
//
// Decompressed in one call per attempt: the streaming interface would allocate the window that a
// header asks for. Tested by tests/unit/proto/compress/compressors_test.cpp.

#include <memory>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/spec.h"
#include "proto/compress/compressor.h"

namespace perfrelay::compress {

// Null and `why` when `part` asks for what is not in this build. Levels 1 to 22, 3 by default, and
// the library's negative (faster) ones; "dict=FILE" before or after it.
std::unique_ptr<Compressor> make_zstd(const SpecPart& part, const Limits& limits, std::string& why);

}  // namespace perfrelay::compress
