#pragma once
// BsonFormat: BSON 1.1 by libbson, as an ObjectFormat (proto/codec/object_format.h).
//
// Writing: its append functions, into libbson's buffer, which grows once it is known how large the
// documents are; then a copy. Reading: its iterators, one a level, kept here. A document ends at
// 2^31 - 1 bytes. Types without a counterpart (regular expressions, code with scope, timestamps of
// replication, MinKey ..) are refused; an ObjectId is its 12 bytes.
// Tested by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <string>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/tree_builder.h"
#include "proto/model/tree_raise.h"

namespace perfrelay::bson {

class BsonFormat {
  public:
    explicit BsonFormat(const Limits& limits) : builder_(limits) {}

    static std::string engine();

    Result<> lower(const ObjectGraph& document, ObjectGraph& own);
    Result<> raise(const ObjectGraph& own, ObjectGraph& document) {
        return raise_tree(own, document);
    }
    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);

  private:
    TreeBuilder builder_;
    std::uint32_t last_size_ = 0;  // of an encoded document
};

}  // namespace perfrelay::bson
