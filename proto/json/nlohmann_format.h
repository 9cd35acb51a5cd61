#pragma once
// NlohmannFormat: JSON (RFC 8259) by nlohmann/json, as an ObjectFormat.
//
// Writing as that library is used: its DOM is made of the objects and dumped, both timed. Reading
// by its SAX interface, which is iterative. The dump calls itself once a level, so documents of
// more than k_most_levels levels are refused. Tested by tests/unit/proto/tree_formats_test.cpp.

#include <string>

#include "proto/json/lower.h"
#include "proto/model/tree_format.h"

namespace perfrelay::json {

class NlohmannFormat : public TreeFormat {
  public:
    static constexpr std::size_t k_most_levels = 1000;

    explicit NlohmannFormat(const Limits& limits) : TreeFormat(limits, k_terms, k_most_levels) {}

    static std::string engine();

    Result<> encode(const ObjectGraph& own, Buffer& out);
    Result<> decode(Bytes input, ObjectGraph& graph);
};

}  // namespace perfrelay::json
