// The items of a stream, written and read back, in bits and in bytes.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/exi/bit_reader.h"
#include "proto/exi/bit_writer.h"

namespace perfrelay::exi {
namespace {

template <class P>
struct Bits : testing::Test {
    static constexpr Packing k_packing = P::value;
};
using Packings = testing::Types<std::integral_constant<Packing, Packing::bits>,
                                std::integral_constant<Packing, Packing::bytes>>;
TYPED_TEST_SUITE(Bits, Packings);

TEST(Width, IsTheCeilingOfTheLogarithm) {
    const unsigned expected[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
    for (std::uint64_t count = 0; count < 10; ++count)
        EXPECT_EQ(width_of(count), expected[count]) << count;
    EXPECT_EQ(width_of(std::uint64_t{1} << 32U), 32U);
}

// EXI 7.1.6, 7.1.9: by hand.
TEST(BitWriter, WritesTheExamples) {
    Buffer out;
    BitWriter<Packing::bits> bits(out);
    bits.bits(3, 5);
    bits.unsigned_integer(300);
    bits.boolean(true);
    bits.align();
    // 101 | 1 0101100 | 0 0000010 | 1 | 0000
    EXPECT_EQ(std::vector<std::uint8_t>(out.view().begin(), out.view().end()),
              (std::vector<std::uint8_t>{0xB5, 0x80, 0x50}));
    Buffer aligned;
    BitWriter<Packing::bytes> bytes(aligned);
    bytes.bits(0, 0);
    bytes.bits(3, 5);
    bytes.bits(17, 0x012345);
    EXPECT_EQ(std::vector<std::uint8_t>(aligned.view().begin(), aligned.view().end()),
              (std::vector<std::uint8_t>{0x05, 0x45, 0x23, 0x01}));
}

TYPED_TEST(Bits, EverythingComesBackFromMemoryAndInPieces) {
    const std::string texts[] = {"",
                                 "a",
                                 "exactly8",
                                 "a text of more than eight characters",
                                 "gr\xC3\xBC\xC3\x9F",
                                 "\xF0\x9D\x84\x9E clef",
                                 "\x01\x7F tab\t",
                                 std::string(1000, 'x') + "\xE2\x82\xAC" + std::string(77, 'y')};
    for (unsigned shift = 0; shift < 8; ++shift) {
        Buffer out;
        BitWriter<TestFixture::k_packing> writer(out);
        writer.bits(shift, 0);
        for (const std::string& text : texts) {
            writer.string(text);
            writer.bits(5, 21);
            writer.unsigned_integer(UINT64_MAX);
            writer.bits(32, 0xFEDCBA98U);
        }
        writer.align();
        for (std::size_t piece = 0; piece < 12; ++piece) {
            MemorySource source(out.view(), piece == 11 ? 1000 : piece);
            BitReader<TestFixture::k_packing> reader(piece == 0 ? Input::of(out.view())
                                                                : Input::of(source, SIZE_MAX));
            Arena arena;
            EXPECT_EQ(reader.bits(shift), 0U);
            for (const std::string& text : texts) {
                const std::uint64_t length = reader.unsigned_integer();
                ASSERT_EQ(length, count_characters(text));
                ASSERT_EQ(reader.text(length, arena), text) << shift << ' ' << piece;
                ASSERT_EQ(reader.bits(5), 21U);
                ASSERT_EQ(reader.unsigned_integer(), UINT64_MAX);
                ASSERT_EQ(reader.bits(32), 0xFEDCBA98U);
            }
            EXPECT_FALSE(reader.failed());
            EXPECT_TRUE(reader.at_end());
        }
    }
}

// At every place in a word, at every place in the stream.
TYPED_TEST(Bits, ACharacterThatIsNotAsciiAnywhere) {
    for (unsigned shift = 0; shift < 32; shift += 3) {
        for (std::size_t size = 0; size < 20; ++size) {
            for (std::size_t at = 0; at < 2 * size; ++at) {
                std::string text(size, 'x');
                if (at < size) text.replace(at, 1, at % 2 == 0 ? "\xC3\xBC" : "\xF0\x9D\x84\x9E");
                Buffer out;
                BitWriter<TestFixture::k_packing> writer(out);
                writer.bits(shift, 0);
                writer.characters(text);
                writer.octet(0xA5);
                writer.characters(std::string(20, 'y'));
                writer.align();
                BitReader<TestFixture::k_packing> reader(Input::of(out.view()));
                Arena arena;
                char to[24];
                EXPECT_EQ(reader.bits(shift), 0U);
                ASSERT_EQ(count_characters(text), size);
                ASSERT_EQ(reader.short_text(size, to, arena), text) << shift << ' ' << at;
                EXPECT_EQ(reader.octet(), 0xA5U);
                EXPECT_EQ(reader.text(20, arena), std::string(20, 'y'));
                EXPECT_FALSE(reader.failed());
            }
        }
    }
}

TYPED_TEST(Bits, PastTheEndAreZerosAndFailure) {
    const std::uint8_t bytes[] = {0xFF, 0xFF};
    BitReader<TestFixture::k_packing> reader(Input::of(Bytes(bytes)));
    EXPECT_EQ(reader.bits(16), 0xFFFFU);
    EXPECT_FALSE(reader.failed());
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(reader.bits(13), 0U);
    EXPECT_TRUE(reader.failed());
    EXPECT_EQ(reader.error().code, Errc::truncated);
    EXPECT_EQ(reader.unsigned_integer(), 0U);
}

TYPED_TEST(Bits, TextsThatAreNoneAreRefused) {
    for (const std::uint32_t code_point : {0U, 0xD800U, 0xDFFFU, 0x110000U}) {
        for (const std::size_t before : {std::size_t{0}, std::size_t{3}, std::size_t{40}}) {
            Buffer out;
            BitWriter<TestFixture::k_packing> writer(out);
            writer.characters(std::string(before, 'a'));
            writer.unsigned_integer(code_point);
            writer.characters(std::string(40, 'b'));
            writer.align();
            BitReader<TestFixture::k_packing> reader(Input::of(out.view()));
            Arena arena;
            EXPECT_EQ(reader.text(before + 41, arena), "");
            EXPECT_TRUE(reader.failed());
            EXPECT_EQ(reader.error().code, Errc::malformed);
        }
    }
}

TYPED_TEST(Bits, ALengthAloneAllocatesNothing) {
    Buffer out;
    out.append(std::string_view("short"));
    BitReader<TestFixture::k_packing> reader(Input::of(out.view()));
    Arena arena;
    EXPECT_EQ(reader.text(UINT64_MAX - 3, arena), "");
    EXPECT_EQ(reader.error().code, Errc::truncated);
    EXPECT_LT(arena.capacity(), std::size_t{1} << 20U);
}

TYPED_TEST(Bits, UnsignedIntegersOfMoreThan64BitsAreALimit) {
    Buffer out;
    for (int i = 0; i < 10; ++i)
        out.u8(0xFF);
    out.u8(1);
    BitReader<TestFixture::k_packing> reader(Input::of(out.view()));
    (void)reader.unsigned_integer();
    ASSERT_TRUE(reader.failed());
    EXPECT_EQ(reader.error().code, Errc::limit_exceeded);
}

}  // namespace
}  // namespace perfrelay::exi
