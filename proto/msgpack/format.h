#pragma once
// MsgpackFormat: MessagePack by msgpack-cxx, as an ObjectFormat.
//
// Writing: its packer, straight into the output, shortest forms; floats and timestamps by hand, for
// the packer makes integers of whole floats and knows no extension. Reading: its parser, which
// calls a visitor and keeps its own stack. Extensions other than the timestamp are refused. Tested
// by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <string>

#include "proto/model/tree_format.h"
#include "proto/msgpack/lower.h"

namespace perfrelay::msgpack {

class MsgpackFormat : public TreeFormat {
  public:
    explicit MsgpackFormat(const Limits& limits) : TreeFormat(limits, k_terms) {}

    static std::string engine();

    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);
};

}  // namespace perfrelay::msgpack
