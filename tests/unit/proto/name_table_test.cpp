#include "proto/model/name_table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

TEST(NameTable, OnePointerPerName) {
    NameTable names;
    const QName* a = names.intern("urn:a", "local", "p");
    EXPECT_EQ(names.intern(std::string("urn:") + "a", "local", "p"), a);
    EXPECT_EQ(a->uri, "urn:a");
    EXPECT_EQ(a->local, "local");
    EXPECT_EQ(a->prefix, "p");
    EXPECT_NE(names.intern("urn:b", "local", "p"), a);
    EXPECT_NE(names.intern("urn:a", "local", ""), a);
    // Parts must not run into each other.
    EXPECT_NE(names.intern("ab", "c", ""), names.intern("a", "bc", ""));
}

TEST(NameTable, IdsAreDenseAndExpandedNamesShareTheirs) {
    NameTable names;
    const QName* a = names.intern("u", "x", "p");
    const QName* b = names.intern("u", "x", "q");
    const QName* c = names.intern("u", "y", "p");
    EXPECT_EQ(a->id, 0U);
    EXPECT_EQ(b->id, 1U);
    EXPECT_EQ(c->id, 2U);
    EXPECT_EQ(a->expanded, b->expanded);
    EXPECT_EQ(c->expanded, 1U);
    EXPECT_EQ(names.expanded_size(), 2U);
}

TEST(NameTable, SurvivesGrowthAndClear) {
    for (NameTable names; const int count : {1000, 10}) {
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < count; ++i) {
                const std::string local = "n" + std::to_string(i / 2);
                const QName* name = names.intern("u", local, i % 2 == 0 ? "" : "p");
                ASSERT_EQ(name->id, static_cast<std::uint32_t>(i));
                ASSERT_EQ(name->expanded, static_cast<std::uint32_t>(i / 2));
            }
        }
        EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
        names.clear();
    }
}

// A copy for each name made a long URI the square of its length.
TEST(NameTable, NamesShareTheTextOfTheirUri) {
    for (NameTable names; [[maybe_unused]] const int round : {1, 2}) {
        std::vector<std::string> uris;
        for (int i = 0; i < 70; ++i)
            uris.push_back(std::string(1000, 'u') + std::to_string(i));
        std::vector<const QName*> first;
        for (int i = 0; i < 50; ++i) {
            for (std::size_t u = 0; u < uris.size(); ++u) {
                const QName* name = names.intern(uris[u], "n" + std::to_string(i), "");
                if (i == 0) first.push_back(name);
                ASSERT_EQ(name->uri.data(), first[u]->uri.data());
            }
        }
        names.clear();
    }
}

TEST(NameTable, HashDependsOnTheTextAlone) {
    NameTable one;
    NameTable two;
    two.intern("", "other", "");
    EXPECT_EQ(one.intern("u", "x", "p")->hash, two.intern("u", "x", "p")->hash);
}

}  // namespace
}  // namespace perfrelay
