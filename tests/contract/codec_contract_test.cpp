// What every codec promises (proto/codec/codec.h), for every line of the format table, plain and
// packed by every compressor. A new line of the table is tested here without a change.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/model/tape_digest.h"
#include "tests/contract/documents.h"
#include "tests/support/codecs.h"

namespace perfrelay::contract {
namespace {

struct Tested {
    std::string spec;
    DeflateLibrary deflate;

    // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
    friend void PrintTo(const Tested& tested, std::ostream* out) {
        *out << tested.spec
             << (tested.deflate == DeflateLibrary::libdeflate ? " (libdeflate)" : "");
    }
};

// Every line plain. Every compressor around the first line; around the others one in turn.
std::vector<Tested> all_tested() {
    const FormatTable table = FormatTable::built_in();
    std::vector<Tested> all;
    const auto add = [&](const std::string& spec, DeflateLibrary deflate) {
        const bool there = std::any_of(all.begin(), all.end(), [&](const Tested& tested) {
            return tested.spec == spec && tested.deflate == deflate;
        });
        if (!there) all.push_back({spec, deflate});
    };
    const std::string& first = table.formats.front().spec;
    std::size_t turn = 0;
    for (const FormatLine& line : table.formats)
        add(line.spec, DeflateLibrary::zlib);
    for (const CompressorLine& compressor : table.compressors)
        add(first + "+" + compressor.name, DeflateLibrary::zlib);
    for (const FormatLine& line : table.formats) {
        const std::string& name = table.compressors[turn++ % table.compressors.size()].name;
        add(line.spec + "+" + name, DeflateLibrary::zlib);
    }
    for (const char* format : {"xml", "exi", "amf3"})
        add(format + std::string("+zstd:dict={" PERFRELAY_DATA "dictionaries/messages.dict}"),
            DeflateLibrary::zlib);
    // One line, several formats: each of EXI's alignments is a decoder and an encoder of its own.
    for (const char* spec :
         {"exi:align=byte,all,cookie,options", "exi:align=pre,comments,pis,blockSize=7",
          "exi:align=comp", "exi:align=comp,all,options,blockSize=20", "exi:prefixes,vcap=5,vmax=4",
          "exi:fragment,dtds,options,sc={urn:example:orders}order"}) {
        add(spec, DeflateLibrary::zlib);
    }
    add("exi:align=comp", DeflateLibrary::libdeflate);
    for (const char* name : {"gzip", "deflate"})
        add(first + "+" + name, DeflateLibrary::libdeflate);
    return all;
}

std::string tested_name(const testing::TestParamInfo<Tested>& tested) {
    return test_name(tested.param.spec) +
           (tested.param.deflate == DeflateLibrary::libdeflate ? "_libdeflate" : "");
}

class CodecContract : public testing::TestWithParam<Tested> {
  protected:
    static void SetUpTestSuite() {
        for (const char* file : {"minimal", "records", "unicode", "mixed", "misc", "line_ends"}) {
            documents().push_back(document_from("contract/" + std::string(file) + ".xml"));
        }
    }
    static void TearDownTestSuite() { documents().clear(); }

    static std::vector<std::unique_ptr<Document>>& documents() {
        static std::vector<std::unique_ptr<Document>> all;
        return all;
    }
    static const Document& small() { return *documents()[1]; }

    static std::unique_ptr<Codec> make(const Limits& limits = {}) {
        std::string why;
        auto codec = FormatTable::built_in().make(
            GetParam().spec, {.limits = limits, .deflate = GetParam().deflate}, why);
        EXPECT_NE(codec, nullptr) << why;
        return codec;
    }

    static Buffer encoded(Codec& codec, const Document& document) {
        Buffer out;
        encode_again(codec, document, out);
        return out;
    }
    static void encode_again(Codec& codec, const Document& document, Buffer& out) {
        out.clear();
        const Result<> prepared = codec.prepare(document);
        ASSERT_TRUE(prepared) << document.name << ": " << describe(prepared.error());
        const Result<> done = codec.encode(document, out);
        ASSERT_TRUE(done) << document.name << ": " << describe(done.error());
    }

    // Both decodes give `document`, under the declared fidelity.
    static void expect_decodes_to(Codec& codec, Bytes input, const Document& document) {
        SCOPED_TRACE(document.name);
        XmlTape tape;
        const Result<> done = codec.decode(input, tape);
        ASSERT_TRUE(done) << describe(done.error());
        const auto different = difference(document.xml, tape, codec.info().fidelity);
        ASSERT_FALSE(different) << *different;
        const Digest of_tape = digest_of(tape);
        if (codec.info().fidelity == Fidelity{}) {
            EXPECT_EQ(of_tape, digest_of(document.xml));
        }
        if (codec.digests_events()) {
            expect_digest(codec, input, of_tape);
        } else {
            const Result<Digest> digest = codec.decode(input);
            ASSERT_TRUE(digest) << describe(digest.error());
            EXPECT_GT(digest->events, 0U);
            expect_digest(codec, input, *digest);
        }
    }
    static void expect_digest(Codec& codec, Bytes input, const Digest& expected) {
        const Result<Digest> digest = codec.decode(input);
        ASSERT_TRUE(digest) << describe(digest.error());
        EXPECT_EQ(digest->value, expected.value);
        EXPECT_EQ(digest->events, expected.events);
        EXPECT_EQ(digest->text_bytes, expected.text_bytes);
    }

