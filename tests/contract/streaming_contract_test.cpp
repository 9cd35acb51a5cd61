// What every codec that streams promises (proto/codec/codec.h): the same document while its bytes
// travel, in pieces of any size. For every line of the format table, plain and packed.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "tests/contract/documents.h"
#include "tests/support/codecs.h"

namespace perfrelay::contract {
namespace {

std::vector<std::string> all_specs() {
    const FormatTable table = FormatTable::built_in();
    std::vector<std::string> all;
    for (const FormatLine& line : table.formats) {
        all.push_back(line.spec);
        if (line.spec.find('+') == std::string::npos) all.push_back(line.spec + "+zstd");
    }
    for (const CompressorLine& line : table.compressors)
        all.push_back(table.formats.front().spec + "+" + line.name + ":1");
    all.emplace_back("xml+zstd:dict={" PERFRELAY_DATA "dictionaries/messages.dict}");
    return all;
}

std::vector<std::string> specs_that_stream(bool Streaming::*direction) {
    std::vector<std::string> all = all_specs();
    std::erase_if(all, [&](const std::string& spec) {
        std::string why;
        return !(FormatTable::built_in().make(spec, {}, why)->streaming().*direction);
    });
    return all;
}

// A connection that is lost after some bytes.
class Lost final : public ByteSource {
  public:
    Lost(Bytes bytes, std::size_t piece) : source_(bytes, piece) {}
    Result<Bytes> refill(std::size_t consumed) override {
        const Result<Bytes> more = source_.refill(consumed);
        const std::size_t before = size_ - consumed;
        size_ = more->size();
        if (size_ == before) return Error{.code = Errc::closed, .where = "lost"};
        return more;
    }

