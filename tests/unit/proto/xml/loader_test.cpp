#include "proto/xml/loader.h"

#include <string>

#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

std::string listing_of(std::string_view text) {
    const auto document = loaded(text);
    return document == nullptr ? "" : listing(document->xml);
}

// The listing without the lines that every document has.
std::string content_of(std::string_view text) {
    std::string lines = listing_of(text);
    if (lines.starts_with("SD\n") && lines.ends_with("ED\n"))
        lines = lines.substr(3, lines.size() - 6);
    return lines;
}

TEST(Loader, EventsInDocumentOrder) {
    EXPECT_EQ(
        content_of("<?xml version='1.0'?>\n<!--c--><?t  d ?>\n<a x='1'>t<b/>u<!--d-->v</a>\n<?e?>"),
        "CM \"c\"\nPI t \"d \"\nSE {}a \nAT {}x = \"1\"\nCH \"t\"\nSE {}b \nEE\nCH \"u\"\n"
        "CM \"d\"\nCH \"v\"\nEE\nPI e \"\"\n");
}

TEST(Loader, PrefixesAndDeclarationsAreKept) {
    const auto document =
        loaded("<p:a b='1' xmlns:q='urn:q' q:c='2' xmlns='urn:d' xmlns:p='urn:p'/>");
    ASSERT_NE(document, nullptr);
    const auto& events = document->xml.events();
    ASSERT_EQ(events.size(), 7U);
    EXPECT_EQ(events[0].name->prefix, "p");
    EXPECT_EQ(events[0].name->uri, "urn:p");
    EXPECT_EQ(events[1].first_view(), "q");
    EXPECT_EQ(events[2].first_view(), "");
    EXPECT_EQ(events[2].text_view(), "urn:d");
    EXPECT_EQ(events[3].first_view(), "p");
    EXPECT_EQ(events[4].name->uri, "");
    EXPECT_EQ(events[5].name->uri, "urn:q");
}

TEST(Loader, TheDoctypeIsKeptWithItsSubset) {
    const auto document = loaded(
        "<!DOCTYPE p:a PUBLIC '-//X\n//Y' 'b.dtd' [\r\n<!--c--><?p?><!ENTITY e ']>'>\r] "
        ">\n<!--d--><p:a xmlns:p='u'/>");
    ASSERT_NE(document, nullptr);
    const XmlTape::Event& event = document->xml.events()[0];
    ASSERT_EQ(event.kind(), XmlTape::Kind::doctype);
    EXPECT_EQ(event.doctype->name, "p:a");
    EXPECT_EQ(event.doctype->public_id, "-//X //Y");
    EXPECT_EQ(event.doctype->system_id, "b.dtd");
    EXPECT_EQ(event.doctype->internal_subset, "\n<!--c--><?p?><!ENTITY e ']>'>\n");
    EXPECT_TRUE(event.doctype->has_internal_subset);
    // Comments and instructions of the subset are part of its text alone.
    EXPECT_EQ(document->xml.events()[1].kind(), XmlTape::Kind::comment);
    EXPECT_EQ(document->xml.events()[1].text_view(), "d");

    const auto bare = loaded("<!DOCTYPE a><a/>");
    EXPECT_FALSE(bare->xml.events()[0].doctype->has_internal_subset);
    EXPECT_FALSE(bare->xml.events()[0].doctype->has_system_id);
}

TEST(Loader, TextIsOneEventHoweverItIsWritten) {
    const auto document = loaded("<a>x&lt;<![CDATA[<&>]]>&#65;\n<![CDATA[]]>y</a>");
    EXPECT_EQ(listing(document->xml), "SD\nSE {}a \nCH \"x<<&>A\\ny\"\nEE\nED\n");
    EXPECT_TRUE(document->facts.cdata_sections);
}

TEST(Loader, EntitiesBecomeWhatTheyStandFor) {
    const auto document = loaded(
        "<!DOCTYPE a [<!ENTITY t 'x&#38;lt;'><!ENTITY m '<b c=\"&t;\">&t;</b><!--c-->'>]>"
        "<a d='&t;'>1&m;2</a>");
    EXPECT_EQ(
        listing(document->xml),
        "SD\nDT a||\nSE {}a \nAT {}d = \"x<\"\nCH \"1\"\nSE {}b \nAT {}c = \"x<\"\nCH \"x<\"\nEE\n"
        "CM \"c\"\nCH \"2\"\nEE\nED\n");
    EXPECT_TRUE(document->facts.general_entities);
    EXPECT_FALSE(loaded("<!DOCTYPE a [<!ENTITY t 'x'>]><a>&lt;</a>")->facts.general_entities);
}

