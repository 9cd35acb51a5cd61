#include "proto/xml/doctype.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::xml {
namespace {

TEST(Doctype, PartsAreFound) {
    DoctypeText text;
    ASSERT_TRUE(text.parse(" a:b PUBLIC '-//X\r\n //Y' \"b's.dtd\" [<!ENTITY e ']'>\r\n] "));
    const Doctype& doctype = text.doctype();
    EXPECT_EQ(doctype.name, "a:b");
    EXPECT_EQ(doctype.public_id, "-//X //Y");
    EXPECT_EQ(doctype.system_id, "b's.dtd");
    EXPECT_TRUE(doctype.has_system_id);
    EXPECT_EQ(doctype.internal_subset, "<!ENTITY e ']'>\n");
    EXPECT_TRUE(doctype.has_internal_subset);
}

TEST(Doctype, LessThanEverythingWillDo) {
    DoctypeText text;
    ASSERT_TRUE(text.parse(" a"));
    EXPECT_FALSE(text.doctype().has_system_id);
    EXPECT_FALSE(text.doctype().has_internal_subset);
    ASSERT_TRUE(text.parse("\na[]"));
    EXPECT_TRUE(text.doctype().has_internal_subset);
    EXPECT_EQ(text.doctype().internal_subset, "");
    ASSERT_TRUE(text.parse(" a SYSTEM ''"));
    EXPECT_TRUE(text.doctype().has_system_id);
    EXPECT_EQ(text.doctype().system_id, "");
}

TEST(Doctype, ItsTextComesBackFromItsParts) {
    for (const char* declaration : {"a", "a []", "a SYSTEM \"x\"", "a SYSTEM '\"'",
                                    "a:b PUBLIC \"-//X //Y\" \"b's.dtd\" [<!ENTITY e ']'>\n]"}) {
        DoctypeText text;
        ASSERT_TRUE(text.parse(std::string(" ") + declaration)) << declaration;
        EXPECT_EQ(declaration_text(text.doctype()), declaration);
    }
}

TEST(Doctype, WhatIsNoneIsRefused) {
    DoctypeText text;
    for (const char* bad :
         {"", " ", " 1", " a b", " a SYSTEM", " a SYSTEM 'x", " a PUBLIC 'x'", " a [", " a [] b"}) {
        EXPECT_FALSE(text.parse(bad)) << bad;
    }
}

TEST(Doctype, ItIsFoundBehindCommentsAndInstructions) {
    DoctypeText text;
    ASSERT_TRUE(
        text.find("<?xml version='1.0'?><!--<!DOCTYPE no>--> <?p <!DOCTYPE no> ?>\n"
                  "<!DOCTYPE yes SYSTEM '<!DOCTYPE no>' [<!-- ' ]> --><?p ]> ?>]  ><a/>"));
    EXPECT_EQ(text.doctype().name, "yes");
    EXPECT_EQ(text.doctype().internal_subset, "<!-- ' ]> --><?p ]> ?>");
    EXPECT_FALSE(text.find("<a/>"));
    EXPECT_FALSE(text.find(""));
    EXPECT_FALSE(text.find("<!-- "));
    EXPECT_FALSE(text.find("<!DOCTYPE a [ '"));
}

TEST(Doctype, TheEndIsFound) {
    EXPECT_EQ(PrologScan().doctype("<!DOCTYPE a>x").value_or(0), 12U);
    EXPECT_EQ(PrologScan().doctype("<!DOCTYPE a '>' [<!E '>'>]>x").value_or(0), 27U);
    EXPECT_FALSE(PrologScan().doctype("<!DOCTYPE a [>").has_value());
    EXPECT_FALSE(PrologScan().doctype("<!DOCTYPE a '>").has_value());
}

TEST(Doctype, ParameterReferencesBetweenDeclarationsAreFound) {
    EXPECT_EQ(after_parameter_reference("<!ENTITY % a '%b;'><!-- %c; -->"), "");
    EXPECT_EQ(after_parameter_reference("<!ENTITY % a 'x'>%a;<!E>"), "a;<!E>");
}

TEST(Doctype, ReferencesToParameterEntitiesAreFound) {
    using Names = std::vector<std::string_view>;
    EXPECT_EQ(parameter_references("<!ENTITY % a 'x'>%a;<!ENTITY % b '&#37;c;&#x25;a;'> 100% %"),
              (Names{"a", "c", "a"}));
    EXPECT_TRUE(declares_parameter_entity("<!ENTITY %\n ab 'x'>", "ab"));
    EXPECT_FALSE(declares_parameter_entity("<!ENTITY % abc 'x'>%ab;", "ab"));
    EXPECT_FALSE(declares_parameter_entity("<!ENTITY ab 'x'>%ab;", "ab"));
}

TEST(Doctype, ExternalEntitiesAreFound) {
    using Entities = std::vector<ExternalEntity>;
    EXPECT_EQ(external_entities("<!ENTITY a 'x SYSTEM \"no\"'><!ENTITY\nb\tSYSTEM 'b b'>"
                                "<!-- <!ENTITY c SYSTEM 'no'> -->\n<!ENTITY % d PUBLIC 'p' \"d\">"
                                "<!NOTATION n SYSTEM 'no'>"),
              (Entities{{"b", "b b", false}, {"d", "d", true}}));
    EXPECT_EQ(external_entities("<!ENTITY"), Entities{});
    EXPECT_EQ(external_entities("<!ENTITY % "), Entities{});
}

TEST(PrologScan, EndsWithTheRootsBracket) {
    EXPECT_EQ(PrologScan().length("<a/>"), 1U);
    EXPECT_EQ(PrologScan().length(" \n<a"), 3U);
    EXPECT_EQ(PrologScan().length("<?xml version='1.0'?><!--<--><!DOCTYPE a [<!ENTITY x '>'>]><a>"),
              60U);
    // What the parser will refuse is not waited for.
    EXPECT_EQ(PrologScan().length("text<a/>"), 1U);
    EXPECT_EQ(PrologScan().length("<![CDATA[x]]>"), 1U);
}

TEST(PrologScan, IsUnknownUntilThen) {
    const std::string_view whole =
        "<?xml version='1.0'?> <!-- - --> <!DOCTYPE a [<!ENTITY x \"]>\">]> <?p i?> <a>";
    for (std::size_t size = 0; size < whole.size() - 2; ++size) {
        // A lone "<" might be anything's start; it is the root's only once more is there.
        EXPECT_FALSE(PrologScan().length(whole.substr(0, size))) << size;
    }
    EXPECT_EQ(PrologScan().length(whole), whole.size() - 2);
}

TEST(PrologScan, GoesOnWhereItWas) {
    const std::string_view whole =
        "<?xml version='1.0'?> <!-- - --> <!DOCTYPE a [<!ENTITY x \"]>\"><!--'>]--><?p '?>]> <?p "
        "i?>\n<a>";
    for (std::size_t piece = 1; piece < whole.size(); ++piece) {
        PrologScan scan;
        std::optional<std::size_t> found;
        for (std::size_t size = piece; !found; size += piece)
            found = scan.length(whole.substr(0, size));
        EXPECT_EQ(found, whole.size() - 2) << piece;
    }
}

}  // namespace
}  // namespace perfrelay::xml
