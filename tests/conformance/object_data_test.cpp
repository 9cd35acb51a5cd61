// The data sets of amf-benchmark and the blog, where they are at hand: sizes that those published,
// and that every file decodes to the same document. PERFRELAY_OBJECT_DATA names their folder.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "proto/amf3/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/model/object_difference.h"
#include "proto/model/sample_objects.h"

namespace perfrelay {
namespace {

// Objects within sets, by their first field (no two in a set have the same).
void sort_sets(ObjectGraph& graph) {
    for (const graph::Value& whole : graph.root.node->values()) {
        graph::Node& set = *whole.node->items[3].node;
        ASSERT_EQ(set.name->view(), "java.util.HashSet");
        std::sort(set.items, set.items + set.count, [](const auto& a, const auto& b) {
            return a.node->items[0].integer < b.node->items[0].integer;
        });
    }
}

class ObjectData : public testing::Test {
  protected:
    void SetUp() override {
        const char* const named = std::getenv("PERFRELAY_OBJECT_DATA");  // NOLINT
        folder_ = named != nullptr ? named : "../shared/data";
        if (!std::ifstream(folder_ + "/company.ser")) {
            GTEST_SKIP() << "no data sets at " << folder_ << " (PERFRELAY_OBJECT_DATA)";
        }
    }

    std::string file(const std::string& name) const {
        std::ifstream in(folder_ + "/" + name, std::ios::binary);
        EXPECT_TRUE(in) << name;
        return {std::istreambuf_iterator<char>(in), {}};
    }

    template <class Format>
    static void decode(const std::string& bytes, ObjectGraph& graph) {
        const auto done = Format(Limits()).decode(as_bytes(bytes), graph);
        ASSERT_TRUE(done) << describe(done.error());
    }

    // The document in the format's own terms, encoded, and decoded to the same again.
    template <class Format>
    static std::string encoded(Format format, const ObjectGraph& document) {
        ObjectGraph own;
        const auto lowered = format.lower(document, own);
        EXPECT_TRUE(lowered) << describe(lowered.error());
        Buffer out;
        const auto done = format.encode(own, out);
        EXPECT_TRUE(done) << describe(done.error());
        ObjectGraph again;
        EXPECT_TRUE(format.decode(out.view(), again));
        EXPECT_EQ(difference(own, again), std::nullopt);
        return std::string(as_text(out.view()));
    }

    std::string folder_;
};

// Made from their seeds, they are what is in the files. The sets of small-list-objects stand in the
// order in which they were drawn, in the file as Java's addresses had it.
TEST_F(ObjectData, GeneratedSetsAreTheFiles) {
    ObjectGraph made;
    ObjectGraph read;
    generate_company(k_company_seed, 1000, made);
    decode<javaser::JavaserFormat>(file("company.ser"), read);
    EXPECT_EQ(difference(read, made), std::nullopt);
    generate_strings(k_objects_seed, 10'000, made);
    decode<javaser::JavaserFormat>(file("big-list-strings.ser"), read);
    EXPECT_EQ(difference(read, made), std::nullopt);
    generate_objects(k_objects_seed, 50, made);
    sort_sets(made);
    decode<javaser::JavaserFormat>(file("small-list-objects.ser"), read);
    sort_sets(read);
    EXPECT_EQ(difference(read, made), std::nullopt);
}

struct Size {
    const char* name;
    std::size_t java;
    std::size_t amf3;
    std::size_t hessian2;
};

TEST_F(ObjectData, SizesAreThosePublished) {
    const Limits limits;
    for (const auto& [name, java, amf3, hessian2] :
         {Size{"small-list-objects", 366'565, 351'532, 341'726},
          Size{"company", 49'824, 30'621, 29'765},
          Size{"big-list-strings", 529'149, 518'683, 511'793}}) {
        SCOPED_TRACE(name);
        const std::string bytes = file(std::string(name) + ".ser");
        ASSERT_EQ(bytes.size(), java);
        ObjectGraph graph;
        decode<javaser::JavaserFormat>(bytes, graph);
        Buffer again;
        ASSERT_TRUE(javaser::JavaserFormat(limits).encode(graph, again));
        EXPECT_TRUE(as_text(again.view()) == bytes);

        for (const auto profile :
             {amf3::Profile::plain, amf3::Profile::blazeds, amf3::Profile::graniteds}) {
            EXPECT_EQ(encoded(amf3::Amf3Format(limits, profile), graph).size(), amf3);
        }
        EXPECT_EQ(encoded(hessian2::Hessian2Format(limits), graph).size(), hessian2);
        // From a graph that lost Java's parts on the way.
        ObjectGraph through;
        decode<hessian2::Hessian2Format>(encoded(hessian2::Hessian2Format(limits), graph), through);
        EXPECT_EQ(encoded(amf3::Amf3Format(limits), through).size(), amf3);
        EXPECT_FALSE(encoded(javaser::JavaserFormat(limits), through).empty());
    }
}

std::string fields_of(const ObjectGraph& graph) {
    std::string all;
    for (const graph::Class* const type : graph.classes()) {
        all += std::string(type->name->view()) + ":";
        for (const graph::Text* const field : type->field_names())
            all += " " + std::string(field->view());
        all += "\n";
    }
    return all;
}

// Company byte for byte. The sets of small-list-objects came in another order in each run that
// made those files, so there the order of properties is what can be the same.
TEST_F(ObjectData, ProfilesWriteWhatTheLibrariesWrite) {
    const Limits limits;
    for (const auto& [profile, ending] : {std::pair(amf3::Profile::blazeds, ".blazeds40.amf"),
                                          std::pair(amf3::Profile::graniteds, ".granite31.amf")}) {
        SCOPED_TRACE(ending);
        ObjectGraph company;
        decode<javaser::JavaserFormat>(file("company.ser"), company);
        EXPECT_TRUE(encoded(amf3::Amf3Format(limits, profile), company) ==
                    file(std::string("company") + ending));

        ObjectGraph objects;
        decode<javaser::JavaserFormat>(file("small-list-objects.ser"), objects);
        ObjectGraph ours;
        ObjectGraph theirs;
        decode<amf3::Amf3Format>(encoded(amf3::Amf3Format(limits, profile), objects), ours);
        decode<amf3::Amf3Format>(file(std::string("small-list-objects") + ending), theirs);
        EXPECT_EQ(fields_of(ours), fields_of(theirs));
    }
}

TEST_F(ObjectData, TheLibrariesFilesComeBackByteForByte) {
    for (const char* name :
         {"small-list-objects.granite31.amf", "small-list-objects.blazeds40.amf",
          "company.granite31.amf", "company.blazeds40.amf", "big-list-strings.granite31.amf"}) {
        SCOPED_TRACE(name);
        const std::string bytes = file(name);
        ObjectGraph graph;
        decode<amf3::Amf3Format>(bytes, graph);
        // Company's names have a character beyond ASCII, none beyond U+FFFF.
        EXPECT_TRUE(encoded(amf3::Amf3Format(Limits()), graph) == bytes);
    }
    for (const char* name : {"small-list-objects.hessian2.h2", "company.hessian2.h2",
                             "big-list-strings.hessian2.h2"}) {
        SCOPED_TRACE(name);
        const std::string bytes = file(name);
        ObjectGraph graph;
        decode<hessian2::Hessian2Format>(bytes, graph);
        EXPECT_TRUE(encoded(hessian2::Hessian2Format(Limits()), graph) == bytes);
    }
}

}  // namespace
}  // namespace perfrelay
