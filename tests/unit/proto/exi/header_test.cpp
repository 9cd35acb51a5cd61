// The header (EXI 5) and the options document in it, read and written.
#include "proto/exi/header.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay::exi {
namespace {

std::vector<std::uint8_t> written(const EncoderOptions& options) {
    Buffer out;
    BitWriter<Packing::bits> writer(out);
    write_header(writer, options);
    writer.align();
    return {out.view().begin(), out.view().end()};
}

Result<Header> read(const std::vector<std::uint8_t>& bytes, bool preview = false) {
    BitReader<Packing::bits> reader(Input::of(Bytes(bytes)));
    return read_header(reader, Limits{}, preview);
}

TEST(Header, Bare) {
    EXPECT_EQ(written({}), (std::vector<std::uint8_t>{0x80}));
    EncoderOptions options;
    options.cookie = true;
    EXPECT_EQ(written(options), (std::vector<std::uint8_t>{'$', 'E', 'X', 'I', 0x80}));
    const auto header = read({'$', 'E', 'X', 'I', 0x80});
    ASSERT_TRUE(header);
    EXPECT_TRUE(header->cookie);
    EXPECT_FALSE(header->options);
}

// C: SE(header) 1 bit, then its end, 3 of 4.
TEST(Header, EmptyOptionsDocument) {
    EncoderOptions options;
    options.write_options = true;
    EXPECT_EQ(written(options), (std::vector<std::uint8_t>{0xA0, 0x60}));
}

TEST(Header, EveryOptionComesBack) {
    std::vector<EncoderOptions> all(1);
    for (unsigned bits = 0; bits < 1U << 11U; ++bits) {
        EncoderOptions& one = all.emplace_back();
        Options& s = one.stream;
        s.preserve = {(bits & 1U) != 0, (bits & 2U) != 0, (bits & 4U) != 0, (bits & 8U) != 0,
                      (bits & 16U) != 0};
        s.alignment = static_cast<Alignment>(bits >> 5U & 3U);
        s.fragment = (bits & 128U) != 0;
        if ((bits & 256U) != 0) s.value_capacity = 300;
        if ((bits & 512U) != 0) s.value_max_length = 0;
        if ((bits & 1024U) != 0) s.block_size = 77;
        s.self_contained = (bits & 1U) != 0 && !s.in_channels();
        const auto id = static_cast<SchemaId::Kind>(bits >> 3U & 3U);
        s.schema_id = {id, id == SchemaId::Kind::named ? "urn:schema" : ""};
        if (bits % 3 == 0)
            s.datatype_map = {{{"http://www.w3.org/2001/XMLSchema", "decimal"},
                               {"http://www.w3.org/2009/exi", "string"}},
                              {{"urn:geo", "surface"}, {"urn:geo", "surface"}}};
        one.write_profile = bits % 5 == 0;
        if (one.write_profile) s.profile = {bits % 2 == 0, 8, {}};
    }
    for (EncoderOptions& one : all) {
        if (one.stream.unfit() != nullptr) continue;
        one.write_options = true;
        const auto header = read(written(one));
        ASSERT_TRUE(header) << describe(header.error());
        ASSERT_TRUE(header->options);
        EXPECT_EQ(*header->options, one.stream);
    }
}

TEST(Header, StrictComesBackAndExcludes) {
    EncoderOptions options;
    options.write_options = true;
    options.stream.strict = true;
    options.stream.preserve.lexical_values = true;
    const auto header = read(written(options));
    ASSERT_TRUE(header);
    EXPECT_EQ(*header->options, options.stream);
    options.stream.preserve.comments = true;
    EXPECT_FALSE(read(written(options)));
}

TEST(Header, VersionsOtherThanTheFinalOneAreRefused) {
    EXPECT_FALSE(read({0x81}));
    EXPECT_FALSE(read({0x8F, 0x00}));
    EXPECT_FALSE(read({0x92}));
    EXPECT_TRUE(read({0x92}, true));
    EXPECT_EQ(read({0x92}).error().code, Errc::unsupported);
    // Fours of 15 without end.
    EXPECT_FALSE(read(std::vector<std::uint8_t>(100, 0xFF)));
    std::vector<std::uint8_t> endless(100, 0xFF);
    endless[0] = 0x9F;
    EXPECT_TRUE(read(endless, true));
}

TEST(Header, WhatIsNoHeaderIsRefused) {
    EXPECT_FALSE(read({}));
    EXPECT_FALSE(read({'<', '?'}));
    EXPECT_FALSE(read({0xC0}));
    EXPECT_FALSE(read({'$', 'E', 'X', 'J', 0x80}));
    EXPECT_FALSE(read({'$', 'E', 'X', 'I'}));
}

TEST(Header, EveryDamageToOptionsIsAnErrorOrOptions) {
    EncoderOptions options;
    options.write_options = options.write_profile = true;
    options.stream.value_capacity = 300;
    options.stream.datatype_map = {{{"urn:geo", "surface"}, {"urn:geo", "surface"}}};
    const std::vector<std::uint8_t> right = written(options);
    for (std::size_t bit = 0; bit < right.size() * 8; ++bit) {
        std::vector<std::uint8_t> damaged = right;
        damaged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        (void)read(damaged, true).has_value();
    }
    for (std::size_t size = 0; size + 1 < right.size(); ++size)
        EXPECT_FALSE(read({right.begin(), right.begin() + static_cast<std::ptrdiff_t>(size)}));
}

TEST(Recognise, ByCookieOrDistinguishingBits) {
    EXPECT_EQ(recognise(as_bytes("$EXI\x80")), Recognised::by_cookie);
    EXPECT_EQ(recognise(as_bytes("\x80")), Recognised::by_distinguishing_bits);
    EXPECT_EQ(recognise(as_bytes("\xA0\x60")), Recognised::by_distinguishing_bits);
    for (const std::string_view text : {"", "<a/>", "\xEF\xBB\xBF<a/>", "\xFE\xFF", "$EXJ"})
        EXPECT_FALSE(recognise(as_bytes(text)));
}

}  // namespace
}  // namespace perfrelay::exi