TEST(Loader, WhatTheSubsetDefaultsIsThere) {
    const auto document = loaded(
        "<!DOCTYPE a [<!ATTLIST a x CDATA 'd&#38;' y NMTOKENS #IMPLIED xmlns:p CDATA 'urn:p' p:z "
        "CDATA 'z'>]><a y='  1   2 '/>");
    EXPECT_EQ(listing(document->xml),
              "SD\nDT a||\nSE {}a \nNS p=urn:p\nAT {urn:p}z = \"z\"\nAT {}x = \"d&\"\n"
              "AT {}y = \"1 2\"\nEE\nED\n");
    EXPECT_TRUE(document->facts.default_attributes);
    EXPECT_TRUE(document->facts.tokenized_attributes);
    EXPECT_TRUE(document->facts.namespaces_in_internal_subset);
    const auto none = loaded("<!DOCTYPE a [<!ATTLIST a x CDATA 'd'>]><a x='1'/>");
    EXPECT_FALSE(none->facts.default_attributes);
    EXPECT_FALSE(none->facts.tokenized_attributes);
    EXPECT_FALSE(none->facts.namespaces_in_internal_subset);
}

TEST(Loader, ParameterEntitiesOfTheSubsetAreReadAndExternalOnesAreNot) {
    EXPECT_EQ(content_of("<!DOCTYPE a [<!ENTITY % p \"<!ENTITY e 'x'>\">%p;]><a>&e;</a>"),
              "DT a||\nSE {}a \nCH \"x\"\nEE\n");
    // Declarations after one that nobody has read do not count (XML 1.0 5.1).
    EXPECT_EQ(
        content_of("<!DOCTYPE a [<!ENTITY % p SYSTEM '/etc/passwd'>%p;<!ENTITY e 'x'>]><a>&e;</a>"),
        "DT a||\nSE {}a \nER e\nEE\n");
}

TEST(Loader, ExternalEntitiesStayReferences) {
    EXPECT_EQ(
        content_of(
            "<!DOCTYPE a [<!ENTITY x SYSTEM '/etc/passwd'><!ENTITY i '1&x;2'>]><a>&i;&x;</a>"),
        "DT a||\nSE {}a \nCH \"1\"\nER x\nCH \"2\"\nER x\nEE\n");
    EXPECT_EQ(content_of("<!DOCTYPE a SYSTEM 'a.dtd'><a>&nbsp;</a>"),
              "DT a||a.dtd\nSE {}a \nER nbsp\nEE\n");
}

TEST(Loader, OneTapeMayBeLoadedAgain) {
    auto document = loaded("<a><b/></a>");
    document->source.clear();
    document->source.append(std::string_view("<c/>"));
    ASSERT_TRUE(load(*document, {}).has_value());
    EXPECT_EQ(listing(document->xml), "SD\nSE {}c \nEE\nED\n");
}

TEST(Loader, EncodingsAndMarksAreFacts) {
    const auto latin = loaded("<?xml version='1.0' encoding='iso-8859-1'?><a>\xE9</a>");
    EXPECT_EQ(latin->facts.encoding, "iso-8859-1");
    EXPECT_EQ(latin->xml.events()[1].text_view(), "\xC3\xA9");
    const auto marked = loaded("\xEF\xBB\xBF<a/>");
    EXPECT_TRUE(marked->facts.byte_order_mark);
    EXPECT_EQ(marked->facts.encoding, "UTF-8");
}

struct Bad {
    const char* text;
    const char* where;
    std::uint32_t line;
    std::uint32_t column;
    Errc code = Errc::malformed;
};

class LoaderErrors : public testing::TestWithParam<Bad> {};

TEST_P(LoaderErrors, HaveAReasonAndAPlace) {
    const Bad& bad = GetParam();
    const Error error = load_error(bad.text);
    EXPECT_STREQ(error.where, bad.where) << bad.text;
    EXPECT_EQ(error.line, bad.line) << bad.text;
    EXPECT_EQ(error.column, bad.column) << bad.text;
    EXPECT_EQ(error.code, bad.code) << bad.text;
}

constexpr const char* k_token = "not well-formed: a character that must not stand here";
constexpr const char* k_ends = "the document ends before its root element does";

