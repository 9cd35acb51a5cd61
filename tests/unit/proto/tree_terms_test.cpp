// What becomes of objects in formats of trees, seen through JSON's terms unless it is said
// otherwise.

#include "proto/model/tree_terms.h"

#include <gtest/gtest.h>

#include "proto/json/rapidjson_format.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/model/sample_objects.h"
#include "proto/model/tree_raise.h"
#include "proto/model/tree_walk.h"
#include "tests/support/files.h"
#include "tests/support/object_vectors.h"

namespace perfrelay {
namespace {

// The tree as JSON, or why there is none.
std::string tree(const std::string& json, const TreeTerms& terms = {}) {
    ObjectGraph own;
    if (auto done = lower_to_tree(graph_of(json), terms, own); !done) return done.error().where;
    Buffer out;
    const auto done = json::RapidjsonFormat(Limits()).encode(own, out);
    return done ? std::string(as_text(out.view())) : done.error().where;
}

std::string neutral_tree(const std::string& json, const TreeTerms& terms) {
    ObjectGraph own;
    EXPECT_TRUE(lower_to_tree(graph_of(json), terms, own));
    Buffer out;
    write_neutral_json(own, out);
    return std::string(as_text(out.view()));
}

TEST(TreeTerms, ValuesAndCollections) {
    EXPECT_EQ(tree(R"({"t":"undefined"})"), "null");
    EXPECT_EQ(tree(R"({"t":"char","v":233})"), "\"é\"");
    EXPECT_EQ(tree(R"({"t":"long","v":"-9223372036854775808"})"), "-9223372036854775808");
    EXPECT_EQ(tree(R"({"t":"double","bits":"8000000000000000"})"), "-0.0");
    EXPECT_EQ(tree(R"({"t":"double","bits":"7ff8000000000000"})"), R"("NaN")");
    EXPECT_EQ(tree(R"({"t":"float","bits":"ff800000"})"), R"("-INF")");
    EXPECT_EQ(tree(R"({"t":"float","bits":"3fc00000"})"), "1.5");
    EXPECT_EQ(tree(R"({"t":"date","id":0,"ms":"-5"})"), R"({"$date":-5})");
    EXPECT_EQ(tree(R"({"t":"date","id":0,"ms":"0.5"})"), R"({"$date":0.5})");
    EXPECT_EQ(tree(R"({"t":"bytes","id":0,"hex":"00ff10"})"), R"("AP8Q")");
    EXPECT_EQ(tree(R"({"t":"bytes","id":0,"hex":"00ff"})"), R"("AP8=")");
    EXPECT_EQ(tree(R"({"t":"bytes","id":0,"hex":"00"})"), R"("AA==")");
    EXPECT_EQ(tree(R"({"t":"bytes","id":0,"hex":""})"), R"("")");
    EXPECT_EQ(tree(R"({"t":"bigint","id":0,"v":"123456789012345678901"})"),
              R"("123456789012345678901")");
    EXPECT_EQ(tree(R"({"t":"enum","id":0,"type":"Color","v":"RED"})"), R"("RED")");
    EXPECT_EQ(tree(R"({"t":"list","id":0,"type":"java.util.HashSet","items":[{"t":"int","v":1}]})"),
              "[1]");
    EXPECT_EQ(tree(R"({"t":"map","id":0,"entries":[[{"t":"string","v":"$a"},{"t":"int","v":1}],
                      [{"t":"enum","id":1,"type":"Color","v":"RED"},{"t":"null"}]]})"),
              R"({"$$a":1,"RED":null})");
    EXPECT_EQ(tree(R"({"t":"map","id":0,"entries":[[{"t":"int","v":7},{"t":"int","v":1}]]})"),
              R"({"$entries":[[7,1]]})");
}

TEST(TreeTerms, Objects) {
    EXPECT_EQ(tree(R"({"t":"object","id":0,"type":"a.B","fields":[["x",{"t":"int","v":1}]],
                      "dynamic":[["y",{"t":"bool","v":true}]]})"),
              R"({"$type":"a.B","x":1,"y":true})");
    EXPECT_EQ(tree(R"({"t":"object","id":0,"fields":[],"dynamic":[["y",{"t":"null"}]]})"),
              R"({"y":null})");
    // A field of the class above that has the same name.
    EXPECT_EQ(tree(R"({"t":"object","id":0,"type":"B","levels":[
                      {"class":"A","fields":[["x",{"t":"int","v":1}],["y",{"t":"int","v":2}]]},
                      {"class":"B","fields":[["x",{"t":"int","v":3}]]}]})"),
              R"({"$type":"B","A.x":1,"y":2,"x":3})");
    EXPECT_EQ(tree(R"({"t":"object","id":0,"type":"java.lang.Integer","levels":[
                      {"class":"java.lang.Number","fields":[]},
                      {"class":"java.lang.Integer","fields":[["value",{"t":"int","v":5}]]}]})"),
              "5");
    EXPECT_EQ(tree(R"({"t":"external","id":0,"type":"flex.messaging.io.ArrayCollection","items":[
                      {"t":"array","id":1,"assoc":[],"dense":[{"t":"int","v":1}]}]})"),
              "[1]");
    EXPECT_EQ(tree(R"({"t":"external","id":0,"type":"X","items":[{"t":"int","v":1}]})"),
              R"({"$type":"X","$value":1})");
    EXPECT_EQ(tree(R"({"t":"array","id":0,"assoc":[["a",{"t":"int","v":1}]],
                      "dense":[{"t":"int","v":2}]})"),
              R"({"a":1,"$items":[2]})");
}

