#include "common/base/crc32c.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

std::vector<std::uint8_t> random_bytes(std::size_t size) {
    std::mt19937 random(static_cast<unsigned>(size));
    std::vector<std::uint8_t> bytes(size);
    for (std::uint8_t& byte : bytes)
        byte = static_cast<std::uint8_t>(random());
    return bytes;
}

// RFC 3720 B.4, and the check value of the CRC catalogues.
TEST(Crc32c, Rfc3720) {
    std::vector<std::uint8_t> bytes(32, 0);
    EXPECT_EQ(crc32c(bytes), 0x8a9136aaU);
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0xff});
    EXPECT_EQ(crc32c(bytes), 0x62a8ab43U);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    EXPECT_EQ(crc32c(bytes), 0x46dd794eU);
    std::reverse(bytes.begin(), bytes.end());
    EXPECT_EQ(crc32c(bytes), 0x113fdb5cU);
    const std::vector<std::uint8_t> scsi_read = {
        0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
        0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
    EXPECT_EQ(crc32c(scsi_read), 0xd9963a56U);
    EXPECT_EQ(crc32c(as_bytes("123456789")), 0xe3069283U);
    EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, TableGivesTheSame) {
    EXPECT_EQ(crc32c_by_table(as_bytes("123456789")), 0xe3069283U);
    // Around every boundary of the striped loop: 3 x 1,024 bytes and the words and bytes after it.
    const auto bytes = random_bytes(10'000);
    for (std::size_t size = 0; size < 64; ++size) {
        EXPECT_EQ(crc32c(Bytes(bytes).first(size)), crc32c_by_table(Bytes(bytes).first(size)));
    }
    for (const std::size_t around : {3072U, 6144U, 9216U}) {
        for (std::size_t size = around - 10; size < around + 10; ++size) {
            for (const std::size_t from : {0U, 1U, 7U}) {
                const Bytes part = Bytes(bytes).subspan(from, size);
                EXPECT_EQ(crc32c(part), crc32c_by_table(part)) << size << " from " << from;
            }
        }
    }
}

TEST(Crc32c, InstructionGivesTheSame) {
    if (!crc32c_has_instruction()) GTEST_SKIP() << "this processor has no SSE 4.2";
    const auto bytes = random_bytes(100'000);
    EXPECT_EQ(crc32c_by_instruction(bytes, 17), crc32c_by_table(bytes, 17));
}

TEST(Crc32c, GoesOnFromBefore) {
    const auto bytes = random_bytes(20'000);
    const std::uint32_t whole = crc32c(bytes);
    for (const std::size_t cut : {0U, 1U, 8U, 3071U, 10'000U, 20'000U}) {
        const Bytes all(bytes);
        EXPECT_EQ(crc32c(all.subspan(cut), crc32c(all.first(cut))), whole) << cut;
    }
}

TEST(Crc32c, EveryBitCounts) {
    auto bytes = random_bytes(4000);
    const std::uint32_t before = crc32c(bytes);
    for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 37) {
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
        EXPECT_NE(crc32c(bytes), before) << bit;
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
    }
}

}  // namespace
}  // namespace perfrelay
