#pragma once
// BsonFormat: BSON 1.1 by libbson, as an ObjectFormat.
//
// Writing: its append functions, into libbson's buffer, which grows once it is known how large the
// documents are; then a copy. Reading: its iterators, one a level, kept here. A document ends at
// 2^31 - 1 bytes. Types without a counterpart (regular expressions, code with scope, timestamps of
// replication, MinKey ..) are refused; an ObjectId is its 12 bytes.
// Tested by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <string>

#include "proto/bson/lower.h"
#include "proto/model/tree_format.h"

namespace perfrelay::bson {

class BsonFormat : public TreeFormat {
  public:
    explicit BsonFormat(const Limits& limits) : TreeFormat(limits, k_terms) {}

    static std::string engine();

    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);

  private:
    std::uint32_t last_size_ = 0;  // of an encoded document
};

}  // namespace perfrelay::bson
