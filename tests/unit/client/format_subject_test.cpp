#include "client/format_subject.h"

#include <memory>
#include <new>
#include <string>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/model/declare_namespaces.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {
namespace {

// A codec that says and does what a test wants of it.
struct Behaviour {
    std::string refuses{};  // cannot_represent
    bool prepare_fails = false;
    bool decode_fails = false;
    int memory_ends_at = 0;    // with this encode; 0: never
    int other_bytes_from = 0;  // from this encode on another byte comes last; 0: never
};

class TestCodec final : public Codec {
  public:
    explicit TestCodec(Behaviour behaviour)
        : behaviour_(std::move(behaviour)),
          inner_(FormatTable::built_in().make("xml:expat", {}, why_)) {}

    using Codec::decode;
    using Codec::encode;
    const CodecInfo& info() const override { return inner_->info(); }
    std::optional<std::string> cannot_represent(const Document&, bool) const override {
        if (behaviour_.refuses.empty()) return std::nullopt;
        return behaviour_.refuses;
    }
    Result<> prepare(const Document& document) override {
        if (behaviour_.prepare_fails) return Error{.where = "no memory for a DOM"};
        return inner_->prepare(document);
    }
    Result<> encode(const Document& document, Buffer& out) override {
        if (behaviour_.memory_ends_at != 0 && encodes_ + 1 == behaviour_.memory_ends_at) {
            throw std::bad_alloc();
        }
        auto done = inner_->encode(document, out);
        ++encodes_;
        if (behaviour_.other_bytes_from != 0 && encodes_ >= behaviour_.other_bytes_from) {
            out.append("\n");
        }
        return done;
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        return inner_->source_form(document, out);
    }
    void read_under(Whitespace policy) override { inner_->read_under(policy); }
    Result<Digest> decode(Bytes input) override { return inner_->decode(input); }
    Result<> decode(Bytes input, XmlTape& document) override {
        if (behaviour_.decode_fails) return Error{.offset = 7, .where = "bad byte"};
        return inner_->decode(input, document);
    }

  private:
    Behaviour behaviour_;
    std::string why_;
    std::unique_ptr<Codec> inner_;
    int encodes_ = 0;
};

class FormatSubjectTest : public testing::Test {
  protected:
    void SetUp() override {
        document_.name = "d.xml";
        document_.source.append(std::string_view("<?xml version='1.0'?><a  b='1'>text</a>"));
        ASSERT_TRUE(xml::load(document_, {}));
    }

    FormatSubject make(Behaviour behaviour) {
        return {std::make_unique<TestCodec>(std::move(behaviour)), document_, bench_, row_, 0};
    }