INSTANTIATE_TEST_SUITE_P(
    All, LoaderErrors,
    testing::Values(
        Bad{"<a>\n <b></a>", "mismatched tag", 2, 7},
        Bad{"<a>\n\xC3\xA9<b", "unclosed token", 2, 2, Errc::truncated},
        Bad{"<a>", k_ends, 1, 4, Errc::truncated}, Bad{"", k_ends, 1, 1, Errc::truncated},
        Bad{" \n", k_ends, 2, 1, Errc::truncated},
        Bad{"<a/><b/>", "junk after document element", 1, 5},
        Bad{"<a/>x", "junk after document element", 1, 5}, Bad{"x<a/>", k_token, 1, 2},
        Bad{"<a b='1' b='2'/>", "attribute appears twice", 1, 10},
        Bad{"<a xmlns:p='u' xmlns:q='u'\n p:b='' q:b=''/>", "attribute appears twice", 1, 1},
        Bad{"<a>\n<p:b/></a>", "undeclared namespace prefix", 2, 1},
        Bad{"<a p:b=''/>", "undeclared namespace prefix", 1, 1},
        Bad{"<a><p:b xmlns:p=''/></a>", "a prefix must not be undeclared", 1, 4},
        Bad{"<a xmlns:xml='u'/>", "the prefix xml must not stand for another namespace", 1, 1},
        Bad{"<a xmlns:xmlns='u'/>", "the prefix xmlns must not be declared", 1, 1},
        Bad{"<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
            "the xmlns namespace must not be declared", 1, 1},
        Bad{"<a:b:c xmlns:a='u'/>", "not a qualified name", 1, 1},
        Bad{"<a xmlns:='u'/>", "not a qualified name", 1, 1},
        Bad{"<a:1 xmlns:a='u'/>", "not a qualified name", 1, 1},
        Bad{"<!DOCTYPE a: []><a/>", "not a qualified name", 1, 14},
        Bad{"<a><?p:q?></a>", "a colon in the target of a processing instruction", 1, 4},
        Bad{"<!DOCTYPE a [<!ENTITY p:q 'x'>]><a/>", "a colon in the name of an entity", 1, 27},
        Bad{"<a>&e;</a>", "undefined entity", 1, 4}, Bad{"<a>& </a>", k_token, 1, 5},
        Bad{"<a b='<'/>", k_token, 1, 7}, Bad{"<a b=1/>", k_token, 1, 6},
        Bad{"<a b='1'c='2'/>", k_token, 1, 9}, Bad{"<a>\x01</a>", k_token, 1, 4},
        Bad{"<a>\xFF</a>", k_token, 1, 4}, Bad{"<a>\xC0\x80</a>", k_token, 1, 4},
        Bad{"<a>\xED\xA0\x80</a>", k_token, 1, 4}, Bad{"<a>]]></a>", k_token, 1, 6},
        Bad{"<a><!-- -- --></a>", k_token, 1, 11}, Bad{"< a/>", k_token, 1, 2},
        Bad{"<a>&#0;</a>", "reference to invalid character number", 1, 4},
        Bad{"<a>&#x110000;</a>", "reference to invalid character number", 1, 4},
        Bad{"<a><![CDATA[x</a>", "unclosed CDATA section", 1, 18, Errc::truncated},
        Bad{" <?xml version='1.0'?><a/>", "XML or text declaration not at start of entity", 1, 2},
        Bad{"<?xml version='2.0'?><a/>", "an XML version that is not 1.x", 1, 1, Errc::unsupported},
        Bad{"<!DOCTYPE a [<!ENTITY a '&a;'>]><a>&a;</a>", "recursive entity reference", 1, 36},
        Bad{"<!DOCTYPE a [<!ENTITY b '<c>'>]><a>&b;</c></a>",
            "an element that does not end in the entity it begins in", 1, 36},
        Bad{"<!DOCTYPE a [<!ENTITY x SYSTEM 's'>]><a b='&x;'/>",
            "reference to external entity in attribute", 1, 44},
        Bad{"<!DOCTYPE a SYSTEM 'x'>\n<a b='1&e;'/>",
            "an attribute refers to an entity that is declared elsewhere", 2, 8, Errc::unsupported},
        // It was not said that another edition of XML would take it.
        Bad{"<a>\n<b\xE2\xB0\x80/></a>",
            "not well-formed, or a name that only XML 1.0's fifth edition allows (expat reads the "
            "fourth)",
            2, 3},
        Bad{"<?xml version='1.0' encoding='nothing-such'?><a/>",
            "an encoding that iconv does not know", 1, 1, Errc::unsupported}));

TEST(LoaderErrors, PlacesAreRightInEveryEncoding) {
    std::string wide = "\xFF\xFE";
    for (const char c : std::string_view("<a>\n  <b></a>")) {
        wide += c;
        wide += '\0';
    }
    const Error error = load_error(wide);
    EXPECT_STREQ(error.where, "mismatched tag");
    EXPECT_EQ(error.line, 2U);
    EXPECT_EQ(error.column, 8U);
}

