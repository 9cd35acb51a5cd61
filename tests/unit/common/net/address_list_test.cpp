#include "common/net/address_list.h"

#include <string>

#include <gtest/gtest.h>

#include "common/net/resolve.h"

namespace perfrelay::net {
namespace {

bool holds(const std::string& list, const std::string& address) {
    std::string why;
    const auto parsed = AddressList::parse(list, why);
    EXPECT_TRUE(parsed) << why;
    const auto endpoints = resolve(address, 8000, Family::any, false);
    EXPECT_TRUE(endpoints) << address;
    return parsed && endpoints && parsed->contains(endpoints->front());
}

TEST(AddressList, NetworksAndAddresses) {
    EXPECT_TRUE(holds("10.0.0.0/8", "10.255.0.1"));
    EXPECT_FALSE(holds("10.0.0.0/8", "11.0.0.1"));
    EXPECT_TRUE(holds("192.0.2.7", "192.0.2.7"));
    EXPECT_FALSE(holds("192.0.2.7", "192.0.2.6"));
    EXPECT_TRUE(holds("192.0.2.128/25", "192.0.2.129"));
    EXPECT_FALSE(holds("192.0.2.128/25", "192.0.2.127"));
    EXPECT_TRUE(holds("fd00::/8", "fdff::1"));
    EXPECT_FALSE(holds("fd00::/8", "fe80::1"));
    EXPECT_TRUE(holds("::1", "::1"));
    EXPECT_TRUE(holds("::/0", "10.0.0.1"));
    EXPECT_TRUE(holds("0.0.0.0/0", "10.0.0.1"));
    EXPECT_FALSE(holds("0.0.0.0/0", "::1"));
    EXPECT_FALSE(holds("", "::1"));
}

TEST(AddressList, FourInSixIsFour) {
    EXPECT_TRUE(holds("10.0.0.0/8", "::ffff:10.1.2.3"));
    EXPECT_TRUE(holds("::ffff:10.0.0.0/104", "10.1.2.3"));
}

TEST(AddressList, SeparatorsAndComments) {
    for (const char* list : {"10.0.0.0/8,192.0.2.7", "10.0.0.0/8 \t192.0.2.7\n",
                             "# ours\n10.0.0.0/8 # all\r\n\n192.0.2.7,,"}) {
        EXPECT_TRUE(holds(list, "10.0.0.1"));
        EXPECT_TRUE(holds(list, "192.0.2.7"));
        EXPECT_FALSE(holds(list, "192.0.2.8"));
    }
}

TEST(AddressList, WhatIsNoneIsNamed) {
    for (const char* wrong :
         {"10.0.0.0/33", "10.0.0.1/8", "host", "::1/129", "/8", "10.0.0.0/", "10.0.0.0/8x",
          "10.0.0.0/-1", "1.2.3", "fd00::1/8", "10.0.0.0/08 x"}) {
        std::string why;
        EXPECT_FALSE(AddressList::parse(wrong, why)) << wrong;
        EXPECT_FALSE(why.empty());
    }
}

}  // namespace
}  // namespace perfrelay::net