    Document document_;
    Bench bench_;
    Row row_;
};

TEST_F(FormatSubjectTest, TimesEachPhaseAndTheTotalOnItsOwn) {
    auto subject = make({});
    ASSERT_TRUE(subject.prepare());
    EXPECT_FALSE(row_.from_source);
    EXPECT_EQ(row_.events, 5U) << "element, attribute, text, end of element, end of document";
    measure::Sample sample;
    ASSERT_TRUE(subject.run(10, sample));
    EXPECT_EQ(sample.batch, 10U);
    EXPECT_GT(sample.phase[k_encode], 0);
    EXPECT_GT(sample.phase[k_decode], 0);
    EXPECT_EQ(sample.phase[k_up], 0);
    EXPECT_GE(sample.total, sample.phase[k_encode] + sample.phase[k_decode]);
}

TEST_F(FormatSubjectTest, TheFirstOfACodecIsTheColdSample) {
    for (const bool materialise : {false, true}) {
        for (const Direction direction : {Direction::both, Direction::encode, Direction::decode}) {
            bench_.materialise = materialise;
            bench_.direction = direction;
            row_ = {};
            ASSERT_TRUE(make({}).prepare());
            ASSERT_EQ(row_.cold.samples.size(), 1U);
            const measure::Sample& cold = row_.cold.samples.front();
            EXPECT_EQ(cold.phase[k_encode] > 0, direction != Direction::decode);
            EXPECT_EQ(cold.phase[k_decode] > 0, direction != Direction::encode);
            EXPECT_EQ(cold.total, cold.phase[k_encode] + cold.phase[k_decode]);
        }
    }
    row_ = {};
    EXPECT_FALSE(make({.decode_fails = true}).prepare());
    EXPECT_TRUE(row_.cold.samples.empty()) << "what is not verified has no time";
}

TEST_F(FormatSubjectTest, ADecodeTestReadsTheDocumentsOwnText) {
    bench_.direction = Direction::decode;
    auto subject = make({});
    ASSERT_TRUE(subject.prepare());
    EXPECT_TRUE(row_.from_source);
    EXPECT_EQ(row_.size, document_.source.size());
    measure::Sample sample;
    ASSERT_TRUE(subject.run(1, sample));
    EXPECT_EQ(sample.phase[k_encode], 0);
}

// XML reads the file's own bytes and still delivers the document that all rows deliver.
TEST_F(FormatSubjectTest, ADecodeTestLeavesOutWhatTheWhitespacePolicyDropped) {
    for (const char* spec : {"xml", "xml:expat", "xml:pugixml", "xml+gzip"}) {
        for (const bool materialise : {false, true}) {
            Document document;
            document.name = "w.xml";
            document.source.append(std::string_view("<a>\n  <b>  </b>\n  <c>x</c>\n</a>"));
            ASSERT_TRUE(xml::load(document, {}));
            document.whitespace = Whitespace::drop;
            document.whitespace_dropped = apply_whitespace(document.whitespace, document.xml);
            ASSERT_EQ(document.whitespace_dropped, 4U);
            Bench bench;
            bench.direction = Direction::decode;
            bench.materialise = materialise;
            Row row;
            std::string why;
            FormatSubject subject(FormatTable::built_in().make(spec, {}, why), document, bench, row,
                                  0);
            ASSERT_TRUE(subject.prepare()) << spec << ": " << row.why;
            EXPECT_TRUE(row.from_source);
            EXPECT_EQ(row.events, 8U) << "three elements, one text, the document's end";
            EXPECT_NE(row.codec.notes.back().find("--ws drop"), std::string::npos);
            measure::Sample sample;
            EXPECT_TRUE(subject.run(2, sample)) << row.why;
        }
    }
}

TEST_F(FormatSubjectTest, WhatWasNotReadFromXmlHasNoOwnText) {
    document_.source_is_xml = false;
    bench_.direction = Direction::decode;
    auto subject = make({});
    ASSERT_TRUE(subject.prepare());
    EXPECT_FALSE(row_.from_source);
}

// A row of objects needs the objects that the bridge makes; why there are none is no fault, what is
// wrong with them is one.
TEST_F(FormatSubjectTest, RowsOfObjectsSayWhatTheBridgeSaid) {
    const auto prepared = [this] {
        std::string why;
        FormatSubject subject(FormatTable::built_in().make("amf3", {}, why), document_, bench_,
                              row_, 0);
        return subject.prepare();
    };
    document_.missing = "a fragment";
    EXPECT_FALSE(prepared());
    EXPECT_EQ(row_.status, RowStatus::not_representable);
    EXPECT_EQ(row_.why, "a fragment");

    document_.missing.clear();
    complete(document_, Model::objects, bridge::Binding::text, {});
    row_ = {};
    EXPECT_TRUE(prepared()) << row_.why;
    EXPECT_GT(row_.events, 0U);

    document_.bridge_fault = "another document";
    EXPECT_FALSE(prepared());
    EXPECT_EQ(row_.status, RowStatus::failed);
    EXPECT_EQ(row_.why, "another document");
    // Rows of the model that was there are none the worse.
    row_ = {};
    EXPECT_TRUE(make({}).prepare()) << row_.why;
}

// A document that was read out of `spec`'s encoding of it, by `read_by`.
std::unique_ptr<Document> read_from(const std::string& spec, const std::string& read_by) {
    Document text;
    text.source.append(std::string_view("<a>\n  <p:b xmlns:p='u' c='1'>x</p:b><!--y-->\n</a>"));
    EXPECT_TRUE(xml::load(text, {}));
    auto document = std::make_unique<Document>();
    std::string why;
    const auto writer = FormatTable::built_in().make(spec, {}, why);
    const auto reader = FormatTable::built_in().make(read_by, {}, why);
    EXPECT_TRUE(writer->encode(text, document->source)) << why;
    XmlTape borrowed;
    EXPECT_TRUE(reader->decode(document->source.view(), borrowed)) << why;
    declare_namespaces(borrowed, document->xml);
    document->source_is_xml = false;
    document->source_spec = read_by;
    return document;
}

TEST_F(FormatSubjectTest, AnExiFileIsDecodedAsItIsByTheRowsWhoseOptionsReadIt) {
    struct Case {
        const char* written;
        const char* read_by;
        const char* row;
        bool own;
    };
    constexpr Case k_cases[] = {
        {"exi", "exi", "exi", true},
        {"exi", "exi", "exi+gzip", true},
        {"exi", "exi", "transcode", true},
        {"exi", "exi", "exi:align=byte", false},
        {"exi", "exi", "xml", false},
        {"exi:options,align=comp,all", "exi", "exi", true},
        {"exi:options,align=comp,all", "exi", "exi:align=comp,all", true},
        {"exi:options,align=comp,all", "exi", "exi:align=comp", false},
        {"exi:options,schemaId", "exi", "exi:vcap=1", false},
        {"exi:align=byte,comments", "exi:align=byte,comments", "exi:align=byte,comments", true},
        {"exi:align=byte,comments", "exi:align=byte,comments", "exi", false},
    };
    for (const Case& each : k_cases) {
        for (const bool stream : {false, true}) {
            const auto document = read_from(each.written, each.read_by);
            Bench bench;
            bench.direction = Direction::decode;
            Row row;
            std::string why;
            FormatSubject subject(FormatTable::built_in().make(each.row, {}, why), *document, bench,
                                  row, 0);
            bench.stream = stream;
            ASSERT_TRUE(subject.prepare()) << each.written << " by " << each.row << ": " << row.why;
            EXPECT_EQ(row.from_source, each.own) << each.written << " by " << each.row;
            const std::string said = row.codec.notes.empty() ? "" : row.codec.notes.back();
            if (each.own) {
                EXPECT_EQ(said, "decodes the file's own bytes");
            } else if (row.codec.spec.starts_with("exi")) {
                EXPECT_EQ(said, "decodes what its encoder wrote: the file was read by " +
                                    std::string(each.read_by));
            }
            if (each.own && row.codec.spec.find('+') == std::string::npos) {
                EXPECT_EQ(row.size, document->source.size());
            }
        }
    }
}

TEST_F(FormatSubjectTest, AnExiFileIsDecodedUnderTheWhitespacePolicy) {
    for (const char* spec : {"exi", "transcode", "exi+zstd"}) {
        const auto document = read_from("exi", "exi");
        document->whitespace = Whitespace::drop;
        document->whitespace_dropped = apply_whitespace(document->whitespace, document->xml);
        ASSERT_EQ(document->whitespace_dropped, 2U);
        Bench bench;
        bench.direction = Direction::decode;
        Row row;
        std::string why;
        FormatSubject subject(FormatTable::built_in().make(spec, {}, why), *document, bench, row,
                              0);
        ASSERT_TRUE(subject.prepare()) << spec << ": " << row.why;
        EXPECT_TRUE(row.from_source);
        EXPECT_GT(row.events, 0U);
        EXPECT_NE(row.codec.notes.back().find("--ws drop"), std::string::npos);
        measure::Sample sample;
        EXPECT_TRUE(subject.run(2, sample)) << spec << ": " << row.why;
    }
}

TEST_F(FormatSubjectTest, AnEncodeTestDoesNotDecode) {
    bench_.direction = Direction::encode;
    auto subject = make({});
    ASSERT_TRUE(subject.prepare());
    EXPECT_NE(row_.size, document_.source.size()) << "what the writer wrote, not the file";
    measure::Sample sample;
    ASSERT_TRUE(subject.run(1, sample));
    EXPECT_EQ(sample.phase[k_decode], 0);
}

TEST_F(FormatSubjectTest, MaterialisesIntoATapeWhenAsked) {
    bench_.materialise = true;
    auto subject = make({});
    ASSERT_TRUE(subject.prepare());
    measure::Sample sample;
    EXPECT_TRUE(subject.run(3, sample));
}

TEST_F(FormatSubjectTest, ADeclaredLimitIsNoFailure) {
    auto subject = make({.refuses = "too deep"});
    EXPECT_FALSE(subject.prepare());
    EXPECT_EQ(row_.status, RowStatus::not_representable);
    EXPECT_EQ(row_.why, "too deep");
}

TEST_F(FormatSubjectTest, AFaultIsAFailureAndSaysWhich) {
    EXPECT_FALSE(make({.prepare_fails = true}).prepare());
    EXPECT_EQ(row_.status, RowStatus::failed);
    EXPECT_NE(row_.why.find("no memory for a DOM"), std::string::npos);
    EXPECT_FALSE(make({.decode_fails = true}).prepare());
    EXPECT_NE(row_.why.find("byte 7: bad byte"), std::string::npos);
}

TEST_F(FormatSubjectTest, ARunWithOtherBytesThanTheVerifiedOnesFailsTheRow) {
    auto subject = make({.other_bytes_from = 3});
    ASSERT_TRUE(subject.prepare());
    measure::Sample sample;
    EXPECT_TRUE(subject.run(1, sample));
    EXPECT_FALSE(subject.run(1, sample));
    EXPECT_EQ(row_.status, RowStatus::failed);
}

TEST_F(FormatSubjectTest, NothingIsSentOnceTheRelayIsLost) {
    auto subject = make({});
    ASSERT_TRUE(subject.prepare());
    bench_.lost = "gone";
    measure::Sample sample;
    EXPECT_FALSE(subject.run(1, sample));
    EXPECT_NE(row_.status, RowStatus::failed) << "the row keeps what it has";
}

// std::bad_alloc ended the program, and with it what other rows had measured.
TEST_F(FormatSubjectTest, WithoutMemoryTheRowGoesAndNothingElse) {
    for (const int encode : {1, 3}) {
        auto subject = make({.memory_ends_at = encode});
        measure::Sample sample;
        EXPECT_FALSE(subject.prepare() && subject.run(1, sample) && subject.run(1, sample));
        EXPECT_EQ(row_.status, RowStatus::not_representable);
        EXPECT_EQ(row_.why, "not enough memory");
    }
}

}  // namespace
}  // namespace perfrelay::client
