#include "proto/wire/frames.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/crc32c.h"

namespace perfrelay::wire {
namespace {

Nonce nonce(std::uint8_t first) {
    Nonce nonce{};
    for (std::uint8_t& byte : nonce)
        byte = first++;
    return nonce;
}

TEST(Frames, HelloBytes) {
    const Hello hello{
        .major = 1, .minor = 2, .flags = 0x0304, .capabilities = 0x05060708, .nonce = nonce(0x80)};
    const auto bytes = encode(hello);
    const std::vector<std::uint8_t> start = {'P', 'R', 'L', 'Y', 1, 2, 3, 4, 5, 6, 7, 8, 0x80};
    EXPECT_TRUE(std::equal(start.begin(), start.end(), bytes.begin()));
    EXPECT_EQ(bytes[43], 0x9f);
    EXPECT_EQ(Reader(Bytes(bytes).last(4)).u32(), 0U);
    const auto back = decode_hello(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, hello);
}

TEST(Frames, HelloOfAnotherVersionIsRead) {
    auto bytes = encode(Hello{});
    bytes[4] = 9;
    bytes[47] = 1;  // whatever version 9 keeps there
    const auto hello = decode_hello(bytes);
    ASSERT_TRUE(hello);
    EXPECT_EQ(hello->major, 9);
}

TEST(Frames, HelloRefused) {
    auto bytes = encode(Hello{});
    EXPECT_EQ(decode_hello(Bytes(bytes).first(47)).error().code, Errc::truncated);
    bytes[47] = 1;
    EXPECT_EQ(decode_hello(bytes).error().code, Errc::malformed);
    bytes = encode(Hello{});
    bytes[3] = 'X';
    EXPECT_EQ(decode_hello(bytes).error().code, Errc::malformed);
}

TEST(Frames, Welcome) {
    const Welcome welcome{.minor = 7,
                          .auth_required = true,
                          .capabilities = 0xa0b0c0d0,
                          .max_payload = std::uint64_t{1} << 40U,
                          .idle_ms = 60'000,
                          .max_session_s = 3600,
                          .session = 0x1122334455667788,
                          .nonce = nonce(1)};
    auto bytes = encode(welcome);
    const auto back = decode_welcome(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, welcome);
    EXPECT_EQ(decode_welcome(Bytes(bytes).first(79)).error().code, Errc::truncated);
    // Every byte that must be zero.
    for (const std::size_t at : {7U, 68U, 79U}) {
        auto damaged = bytes;
        damaged[at] = 1;
        EXPECT_EQ(decode_welcome(damaged).error().code, Errc::malformed) << at;
    }
    bytes[6] = 2;
    EXPECT_EQ(decode_welcome(bytes).error().code, Errc::malformed);
    bytes[6] = 0;
    bytes[4] = 2;
    EXPECT_EQ(decode_welcome(bytes).error().code, Errc::unsupported);
}

TEST(Frames, HeaderBytes) {
    const FrameHeader header{.type = FrameType::put,
                             .flags = k_flag_critical,
                             .request = 0x01020304,
                             .length = 0x05060708090a0b0c,
                             .aux = 0x0d0e0f10};
    const auto bytes = encode(header);
    const std::vector<std::uint8_t> start = {3, 0x80, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    EXPECT_TRUE(std::equal(start.begin(), start.end(), bytes.begin()));
    std::vector<std::uint8_t> covered = start;
    covered.insert(covered.end(), {13, 14, 15, 16});
    EXPECT_EQ(Reader(Bytes(bytes).subspan(16, 4)).u32(), crc32c(covered));
    EXPECT_EQ(bytes[20], 13);
    const auto back = decode_header(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, header);
}

TEST(Frames, HeaderEveryFlippedBitIsFound) {
    const auto good = encode(FrameHeader{
        .type = FrameType::echo, .flags = 1, .request = 7, .length = 1'000'000, .aux = 3});
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        auto bytes = good;
        bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
        const auto header = decode_header(bytes);
        ASSERT_FALSE(header) << bit;
        EXPECT_EQ(header.error().code, Errc::malformed);
    }
    for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_EQ(decode_header(Bytes(good).first(size)).error().code, Errc::truncated);
    }
}

TEST(Frames, HeaderReservedBytesMustBeZero) {
    auto bytes = encode(FrameHeader{});
    bytes[3] = 1;
    const std::uint32_t crc = crc32c(Bytes(bytes).subspan(20), crc32c(Bytes(bytes).first(16)));
    for (std::size_t i = 0; i < 4; ++i) {
        bytes[16 + i] = static_cast<std::uint8_t>(crc >> (8 * (3 - i)));
    }
    const auto header = decode_header(bytes);
    ASSERT_FALSE(header);
    EXPECT_STREQ(header.error().where, "WIRE 3: header, reserved bytes");
}

TEST(Frames, SmallPayloads) {
    const Source source{.repeat = 10'000, .gap_us = 10'000'000};
    EXPECT_EQ(*decode_source(encode(source)), source);
    EXPECT_FALSE(decode_source(encode(Source{.repeat = 0})));
    EXPECT_FALSE(decode_source(encode(Source{.repeat = 10'001})));
    EXPECT_FALSE(decode_source(encode(Source{.repeat = 1, .gap_us = 10'000'001})));
    const Acknowledgement acknowledgement{
        .bytes = 5, .crc32c = 6, .read_calls = 7, .first_to_last_ns = 8};
    EXPECT_EQ(*decode_acknowledgement(encode(acknowledgement)), acknowledgement);
    const Status status{.uptime_ms = 1,
                        .sessions = 2,
                        .max_sessions = 3,
                        .sessions_served = 4,
                        .sessions_refused = 5,
                        .strangers = 6,
                        .bytes_in = 7,
                        .bytes_out = 8,
                        .memory = 9};
    EXPECT_EQ(*decode_status(encode(status)), status);
    const std::vector<std::uint8_t> short_one(7);
    EXPECT_FALSE(decode_source(short_one));
    EXPECT_FALSE(decode_acknowledgement(short_one));
    EXPECT_FALSE(decode_status(short_one));
    EXPECT_FALSE(decode_error(short_one));
}

TEST(Frames, ErrorTextIsCut) {
    Buffer out;
    const std::string text(600, 'x');
    encode(ErrorFrame{.code = ErrorCode::busy, .retry_after_ms = 500, .text = text}, out);
    ASSERT_EQ(out.size(), k_error_size + k_max_error_text);
    const auto error = decode_error(out.view());
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, ErrorCode::busy);
    EXPECT_EQ(error->retry_after_ms, 500U);
    EXPECT_EQ(error->text, text.substr(0, 512));
    out.u8(0);
    EXPECT_FALSE(decode_error(out.view()));
}

// The zero bytes of an ERROR were read over.
TEST(Frames, ErrorWithReservedBytesIsRefused) {
    Buffer out;
    encode(ErrorFrame{.code = ErrorCode::busy, .text = "x"}, out);
    for (const std::size_t at : {std::size_t{2}, std::size_t{3}}) {
        out.data()[at] = 1;
        EXPECT_FALSE(decode_error(out.view())) << at;
        out.data()[at] = 0;
    }
    EXPECT_TRUE(decode_error(out.view()));
}

TEST(Frames, AFrameMayBeSkippedWhenUnknownAndNotCritical) {
    const auto type = static_cast<FrameType>(0x55);
    EXPECT_TRUE(may_be_skipped({.type = type}));
    EXPECT_FALSE(may_be_skipped({.type = type, .flags = k_flag_critical}));
    for (const FrameType known :
         {FrameType::echo, FrameType::bye, FrameType::data, FrameType::error})
        EXPECT_FALSE(may_be_skipped({.type = known}));
}

TEST(Frames, MagicIsJudgedFromTheFirstByte) {
    EXPECT_TRUE(may_be_magic({}));
    EXPECT_TRUE(may_be_magic(as_bytes("P")));
    EXPECT_TRUE(may_be_magic(as_bytes("PRLY and more")));
    EXPECT_FALSE(may_be_magic(as_bytes("G")));
    EXPECT_FALSE(may_be_magic(as_bytes("PRLX")));
}

TEST(Frames, RequestsAreChecked) {
    const auto objection = [](FrameHeader header) {
        const RequestCheck check = check_request(header, 1000);
        return check.objection ? std::string(name(check.objection->code)) : std::string("none");
    };
    EXPECT_EQ(objection({.type = FrameType::echo, .flags = k_flag_store, .length = 1000}), "none");
    EXPECT_EQ(objection({.type = FrameType::echo, .length = 1001}), "too large");
    EXPECT_EQ(objection({.type = FrameType::sink, .length = ~std::uint64_t{0}}), "too large");
    EXPECT_EQ(objection({.type = FrameType::sink, .flags = k_flag_store}), "malformed");
    EXPECT_EQ(objection({.type = FrameType::echo, .flags = 0x40}), "malformed");
    EXPECT_EQ(objection({.type = FrameType::ping, .length = 15}), "malformed");
    EXPECT_EQ(objection({.type = FrameType::bye, .length = 1}), "malformed");
    EXPECT_EQ(objection({.type = FrameType::data}), "malformed");
    EXPECT_EQ(objection({.type = static_cast<FrameType>(0x55), .flags = k_flag_critical}),
              "unsupported frame");
    const FrameHeader unknown{.type = static_cast<FrameType>(0x55), .flags = 3, .length = 10};
    EXPECT_EQ(objection(unknown), "none");
    EXPECT_EQ(check_request(unknown, 1000).kind, RequestKind::to_skip);
}

TEST(Frames, LinkBytes) {
    const net::LinkWay way{.rate = 0x0102030,
                           .delay = 0x04,
                           .rtt = 0x05,
                           .jitter = 0x06,
                           .loss = 0.25,
                           .overhead = 0x34,
                           .cold = true,
                           .seed = 0x0708090a0b0c0d0e};
    const auto bytes = encode(way);
    EXPECT_EQ(bytes[7], 0x30);
    EXPECT_EQ(bytes[15], 4);
    EXPECT_EQ(Reader(Bytes(bytes).subspan(32)).u32(), 250'000'000U);
    EXPECT_EQ(bytes[37], 0x34);
    EXPECT_EQ(bytes[39], 1);
    EXPECT_EQ(bytes[47], 0x0e);
    const auto back = decode_link(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, way);
}

TEST(Frames, LinkRefused) {
    const auto refused = [](net::LinkWay way) { return !decode_link(encode(way)); };
    EXPECT_FALSE(refused({}));
    EXPECT_TRUE(refused({.rate = 500'000'001}));
    EXPECT_TRUE(refused({.rate = 1, .delay = -1}));
    EXPECT_TRUE(refused({.rate = 1, .rtt = 120'000'000'001}));
    EXPECT_TRUE(refused({.rate = 1, .jitter = 120'000'000'001}));
    EXPECT_TRUE(refused({.rate = 1, .loss = 0.51}));
    EXPECT_TRUE(refused({.rate = 1, .overhead = 1001}));
    auto flags = encode(net::LinkWay{.rate = 1});
    flags[39] = 4;
    EXPECT_EQ(decode_link(flags).error().code, Errc::malformed);
    EXPECT_FALSE(decode_link(Bytes(flags).first(47)));
}

}  // namespace
}  // namespace perfrelay::wire