  private:
    MemorySource source_;
    std::size_t size_ = 0;
};

class Broken final : public ByteDrain {
  public:
    Result<> write(Bytes) override { return Error{.code = Errc::closed, .where = "lost"}; }
};

class StreamingContract : public testing::TestWithParam<std::string> {
  protected:
    static std::vector<std::unique_ptr<Document>> documents() {
        std::vector<std::unique_ptr<Document>> all;
        for (const char* file : {"minimal", "records", "unicode", "mixed", "misc", "line_ends"})
            all.push_back(document_from("contract/" + std::string(file) + ".xml"));
        all.push_back(document_of("large", records(200'000)));
        return all;
    }
    static std::unique_ptr<Codec> make(const Limits& limits = {}) {
        std::string why;
        auto codec = FormatTable::built_in().make(GetParam(), {.limits = limits}, why);
        EXPECT_NE(codec, nullptr) << why;
        return codec;
    }
    static Buffer encoded(Codec& codec, const Document& document) {
        Buffer out;
        EXPECT_TRUE(codec.prepare(document));
        EXPECT_TRUE(codec.encode(document, out));
        return out;
    }
};

class StreamingIn : public StreamingContract {};
class StreamingOut : public StreamingContract {};

TEST_P(StreamingContract, EncodesTheSameDocument) {
    const auto codec = make();
    for (const auto& document : documents()) {
        if (codec->cannot_represent(*document, false)) continue;
        SCOPED_TRACE(document->name);
        const Buffer whole = encoded(*codec, *document);
        Buffer streamed;
        BufferDrain drain(streamed);
        const Result<> done = codec->encode(*document, drain);
        if (!codec->streaming().encode) {
            ASSERT_FALSE(done);
            EXPECT_EQ(done.error().code, Errc::unsupported);
            continue;
        }
        ASSERT_TRUE(done) << describe(done.error());
        if (GetParam().find('+') == std::string::npos) {
            EXPECT_EQ(as_text(streamed.view()), as_text(whole.view()));
        }
        XmlTape tape;
        ASSERT_TRUE(codec->decode(streamed.view(), tape));
        const auto different = difference(document->xml, tape, codec->info().fidelity);
        EXPECT_FALSE(different) << *different;
        Buffer again;
        BufferDrain second(again);
        ASSERT_TRUE(codec->encode(*document, second));
        EXPECT_EQ(as_text(streamed.view()), as_text(again.view()));
    }
}

TEST_P(StreamingContract, DecodesPiecesOfAnySize) {
    const auto codec = make();
    for (const auto& document : documents()) {
        if (codec->cannot_represent(*document, false)) continue;
        SCOPED_TRACE(document->name);
        const Buffer whole = encoded(*codec, *document);
        const Result<Digest> digest = codec->decode(whole.view());
        ASSERT_TRUE(digest);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
            MemorySource source(whole.view(), piece);
            const Result<Digest> streamed = codec->decode(source);
            if (!codec->streaming().decode) {
                ASSERT_FALSE(streamed);
                EXPECT_EQ(streamed.error().code, Errc::unsupported);
                continue;
            }
            ASSERT_TRUE(streamed) << piece << ": " << describe(streamed.error());
            EXPECT_EQ(*streamed, *digest) << piece;
            XmlTape tape;
            MemorySource again(whole.view(), piece);
            ASSERT_TRUE(codec->decode(again, tape));
            const auto different = difference(document->xml, tape, codec->info().fidelity);
            EXPECT_FALSE(different) << piece << ": " << *different;
        }
    }
}

// A document whose encoding, before any compressor, is so long that compressors, which keep blocks
// of up to 128 KiB back, are done with some of them at half of it.
std::unique_ptr<Document> long_document(const std::string& spec) {
    constexpr std::size_t k_long = std::size_t{400} << 10U;
    std::string why;
    const auto bare = FormatTable::built_in().make(spec.substr(0, spec.find('+')), {}, why);
    for (std::size_t size = k_long;; size *= 2) {
        auto document = document_of("long", records(size));
        Buffer out;
        EXPECT_TRUE(bare->prepare(*document));
        EXPECT_TRUE(bare->encode(*document, out));
        if (out.size() >= k_long || testing::Test::HasFailure()) return document;
    }
}

// The point of it: half of the bytes give about half of the events, and no more are waited for.
TEST_P(StreamingIn, DeliversWhatHasArrived) {
    const auto codec = make();
    if (!codec->digests_events()) return;  // its events are those of a text that is then complete
    const auto document = long_document(GetParam());
    const Buffer whole = encoded(*codec, *document);
    XmlTape all;
    ASSERT_TRUE(codec->decode(whole.view(), all));
    const std::size_t events = all.events().size();
    XmlTape half;
    Lost lost(whole.view().first(whole.size() / 2), 1000);
    const Result<> done = codec->decode(lost, half);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::closed) << describe(done.error());
    EXPECT_GT(half.events().size(), events / 5);
    EXPECT_LT(half.events().size(), events);
}

TEST_P(StreamingIn, RefusesWhatTheWholeDecodeRefuses) {
    const auto codec = make();
    const auto document = document_from("contract/records.xml");
    const Buffer whole = encoded(*codec, *document);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        MemorySource source(whole.view().first(size), 64);
        ASSERT_EQ(codec->decode(source).has_value(),
                  codec->decode(whole.view().first(size)).has_value())
            << size << " of " << whole.size();
    }
    Buffer damaged;
    damaged.append(whole.view());
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        damaged.data()[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        MemorySource source(damaged.view(), 64);
        const Result<Digest> streamed = codec->decode(source);
        const Result<Digest> in_memory = codec->decode(damaged.view());
        ASSERT_EQ(streamed.has_value(), in_memory.has_value())
            << bit << ": " << describe(streamed ? in_memory.error() : streamed.error());
        if (streamed) {
            ASSERT_EQ(*streamed, *in_memory) << bit;
        }
        damaged.data()[bit / 8] = whole.data()[bit / 8];
    }
    MemorySource source(whole.view(), 64);
    EXPECT_TRUE(codec->decode(source));
}

TEST_P(StreamingIn, ObeysTheLimitOnSize) {
    const auto codec = make({.max_document = 20'000});
    const auto document = document_of("large", records(1'000'000));
    const Buffer whole = encoded(*make(), *document);
    MemorySource source(whole.view(), 1000);
    const Result<Digest> done = codec->decode(source);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded) << describe(done.error());
}

TEST_P(StreamingOut, ALostConnectionEndsTheEncoding) {
    const auto codec = make();
    const auto document = document_of("large", records(400'000));
    ASSERT_TRUE(codec->prepare(*document));
    Broken drain;
    const Result<> done = codec->encode(*document, drain);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::closed);
    Buffer out;
    BufferDrain good(out);
    EXPECT_TRUE(codec->encode(*document, good));
}

INSTANTIATE_TEST_SUITE_P(Formats, StreamingContract, testing::ValuesIn(all_specs()),
                         SpecTestName());
INSTANTIATE_TEST_SUITE_P(Formats, StreamingIn,
                         testing::ValuesIn(specs_that_stream(&Streaming::decode)), SpecTestName());
INSTANTIATE_TEST_SUITE_P(Formats, StreamingOut,
                         testing::ValuesIn(specs_that_stream(&Streaming::encode)), SpecTestName());

// XML, gzip and zstd stream; a table in which nothing does would pass all of the above.
TEST(StreamingContractList, WhatMustStreamDoes) {
    for (const char* spec :
         {"xml", "xml:libxml2", "xml:expat", "gzxml", "xml+deflate", "xml+zstd"}) {
        std::string why;
        const auto codec = FormatTable::built_in().make(spec, {}, why);
        ASSERT_NE(codec, nullptr) << why;
        EXPECT_TRUE(codec->streaming().encode) << spec;
        EXPECT_TRUE(codec->streaming().decode) << spec;
    }
}

}  // namespace
}  // namespace perfrelay::contract
