#include "proto/compress/expansion.h"

#include <cstddef>
#include <string_view>

#include <gtest/gtest.h>

namespace perfrelay::compress {
namespace {

constexpr std::size_t k_free_of_ratio = std::size_t{16} << 20U;

TEST(Expansion, LimitIsTheDocumentsOrTheRatios) {
    Limits limits;
    limits.max_document = 100;
    EXPECT_EQ(Expansion::most(1'000'000, limits), 100U);
    limits.max_document = std::size_t{1} << 30U;
    limits.max_decompression_ratio = 10;
    EXPECT_EQ(Expansion::most(1, limits), k_free_of_ratio);
    EXPECT_EQ(Expansion::most(3'000'000, limits), 30'000'000U);
    EXPECT_EQ(Expansion::most(SIZE_MAX / 2, limits), limits.max_document);
    EXPECT_EQ(Expansion::most(1, limits, 50'000'000), 50'000'000U);
    EXPECT_EQ(Expansion::most(1, limits, SIZE_MAX), limits.max_document);
}

TEST(Expansion, ErrorNamesTheLimit) {
    Buffer out;
    Limits limits;
    const Error by_ratio = Expansion(1, limits, out).over_limit(7);
    EXPECT_EQ(by_ratio.code, Errc::limit_exceeded);
    EXPECT_EQ(by_ratio.offset, 7U);
    EXPECT_NE(std::string_view(by_ratio.where).find("ratio"), std::string_view::npos);
    limits.max_document = 10;
    const Error by_size = Expansion(1, limits, out).over_limit(0);
    EXPECT_NE(std::string_view(by_size.where).find("size"), std::string_view::npos);
}

TEST(Expansion, OneByteOverTheLimitShows) {
    Buffer out;
    Limits limits;
    limits.max_document = 5000;
    Expansion expansion(10, limits, out);
    while (expansion.produced() < 5000) {
        const std::span<std::uint8_t> room = expansion.room();
        ASSERT_FALSE(room.empty());
        ASSERT_LE(expansion.produced() + room.size(), 5001U);
        ASSERT_TRUE(expansion.commit(1));
    }
    ASSERT_EQ(expansion.room().size(), 1U);
    EXPECT_FALSE(expansion.commit(1));
}

TEST(Expansion, MemoryFollowsTheOutput) {
    Buffer out;
    Expansion expansion(10, Limits{}, out);
    (void)expansion.room();
    EXPECT_LE(out.capacity(), 4096U);
    EXPECT_TRUE(expansion.commit(expansion.room().size()));
    (void)expansion.room();
    EXPECT_LE(out.capacity(), 4U * 4096U);
}

TEST(Expansion, RoomAboveGrowsUpToTheLimitThenIsEmpty) {
    Buffer out;
    Limits limits;
    limits.max_document = 100'000;
    Expansion expansion(10, limits, out);
    std::size_t tried = expansion.room().size();
    for (std::size_t room = tried; room != 0; room = expansion.room_above(tried).size()) {
        ASSERT_TRUE(room == tried || room > tried);
        tried = room;
    }
    EXPECT_EQ(tried, 100'001U);
}

TEST(Expansion, AppendsToWhatIsThere) {
    Buffer out;
    out.append(std::string_view("head"));
    Expansion expansion(10, Limits{}, out);
    EXPECT_EQ(expansion.produced(), 0U);
    expansion.room()[0] = 'x';
    EXPECT_TRUE(expansion.commit(1));
    EXPECT_EQ(as_text(out.view()), "headx");
}

}  // namespace
}  // namespace perfrelay::compress
