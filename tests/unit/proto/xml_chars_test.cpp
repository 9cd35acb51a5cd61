#include "proto/model/xml_chars.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::xml {
namespace {

TEST(Chars, NamesAreThoseOfXml) {
    for (const char* name :
         {"a", "_", "a-1.b", "\xC3\xA9", "a\xC2\xB7", "\xF0\x90\x80\x80", "Z9"}) {
        EXPECT_TRUE(is_ncname(name)) << name;
        EXPECT_TRUE(is_name(name)) << name;
    }
    for (const char* name : {"", "1a", "-a", ".a", "a b", "a\xC3\x97", "\xC2\xB7", "a\xFF", "a\xC3",
                             "\xED\xA0\x80", "a/", "\xEF\xBF\xBE"}) {
        EXPECT_FALSE(is_ncname(name)) << name;
        EXPECT_FALSE(is_name(name)) << name;
    }
    EXPECT_TRUE(is_name("a:b"));
    EXPECT_FALSE(is_ncname("a:b"));
}

TEST(Chars, BlankIsSpaceTabAndLineEnds) {
    EXPECT_TRUE(is_blank(""));
    EXPECT_TRUE(is_blank(" \t\r\n"));
    EXPECT_FALSE(is_blank(" \xC2\xA0"));
    EXPECT_FALSE(is_blank("\v"));
}

TEST(Chars, ForbiddenCharactersAreFound) {
    EXPECT_EQ(find_forbidden("a\tb\nc\rd\xEF\xBF\xBD"), std::string_view::npos);
    EXPECT_EQ(find_forbidden("ab\x01"), 2U);
    EXPECT_EQ(find_forbidden("a\xEF\xBF\xBE"), 1U);
    EXPECT_EQ(find_forbidden("\xEF\xBF\xBF"), 0U);
    EXPECT_EQ(find_forbidden("\x7F\xC2\x80"), std::string_view::npos);
}

TEST(Chars, LineEndsBecomeLineFeeds) {
    std::string scratch;
    const std::string untouched = "a\nb";
    EXPECT_EQ(normalize_line_ends(untouched, scratch).data(), untouched.data());
    EXPECT_EQ(normalize_line_ends("a\r\nb\rc\n\rd\r", scratch), "a\nb\nc\n\nd\n");
}

}  // namespace
}  // namespace perfrelay::xml
