#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/arena.h"
#include "common/base/bytes.h"
#include "common/base/result.h"

namespace perfrelay {
namespace {

TEST(Result, HoldsAValueOrAnError) {
    const Result<int> value(7);
    ASSERT_TRUE(value);
    EXPECT_EQ(*value, 7);
    const Result<int> error(Error{.code = Errc::truncated, .offset = 3, .where = "rule"});
    ASSERT_FALSE(error);
    EXPECT_EQ(error.error().code, Errc::truncated);
    EXPECT_TRUE(Result<>());
    EXPECT_FALSE(Result<>(Error{}));
}

TEST(Result, DescribesPlaceAndCause) {
    EXPECT_EQ(describe({.where = "mismatched tag", .line = 3, .column = 7}),
              "line 3, column 7: mismatched tag");
    EXPECT_EQ(describe({.offset = 12, .where = "bad magic"}), "byte 12: bad magic");
    EXPECT_EQ(describe({.code = Errc::io, .where = "connect", .system = ECONNREFUSED}),
              "connect: Connection refused");
}

TEST(Reader, ReadsBigEndianAndFailsForGood) {
    const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7};
    Reader reader(bytes);
    EXPECT_EQ(reader.u16(), 0x0102U);
    EXPECT_EQ(reader.u32(), 0x03040506U);
    EXPECT_EQ(reader.offset(), 6U);
    EXPECT_EQ(reader.u16(), 0U);
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.u8(), 0U) << "what is left after a failure is not delivered either";
    EXPECT_TRUE(reader.bytes(1).empty());
}

TEST(Reader, RefusesLengthsThatOverflow) {
    const std::vector<std::uint8_t> bytes = {1, 2};
    Reader reader(bytes);
    EXPECT_TRUE(reader.bytes(~std::size_t{0}).empty());
    EXPECT_TRUE(reader.failed());
}

TEST(Buffer, KeepsWhatWasAppendedAcrossGrowth) {
    Buffer buffer;
    std::string expected;
    for (int i = 0; i < 5000; ++i) {
        const std::string piece = std::to_string(i);
        buffer.append(piece);
        expected += piece;
    }
    EXPECT_EQ(as_text(buffer.view()), expected);
    const std::size_t capacity = buffer.capacity();
    buffer.clear();
    EXPECT_EQ(buffer.size(), 0U);
    EXPECT_EQ(buffer.capacity(), capacity) << "clear keeps the memory";
}

TEST(Buffer, WritesBigEndian) {
    Buffer buffer;
    buffer.u8(1);
    buffer.u16(0x0203);
    buffer.u32(0x04050607);
    buffer.u64(0x08090A0B0C0D0E0FU);
    for (std::size_t i = 0; i < buffer.size(); ++i)
        EXPECT_EQ(buffer.data()[i], i + 1);
    EXPECT_EQ(buffer.size(), 15U);
}

TEST(Arena, KeepsAddressesAndAlignment) {
    Arena arena;
    std::vector<std::string_view> kept;
    for (int i = 0; i < 20'000; ++i) {
        kept.push_back(arena.copy("text number " + std::to_string(i)));
        const auto* number = arena.create(std::uint64_t{7});
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(number) % alignof(std::uint64_t), 0U);
    }
    for (int i = 0; i < 20'000; ++i) {
        ASSERT_EQ(kept[static_cast<std::size_t>(i)], "text number " + std::to_string(i));
    }
}

TEST(Arena, ReusesMemoryAfterClearAlsoForLargeTexts) {
    Arena arena;
    const std::string large(10'000'000, 'x');
    std::size_t capacity = 0;
    for (int round = 0; round < 5; ++round) {
        arena.clear();
        EXPECT_EQ(arena.copy("small"), "small");
        EXPECT_EQ(arena.copy(large), large);
        EXPECT_EQ(arena.copy("after"), "after");
        if (round == 0) capacity = arena.capacity();
        EXPECT_EQ(arena.capacity(), capacity);
    }
}

}  // namespace
}  // namespace perfrelay
