// Formats of objects behind the codec's interface: every format carries what any of them decodes,
// whatever it came from, and whoever packs it.

#include <gtest/gtest.h>

#include "proto/amf3/format.h"
#include "proto/codec/object_format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/object_formats.h"
#include "tests/support/files.h"
#include "tests/support/object_vectors.h"

namespace perfrelay {
namespace {

static_assert(ObjectFormat<amf3::Amf3Format> && ObjectFormat<hessian2::Hessian2Format> &&
              ObjectFormat<javaser::JavaserFormat>);

std::vector<std::unique_ptr<Codec>> codecs() {
    std::vector<std::unique_ptr<Codec>> all;
    const Limits limits;
    const auto info = [](const char* name) {
        CodecInfo named;
        named.spec = name;
        return named;
    };
    all.push_back(make_object_codec<amf3::Amf3Format>(info("amf3"), limits));
    all.push_back(make_object_codec<amf3::Amf3Format>(info("amf3:profile=blazeds,text=cesu8"),
                                                      limits, amf3::Profile::blazeds,
                                                      amf3::TextForm::cesu8));
    all.push_back(make_object_codec<amf3::Amf3Format>(info("amf3:profile=graniteds"), limits,
                                                      amf3::Profile::graniteds));
    all.push_back(make_object_codec<hessian2::Hessian2Format>(info("hessian2"), limits));
    all.push_back(make_object_codec<javaser::JavaserFormat>(info("javaser"), limits));
    return all;
}

void expect_carried(Codec& codec, const Document& document) {
    ASSERT_TRUE(codec.prepare(document));
    Buffer out;
    const auto done = codec.encode(document, out);
    ASSERT_TRUE(done) << describe(done.error());
    ObjectGraph decoded;
    const auto read = codec.decode_objects(out.view(), decoded);
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(difference(*codec.prepared(), decoded), std::nullopt);

    const auto first = codec.decode(out.view());
    const auto second = codec.decode(out.view());
    ASSERT_TRUE(first && second);
    EXPECT_EQ(*first, *second);
    EXPECT_EQ(*first, digest_of(decoded));

    Buffer again;
    ASSERT_TRUE(codec.encode(document, again));
    EXPECT_TRUE(as_text(out.view()) == as_text(again.view()));
    Buffer drained;
    BufferDrain drain(drained);
    ASSERT_TRUE(codec.encode(document, drain));
    EXPECT_TRUE(as_text(out.view()) == as_text(drained.view()));
}

TEST(ObjectCodec, EveryVectorInEveryFormat) {
    std::size_t carried = 0;
    std::size_t refused = 0;
    for (const std::string& file : object_vector_files()) {
        const Document document = document_of_objects(file_text(file));
        for (const auto& codec : codecs()) {
            SCOPED_TRACE(file + " as " + codec->info().spec);
            if (const auto why = codec->cannot_represent(document, false)) {
                EXPECT_FALSE(why->empty());
                EXPECT_FALSE(codec->prepare(document));
                ++refused;
                continue;
            }
            ++carried;
            expect_carried(*codec, document);
        }
    }
    EXPECT_GT(carried, 450U);
    EXPECT_LT(refused, 60U);
}

TEST(ObjectCodec, MadeBySpec) {
    std::string why;
    const auto make = [&why](const char* text) {
        why.clear();
        const auto spec = parse_spec(text, why);
        EXPECT_TRUE(spec) << why;
        return make_object_codec(spec->format, Limits(), why);
    };
    for (const char* spec :
         {"amf3", "amf3:profile=blazeds", "amf3:profile=graniteds,text=cesu8", "amf3:text=utf8",
          "hessian2", "javaser", "json", "json:nlohmann", "cbor", "msgpack", "bson"}) {
        const auto codec = make(spec);
        ASSERT_NE(codec, nullptr) << why;
        EXPECT_EQ(codec->info().spec, spec);
        EXPECT_EQ(codec->model(), Model::objects);
    }
    for (const char* spec : {"amf3:profile=x", "amf3:fast", "hessian2:x", "javaser:x=y", "xml"}) {
        EXPECT_EQ(make(spec), nullptr);
        EXPECT_FALSE(why.empty());
    }
}

TEST(ObjectCodec, ADocumentWithoutObjectsIsRefused) {
    const Document document;
    for (const auto& codec : codecs()) {
        EXPECT_TRUE(codec->cannot_represent(document, false));
        Buffer out;
        EXPECT_FALSE(codec->encode(document, out));
    }
}

TEST(ObjectCodec, TheDigestSeesEveryKindOfChange) {
    const auto digest = [](const char* json) {
        return digest_of(*document_of_objects(json).objects);
    };
    const Digest base = digest(R"({"t":"list","id":0,"items":[{"t":"int","v":1}]})");
    for (const char* other :
         {R"({"t":"list","id":0,"items":[{"t":"int","v":2}]})",
          R"({"t":"list","id":0,"items":[{"t":"long","v":"1"}]})",
          R"({"t":"list","id":0,"items":[{"t":"null"}]})",
          R"({"t":"list","id":0,"items":[{"t":"ref","id":0}]})",
          R"({"t":"map","id":0,"entries":[]})", R"({"t":"list","id":0,"items":[]})",
          R"({"t":"date","id":0,"ms":"1"})"}) {
        EXPECT_NE(base, digest(other)) << other;
    }
}

}  // namespace
}  // namespace perfrelay
