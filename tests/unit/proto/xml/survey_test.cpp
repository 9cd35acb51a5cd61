#include "proto/xml/survey.h"

#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

Survey of(std::string_view text) {
    const auto document = loaded(text);
    return document == nullptr ? Survey{} : survey(document->xml);
}

TEST(Survey, APlainDocumentHasNothingToTell) {
    const Survey found = of("<?p?><a b='c'><d/>x<e>y</e></a>");
    EXPECT_EQ(found.unwritable, nullptr);
    EXPECT_EQ(found.depth, 2U);
    EXPECT_EQ(found.deepest_filled, 2U);
    EXPECT_EQ(found.most_attributes, 1U);
    EXPECT_FALSE(found.undeclared_names || found.blank_text || found.return_in_text ||
                 found.return_in_attribute || found.blank_in_attribute ||
                 !found.entity_references.empty() || found.late_instruction ||
                 found.xml_prefix_declared);
    EXPECT_EQ(found.doctype, nullptr);
}

TEST(Survey, EachTraitIsSeen) {
    EXPECT_TRUE(of("<a> <b/></a>").blank_text);
    EXPECT_TRUE(of("<a>x&#13;</a>").return_in_text);
    EXPECT_TRUE(of("<a b='&#13;'/>").return_in_attribute);
    EXPECT_TRUE(of("<a b='&#10;'/>").blank_in_attribute);
    EXPECT_EQ(of("<!DOCTYPE a SYSTEM 'x'><a>&e;&f;&e;</a>").entity_references.size(), 2U);
    EXPECT_TRUE(of("<a><?p?></a>").late_instruction);
    EXPECT_TRUE(of("<!--c--><?p?><a/>").late_instruction);
    EXPECT_TRUE(of("<a xmlns:xml='http://www.w3.org/XML/1998/namespace'/>").xml_prefix_declared);
    EXPECT_EQ(of("<a b='1' c='2' xmlns:d='3'/>").most_attributes, 3U);
    const Survey deep = of("<a><b><c/></b><b/></a>");
    EXPECT_EQ(deep.depth, 3U);
    EXPECT_EQ(deep.deepest_filled, 2U);
    EXPECT_EQ(of("<a><b><!--c--></b></a>").deepest_filled, 2U);
}

TEST(Survey, WhatXmlCannotHoldIsNamed) {
    NameTable names;
    const QName* a = names.intern("", "a", "");
    XmlTape tape;
    TapeSink<true> sink(tape);
    sink.start_document();
    sink.start_element(a);
    sink.characters("x\x01");
    sink.end_element(a);
    sink.end_document();
    EXPECT_STREQ(survey(tape).unwritable, "a character that XML cannot hold");
}

}  // namespace
}  // namespace perfrelay::xml