TEST(TreeTerms, WhatOccursTwiceStandsInTheTable) {
    EXPECT_EQ(tree(R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[]},
                      {"t":"list","id":2,"items":[]},{"t":"ref","id":1}]})"),
              R"({"$root":[{"$ref":0},[],{"$ref":0}],"$shared":[[]]})");
    // A cycle through the root.
    EXPECT_EQ(tree(R"({"t":"list","id":0,"items":[{"t":"ref","id":0}]})"),
              R"({"$root":{"$ref":0},"$shared":[[{"$ref":0}]]})");
    // In order of first appearance, also within the table.
    EXPECT_EQ(tree(R"({"t":"list","id":0,"items":[
                      {"t":"list","id":1,"items":[{"t":"list","id":2,"items":[]}]},
                      {"t":"ref","id":1},{"t":"ref","id":2}]})"),
              R"({"$root":[{"$ref":0},{"$ref":0},{"$ref":1}],"$shared":[[{"$ref":1}],[]]})");
    // Dates and the like are no objects of a tree.
    EXPECT_EQ(tree(R"({"t":"list","id":0,"items":[{"t":"date","id":1,"ms":"5"},
                      {"t":"ref","id":1}]})"),
              R"([{"$date":5},{"$date":5}])");
    // An array that others hold beside its collection.
    EXPECT_EQ(tree(R"({"t":"list","id":0,"items":[
                      {"t":"external","id":1,"type":"flex.messaging.io.ArrayCollection","items":[
                       {"t":"array","id":2,"assoc":[],"dense":[]}]},{"t":"ref","id":2}]})"),
              R"({"$root":[{"$ref":0},{"$ref":0}],"$shared":[[]]})");
}

TEST(TreeTerms, AFormatsOwnWords) {
    EXPECT_EQ(tree(R"({"t":"int","v":1})", {.map_root = true}), R"({"$root":1})");
    EXPECT_EQ(tree(R"({"t":"map","id":0,"entries":[]})", {.map_root = true}), "{}");
    EXPECT_EQ(neutral_tree(R"({"t":"short","v":1})", {.integer_widths = true}),
              R"({"t":"int","v":1})");
    EXPECT_EQ(neutral_tree(R"({"t":"long","v":"1"})", {.integer_widths = true}),
              R"({"t":"long","v":"1"})");
    EXPECT_EQ(neutral_tree(R"({"t":"long","v":"1"})", {}), R"({"t":"int","v":1})");
    EXPECT_EQ(
        neutral_tree(R"({"t":"float","bits":"7fa00001"})", {.floats = true, .not_finite = true}),
        R"({"t":"float","bits":"7fa00001"})");
    EXPECT_EQ(neutral_tree(R"({"t":"date","id":0,"ms":"5"})", {.dates = true}),
              R"({"t":"date","id":0,"ms":"5"})");
    EXPECT_EQ(neutral_tree(R"({"t":"bytes","id":0,"hex":"0a"})", {.bytes = true}),
              R"({"t":"bytes","id":0,"hex":"0a"})");
}

TEST(TreeTerms, Refusals) {
    EXPECT_NE(tree(R"({"t":"string","v":"\ud83d"})").find("surrogate"), std::string::npos);
    EXPECT_NE(tree(R"({"t":"char","v":56832})").find("surrogate"), std::string::npos);
    EXPECT_NE(tree(R"({"t":"proxy","id":0,"type":"I","items":[{"t":"null"}]})").find("proxy"),
              std::string::npos);
    EXPECT_NE(tree(R"({"t":"map","id":0,"entries":[[{"t":"string","v":"a\u0000"},{"t":"null"}]]})",
                   {.nul_in_names = false})
                  .find("NUL"),
              std::string::npos);
    EXPECT_NE(
        tree(R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[]}]})", {.most_levels = 1})
            .find("nested"),
        std::string::npos);
}

