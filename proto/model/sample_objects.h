#pragma once
// The data sets of the two comparisons this project succeeds, made from their seeds:
// amf-benchmark's lists of objects and of strings, and the blog's companies, employees and towns.
//
// They are what Java would hold: classes with levels, ArrayList and HashSet, java.util.Date; texts
// are shared where the Java programs share them. amf-benchmark's sets come in the order in which
// they were drawn (Java's order depends on addresses). Random numbers are java.util.Random's.
// Tested by tests/unit/proto/sample_objects_test.cpp.

#include <cstdint>

#include "proto/model/object_graph.h"

namespace perfrelay {

// The seed whose 50 objects have the size that amf-benchmark published.
inline constexpr std::int64_t k_objects_seed = 1400074933737;
inline constexpr std::int64_t k_company_seed = 20090901;

// Each clears `graph` first.
void generate_objects(std::int64_t seed, std::uint32_t count, ObjectGraph& graph);
void generate_strings(std::int64_t seed, std::uint32_t count, ObjectGraph& graph);
void generate_company(std::int64_t seed, std::uint32_t employees, ObjectGraph& graph);

}  // namespace perfrelay
