// The data sets made from their seeds have the sizes that their originals have, which is to say
// that every value is drawn as Java draws it.

#include "proto/model/sample_objects.h"

#include <gtest/gtest.h>

#include "proto/amf3/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"

namespace perfrelay {
namespace {

template <class Format>
std::size_t size_of(const ObjectGraph& graph) {
    Format format{Limits()};
    ObjectGraph own;
    const auto lowered = format.lower(graph, own);
    EXPECT_TRUE(lowered) << describe(lowered.error());
    Buffer out;
    EXPECT_TRUE(format.encode(own, out));
    return out.size();
}

void expect_sizes(const ObjectGraph& graph, std::size_t amf3, std::size_t hessian2) {
    EXPECT_EQ(size_of<amf3::Amf3Format>(graph), amf3);
    EXPECT_EQ(size_of<hessian2::Hessian2Format>(graph), hessian2);
}

TEST(SampleObjects, AsPublished) {
    ObjectGraph graph;
    generate_objects(k_objects_seed, 50, graph);
    expect_sizes(graph, 351'532, 341'726);
    generate_company(k_company_seed, 1000, graph);
    expect_sizes(graph, 30'621, 29'765);
    generate_strings(k_objects_seed, 10'000, graph);
    expect_sizes(graph, 518'683, 511'793);
}

// Java's stream tells equal strings apart, so they have to be shared as Java shares them.
TEST(SampleObjects, InJavasStream) {
    ObjectGraph graph;
    generate_company(k_company_seed, 1000, graph);
    EXPECT_EQ(size_of<javaser::JavaserFormat>(graph), 49'824U);
    generate_objects(k_objects_seed, 50, graph);
    EXPECT_EQ(size_of<javaser::JavaserFormat>(graph), 366'565U);
    generate_strings(k_objects_seed, 10'000, graph);
    EXPECT_EQ(size_of<javaser::JavaserFormat>(graph), 529'149U);
}

}  // namespace
}  // namespace perfrelay
