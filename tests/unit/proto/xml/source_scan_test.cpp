#include "proto/xml/source_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::xml {
namespace {

TEST(SourceScan, APlainDocumentHasNothingToTell) {
    const SourceTraits traits = scan_source(
        "<?xml version='1.0'?>\r\n<!DOCTYPE a [ <!E '\n\r'> ]>\n\r<a b='c' d=\"e f\">x<b/>&lt;&#13;"
        "<![CDATA[ &x; ]]>y</a>\n\r");
    EXPECT_TRUE(traits.references.empty());
    EXPECT_EQ(traits.deepest_open, 1U);
    EXPECT_EQ(traits.most_attributes, 2U);
    EXPECT_FALSE(traits.blank_run);
    EXPECT_FALSE(traits.line_feed_then_return);
    EXPECT_FALSE(traits.return_in_instruction);
    EXPECT_FALSE(traits.raw_blank_in_attribute);
    EXPECT_FALSE(traits.collapsible_attribute);
}

TEST(SourceScan, EachTraitIsSeen) {
    EXPECT_TRUE(scan_source("<a> <b/></a>").blank_run);
    EXPECT_TRUE(scan_source("<a>x<![CDATA[y]]> </a>").blank_run);
    EXPECT_FALSE(scan_source("<a> &#32;</a>").blank_run);
    EXPECT_TRUE(scan_source("<a>x\n\ry</a>").line_feed_then_return);
    EXPECT_TRUE(scan_source("<a><!--\n\r--></a>").line_feed_then_return);
    EXPECT_TRUE(scan_source("<?p x\ry?><a/>").return_in_instruction);
    EXPECT_TRUE(scan_source("<a b='x\ty'/>").raw_blank_in_attribute);
    EXPECT_FALSE(scan_source("<a\n\tb='xy'\r/>").raw_blank_in_attribute);
    EXPECT_EQ(scan_source("<a><b><c/></b><b><c>></c></b></a>").deepest_open, 3U);
    EXPECT_EQ(scan_source("<a b='>' c='/'><d e='/'/></a>").deepest_open, 1U);
}

TEST(SourceScan, ValuesThatATypeWouldChange) {
    for (const char* value : {" x", "x ", "x  y", " ", "x&#32; y", "&#x20;x"})
        EXPECT_TRUE(scan_source(std::string("<a b='") + value + "'/>").collapsible_attribute)
            << value;
    for (const char* value : {"", "x", "x y", "x&#32;y"})
        EXPECT_FALSE(scan_source(std::string("<a b='") + value + "'/>").collapsible_attribute)
            << value;
}

TEST(SourceScan, ReferencesAreTold) {
    const SourceTraits traits = scan_source("<a b='&x;'>&y;&lt;&#1;<![CDATA[&no;]]></a>");
    EXPECT_EQ(traits.references, (std::set<std::string_view>{"x", "y"}));
    ASSERT_EQ(traits.attribute_references.size(), 1U);
    EXPECT_EQ(traits.attribute_references.at("x"), 6U);
}

TEST(SourceScan, AnythingCanBeScanned) {
    for (const char* text : {"", "<", "<a", "<a b='", "</", "<!", "<!--", "<![CDATA[", "<?", "<a>&",
                             "</a></a>", "<!DOCTYPE", ">", "<a b=\"'"}) {
        scan_source(text);
    }
}

TEST(SourceScan, FloodedTagsAreFoundAndNothingElse) {
    const auto tag = [](int attributes) {
        std::string text = "<a";
        for (int i = 0; i < attributes; ++i)
            text += " attribute" + std::to_string(i) + "='1'";
        return text + "/>";
    };
    EXPECT_TRUE(has_flooded_tag(tag(20000), 4096));
    EXPECT_FALSE(has_flooded_tag(tag(4000), 4096));
    EXPECT_FALSE(has_flooded_tag("<a>" + std::string(1000000, '=') + "</a>", 4096));
    EXPECT_FALSE(has_flooded_tag("", 10));
}

}  // namespace
}  // namespace perfrelay::xml
