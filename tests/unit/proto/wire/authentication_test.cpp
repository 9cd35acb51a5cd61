#include "proto/wire/authentication.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace perfrelay::wire {
namespace {

Bytes bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string hex(const Proof& proof) {
    constexpr std::string_view k_digits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : proof) {
        text += k_digits[byte >> 4U];
        text += k_digits[byte & 15U];
    }
    return text;
}

// The expected values are Python's: hmac.digest(b"sixteen bytes, 16", b"perfrelay1 c" + b"hello" +
// b"welcome", "sha256").
TEST(Authentication, KnownProofs) {
    const Bytes secret = bytes("sixteen bytes, 16");
    EXPECT_EQ(hex(prove(secret, Side::client, bytes("hello"), bytes("welcome"))),
              "7346ed4db1f0d37f35d7dd6b28f4205390373f4fabc923f5a6a73ce0a43ec55b");
    EXPECT_EQ(hex(prove(secret, Side::relay, bytes("hello"), bytes("welcome"))),
              "8eb344ab02e79bb30bf1674749ed00759dde538ba4fc88b70ccc72be8b294b6e");
}

TEST(Authentication, EverythingCounts) {
    const Proof proof = prove(bytes("secret"), Side::client, bytes("hello"), bytes("welcome"));
    EXPECT_TRUE(
        same(proof, prove(bytes("secret"), Side::client, bytes("hello"), bytes("welcome"))));
    EXPECT_FALSE(
        same(proof, prove(bytes("secreT"), Side::client, bytes("hello"), bytes("welcome"))));
    EXPECT_FALSE(
        same(proof, prove(bytes("secret"), Side::relay, bytes("hello"), bytes("welcome"))));
    EXPECT_FALSE(
        same(proof, prove(bytes("secret"), Side::client, bytes("hellO"), bytes("welcome"))));
    EXPECT_FALSE(
        same(proof, prove(bytes("secret"), Side::client, bytes("hello"), bytes("welcomE"))));
    EXPECT_FALSE(same(proof, Bytes(proof).first(31)));
    for (std::size_t i = 0; i < proof.size(); ++i) {
        Proof other = proof;
        other.at(i) ^= 1;
        EXPECT_FALSE(same(proof, other)) << i;
    }
}

}  // namespace
}  // namespace perfrelay::wire
