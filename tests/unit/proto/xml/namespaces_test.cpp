#include "proto/xml/namespaces.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::xml {
namespace {

TEST(NamespaceScope, DeclarationsEndWithTheirElement) {
    NamespaceScope scope;
    auto* p = scope.text("p");
    EXPECT_EQ(p->bound, nullptr);
    scope.open();
    EXPECT_EQ(scope.declare("p", "urn:a"), nullptr);
    scope.open();
    EXPECT_EQ(p->bound->text, "urn:a");
    EXPECT_EQ(scope.declare("p", "urn:b"), nullptr);
    EXPECT_EQ(p->bound->text, "urn:b");
    scope.close();
    EXPECT_EQ(p->bound->text, "urn:a");
    scope.close();
    EXPECT_EQ(p->bound, nullptr);
}

TEST(NamespaceScope, TheDefaultNamespaceCanBeUndeclaredAndAPrefixCannot) {
    NamespaceScope scope;
    EXPECT_EQ(scope.empty()->bound->text, "");
    scope.open();
    EXPECT_EQ(scope.declare("", "urn:a"), nullptr);
    scope.open();
    EXPECT_EQ(scope.declare("", ""), nullptr);
    EXPECT_EQ(scope.empty()->bound->text, "");
    scope.close();
    EXPECT_EQ(scope.empty()->bound->text, "urn:a");
    EXPECT_NE(scope.declare("p", ""), nullptr);
}

TEST(NamespaceScope, ReservedNamesAreKept) {
    NamespaceScope scope;
    scope.open();
    EXPECT_NE(scope.declare("xmlns", "urn:a"), nullptr);
    EXPECT_NE(scope.declare("p", k_xmlns_uri), nullptr);
    EXPECT_NE(scope.declare("", k_xmlns_uri), nullptr);
    EXPECT_NE(scope.declare("xml", "urn:a"), nullptr);
    EXPECT_NE(scope.declare("p", k_xml_uri), nullptr);
    EXPECT_NE(scope.declare("", k_xml_uri), nullptr);
    EXPECT_EQ(scope.declare("xml", k_xml_uri), nullptr);
    EXPECT_EQ(scope.declare("p", "urn:a"), nullptr);
    EXPECT_STREQ(scope.declare("p", "urn:a"), k_attribute_twice);
}

TEST(NamespaceScope, ResetUndoesWhatAnAbandonedDocumentDeclared) {
    NamespaceScope scope;
    scope.open();
    ASSERT_EQ(scope.declare("p", "urn:a"), nullptr);
    ASSERT_EQ(scope.declare("", "urn:a"), nullptr);
    scope.reset();
    EXPECT_EQ(scope.text("p")->bound, nullptr);
    EXPECT_EQ(scope.empty()->bound->text, "");
}

TEST(NamespaceScope, ManyTextsStayApart) {
    NamespaceScope scope;
    auto* first = scope.text("p0");
    for (int i = 1; i < 100000; ++i)
        scope.text("p" + std::to_string(i));
    EXPECT_EQ(scope.text("p0"), first);
    EXPECT_EQ(scope.text("p99999")->text, "p99999");
    const auto before = scope.pool_generation();
    scope.reset();
    EXPECT_NE(scope.pool_generation(), before);
    EXPECT_EQ(scope.text("xml")->bound->text, k_xml_uri);
}

class Resolver : public testing::Test {
  protected:
    void SetUp() override {
        names_.reset();
        names_.open();
        ASSERT_TRUE(names_.declare("p", "urn:a"));
        ASSERT_TRUE(names_.declare("q", "urn:a"));
        ASSERT_TRUE(names_.declare("", "urn:d"));
    }
    NameResolver names_{100};
};

TEST_F(Resolver, ElementsTakeTheDefaultNamespaceAndAttributesDoNot) {
    EXPECT_EQ(names_.element("e")->uri, "urn:d");
    EXPECT_EQ(names_.attribute("e")->uri, "");
    EXPECT_EQ(names_.attribute("p:e")->uri, "urn:a");
    EXPECT_EQ(names_.attribute("p:e2")->prefix, "p");
    EXPECT_EQ(names_.attribute("xml:lang")->uri, k_xml_uri);
}

TEST_F(Resolver, ANameMeansWhatItsPrefixMeansHere) {
    const QName* outer = names_.element("p:e");
    names_.open();
    ASSERT_TRUE(names_.declare("p", "urn:b"));
    const QName* inner = names_.element("p:e");
    EXPECT_EQ(inner->uri, "urn:b");
    EXPECT_NE(inner, outer);
    names_.close();
    EXPECT_EQ(names_.element("p:e"), outer);
}

TEST_F(Resolver, AttributesAreUniqueByTheirExpandedNames) {
    ASSERT_NE(names_.element("e"), nullptr);
    EXPECT_NE(names_.attribute("p:x"), nullptr);
    EXPECT_NE(names_.attribute("x"), nullptr);
    EXPECT_EQ(names_.attribute("q:x"), nullptr);
    EXPECT_STREQ(names_.fault().where, k_attribute_twice);
    ASSERT_NE(names_.element("e"), nullptr);
    EXPECT_NE(names_.attribute("q:x"), nullptr);
    EXPECT_EQ(names_.attribute("q:x"), nullptr);
}

TEST_F(Resolver, WhatIsNoQualifiedNameIsRefused) {
    for (const char* written : {":a", "a:", "a:b:c", "p:1", "1:p", ":", ""}) {
        EXPECT_EQ(names_.element(written), nullptr) << written;
        EXPECT_STREQ(names_.fault().where, k_not_qualified);
    }
    EXPECT_EQ(names_.element("nowhere:a"), nullptr);
    EXPECT_STREQ(names_.fault().where, k_undeclared_prefix);
    EXPECT_EQ(names_.element("xmlns:a"), nullptr);
}

TEST_F(Resolver, DistinctNamesAreBounded) {
    const QName* name = nullptr;
    for (int i = 0; i < 100; ++i)
        name = names_.element("e" + std::to_string(i));
    EXPECT_NE(name, nullptr);
    EXPECT_EQ(names_.element("one-more"), nullptr);
    EXPECT_EQ(names_.fault().code, Errc::limit_exceeded);
    // The bound is one document's.
    names_.reset();
    names_.open();
    EXPECT_NE(names_.element("two-more"), nullptr);
}

}  // namespace
}  // namespace perfrelay::xml
