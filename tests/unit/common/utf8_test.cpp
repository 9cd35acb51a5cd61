#include "common/base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

// RFC 3629 section 3's way to write a code point.
std::string written(unsigned code) {
    const auto byte = [](unsigned bits) { return static_cast<char>(bits); };
    const auto more = [&](unsigned shift) { return byte(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) return {byte(code)};
    if (code < 0x800) return {byte(0xC0 | code >> 6U), more(0)};
    if (code < 0x10000) return {byte(0xE0 | code >> 12U), more(6), more(0)};
    return {byte(0xF0 | code >> 18U), more(12), more(6), more(0)};
}

TEST(Utf8, EveryCodePointButTheSurrogates) {
    for (unsigned code = 0; code < 0x120000; ++code) {
        const std::string text = written(code);
        const bool good = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
        ASSERT_EQ(utf8_size(text + "x"), good ? text.size() : 0) << code;
        ASSERT_EQ(is_utf8("a" + text + text), good) << code;
        for (std::size_t cut = 1; cut < text.size(); ++cut)
            ASSERT_EQ(utf8_size(text.substr(0, cut)), 0U) << code;
    }
}

TEST(Utf8, WhatIsNone) {
    EXPECT_EQ(utf8_size(""), 0U);
    EXPECT_TRUE(is_utf8(""));
    for (const char* text : {"\x80", "\xBF", "\xC0\xAF", "\xC1\xBF", "\xC3x", "\xE0\x80\xAF",
                             "\xE0\x9F\xBF", "\xE2\x82x", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98x",
                             "\xF5\x80\x80\x80", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"}) {
        EXPECT_EQ(utf8_size(text), 0U) << text;
        EXPECT_FALSE(is_utf8(text)) << text;
    }
}

}  // namespace
}  // namespace perfrelay