TEST(LoaderLimits, EachIsAnErrorThatNamesIt) {
    const auto error = [](std::string_view text, const Limits& limits) {
        const Error found = load_error(text, limits);
        EXPECT_EQ(found.code, Errc::limit_exceeded) << found.where;
        return std::string(found.where);
    };
    EXPECT_EQ(error("<a><b><c/></b></a>", {.max_depth = 2}),
              "elements nested deeper than the limit");
    EXPECT_EQ(error("<a>1234<![CDATA[5]]></a>", {.max_text = 4}), "a text longer than the limit");
    EXPECT_EQ(error("<a b='12345'/>", {.max_text = 4}), "an attribute value longer than the limit");
    EXPECT_EQ(error("<a><!--12345--></a>", {.max_text = 4}), "a comment longer than the limit");
    EXPECT_EQ(error("<a><?p 12345?></a>", {.max_text = 4}),
              "a processing instruction longer than the limit");
    EXPECT_EQ(error("<a><b/><c/></a>", {.max_names = 2}), "more distinct names than the limit");
    EXPECT_EQ(error("<a b='' c='' d=''/>", {.max_attributes = 2}),
              "more attributes on an element than the limit");
    EXPECT_EQ(error("<a></a>", {.max_document = 6}), "the document is larger than the limit");
    EXPECT_NE(loaded("<a><b b='12' c='12'>1234<b/></b>1234</a>",
                     {.max_depth = 3, .max_text = 4, .max_names = 4, .max_attributes = 2}),
              nullptr);
}

std::string laughs(int levels, int each) {
    std::string text = "<!DOCTYPE a [<!ENTITY l0 'ha'>";
    for (int i = 1; i <= levels; ++i) {
        text += "<!ENTITY l" + std::to_string(i) + " '";
        for (int k = 0; k < each; ++k)
            text += "&l" + std::to_string(i - 1) + ";";
        text += "'>";
    }
    return text + "]>";
}

TEST(LoaderLimits, ExpansionOfEntitiesIsBounded) {
    const std::string billion = laughs(9, 10);
    EXPECT_STREQ(load_error(billion + "<a>&l9;</a>").where, "entity expansion beyond the limit");
    EXPECT_STREQ(load_error(billion + "<a b='&l9;'/>").where, "entity expansion beyond the limit");
    std::string quadratic = "<!DOCTYPE a [<!ENTITY e '" + std::string(100000, 'x') + "'>]><a>";
    for (int i = 0; i < 20000; ++i)
        quadratic += "&e;";
    EXPECT_STREQ(load_error(quadratic + "</a>").where, "entity expansion beyond the limit");
    // A hundred times is let through below 8 MiB.
    EXPECT_NE(loaded(laughs(4, 10) + "<a>&l4;</a>"), nullptr);
}

TEST(LoaderLimits, DefaultAttributesAreBoundedAsWell) {
    std::string text = "<!DOCTYPE a [<!ATTLIST b c CDATA '" + std::string(10000, 'x') + "'>]><a>";
    for (int i = 0; i < 20000; ++i)
        text += "<b/>";
    EXPECT_STREQ(load_error(text + "</a>").where,
                 "expansion by the internal subset beyond the limit");
}

TEST(LoaderLimits, LargeDocumentsPassInLinearTime) {
    {
        std::string deep;
        for (int i = 0; i < 1000000; ++i)
            deep += "<a>";
        for (int i = 0; i < 1000000; ++i)
            deep += "</a>";
        const auto document = loaded(deep);
        ASSERT_NE(document, nullptr);
        EXPECT_EQ(document->xml.events().size(), 2000000U);
    }
    {
        const auto document = loaded("<a>" + std::string(std::size_t{64} << 20U, 'x') + "</a>");
        ASSERT_NE(document, nullptr);
        EXPECT_EQ(document->xml.events()[1].text_view().size(), std::size_t{64} << 20U);
    }
    {
        std::string wide = "<a";
        for (int i = 0; i < 100000; ++i)
            wide += " a" + std::to_string(i) + "=''";
        const auto document = loaded(wide + "/>");
        ASSERT_NE(document, nullptr);
        EXPECT_EQ(document->xml.events().size(), 100002U);
    }
    {
        std::string declared = "<a";
        for (int i = 0; i < 50000; ++i)
            declared += " xmlns:p" + std::to_string(i) + "='u" + std::to_string(i) + "'";
        for (int i = 0; i < 50000; ++i)
            declared += " p" + std::to_string(i) + ":x=''";
        const auto document = loaded(declared + "/>");
        ASSERT_NE(document, nullptr);
        EXPECT_EQ(document->xml.events().size(), 100002U);
    }
}

}  // namespace
}  // namespace perfrelay::xml
