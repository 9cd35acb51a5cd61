#include "common/base/stream.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

class Pieces final : public ByteDrain {
  public:
    Result<> write(Bytes bytes) override {
        if (sizes.size() == fail_after) return Error{.code = Errc::closed, .where = "gone"};
        sizes.push_back(bytes.size());
        text += as_text(bytes);
        return {};
    }
    std::vector<std::size_t> sizes;
    std::string text;
    std::size_t fail_after = 1000;
};

TEST(Stream, BufferHandsOverFullPieces) {
    Pieces drain;
    Buffer out(drain, 4);
    for (const char c : std::string("abcdefghij"))
        out.u8(static_cast<std::uint8_t>(c));
    EXPECT_EQ(drain.sizes, (std::vector<std::size_t>{4, 4}));
    ASSERT_TRUE(out.finish());
    EXPECT_EQ(drain.text, "abcdefghij");
    ASSERT_TRUE(out.finish());
    EXPECT_EQ(drain.sizes.size(), 3U);
}

TEST(Stream, BufferTakesMoreThanAPieceAtOnce) {
    Pieces drain;
    Buffer out(drain, 4);
    out.append("ab");
    out.append("0123456789");
    ASSERT_TRUE(out.finish());
    EXPECT_EQ(drain.text, "ab0123456789");
}

TEST(Stream, BufferKnowsItsLastBytesAcrossPieces) {
    Pieces drain;
    Buffer out(drain, 4);
    EXPECT_EQ(out.last(0), 0);
    out.append("abcd");
    out.u8('e');
    EXPECT_EQ(out.last(0), 'e');
    EXPECT_EQ(out.last(1), 'd');
    EXPECT_EQ(out.last(3), 'b');
    Buffer kept;
    kept.append("xy");
    EXPECT_EQ(kept.last(1), 'x');
    EXPECT_EQ(kept.last(2), 0);
}

TEST(Stream, BufferKeepsTheFirstErrorAndStaysUsable) {
    Pieces drain;
    drain.fail_after = 1;
    Buffer out(drain, 4);
    out.append("abcd");
    out.append("efgh");
    out.append("ijkl");
    const auto done = out.finish();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::closed);
    EXPECT_EQ(drain.text, "abcd");
}

TEST(Stream, MemorySourceGivesWhatIsNotConsumedAndMore) {
    MemorySource source(as_bytes("abcdefg"), 3);
    EXPECT_EQ(as_text(*source.refill(0)), "abc");
    EXPECT_EQ(as_text(*source.refill(1)), "bcdef");
    EXPECT_EQ(as_text(*source.refill(5)), "g");
    EXPECT_EQ(as_text(*source.refill(0)), "g");  // nothing new: the end
    EXPECT_EQ(as_text(*source.refill(1)), "");
}

TEST(Stream, BufferDrainAppends) {
    Buffer kept;
    BufferDrain drain(kept);
    Buffer out(drain, 2);
    out.append("abc");
    ASSERT_TRUE(out.finish());
    EXPECT_EQ(as_text(kept.view()), "abc");
}

}  // namespace
}  // namespace perfrelay
