#pragma once
// lz4, as the lz4 tool writes it: frames of the LZ4 Frame Format 1.6 with independent blocks and a
// checksum of the content. Blocks are as small as hold the document, at most 1 MiB. Several frames
// and skippable frames are read. Not read: frames that need a dictionary.
// Tested by tests/unit/proto/compress/compressors_test.cpp.

#include <memory>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/spec.h"
#include "proto/compress/compressor.h"

namespace perfrelay::compress {

// Null and `why` when `part` asks for what is not in this build. Levels 0 (fastest) to 12, 0 by
// default; from 3 on it is LZ4 HC.
std::unique_ptr<Compressor> make_lz4(const SpecPart& part, const Limits& limits, std::string& why);

}  // namespace perfrelay::compress
