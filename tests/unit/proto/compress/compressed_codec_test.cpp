#include "proto/compress/compressed_codec.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "proto/codec/make_codec.h"
#include "proto/compress/zlib_compressor.h"
#include "proto/compress/zstd_compressor.h"

namespace perfrelay::compress {
namespace {

// A format small enough to be seen through: the document's source, as the text of one element.
class PlainFormat {
  public:
    static constexpr bool k_text_is_stable = true;

    explicit PlainFormat(const std::string& spec, bool text_xml = true) {
        info_.spec = spec;
        info_.title = spec == "xml" ? "XML" : "PLAIN";
        info_.notes = {"inner note"};
        info_.fidelity.comments = false;
        info_.text_xml = text_xml;
        root_ = names_.intern("", "r", "");
    }
    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const {
        if (document.name != "unfit") return std::nullopt;
        return source ? "source" : "document";
    }
    Result<> prepare(const Document& document) {
        if (document.name == "unprepared") return Error{.where = "prepare"};
        return {};
    }
    Result<> encode(const Document& document, Buffer& out) {
        if (document.name == "unwritten") return Error{.where = "encode"};
        out.append(document.source.view());
        return {};
    }
    template <XmlSink S>
    Result<> decode(Bytes input, S& sink) {
        if (as_text(input).starts_with('!')) return Error{.where = "decode"};
        sink.start_document();
        sink.start_element(root_);
        sink.characters(as_text(input));
        sink.end_element(root_);
        sink.end_document();
        return {};
    }

