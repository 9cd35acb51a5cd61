#pragma once
// MsgpackFormat: MessagePack by msgpack-cxx, as an ObjectFormat (proto/codec/object_format.h).
//
// Writing: its packer, straight into the output, shortest forms; floats and timestamps by hand, for
// the packer makes integers of whole floats and knows no extension. Reading: its parser, which
// calls a visitor and keeps its own stack. Extensions other than the timestamp are refused. Tested
// by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <string>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/tree_builder.h"
#include "proto/model/tree_raise.h"

namespace perfrelay::msgpack {

class MsgpackFormat {
  public:
    explicit MsgpackFormat(const Limits& limits) : builder_(limits) {}

    static std::string engine();

    Result<> lower(const ObjectGraph& document, ObjectGraph& own);
    Result<> raise(const ObjectGraph& own, ObjectGraph& document) {
        return raise_tree(own, document);
    }
    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);

  private:
    TreeBuilder builder_;
};

}  // namespace perfrelay::msgpack