    // The bytes of `text` in the codec's own form: packed text, else what it encodes itself.
    // Nothing when the codec, by its declared limits, cannot carry it.
    static std::optional<Buffer> form_of(std::string_view text) {
        const auto codec = make();
        const auto document = document_of("made", text);
        if (codec->cannot_represent(*document, true)) return std::nullopt;
        Buffer out;
        const Result<bool> has = codec->source_form(*document, out);
        EXPECT_TRUE(has);
        if (!has || !*has) out = encoded(*codec, *document);
        return out;
    }

    // Text that nothing was wrapped around: cut behind the root's end, it is still a document.
    static bool plain_text(const Codec& codec) {
        return codec.info().text_xml && codec.info().spec.find('+') == std::string::npos;
    }
};

TEST_P(CodecContract, DecodesWhatItEncoded) {
    const auto codec = make();
    std::size_t carried = 0;
    for (const auto& document : documents()) {
        if (codec->cannot_represent(*document, false)) continue;
        ++carried;
        expect_decodes_to(*codec, encoded(*codec, *document).view(), *document);
    }
    EXPECT_GE(carried, 3U);
}

TEST_P(CodecContract, DecodesTheSourceForm) {
    const auto codec = make();
    std::size_t carried = 0;
    for (const auto& document : documents()) {
        if (codec->cannot_represent(*document, true)) continue;
        ++carried;
        Buffer out;
        const Result<bool> has = codec->source_form(*document, out);
        ASSERT_TRUE(has) << describe(has.error());
        if (!*has) {
            EXPECT_TRUE(out.empty());
            continue;
        }
        expect_decodes_to(*codec, out.view(), *document);
    }
    EXPECT_GE(carried, 3U);
}

// What is declared as impossible may fail, but never crash.
TEST_P(CodecContract, WhatCannotBeRepresentedIsAnErrorOrADocument) {
    const auto codec = make();
    for (const auto& document : documents()) {
        if (!codec->cannot_represent(*document, false)) continue;
        Buffer out;
        if (!codec->prepare(*document) || !codec->encode(*document, out)) continue;
        XmlTape tape;
        (void)codec->decode(out.view(), tape).has_value();
    }
    expect_decodes_to(*codec, encoded(*codec, small()).view(), small());
}

TEST_P(CodecContract, RefusesEveryTruncation) {
    const auto codec = make();
    const Buffer whole = encoded(*codec, small());
    std::size_t end = whole.size();
    if (plain_text(*codec)) end = as_text(whole.view()).rfind('>');
    for (std::size_t size = 0; size < end; ++size) {
        XmlTape tape;
        ASSERT_FALSE(codec->decode(whole.view().first(size))) << size << " of " << whole.size();
        const Result<> done = codec->decode(whole.view().first(size), tape);
        ASSERT_FALSE(done) << size << " of " << whole.size();
        ASSERT_STRNE(done.error().where, "") << size << " of " << whole.size();
    }
    expect_decodes_to(*codec, whole.view(), small());
}

TEST_P(CodecContract, SurvivesEveryFlippedBit) {
    const auto codec = make();
    const Buffer whole = encoded(*codec, small());
    Buffer damaged;
    damaged.append(whole.view());
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
        damaged.data()[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        XmlTape tape;
        const Result<> done = codec->decode(damaged.view(), tape);
        const Result<Digest> digest = codec->decode(damaged.view());
        // Text that was transcoded may be more than XML can hold.
        if (codec->digests_events() || done) {
            ASSERT_EQ(done.has_value(), digest.has_value()) << bit;
        }
        damaged.data()[bit / 8] = whole.data()[bit / 8];
    }
    expect_decodes_to(*codec, whole.view(), small());
}

TEST_P(CodecContract, RefusesGarbage) {
    const auto codec = make();
    const std::string noughts(1000, '\0');
    const std::string ones(1000, '\xff');
    for (const std::string_view garbage :
         {std::string_view(), std::string_view("\0", 1), std::string_view("x"),
          std::string_view(" \r\n"), std::string_view(noughts), std::string_view(ones)}) {
        // A byte may be a whole value.
        if (codec->model() == Model::objects && garbage.size() == 1) continue;
        XmlTape tape;
        EXPECT_FALSE(codec->decode(as_bytes(garbage))) << garbage.size();
        EXPECT_FALSE(codec->decode(as_bytes(garbage), tape)) << garbage.size();
    }
}

TEST_P(CodecContract, ObeysTheLimitOnDepth) {
    constexpr std::size_t k_depth = 50;
    // The document is an object, too.
    const std::size_t deepest = make()->model() == Model::objects ? k_depth - 1 : k_depth;
    const auto fits = form_of(nested(deepest));
    const auto deeper = form_of(nested(deepest + 1));
    ASSERT_TRUE(fits && deeper);
    Limits limits;
    limits.max_depth = k_depth;
    const auto codec = make(limits);
    EXPECT_TRUE(codec->decode(fits->view()));
    const Result<Digest> done = codec->decode(deeper->view());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded) << describe(done.error());
}

TEST_P(CodecContract, ObeysTheLimitOnSize) {
    const auto small_form = form_of(records(10'000));
    const auto large_form = form_of(records(1'000'000));
    ASSERT_TRUE(small_form && large_form);
    Limits limits;
    limits.max_document = 20'000;
    const auto codec = make(limits);
    EXPECT_TRUE(codec->decode(small_form->view()));
    const Result<Digest> done = codec->decode(large_form->view());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded) << describe(done.error());
}

TEST_P(CodecContract, EncodesDeterministically) {
    const auto codec = make();
    for (const auto& document : documents()) {
        if (codec->cannot_represent(*document, false)) continue;
        const Buffer once = encoded(*codec, *document);
        (void)encoded(*codec, small());
        const Buffer twice = encoded(*codec, *document);
        EXPECT_EQ(as_text(once.view()), as_text(twice.view())) << document->name;
        const Buffer other = encoded(*make(), *document);
        EXPECT_EQ(as_text(once.view()), as_text(other.view())) << document->name;
    }
}

TEST_P(CodecContract, ReusesTheBuffer) {
    const auto codec = make();
    const auto document = document_of("large", records(100'000));
    Buffer out;
    std::size_t capacity = 0;
    for (int run = 1; run <= 10; ++run) {
        encode_again(*codec, *document, out);
        ASSERT_TRUE(codec->decode(out.view()));
        if (run == 2) capacity = out.capacity();
    }
    EXPECT_EQ(out.capacity(), capacity);
}

TEST_P(CodecContract, EncodeAppends) {
    const auto codec = make();
    ASSERT_TRUE(codec->prepare(small()));
    Buffer out;
    out.append(std::string_view("head"));
    ASSERT_TRUE(codec->encode(small(), out));
    EXPECT_EQ(as_text(out.view()).substr(0, 4), "head");
    expect_decodes_to(*codec, out.view().subspan(4), small());
}

TEST_P(CodecContract, CodecsOfOneSpecAreIndependent) {
    const auto first = make();
    const auto second = make();
    const auto other = document_of("other", records(5'000));
    const Buffer small_bytes = encoded(*first, small());
    const Buffer other_bytes = encoded(*second, *other);
    XmlTape tape;
    ASSERT_TRUE(first->decode(small_bytes.view(), tape));
    ASSERT_TRUE(second->decode(other_bytes.view()));
    (void)encoded(*second, small());
    const auto different = difference(small().xml, tape, first->info().fidelity);
    EXPECT_FALSE(different) << *different;
    expect_decodes_to(*second, small_bytes.view(), small());
    expect_decodes_to(*first, other_bytes.view(), *other);
}

TEST_P(CodecContract, TapesLiveUntilTheNextDecode) {
    const auto codec = make();
    const auto other = document_of("other", records(5'000));
    const Buffer bytes = encoded(*codec, small());
    XmlTape tape;
    ASSERT_TRUE(codec->decode(bytes.view(), tape));
    (void)encoded(*codec, *other);
    Buffer source;
    ASSERT_TRUE(codec->source_form(*other, source));
    const auto different = difference(small().xml, tape, codec->info().fidelity);
    EXPECT_FALSE(different) << *different;
}

TEST_P(CodecContract, FailuresLeaveNothingBehind) {
    const auto codec = make();
    const Buffer right = encoded(*codec, small());
    Buffer wrong;
    wrong.append(right.view().first(right.size() / 2));
    XmlTape tape;
    ASSERT_FALSE(codec->decode(wrong.view(), tape));
    ASSERT_FALSE(codec->decode(wrong.view()));
    EXPECT_EQ(as_text(encoded(*codec, small()).view()), as_text(right.view()));
    expect_decodes_to(*codec, right.view(), small());
}

INSTANTIATE_TEST_SUITE_P(Formats, CodecContract, testing::ValuesIn(all_tested()), tested_name);

// The list above is made of the table: each line and each compressor is in it.
TEST(CodecContractList, HasEveryLineAndEveryCompressor) {
    const FormatTable table = FormatTable::built_in();
    const std::vector<Tested> all = all_tested();
    const auto has = [&](const std::function<bool(const std::string&)>& wanted) {
        return std::any_of(all.begin(), all.end(),
                           [&](const Tested& tested) { return wanted(tested.spec); });
    };
    for (const FormatLine& line : table.formats) {
        EXPECT_TRUE(has([&](const std::string& spec) { return spec == line.spec; }));
        EXPECT_TRUE(
            has([&](const std::string& spec) { return spec.starts_with(line.spec + "+"); }));
    }
    for (const CompressorLine& line : table.compressors) {
        EXPECT_TRUE(has([&](const std::string& spec) { return spec.ends_with("+" + line.name); }));
    }
}

}  // namespace
}  // namespace perfrelay::contract
