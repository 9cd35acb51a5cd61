// XSDs as friends write them: read, or refused in one line.
#include "proto/exi/schema/xsd_loader.h"

#include <string>

#include "proto/exi/names.h"
#include "proto/exi/schema/schema_maker.h"
#include "tests/unit/proto/exi/xsd_files.h"

namespace perfrelay::exi {
namespace {

TEST_F(XsdTest, ComponentsAreThoseOfTheFile) {
    const Components read = loaded(file(
        "a.xsd", schema("<xs:element name='r' nillable='true' type='T'/>"
                        "<xs:complexType name='T'><xs:sequence minOccurs='0' maxOccurs='7'>"
                        "<xs:element name='a' type='xs:int'/><xs:any namespace='urn:x ##local'/>"
                        "</xs:sequence><xs:attribute name='k' use='required'>"
                        "<xs:simpleType><xs:restriction base='xs:string'>"
                        "<xs:enumeration value='one'/><xs:enumeration value='two'/>"
                        "</xs:restriction></xs:simpleType></xs:attribute></xs:complexType>")));
    ASSERT_EQ(read.elements.size(), 2U);
    const ElementDeclaration& root = read.elements[read.elements[0].global ? 0 : 1];
    EXPECT_EQ(root.name.local, "r");
    EXPECT_TRUE(root.nillable);
    const ComplexType& type = read.complex_types[root.type.index];
    EXPECT_EQ(type.name.local, "T");
    ASSERT_TRUE(type.particle);
    EXPECT_EQ(type.particle->min, 0U);
    EXPECT_EQ(type.particle->max, 7U);
    ASSERT_EQ(type.attributes.size(), 1U);
    EXPECT_TRUE(type.attributes[0].required);
    const SimpleType& simple =
        read.simple_types[read.attributes[type.attributes[0].attribute].type];
    EXPECT_EQ(simple.enumeration, (std::vector<std::string>{"one", "two"}));
    EXPECT_TRUE(simple.name.local.empty());
    ASSERT_EQ(read.wildcards.size(), 2U);
    EXPECT_EQ(read.wildcards[1].uris.size(), 2U);
}

TEST_F(XsdTest, IncludesMayBeCircular) {
    const std::string first = file("a.xsd", schema("<xs:include schemaLocation='b.xsd'/>"
                                                   "<xs:element name='a' type='B'/>"));
    (void)file("b.xsd", schema("<xs:include schemaLocation='a.xsd'/>"
                               "<xs:simpleType name='B'><xs:restriction base='xs:int'/>"
                               "</xs:simpleType>"));
    EXPECT_EQ(loaded(first).elements.size(), 1U);
}

TEST_F(XsdTest, WhatIsMissingIsNamed) {
    const std::string path =
        file("a.xsd", schema("<xs:import namespace='urn:x' schemaLocation='gone.xsd'/>"
                             "<xs:element name='a' type='xs:int'/>"));
    EXPECT_NE(refused(path).find("gone.xsd"), std::string::npos);
    EXPECT_NE(refused((directory_ / "none.xsd").string()).find("none.xsd"), std::string::npos);
}

// XML Schema 1.0 part 1, A: its own types are those that are built in.
TEST_F(XsdTest, TheSchemaForSchemas) {
    const Components read = loaded(file(
        "s.xsd", schema("<xs:complexType name='anyType' mixed='true'/>"
                        "<xs:simpleType name='string'><xs:restriction base='xs:anySimpleType'>"
                        "<xs:whiteSpace value='preserve'/></xs:restriction></xs:simpleType>"
                        "<xs:simpleType name='form'><xs:restriction base='xs:NMTOKEN'>"
                        "<xs:enumeration value='qualified'/></xs:restriction></xs:simpleType>"
                        "<xs:simpleType name='forms'><xs:list itemType='xs:form'/></xs:simpleType>"
                        "<xs:complexType name='annotated'><xs:complexContent>"
                        "<xs:extension base='xs:anyType'><xs:sequence>"
                        "<xs:element ref='xs:note' minOccurs='0'/></xs:sequence>"
                        "<xs:attribute name='form' type='xs:forms'/></xs:extension>"
                        "</xs:complexContent></xs:complexType>"
                        "<xs:element name='note' type='xs:annotated'/>",
                        "targetNamespace='http://www.w3.org/2001/XMLSchema'")));
    ASSERT_EQ(read.elements.size(), 1U);
    const std::string xsd(k_xsd_uri);
    EXPECT_EQ(read.elements[0].name, (ExpandedName{xsd, "note"}));
    EXPECT_EQ(read.complex_types.at(read.elements[0].type.index).name,
              (ExpandedName{xsd, "annotated"}));
    EXPECT_EQ(read.simple_types.size(), Components().simple_types.size() + 2);
    EXPECT_TRUE(make_schema(read));
}

TEST_F(XsdTest, ErrorsHaveAPlace) {
    EXPECT_NE(
        refused(file("a.xsd", schema("\n<xs:element name='a' type='Nowhere'/>"))).find("line 2"),
        std::string::npos);
    EXPECT_NE(refused(file("b.xsd", "<xs:schema")).find("b.xsd"), std::string::npos);
    (void)refused(file("c.xsd", ""));
    (void)refused(file("d.xsd", "<other/>"));
}

}  // namespace
}  // namespace perfrelay::exi
