#include "client/input_kind.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

using namespace std::string_view_literals;

std::string kind(std::string_view content, std::string_view name = "") {
    const auto found = detect_kind(as_bytes(content), name);
    return found ? std::string(found->kind->title) + " " + found->by : "";
}

TEST(input_kind, the_first_bytes_come_first) {
    EXPECT_EQ(kind("$EXI\xa0", "a.xml"), "EXI by its first bytes");
    EXPECT_EQ(kind("\x1f\x8b\x08"), "gzip by its first bytes");
    EXPECT_EQ(kind("\x28\xb5\x2f\xfd"), "zstd by its first bytes");
    EXPECT_EQ(kind("\x04\x22\x4d\x18"), "LZ4 by its first bytes");
    EXPECT_EQ(kind("\xac\xed\0\x05"sv), "Java serialization by its first bytes");
    EXPECT_EQ(kind("SQLite format 3\0"sv), "SQLite by its first bytes");
}

TEST(input_kind, xml_in_every_encoding) {
    for (const std::string_view start :
         {"<a/>"sv, " \r\n\t<a/>"sv, "\xef\xbb\xbf<"sv, "\xfe\xff\0<"sv, "\xff\xfe<\0"sv,
          "\0\0\xfe\xff"sv, "\xff\xfe\0\0"sv, "\0<\0?"sv, "<\0?\0"sv, "\0\0\0<"sv, "<\0\0\0"sv,
          "\x4c\x6f\xa7\x94"sv}) {
        EXPECT_EQ(kind(start, "a.exi"), "XML by its first bytes") << start;
    }
}

TEST(input_kind, then_the_name_then_the_distinguishing_bits) {
    EXPECT_EQ(kind("\x80\x41", "a.amf"), "AMF3 by its name");
    EXPECT_EQ(kind("\x80\x41", "A.EXI"), "EXI by its name");
    EXPECT_EQ(kind("text", "a.xml"), "XML by its name");
    EXPECT_EQ(kind("H", "dir.xml/a.h2"), "Hessian 2 by its name");
    EXPECT_EQ(kind("\x80\x41", "a.bin"), "EXI by its first two bits");
    EXPECT_EQ(kind("\xbf"), "EXI by its first two bits");
    for (const char* other : {"\x7f", "\xc0", "text"})
        EXPECT_EQ(kind(other, "a.bin"), "");
    EXPECT_EQ(kind(""), "");
    EXPECT_EQ(kind("   "), "");
    EXPECT_EQ(kind("x", ".xml"), "") << "a name of nothing but an ending is a name";
}

TEST(input_kind, endings_come_off) {
    const InputKind* const gzip = kind_by_ending("a.xml.GZ");
    ASSERT_NE(gzip, nullptr);
    EXPECT_TRUE(gzip->packed);
    EXPECT_EQ(without_ending("a.xml.GZ", *gzip), "a.xml");
    EXPECT_EQ(without_ending("a", *gzip), "a");
    EXPECT_EQ(kind_by_ending("gz"), nullptr);
}

}  // namespace
}  // namespace perfrelay::client
