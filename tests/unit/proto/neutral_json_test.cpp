// The neutral notation: read, written, and what is no such notation.

#include "proto/model/neutral_json.h"

#include <string>

#include <gtest/gtest.h>

#include "proto/model/object_difference.h"

namespace perfrelay {
namespace {

// Read and written again, or what was wrong.
std::string again(std::string_view json) {
    ObjectGraph graph;
    if (const auto done = read_neutral_json(as_bytes(json), {}, graph); !done) {
        return "error: " + std::string(done.error().where);
    }
    Buffer out;
    write_neutral_json(graph, out);
    return std::string(as_text(out.view()));
}

class Unchanged : public testing::TestWithParam<const char*> {};

TEST_P(Unchanged, ReadAndWritten) {
    EXPECT_EQ(again(GetParam()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Unchanged,
    testing::Values(
        R"({"t":"null"})", R"({"t":"undefined"})", R"({"t":"bool","v":true})",
        R"({"t":"int","v":-2147483648})", R"({"t":"long","v":"-9223372036854775808"})",
        R"({"t":"byte","v":-128})", R"({"t":"short","v":300})", R"({"t":"char","v":65535})",
        R"({"t":"float","bits":"3dcccccd","v":0.1})", R"({"t":"float","bits":"7fc00000"})",
        R"({"t":"double","bits":"8000000000000000","v":-0.0})",
        R"({"t":"double","bits":"4008000000000000","v":3.0})",
        R"({"t":"double","bits":"7ff0000000000000"})",
        R"({"t":"string","v":"a\u0000\"\\é\ud83d..."})", R"({"t":"date","id":0,"ms":"-1"})",
        R"({"t":"date","id":0,"ms":"1.5"})", R"({"t":"date","ms":"60000"})",
        R"({"t":"bytes","id":0,"hex":"00ff"})", R"({"t":"xml","id":0,"kind":"e4x","v":"<a/>"})",
        R"({"t":"list","id":0,"items":[{"t":"ref","id":0}]})",
        R"({"t":"list","id":0,"type":"[I","items":[{"t":"int","v":1}]})",
        R"({"t":"array","id":0,"assoc":[["k",{"t":"int","v":1}]],"dense":[{"t":"null"}]})",
        R"({"t":"map","id":0,"type":"M","entries":[[{"t":"int","v":1},{"t":"null"}]]})",
        R"({"t":"object","id":0,"type":"T","fields":[["a",{"t":"null"}]]})",
        R"({"t":"object","id":0,"fields":[],"dynamic":[["a",{"t":"ref","id":0}]]})",
        R"({"t":"object","id":0,"type":"B","levels":[{"class":"A","fields":[["x",{"t":"int","v":1}]],)"
        R"("annotation":[{"t":"block","hex":"00"},{"t":"ref","id":0}]},{"class":"B","fields":[]}]})",
        R"({"t":"external","id":0,"type":"E","items":[{"t":"null"}]})",
        R"({"t":"vector","id":0,"elem":"uint","fixed":true,"items":[{"t":"long","v":"4294967295"}]})",
        R"({"t":"vector","id":0,"type":"","elem":"object","fixed":false,"items":[]})",
        R"({"t":"dictionary","id":0,"weak":true,"entries":[]})",
        R"({"t":"enum","id":0,"type":"E","v":"A"})", R"({"t":"class","id":0,"v":"C"})",
        R"({"t":"proxy","id":0,"type":"I,J","items":[{"t":"null"}]})",
        R"({"t":"bigint","id":0,"v":"123"})", R"({"t":"bigdec","id":0,"v":"1.0"})",
        R"({"t":"seq","items":[{"t":"block","hex":"01"},{"t":"reset"},{"t":"null"}]})"));

class Refused : public testing::TestWithParam<const char*> {};

TEST_P(Refused, WithAReason) {
    EXPECT_TRUE(again(GetParam()).starts_with("error: ")) << again(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Refused,
    testing::Values(
        // Of Hessian dates have no identity, elsewhere all have: not some of each.
        R"({"t":"list","id":0,"items":[{"t":"date","id":1,"ms":"0"},{"t":"date","ms":"0"}]})",
        R"({"t":"list","id":0,"items":[{"t":"bytes","hex":""},{"t":"date","id":1,"ms":"0"}]})", "",
        "{", "[]", "{}", R"({"t":"what"})", R"({"t":"int"})", R"({"t":"int","v":2147483648})",
        R"({"t":"byte","v":128})", R"({"t":"long","v":"1x"})", R"({"t":"double","bits":"00"})",
        R"({"t":"ref","id":0})", R"({"t":"list","id":0})",
        R"({"t":"list","id":0,"items":[{"t":"list","id":0,"items":[]}]})",
        R"({"t":"bytes","id":0,"hex":"0"})", R"({"t":"bytes","id":0,"hex":"0g"})",
        R"({"t":"map","id":0,"entries":[[{"t":"null"}]]})",
        R"({"t":"object","id":0,"type":"B","levels":[]})",
        R"({"t":"object","id":0,"type":"B","levels":[{"class":"A","fields":[]}]})",
        R"({"t":"vector","id":0,"elem":"int","fixed":false,"items":[{"t":"null"}]})",
        "{\"t\":\"string\",\"v\":\"\xC3\"}"));

TEST(NeutralJson, AMillionDeep) {
    std::string json;
    constexpr int k_depth = 1'000'000;
    for (int i = 0; i < k_depth; ++i)
        json += R"({"t":"list","id":)" + std::to_string(i) + R"(,"items":[)";
    json += R"({"t":"null"})";
    for (int i = 0; i < k_depth; ++i)
        json += "]}";
    EXPECT_TRUE(again(json) == json);
}

TEST(NeutralJson, EqualClassDescriptionsAreOne) {
    ObjectGraph graph;
    ASSERT_TRUE(read_neutral_json(as_bytes(R"({"t":"list","id":0,"items":[
            {"t":"object","id":1,"type":"T","fields":[["a",{"t":"null"}]]},
            {"t":"object","id":2,"type":"T","fields":[["a",{"t":"null"}]]},
            {"t":"object","id":3,"type":"T","fields":[["b",{"t":"null"}]]}]})"),
                                  {}, graph));
    EXPECT_EQ(graph.class_count(), 2U);
}

}  // namespace
}  // namespace perfrelay
