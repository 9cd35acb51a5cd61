// Formats of trees: every vector in each of them, the libraries read each other's output, and the
// exact forms that are written.

#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/model/sample_objects.h"
#include "proto/object_formats.h"
#include "tests/support/codecs.h"
#include "tests/support/files.h"
#include "tests/support/hex.h"
#include "tests/support/object_vectors.h"

namespace perfrelay {
namespace {

constexpr std::array<const char*, 5> k_specs{"json", "json:nlohmann", "cbor", "msgpack", "bson"};

// Encoded, and decoded to the same as was encoded.
std::string carried(Codec& format, const Document& document) {
    SCOPED_TRACE(format.info().spec);
    const auto prepared = format.prepare(document);
    EXPECT_TRUE(prepared) << describe(prepared.error());
    Buffer out;
    const auto done = format.encode(document, out);
    EXPECT_TRUE(done) << describe(done.error());
    ObjectGraph decoded;
    const auto read = format.decode_objects(out.view(), decoded);
    EXPECT_TRUE(read) << describe(read.error());
    EXPECT_EQ(difference(*format.prepared(), decoded), std::nullopt);
    Buffer drained;
    BufferDrain drain(drained);
    EXPECT_TRUE(format.encode(document, drain));
    EXPECT_TRUE(as_text(out.view()) == as_text(drained.view()));
    const auto first = format.decode(out.view());
    const auto second = format.decode(out.view());
    EXPECT_TRUE(first && second && *first == *second);
    return std::string(as_text(out.view()));
}

TEST(TreeFormats, EveryVectorInEveryFormat) {
    std::size_t done = 0;
    std::size_t refused = 0;
    for (const std::string& file : object_vector_files()) {
        SCOPED_TRACE(file);
        const Document document = document_of_objects(file_text(file));
        for (const char* spec : k_specs) {
            const auto format = codec_of(spec);
            if (const auto why = format->cannot_represent(document, false)) {
                EXPECT_FALSE(why->empty());
                ++refused;
            } else {
                (void)carried(*format, document);
                ++done;
            }
        }
    }
    EXPECT_GT(done, 450U);
    EXPECT_LT(refused, 60U);
}

TEST(TreeFormats, TheDataSets) {
    for (const int which : {0, 1, 2}) {
        Document document;
        document.objects = std::make_unique<ObjectGraph>();
        if (which == 0) generate_company(k_company_seed, 100, *document.objects);
        if (which == 1) generate_objects(k_objects_seed, 5, *document.objects);
        if (which == 2) generate_strings(k_objects_seed, 100, *document.objects);
        for (const char* spec : k_specs)
            EXPECT_FALSE(carried(*codec_of(spec), document).empty());
    }
}

// Values that have one form in all of them.
constexpr const char* k_plain = R"({"t":"map","id":0,"entries":[
    [{"t":"string","v":"list"},{"t":"list","id":1,"items":[{"t":"int","v":-1},{"t":"int","v":24},
      {"t":"int","v":-300},{"t":"long","v":"1099511627776"},{"t":"long","v":"-1099511627776"},
      {"t":"double","bits":"3fb999999999999a","v":0.1},{"t":"bool","v":true},{"t":"null"},
      {"t":"double","bits":"54b249ad2594c37d","v":1e100}]}],
    [{"t":"string","v":"text\u0001\"\\"},{"t":"string","v":"\u00e9\ud83d\ude00\u0000"}],
    [{"t":"string","v":"empty"},{"t":"map","id":2,"entries":[]}]]})";

TEST(TreeFormats, NlohmannReadsWhatTheOthersWrite) {
    Document company;
    company.objects = std::make_unique<ObjectGraph>();
    generate_company(k_company_seed, 50, *company.objects);
    const Document plain = document_of_objects(k_plain);
    for (const Document* const document : {&std::as_const(company), &plain}) {
        using nlohmann::json;
        const json expected = json::parse(carried(*codec_of("json"), *document));
        EXPECT_EQ(json::parse(carried(*codec_of("json:nlohmann"), *document)), expected);
        EXPECT_EQ(json::from_cbor(carried(*codec_of("cbor"), *document)), expected);
        EXPECT_EQ(json::from_msgpack(carried(*codec_of("msgpack"), *document)), expected);
        EXPECT_EQ(json::from_bson(carried(*codec_of("bson"), *document)), expected);
    }
}