TEST(TreeTerms, TheCompaniesAreFlat) {
    ObjectGraph company;
    generate_company(k_company_seed, 1000, company);
    ObjectGraph own;
    ASSERT_TRUE(lower_to_tree(company, {}, own));
    // The document, the table, a company, its list, an employee, a reference.
    EXPECT_EQ(tree_depth(own), 6U);
}

// JSON text, raised: in the neutral notation, or the error.
std::string raised(const std::string& text) {
    ObjectGraph own;
    const auto read = json::RapidjsonFormat(Limits()).decode(as_bytes(text), own);
    EXPECT_TRUE(read) << text << describe(read.error());
    ObjectGraph graph;
    if (auto done = raise_tree(own, graph); !done) return done.error().where;
    Buffer out;
    write_neutral_json(graph, out);
    return std::string(as_text(out.view()));
}

TEST(TreeRaise, What) {
    EXPECT_EQ(raised(R"({"$type":"a.B","x":1,"$$y":2})"),
              R"({"t":"object","id":0,"type":"a.B","fields":[["x",{"t":"int","v":1}],)"
              R"(["$y",{"t":"int","v":2}]]})");
    EXPECT_EQ(raised(R"({"$type":"X","$value":1})"),
              R"({"t":"external","id":0,"type":"X","items":[{"t":"int","v":1}]})");
    EXPECT_EQ(raised(R"({"$entries":[[7,1]]})"),
              R"({"t":"map","id":0,"entries":[[{"t":"int","v":7},{"t":"int","v":1}]]})");
    EXPECT_EQ(raised(R"({"a":1,"$items":[2]})"),
              R"({"t":"array","id":0,"assoc":[["a",{"t":"int","v":1}]],)"
              R"("dense":[{"t":"int","v":2}]})");
    EXPECT_EQ(raised(R"({"$date":-5})"), R"({"t":"date","id":0,"ms":"-5"})");
    EXPECT_EQ(raised(R"({"$date":0.5})"), R"({"t":"date","id":0,"ms":"0.5"})");
    EXPECT_EQ(raised(R"({"$root":5})"), R"({"t":"int","v":5})");
    EXPECT_EQ(raised(R"({"$root":[{"$ref":0},{"$ref":1}],"$shared":[{"$ref":1},[{"$ref":0}]]})"),
              R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[{"t":"ref","id":1}]},)"
              R"({"t":"ref","id":1}]})");
}

TEST(TreeRaise, WhatOnlyLooksLikeIt) {
    for (const char* plain : {R"({"$ref":"#/definitions/x"})", R"({"$ref":0})", R"({"$type":1})",
                              R"({"$date":"x"})", R"({"$entries":[1]})", R"({"$items":5})",
                              R"({"$root":1,"$shared":2})", R"({"$shared":[],"$root":1})"}) {
        EXPECT_TRUE(raised(plain).starts_with(R"({"t":"map","id":0,"entries":)")) << plain;
    }
    EXPECT_NE(raised(R"({"$root":{"$ref":1},"$shared":[0]})").find("beyond"), std::string::npos);
    EXPECT_NE(raised(R"({"$root":{"$ref":-1},"$shared":[0]})").find("beyond"), std::string::npos);
    EXPECT_NE(raised(R"({"$root":{"$ref":0},"$shared":[{"$ref":0}]})").find("itself"),
              std::string::npos);
}

// Raised and lowered again is the same tree, whatever was lowered first.
TEST(TreeRaise, EveryVector) {
    std::size_t done = 0;
    for (const std::string& path : object_vector_files()) {
        SCOPED_TRACE(path);
        const ObjectGraph graph = graph_of(file_text(path));
        ObjectGraph once;
        if (!lower_to_tree(graph, {}, once)) continue;
        ObjectGraph objects;
        ASSERT_TRUE(raise_tree(once, objects));
        ObjectGraph twice;
        ASSERT_TRUE(lower_to_tree(objects, {}, twice));
        EXPECT_EQ(difference(once, twice), std::nullopt);
        ++done;
    }
    EXPECT_GT(done, 90U);
}

TEST(TreeRaise, TheCompaniesAreWhatTheyWere) {
    ObjectGraph company;
    generate_company(k_company_seed, 1000, company);
    ObjectGraph tree;
    ASSERT_TRUE(lower_to_tree(company, {}, tree));
    ObjectGraph back;
    ASSERT_TRUE(raise_tree(tree, back));
    EXPECT_EQ(back.node_count(), 1U + 3 + 3 + 1000 + 5);
    EXPECT_EQ(back.class_count(), 3U);
}

}  // namespace
}  // namespace perfrelay
