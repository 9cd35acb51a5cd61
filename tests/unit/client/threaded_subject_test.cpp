#include "client/threaded_subject.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {
namespace {

// Fails its thread's decode from the given one on.
class Failing final : public Codec {
  public:
    explicit Failing(int good_decodes)
        : inner_(FormatTable::built_in().make("xml", {}, why_)), left_(good_decodes) {}
    using Codec::decode;
    using Codec::encode;
    const CodecInfo& info() const override { return inner_->info(); }
    std::optional<std::string> cannot_represent(const Document&, bool) const override { return {}; }
    Result<> prepare(const Document& document) override { return inner_->prepare(document); }
    Result<> encode(const Document& document, Buffer& out) override {
        return inner_->encode(document, out);
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        return inner_->source_form(document, out);
    }
    Result<Digest> decode(Bytes input) override {
        if (left_-- == 0) return Error{.where = "a planted fault"};
        return inner_->decode(input);
    }
    Result<> decode(Bytes input, XmlTape& tape) override { return inner_->decode(input, tape); }

  private:
    std::string why_;
    std::unique_ptr<Codec> inner_;
    int left_;
};

class Threads : public testing::Test {
  protected:
    static constexpr std::size_t k_threads = 3;

    Threads() {
        document_.name = "made";
        document_.source.append(std::string_view("<a><b c='1'>text</b><b/></a>"));
        EXPECT_TRUE(xml::load(document_, {}));
    }
    std::vector<Bench*> benches() {
        std::vector<Bench*> all;
        for (Bench& bench : benches_)
            all.push_back(&bench);
        return all;
    }
    static std::vector<std::unique_ptr<Codec>> codecs(std::size_t failing, int good_decodes) {
        std::string why;
        std::vector<std::unique_ptr<Codec>> all;
        for (std::size_t i = 0; i < k_threads; ++i) {
            if (i == failing) {
                all.push_back(std::make_unique<Failing>(good_decodes));
            } else {
                all.push_back(FormatTable::built_in().make("xml", {}, why));
            }
        }
        return all;
    }

    measure::Crew crew_{k_threads};
    Document document_;
    Bench benches_[k_threads];
    Row row_;
};

TEST_F(Threads, OneRunIsARunOfEach) {
    ThreadedSubject subject(crew_, codecs(k_threads, 0), document_, benches(), row_, 0);
    ASSERT_TRUE(subject.prepare()) << row_.why;
    ASSERT_TRUE(subject.store());
    EXPECT_GT(row_.size, 0U);
    EXPECT_GT(row_.events, 0U);
    measure::Sample sample;
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(subject.run(20, sample));
        EXPECT_EQ(sample.batch, 20U);
        EXPECT_GT(sample.phase[k_encode], 0);
        EXPECT_GT(sample.phase[k_decode], 0);
        EXPECT_GE(sample.wall, sample.total);
    }
    const auto last = subject.last(2);
    ASSERT_EQ(last.size(), k_threads);
    measure::Nanoseconds sum = 0;
    for (const measure::Series& series : last) {
        ASSERT_EQ(series.samples.size(), 2U);
        EXPECT_EQ(series.runs(), 40U);
        sum += series.samples.back().total;
    }
    EXPECT_EQ(sample.total, sum / static_cast<measure::Nanoseconds>(k_threads));
}

TEST_F(Threads, OneAloneIsNoRunOfTheOthers) {
    ThreadedSubject subject(crew_, codecs(k_threads, 0), document_, benches(), row_, 0);
    ASSERT_TRUE(subject.prepare());
    measure::Sample sample;
    ASSERT_TRUE(subject.alone().run(1, sample));
    EXPECT_EQ(sample.wall, 0);
    EXPECT_GT(sample.total, 0);
    for (const measure::Series& series : subject.last(10))
        EXPECT_TRUE(series.samples.empty());
}

// A fault in any thread costs the row its times.
TEST_F(Threads, AFaultOfOneFailsTheRow) {
    for (std::size_t failing = 0; failing < k_threads; ++failing) {
        row_ = {};
        ThreadedSubject subject(crew_, codecs(failing, 2), document_, benches(), row_, 0);
        ASSERT_TRUE(subject.prepare()) << row_.why;
        measure::Sample sample;
        EXPECT_TRUE(subject.run(1, sample));
        EXPECT_FALSE(subject.run(1, sample));
        EXPECT_EQ(row_.status, RowStatus::failed);
        EXPECT_NE(row_.why.find("a planted fault"), std::string::npos) << row_.why;
    }
    row_ = {};
    ThreadedSubject subject(crew_, codecs(1, 0), document_, benches(), row_, 0);
    EXPECT_FALSE(subject.prepare());
    EXPECT_EQ(row_.status, RowStatus::failed);
}

}  // namespace
}  // namespace perfrelay::client
