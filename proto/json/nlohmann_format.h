#pragma once
// NlohmannFormat: JSON (RFC 8259) by nlohmann/json, as an ObjectFormat
// (proto/codec/object_format.h).
//
// Writing as that library is used: its DOM is made of the objects and dumped, both timed. Reading
// by its SAX interface, which is iterative. The dump calls itself once a level, so documents of
// more than k_most_levels levels are refused. Tested by tests/unit/proto/tree_formats_test.cpp.

#include <string>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/tree_builder.h"
#include "proto/model/tree_raise.h"

namespace perfrelay::json {

class NlohmannFormat {
  public:
    static constexpr std::size_t k_most_levels = 1000;

    explicit NlohmannFormat(const Limits& limits) : builder_(limits) {}

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

}  // namespace perfrelay::json
