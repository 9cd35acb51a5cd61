#pragma once
// The options document: a stream's options in its header (EXI 5.4, C), an EXI body informed by the
// schema of appendix C, strict and bit-packed whatever the body behind it is.
//
// The grammars that the schema gives are so regular that they are a few lines of code: each element
// is a sequence of optional children, in which the code of a child is its distance from the first
// that may still come, and that of the end the number of those left.
// What is not known is read and passed over: user-defined meta-data. EXI Profile's parameters are
// such an element, exi:p. Tested by tests/unit/proto/exi/header_test.cpp.

#include "common/base/limits.h"
#include "proto/exi/bit_reader.h"
#include "proto/exi/bit_writer.h"
#include "proto/exi/options.h"

namespace perfrelay::exi {

// On failure the reader has failed.
Options read_options_document(BitReader<Packing::bits>& reader, const Limits& limits);

void write_options_document(BitWriter<Packing::bits>& writer, const EncoderOptions& options);

}  // namespace perfrelay::exi
