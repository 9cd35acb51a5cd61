#pragma once
// gzip (RFC 1952) and deflate (RFC 1950) by libdeflate: the wire formats of zlib_compressor.h, read
// and written faster, whole buffers at a time.
//
// libdeflate tells neither how far it read nor how much it made when the room was too small: a cold
// decompression of unknown size is tried again with more room, a warm one takes one pass. Nor does
// it tell cut-short from damaged input: both are "malformed".
// Tested by tests/unit/proto/compress/compressors_test.cpp.

#include <memory>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/spec.h"
#include "proto/compress/compressor.h"
#include "proto/compress/deflate_wrapper.h"

namespace perfrelay::compress {

// Null and `why` when `part` asks for what libdeflate has not. Levels 0 to 12, 6 by default.
std::unique_ptr<Compressor> make_libdeflate(DeflateWrapper wrapper, const SpecPart& part,
                                            const Limits& limits, std::string& why);

}  // namespace perfrelay::compress
