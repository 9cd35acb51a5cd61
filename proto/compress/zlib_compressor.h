#pragma once
// gzip (RFC 1952) and deflate (RFC 1950) by zlib. Output has no time, name or system in its header;
// gzip input may be several members, as RFC 1952 2.2 allows. Not read: preset dictionaries.
// Tested by tests/unit/proto/compress/compressors_test.cpp.

#include <memory>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/spec.h"
#include "proto/compress/compressor.h"
#include "proto/compress/deflate_wrapper.h"

namespace perfrelay::compress {

// Null and `why` when `part` asks for what zlib has not. Levels 0 to 9, 6 by default.
std::unique_ptr<Compressor> make_zlib(DeflateWrapper wrapper, const SpecPart& part,
                                      const Limits& limits, std::string& why);

}  // namespace perfrelay::compress
