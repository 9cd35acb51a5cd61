#include "client/untimed.h"

#include <string>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {
namespace {

class UntimedTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string text = "<a>";
        for (int i = 0; i < 1000; ++i)
            text += "<b c='" + std::to_string(i) + "'>text " + std::to_string(i) + "</b>";
        document_.source.append(text + "</a>");
        ASSERT_TRUE(xml::load(document_, {}));
        row_.cold.samples.emplace_back();
    }

    Untimed::MakeCodec make(const std::string& spec) const {
        return [spec] {
            std::string why;
            return FormatTable::built_in().make(spec, {}, why);
        };
    }

    void count(const std::string& spec, Direction direction) {
        row_.encode_effort = row_.decode_effort = {};
        const auto codec = make(spec)();
        Buffer payload;
        ASSERT_TRUE(codec->prepare(document_));
        ASSERT_TRUE(codec->encode(document_, payload));
        untimed_.count(make(spec), document_, payload.view(), direction, row_);
    }

    Document document_;
    Row row_;
    Untimed untimed_;
};

TEST_F(UntimedTest, CountsWhatADomTakes) {
    count("xml:tinyxml2", Direction::both);
    EXPECT_TRUE(row_.encode_effort.counted);
    EXPECT_TRUE(row_.decode_effort.counted);
    EXPECT_GT(row_.decode_effort.peak_memory, document_.source.size()) << "a DOM, and the text";
    EXPECT_GT(row_.decode_effort.allocations, 0U);
    EXPECT_EQ(row_.decode_effort.instructions > 0, untimed_.no_instructions().empty());
    const std::uint64_t dom = row_.decode_effort.peak_memory;
    count("xml:expat", Direction::both);
    EXPECT_LT(row_.decode_effort.peak_memory, dom) << "events need less than a tree";
}

TEST_F(UntimedTest, CountsTheDirectionsThatAreMeasured) {
    count("xml", Direction::encode);
    EXPECT_TRUE(row_.encode_effort.counted);
    EXPECT_FALSE(row_.decode_effort.counted);
    count("xml", Direction::decode);
    EXPECT_FALSE(row_.encode_effort.counted);
    EXPECT_TRUE(row_.decode_effort.counted);
}

TEST_F(UntimedTest, TheSameWorkIsTheSameNumbers) {
    count("exi", Direction::both);
    const Row before = row_;
    count("exi", Direction::both);
    EXPECT_EQ(row_.encode_effort.allocations, before.encode_effort.allocations);
    EXPECT_EQ(row_.encode_effort.peak_memory, before.encode_effort.peak_memory);
    EXPECT_EQ(row_.decode_effort.allocations, before.decode_effort.allocations);
    EXPECT_EQ(row_.decode_effort.peak_memory, before.decode_effort.peak_memory);
}

TEST_F(UntimedTest, RowsThatWouldTakeLongGoWithout) {
    row_.cold.samples.front().total = Untimed::k_patience;
    count("xml", Direction::both);
    EXPECT_FALSE(row_.encode_effort.counted);
    EXPECT_FALSE(row_.decode_effort.counted);
}

}  // namespace
}  // namespace perfrelay::client
