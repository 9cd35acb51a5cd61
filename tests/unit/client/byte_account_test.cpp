#include "client/byte_account.h"

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

class ByteAccountTest : public testing::Test {
  protected:
    NameTable names_;
    const QName* a_ = names_.intern("u", "a", "");
    const QName* b_ = names_.intern("u", "b", "");
    ByteAccount account_;
};

TEST_F(ByteAccountTest, ByEventAndByName) {
    account_.header(8);
    account_.event({.event = "SE(*)", .code_bits = 1, .name_bits = 20, .name = a_});
    account_.event(
        {.event = "AT", .code_bits = 2, .value_bits = 16, .name = b_, .has_value = true});
    account_.event({.event = "CH", .code_bits = 3, .value_bits = 8, .has_value = true});
    account_.event({.event = "EE", .code_bits = 1});
    account_.event({.event = "ED"});
    account_.finish();
    EXPECT_EQ(account_.header_bits(), 8U);
    EXPECT_FALSE(account_.is_packed());
    EXPECT_EQ(account_.total().total_inside(), 51U);
    EXPECT_DOUBLE_EQ(account_.total().total_in_file(), 51.0);
    const ByteAccount::Cost& a = account_.names().at("{u}a");
    EXPECT_EQ(a.count, 1U);
    EXPECT_EQ(a.inside, (std::array<std::uint64_t, 3>{5, 20, 8})) << "with its text and its end";
    const ByteAccount::Cost& b = account_.names().at("{u}b");
    EXPECT_EQ(b.inside, (std::array<std::uint64_t, 3>{2, 0, 16}));
    EXPECT_EQ(account_.events().at("CH").count, 1U);
    EXPECT_EQ(account_.events().at("ED").count, 1U);
}

TEST_F(ByteAccountTest, ACompressedStreamIsSharedAmongWhatItHolds) {
    account_.header(8);
    account_.event({.event = "SE(*)", .code_bits = 8, .name_bits = 24, .name = a_});
    account_.event({.event = "EE", .code_bits = 8});
    account_.packed(2, 5);
    account_.value(*a_, "x", 800);
    account_.packed(10, 100);
    account_.finish();
    EXPECT_EQ(account_.streams(), 2U);
    EXPECT_EQ(account_.unpacked_bytes(), 105U);
    const ByteAccount::Cost& a = account_.names().at("{u}a");
    EXPECT_EQ(a.inside, (std::array<std::uint64_t, 3>{16, 24, 800}));
    EXPECT_DOUBLE_EQ(a.in_file[ByteAccount::k_structure], 16 * 0.4);
    EXPECT_DOUBLE_EQ(a.in_file[ByteAccount::k_names], 24 * 0.4);
    EXPECT_DOUBLE_EQ(a.in_file[ByteAccount::k_values], 80);
    EXPECT_DOUBLE_EQ(account_.total().total_in_file(), 12 * 8);
    EXPECT_EQ(account_.events().at(ByteAccount::k_apart).count, 1U);
}

}  // namespace
}  // namespace perfrelay::client