  private:
    CodecInfo info_;
    NameTable names_;
    const QName* root_;
};

SpecPart part(std::string_view text) {
    std::string why;
    return parse_spec("x+" + std::string(text), why)->compressors.front();
}

std::unique_ptr<Codec> packed(std::unique_ptr<Codec> inner, std::string_view compressor) {
    std::string why;
    const SpecPart wanted = part(compressor);
    auto made = wanted.name == "gzip" ? make_zlib(DeflateWrapper::gzip, wanted, {}, why)
                                      : make_zstd(wanted, {}, why);
    EXPECT_NE(made, nullptr) << why;
    return std::make_unique<CompressedCodec>(std::move(inner), std::move(made), wanted, Limits());
}

std::unique_ptr<Codec> packed(std::string_view compressor, bool text_xml = true) {
    return packed(make_codec<PlainFormat>("plain", text_xml), compressor);
}

Document document(std::string_view text, std::string name = "d") {
    Document made;
    made.name = std::move(name);
    made.source.append(text);
    return made;
}

std::string only_text(const XmlTape& tape) {
    EXPECT_EQ(tape.events().size(), 3U);
    return tape.events().size() == 3 ? std::string(tape.events()[1].text_view()) : std::string();
}

TEST(CompressedCodec, DecodesWhatItEncoded) {
    const auto codec = packed("gzip");
    const Document original = document("some text, some text, some text, some text");
    Buffer out;
    ASSERT_TRUE(codec->prepare(original));
    ASSERT_TRUE(codec->encode(original, out));
    ASSERT_EQ(out.data()[0], 0x1F);
    XmlTape tape;
    ASSERT_TRUE(codec->decode(out.view(), tape));
    EXPECT_EQ(only_text(tape), as_text(original.source.view()));
    const Result<Digest> digest = codec->decode(out.view());
    ASSERT_TRUE(digest);
    EXPECT_EQ(digest->text_bytes, original.source.size());
}

// The bound on bombs made rows of equal records "not representable": 39 MB packed beyond 1,100:1.
TEST(CompressedCodec, ItsOwnOutputIsNoBomb) {
    for (const char* compressor : {"zstd", "gzip"}) {
        std::string why;
        const SpecPart wanted = part(compressor);
        const Limits limits{.max_decompression_ratio = 10};
        const auto make = [&] {
            auto made = std::string_view(compressor) == "gzip"
                            ? make_zlib(DeflateWrapper::gzip, wanted, limits, why)
                            : make_zstd(wanted, limits, why);
            return std::make_unique<CompressedCodec>(make_codec<PlainFormat>("plain", true),
                                                     std::move(made), wanted, limits);
        };
        const Document original = document(std::string(std::size_t{20} << 20U, 'x'));
        Buffer out;
        const auto codec = make();
        ASSERT_TRUE(codec->encode(original, out));
        EXPECT_TRUE(codec->decode(out.view())) << compressor;
        // To another it is one.
        const auto other = make()->decode(out.view());
        ASSERT_FALSE(other) << compressor;
        EXPECT_EQ(other.error().code, Errc::limit_exceeded);
    }
}

TEST(CompressedCodec, TapesOutliveEncoding) {
    const auto codec = packed("gzip");
    Buffer out;
    ASSERT_TRUE(codec->encode(document("the first one"), out));
    XmlTape tape;
    ASSERT_TRUE(codec->decode(out.view(), tape));
    Buffer other;
    ASSERT_TRUE(codec->encode(document(std::string(100'000, 'z')), other));
    Buffer source;
    ASSERT_TRUE(codec->source_form(document(std::string(100'000, 'z')), source));
    EXPECT_EQ(only_text(tape), "the first one");
}

TEST(CompressedCodec, SaysWhatItIs) {
    const auto codec = packed("zstd:5");
    EXPECT_EQ(codec->info().spec, "plain+zstd:5");
    EXPECT_EQ(codec->info().title, "PLAIN+ZSTD:5");
    EXPECT_TRUE(codec->info().text_xml);
    EXPECT_FALSE(codec->info().fidelity.comments);
    ASSERT_EQ(codec->info().notes.size(), 2U);
    EXPECT_EQ(codec->info().notes[0], "inner note");
    EXPECT_TRUE(codec->info().notes[1].starts_with("zstd by libzstd 1.")) << codec->info().notes[1];
    EXPECT_NE(codec->info().notes[1].find("level 5"), std::string::npos);
}

TEST(CompressedCodec, GzipOfXmlIsGzxml) {
    EXPECT_EQ(packed(make_codec<PlainFormat>("xml"), "gzip")->info().title, "GZXML");
    EXPECT_EQ(packed(make_codec<PlainFormat>("xml"), "gzip")->info().spec, "xml+gzip");
    EXPECT_EQ(packed(make_codec<PlainFormat>("xml"), "gzip:9")->info().title, "XML+GZIP:9");
    EXPECT_EQ(packed(packed(make_codec<PlainFormat>("xml"), "gzip"), "zstd")->info().title,
              "GZXML+ZSTD");
}

TEST(CompressedCodec, OneAroundAnother) {
    const auto codec = packed(packed("gzip"), "zstd");
    EXPECT_EQ(codec->info().spec, "plain+gzip+zstd");
    EXPECT_EQ(codec->info().notes.size(), 3U);
    Buffer out;
    ASSERT_TRUE(codec->encode(document("text"), out));
    EXPECT_EQ(out.data()[0], 0x28);  // zstd's magic number: the outer one comes last
    XmlTape tape;
    ASSERT_TRUE(codec->decode(out.view(), tape));
    EXPECT_EQ(only_text(tape), "text");
}

TEST(CompressedCodec, SourceFormIsThePackedSource) {
    const auto codec = packed("gzip");
    Buffer out;
    const Result<bool> has = codec->source_form(document("the file"), out);
    ASSERT_TRUE(has);
    EXPECT_TRUE(*has);
    XmlTape tape;
    ASSERT_TRUE(codec->decode(out.view(), tape));
    EXPECT_EQ(only_text(tape), "the file");
}

TEST(CompressedCodec, NoSourceFormWhereTheInnerHasNone) {
    Buffer out;
    const Result<bool> has = packed("gzip", false)->source_form(document("the file"), out);
    ASSERT_TRUE(has);
    EXPECT_FALSE(*has);
    EXPECT_TRUE(out.empty());
}

TEST(CompressedCodec, ForwardsRefusalsAndErrors) {
    const auto codec = packed("gzip");
    EXPECT_EQ(codec->cannot_represent(document("", "unfit"), true), "source");
    EXPECT_EQ(codec->cannot_represent(document("", "unfit"), false), "document");
    EXPECT_EQ(codec->cannot_represent(document(""), true), std::nullopt);
    Buffer out;
    EXPECT_STREQ(codec->prepare(document("", "unprepared")).error().where, "prepare");
    EXPECT_STREQ(codec->encode(document("", "unwritten"), out).error().where, "encode");
    ASSERT_TRUE(codec->encode(document("!"), out));
    EXPECT_STREQ(codec->decode(out.view()).error().where, "decode");
    XmlTape tape;
    EXPECT_STREQ(codec->decode(out.view(), tape).error().where, "decode");
    EXPECT_FALSE(codec->decode(as_bytes("not gzip")));
    EXPECT_FALSE(codec->decode(as_bytes("not gzip"), tape));
}

}  // namespace
}  // namespace perfrelay::compress
