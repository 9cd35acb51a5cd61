#pragma once
// The header: cookie, distinguishing bits, version, options (EXI 5).
//
//   ["$EXI"] 1 0 <options?> <preview?> <version - 1 in fours> [options document] [padding]
//
// Tested by tests/unit/proto/exi/header_test.cpp.

#include <optional>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/exi/bit_reader.h"
#include "proto/exi/bit_writer.h"
#include "proto/exi/options.h"

namespace perfrelay::exi {

struct Header {
    bool cookie = false;
    bool preview = false;
    std::optional<Options> options;  // none: they come from elsewhere
};

// What the first bytes say, for whoever has a file and wants to know: EXI with its cookie, or that
// its first byte can begin an EXI stream and no text XML (EXI 5.2). Nothing: not EXI.
enum class Recognised { by_cookie, by_distinguishing_bits };
std::optional<Recognised> recognise(Bytes start);

// Leaves the reader at the first bit of the body when that is bit-packed; the caller aligns
// otherwise. Preview versions are refused unless `preview`: their bodies are then read as final.
Result<Header> read_header(BitReader<Packing::bits>& reader, const Limits& limits, bool preview);

// Padding included.
void write_header(BitWriter<Packing::bits>& writer, const EncoderOptions& options);

}  // namespace perfrelay::exi
