// XSDs as they are written by friends and by enemies: read, or refused in one line; nothing
// fetched.
#include "proto/exi/schema/xsd_loader.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "proto/exi/schema/schema_maker.h"

namespace perfrelay::exi {
namespace {

namespace fs = std::filesystem;

class XsdTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
        directory_ = fs::temp_directory_path() /
                     ("perfrelay_xsd_" + std::to_string(::getpid()) + "_" + info->name());
        fs::create_directories(directory_);
    }
    void TearDown() override { fs::remove_all(directory_); }

    std::string file(const std::string& name, const std::string& text) const {
        const fs::path path = directory_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    static std::string schema(const std::string& content, const std::string& attributes = "") {
        return "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema' " + attributes + ">" +
               content + "</xs:schema>";
    }
    std::string refused(const std::string& path, const XsdCatalogue& catalogue = {}) const {
        std::string why;
        EXPECT_FALSE(load_xsd(path, catalogue, why)) << path;
        EXPECT_EQ(why.find('\n'), std::string::npos);
        return why;
    }
    Components loaded(const std::string& path, const XsdCatalogue& catalogue = {}) const {
        std::string why;
        auto components = load_xsd(path, catalogue, why);
        EXPECT_TRUE(components) << why;
        return components ? std::move(*components) : Components();
    }

    fs::path directory_;
};

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

TEST_F(XsdTest, NothingIsFetched) {
    const std::string path = file("a.xsd", schema("<xs:import namespace='urn:x' "
                                                  "schemaLocation='http://example.com/x.xsd'/>"
                                                  "<xs:element name='a' type='p:X'/>",
                                                  "xmlns:p='urn:x'"));
    EXPECT_NE(refused(path).find("http://example.com/x.xsd is not fetched"), std::string::npos);
    const std::string local =
        file("x.xsd", schema("<xs:simpleType name='X'><xs:restriction base='xs:int'/>"
                             "</xs:simpleType>",
                             "targetNamespace='urn:x'"));
    EXPECT_EQ(loaded(path, {{"http://example.com/x.xsd", local}}).elements.size(), 1U);
    EXPECT_EQ(loaded(path, {{"urn:x", local}}).elements.size(), 1U);
}

TEST_F(XsdTest, EntitiesAreRefused) {
    const std::string secret = file("secret", "<xs:element name='secret'/>");
    const std::string path =
        file("a.xsd", "<!DOCTYPE xs:schema [<!ENTITY e SYSTEM 'secret'>]>" + schema("&e;"));
    EXPECT_NE(refused(path).find("secret is refused"), std::string::npos);
    std::string bomb = "<!DOCTYPE xs:schema [<!ENTITY e0 'x'>";
    for (int i = 1; i < 40; ++i)
        bomb += "<!ENTITY e" + std::to_string(i) + " '&e" + std::to_string(i - 1) + ";&e" +
                std::to_string(i - 1) + ";'>";
    (void)refused(file("b.xsd", bomb + "]>" +
                                    schema("<xs:annotation><xs:documentation>&e39;"
                                           "</xs:documentation></xs:annotation>")));
}

TEST_F(XsdTest, ErrorsHaveAPlace) {
    EXPECT_NE(
        refused(file("a.xsd", schema("\n<xs:element name='a' type='Nowhere'/>"))).find("line 2"),
        std::string::npos);
    EXPECT_NE(refused(file("b.xsd", "<xs:schema")).find("b.xsd"), std::string::npos);
    (void)refused(file("c.xsd", ""));
    (void)refused(file("d.xsd", "<other/>"));
}

TEST_F(XsdTest, HugeOccurrencesEnd) {
    const auto element = [](const std::string& occurs) {
        return "<xs:element name='r'><xs:complexType><xs:sequence " + occurs +
               "><xs:element name='a' type='xs:int' " + occurs +
               "/></xs:sequence></xs:complexType></xs:element>";
    };
    const Components large =
        loaded(file("a.xsd", schema(element("minOccurs='0' maxOccurs='99999'"))));
    EXPECT_FALSE(make_schema(large));
    const Components many =
        loaded(file("b.xsd", schema("<xs:element name='r'><xs:complexType><xs:sequence>"
                                    "<xs:element name='a' minOccurs='0' maxOccurs='99999'/>"
                                    "</xs:sequence></xs:complexType></xs:element>")));
    EXPECT_TRUE(make_schema(many));
}

TEST_F(XsdTest, DeepGroupsEnd) {
    std::string groups;
    std::string ends;
    for (int i = 0; i < 50'000; ++i) {
        groups += "<xs:sequence>";
        ends += "</xs:sequence>";
    }
    (void)refused(file("a.xsd", schema("<xs:element name='r'><xs:complexType>" + groups + ends +
                                       "</xs:complexType></xs:element>")));
}

}  // namespace
}  // namespace perfrelay::exi
