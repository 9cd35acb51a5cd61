// A document without prefixes as XML input once failed every row that keeps them.
#include "proto/model/declare_namespaces.h"

#include <string>

#include <gtest/gtest.h>

#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay {
namespace {

constexpr const char* k_xsi = "http://www.w3.org/2001/XMLSchema-instance";

std::string text_of(const XmlTape& tape) {
    Document document;
    TapeSink<true> keep(document.xml);
    tape.play(keep);
    std::string why;
    const auto codec = FormatTable::built_in().make("xml:expat", {}, why);
    Buffer out;
    EXPECT_FALSE(codec->cannot_represent(document, false));
    EXPECT_TRUE(codec->prepare(document));
    EXPECT_TRUE(codec->encode(document, out));
    XmlTape again;
    EXPECT_TRUE(codec->decode(out.view(), again));
    // Nothing was left for the writer to invent.
    EXPECT_FALSE(difference(tape, again, Fidelity()));
    const std::string text(as_text(out.view()));
    return text.substr(text.find("?>\n") + 3);
}

TEST(DeclareNamespaces, WhatIsInScopeStaysAsItIs) {
    const std::string text =
        "<p:a xmlns:p=\"u\" p:x=\"1\" xml:lang=\"en\"><b xmlns=\"v\"><c xmlns=\"\"/></b></p:a>";
    Document document;
    document.source.append(std::string_view(text));
    ASSERT_TRUE(xml::load(document, {}));
    XmlTape declared;
    declare_namespaces(document.xml, declared);
    EXPECT_EQ(text_of(declared), text);
}

class Undeclared {
  public:
    Undeclared() { sink_.start_document(); }
    const QName* name(const char* uri, const char* local, const char* prefix = "") {
        return names_.intern(uri, local, prefix);
    }
    TapeSink<true>& sink() { return sink_; }
    std::string declared() {
        sink_.end_document();
        XmlTape result;
        declare_namespaces(tape_, result);
        EXPECT_FALSE(difference(tape_, result, Fidelity{.prefixes = false}));
        return text_of(result);
    }

  private:
    XmlTape tape_;
    NameTable names_;
    TapeSink<true> sink_{tape_};
};

TEST(DeclareNamespaces, ElementsGetTheDefaultNamespace) {
    Undeclared made;
    const QName* a = made.name("u", "a");
    const QName* b = made.name("", "b");
    made.sink().start_element(a);
    made.sink().start_element(a);
    made.sink().end_element(a);
    made.sink().start_element(b);
    made.sink().end_element(b);
    made.sink().end_element(a);
    EXPECT_EQ(made.declared(), "<a xmlns=\"u\"><a/><b xmlns=\"\"/></a>");
}

TEST(DeclareNamespaces, AttributesGetAPrefixThatIsFree) {
    Undeclared made;
    const QName* a = made.name("", "a");
    made.sink().start_element(a);
    made.sink().namespace_declaration("ns1", "w");
    made.sink().attribute(made.name("u", "x"), "1");
    made.sink().attribute(made.name("u", "y"), "2");
    made.sink().attribute(made.name("w", "z"), "3");
    made.sink().attribute(made.name("", "n"), "4");
    made.sink().attribute(made.name(k_xsi, "nil"), "true");
    made.sink().attribute(made.name("http://www.w3.org/XML/1998/namespace", "lang"), "en");
    made.sink().end_element(a);
    EXPECT_EQ(made.declared(), "<a xmlns:ns1=\"w\" xmlns:ns2=\"u\" xmlns:xsi=\"" +
                                   std::string(k_xsi) +
                                   "\" ns2:x=\"1\" ns2:y=\"2\" ns1:z=\"3\" n=\"4\" "
                                   "xsi:nil=\"true\" xml:lang=\"en\"/>");
}

// The decoder declares the namespace of an xsi:type behind attributes that came first.
TEST(DeclareNamespaces, DeclarationsGoInFrontOfAttributes) {
    Undeclared made;
    const QName* a = made.name("u", "a");
    made.sink().start_element(a);
    made.sink().attribute(made.name("", "n"), "4");
    made.sink().namespace_declaration("", "w");
    made.sink().end_element(a);
    EXPECT_EQ(made.declared(), "<ns1:a xmlns=\"w\" xmlns:ns1=\"u\" n=\"4\"/>");
}

}  // namespace
}  // namespace perfrelay