TEST(TreeFormats, TheOthersReadWhatNlohmannWrites) {
    using nlohmann::ordered_json;
    const Document plain = document_of_objects(k_plain);
    const auto expect = [&plain](const char* spec, const std::vector<std::uint8_t>& bytes) {
        SCOPED_TRACE(spec);
        const auto format = codec_of(spec);
        ASSERT_TRUE(format->prepare(plain));
        ObjectGraph decoded;
        const auto done = format->decode_objects(bytes, decoded);
        ASSERT_TRUE(done) << describe(done.error());
        EXPECT_EQ(difference(*format->prepared(), decoded), std::nullopt);
    };
    const auto value = ordered_json::parse(carried(*codec_of("json"), plain));
    const std::string text = value.dump(2);
    expect("json", {text.begin(), text.end()});
    expect("cbor", ordered_json::to_cbor(value));
    expect("msgpack", ordered_json::to_msgpack(value));
    expect("bson", ordered_json::to_bson(value));
}

TEST(TreeFormats, Forms) {
    const auto encoded = [](const char* spec, const char* json) {
        return to_hex(as_bytes(carried(*codec_of(spec), document_of_objects(json))));
    };
    const char* const date = R"({"t":"date","id":0,"ms":"-1"})";
    // RFC 8949 appendix A.
    EXPECT_EQ(encoded("cbor", R"({"t":"int","v":23})"), "17");
    EXPECT_EQ(encoded("cbor", R"({"t":"int","v":1000})"), "1903e8");
    EXPECT_EQ(encoded("cbor", R"({"t":"int","v":-1000})"), "3903e7");
    EXPECT_EQ(encoded("cbor", R"({"t":"long","v":"1000000000000"})"), "1b000000e8d4a51000");
    EXPECT_EQ(encoded("cbor", R"({"t":"double","bits":"3ff199999999999a","v":1.1})"),
              "fb3ff199999999999a");
    EXPECT_EQ(encoded("cbor", R"({"t":"float","bits":"47c35000","v":100000.0})"), "fa47c35000");
    EXPECT_EQ(encoded("cbor", R"({"t":"bytes","id":0,"hex":"01020304"})"), "4401020304");
    EXPECT_EQ(encoded("cbor", R"({"t":"string","v":"\u6c34"})"), "63e6b0b4");
    EXPECT_EQ(encoded("cbor", date),
              "a1652464617465"
              "20");
    // MessagePack: timestamps of 96, 64 and 32 bits.
    EXPECT_EQ(encoded("msgpack", date), "c70cff3b8b87c0ffffffffffffffff");
    EXPECT_EQ(encoded("msgpack", R"({"t":"date","id":0,"ms":"1"})"), "d7ff003d090000000000");
    EXPECT_EQ(encoded("msgpack", R"({"t":"date","id":0,"ms":"1000"})"), "d6ff00000001");
    EXPECT_EQ(encoded("msgpack", R"({"t":"date","id":0,"ms":"-9223372036854775808"})"),
              "c70cff0b71b000ffdf3b645a1cac08");
    EXPECT_EQ(encoded("msgpack", R"({"t":"bytes","id":0,"hex":"0102"})"), "c4020102");
    EXPECT_EQ(encoded("msgpack", R"({"t":"float","bits":"3fc00000","v":1.5})"), "ca3fc00000");
    // bsonspec.org's own example is {"hello": "world"}.
    EXPECT_EQ(encoded("bson", R"({"t":"map","id":0,"entries":[[{"t":"string","v":"hello"},
                                 {"t":"string","v":"world"}]]})"),
              "160000000268656c6c6f0006000000776f726c640000");
    EXPECT_EQ(encoded("bson", date),
              "14000000"
              "0924726f6f7400"
              "ffffffffffffffff"
              "00");
    EXPECT_EQ(encoded("bson", R"({"t":"bytes","id":0,"hex":""})"),
              "11000000"
              "0524726f6f7400"
              "0000000000"
              "00");
}

TEST(TreeFormats, NlohmannRefusesWhatItsRecursionCannotTake) {
    std::string json;
    for (int i = 0; i < 1100; ++i)
        json += R"({"t":"list","id":)" + std::to_string(i) + R"(,"items":[)";
    for (int i = 0; i < 1100; ++i)
        json += "]}";
    const Document document = document_of_objects(json);
    EXPECT_TRUE(codec_of("json:nlohmann")->cannot_represent(document, false));
    for (const char* spec : {"json", "cbor", "msgpack", "bson"})
        EXPECT_FALSE(carried(*codec_of(spec), document).empty());
}

TEST(TreeFormats, OptionsThereAreNone) {
    std::string why;
    for (const char* text : {"json:fast", "cbor:x", "msgpack:x=1", "bson:x"}) {
        EXPECT_EQ(make_object_codec(parse_spec(text, why)->format, Limits(), why), nullptr);
        EXPECT_NE(why.find("has no option"), std::string::npos) << why;
    }
}

}  // namespace
}  // namespace perfrelay
