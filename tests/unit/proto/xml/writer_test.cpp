#include "proto/xml/writer.h"

#include <string>

#include "proto/xml/survey.h"
#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

constexpr std::string_view k_declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

class Writer : public testing::Test {
  protected:
    const QName* name(std::string_view local, std::string_view uri = "",
                      std::string_view prefix = "") {
        return names_.intern(uri, local, prefix);
    }

    // What `events` write, without the declaration; "fault: " and its reason when it cannot be.
    template <class Events>
    std::string written(const Events& events) {
        out_.clear();
        writer_.write_to(out_);
        writer_.start_document();
        events(writer_);
        writer_.end_document();
        if (const auto done = writer_.finish(); !done) {
            EXPECT_EQ(done.error().code, Errc::unsupported);
            return std::string("fault: ") + done.error().where;
        }
        const std::string_view text = as_text(out_.view());
        EXPECT_TRUE(text.starts_with(k_declaration));
        return std::string(text.substr(k_declaration.size()));
    }

    std::string written_text(std::string_view text) {
        return written([&](XmlWriter& writer) {
            writer.start_element(name("a"));
            writer.characters(text);
            writer.end_element(name("a"));
        });
    }

    std::string written_value(std::string_view value) {
        return written([&](XmlWriter& writer) {
            writer.start_element(name("a"));
            writer.attribute(name("b"), value);
            writer.end_element(name("a"));
        });
    }

    NameTable names_;
    Buffer out_;
    XmlWriter writer_;
};

TEST_F(Writer, ElementsAttributesAndText) {
    EXPECT_EQ(
        written([&](XmlWriter& writer) {
            writer.comment(" c ");
            writer.doctype({"a", "-//P", "s'", "<!ENTITY e 'x'>", true, true});
            writer.processing_instruction("t", "d");
            writer.start_element(name("a", "urn:a"));
            writer.namespace_declaration("", "urn:a");
            writer.namespace_declaration("p", "urn:<p>");
            writer.attribute(name("x"), "1");
            writer.attribute(name("a-name-of-more-than-sixteen", "urn:<p>", "p"), "");
            writer.characters("t");
            writer.start_element(name("b", "urn:<p>", "p"));
            writer.end_element(name("b", "urn:<p>", "p"));
            writer.entity_reference("e");
            writer.end_element(name("a", "urn:a"));
            writer.processing_instruction("u", "");
        }),
        "<!-- c --><!DOCTYPE a PUBLIC \"-//P\" \"s'\" [<!ENTITY e 'x'>]><?t d?>"
        "<a xmlns=\"urn:a\" xmlns:p=\"urn:&lt;p>\" x=\"1\" p:a-name-of-more-than-sixteen=\"\">"
        "t<p:b/>&e;</a><?u?>");
}

TEST_F(Writer, TextIsEscapedWhereItMustBe) {
    EXPECT_EQ(written_text("<&>'\"\t\n"), "<a>&lt;&amp;>'\"\t\n</a>");
    EXPECT_EQ(written_text("a\rb"), "<a>a&#13;b</a>");
    EXPECT_EQ(written_text("]]>"), "<a>]]&gt;</a>");
    EXPECT_EQ(written_text("a]>b]]b>"), "<a>a]>b]]b></a>");
    EXPECT_EQ(written([&](XmlWriter& writer) {
                  writer.start_element(name("a"));
                  writer.characters("x]");
                  writer.characters("]");
                  writer.characters(">");
                  writer.end_element(name("a"));
              }),
              "<a>x]]&gt;</a>");
}

TEST_F(Writer, AttributesAreEscapedWhereTheyMustBe) {
    EXPECT_EQ(written_value("<&>'\""), "<a b=\"&lt;&amp;>'&quot;\"/>");
    EXPECT_EQ(written_value("\t\n\r "), "<a b=\"&#9;&#10;&#13; \"/>");
}

// Short and long texts are scanned in different ways; the special byte may be anywhere in them.
TEST_F(Writer, EverySpecialByteIsFoundAtEveryPlaceOfEveryLength) {
    const std::pair<char, const char*> in_text[] = {{'<', "&lt;"}, {'&', "&amp;"}, {'\r', "&#13;"},
                                                    {'>', ">"},    {'\n', "\n"},   {'"', "\""}};
    const std::pair<char, const char*> in_value[] = {
        {'<', "&lt;"},   {'&', "&amp;"}, {'"', "&quot;"}, {'\r', "&#13;"},
        {'\n', "&#10;"}, {'\t', "&#9;"}, {'>', ">"}};
    for (std::size_t size = 1; size <= 70; ++size) {
        for (std::size_t at = 0; at < size; ++at) {
            const std::string before(at, 'x');
            const std::string after(size - at - 1, '\x7F');
            for (const auto& [c, escaped] : in_text)
                ASSERT_EQ(written_text(joined({before, {&c, 1}, after})),
                          joined({"<a>", before, escaped, after, "</a>"}));
            for (const auto& [c, escaped] : in_value)
                ASSERT_EQ(written_value(joined({before, {&c, 1}, after})),
                          joined({"<a b=\"", before, escaped, after, "\"/>"}));
            for (const char* bad : {"\x01", "\x0B", "\x1F"}) {
                ASSERT_EQ(written_text(joined({before, bad, after})),
                          "fault: a character that XML cannot hold");
                ASSERT_EQ(written_value(joined({before, bad, after})),
                          "fault: a character that XML cannot hold");
            }
        }
    }
}

// What a careful look at each character alone makes of it; empty when it cannot be.
std::string escaped_one_by_one(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') return "";
        out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '\r' ? "&#13;" : std::string(1, c);
    }
    return out;
}

// A byte that a careless trick with carries would take for special, or not.
TEST_F(Writer, EveryByteValueIsTakenForWhatItIs) {
    for (int first = 1; first < 256; ++first) {
        for (int second = 1; second < 256; ++second) {
            if (first == 0xEF || second == 0xEF || first == ']' || second == '>') continue;
            std::string text = "xxxxxxxx";
            text[3] = static_cast<char>(first);
            text[4] = static_cast<char>(second);
            const std::string expected = escaped_one_by_one(text);
            const std::string result = written_text(text);
            ASSERT_EQ(result, expected.empty() ? "fault: a character that XML cannot hold"
                                               : joined({"<a>", expected, "</a>"}))
                << first << " " << second;
        }
    }
}

TEST_F(Writer, NonCharactersAreRefusedAndTheirNeighboursAreNot) {
    for (const char* bad :
         {"\xEF\xBF\xBE", "\xEF\xBF\xBF", "abcdefghijklmnopqrstuvw\xEF\xBF\xBFx"}) {
        EXPECT_TRUE(written_text(bad).starts_with("fault")) << bad;
        EXPECT_TRUE(written_value(bad).starts_with("fault")) << bad;
    }
    for (const std::string good : {"\xEF\xBF\xBD", "\xEF\xBC\x81\xEF\xBD\xB1", "\xEE\x80\x80"}) {
        EXPECT_EQ(written_text(good), "<a>" + good + "</a>");
        EXPECT_EQ(written_value(good), "<a b=\"" + good + "\"/>");
    }
}

TEST_F(Writer, WhatCannotBeEscapedIsAFault) {
    const auto comment = [&](std::string_view text) {
        return written([&](XmlWriter& writer) {
            writer.comment(text);
            writer.start_element(name("a"));
            writer.end_element(name("a"));
        });
    };
    for (const char* bad : {"--", "a--b", "a-", "-", "a\rb", "\x02"})
        EXPECT_EQ(comment(bad), "fault: a comment that XML cannot hold") << bad;
    EXPECT_EQ(comment("- -x"), "<!--- -x--><a/>");

    const auto instruction = [&](std::string_view target, std::string_view data) {
        return written([&](XmlWriter& writer) {
            writer.processing_instruction(target, data);
            writer.start_element(name("a"));
            writer.end_element(name("a"));
        });
    };
    for (const auto& [target, data] : {std::pair{"xml", ""},
                                       {"XmL", ""},
                                       {"a:b", ""},
                                       {"", ""},
                                       {"1", ""},
                                       {"a", "?>"},
                                       {"a", " x"},
                                       {"a", "x\r"}}) {
        EXPECT_EQ(instruction(target, data), "fault: a processing instruction that XML cannot hold")
            << target << data;
    }
    EXPECT_EQ(instruction("xml-x", "?"),
              "<?xml-x ?"
              "?><a/>");

    const auto doctype = [&](const Doctype& parts) {
        return written([&](XmlWriter& writer) {
            writer.doctype(parts);
            writer.start_element(name("a"));
            writer.end_element(name("a"));
        });
    };
    EXPECT_TRUE(doctype({"a", "", "'\"", "", true, false}).starts_with("fault"));
    EXPECT_TRUE(doctype({"a", "pub", "", "", false, false}).starts_with("fault"));
    EXPECT_TRUE(doctype({"a", "{}", "s", "", true, false}).starts_with("fault"));
    EXPECT_TRUE(doctype({"1", "", "", "", false, false}).starts_with("fault"));
    EXPECT_EQ(doctype({"a", "", "\"", "", true, true}), "<!DOCTYPE a SYSTEM '\"' []><a/>");
    EXPECT_EQ(doctype({"a", "", "", "", false, false}), "<!DOCTYPE a><a/>");
}

TEST_F(Writer, NamesAndStructureAreChecked) {
    const auto element = [&](const QName* qname) {
        return written([&](XmlWriter& writer) {
            writer.start_element(qname);
            writer.end_element(qname);
        });
    };
    EXPECT_EQ(element(name("1")), "fault: a name that XML cannot hold");
    EXPECT_EQ(element(name("a b")), "fault: a name that XML cannot hold");
    EXPECT_EQ(element(name("a:b")), "fault: a name that XML cannot hold");
    EXPECT_EQ(element(name("a", "urn:a", "p q")), "fault: a name that XML cannot hold");
    EXPECT_EQ(element(name("a", "", "p")), "fault: a prefix must not be undeclared");
    EXPECT_EQ(written([](XmlWriter&) {}), "fault: a document that is not one element");
    EXPECT_EQ(written([](XmlWriter& writer) { writer.characters("x"); }),
              "fault: text outside the root element");
    EXPECT_EQ(written([&](XmlWriter& writer) {
                  for (int i = 0; i < 2; ++i) {
                      writer.start_element(name("a"));
                      writer.end_element(name("a"));
                  }
              }),
              "fault: a second root element");
    // A fault stays until the next document, and no longer.
    EXPECT_EQ(written_text("x"), "<a>x</a>");
}

// Names without declarations, as a source that keeps no prefixes gives them.
TEST_F(Writer, DeclarationsAreInventedWhereTheyLack) {
    const std::string text = written([&](XmlWriter& writer) {
        writer.start_element(name("a", "urn:a"));
        writer.attribute(name("x", "urn:x"), "1");
        writer.attribute(name("y", "urn:y"), "2");
        writer.attribute(name("z"), "3");
        writer.attribute(name("lang", k_xml_uri), "en");
        writer.start_element(name("b", "urn:a"));
        writer.attribute(name("x", "urn:x"), "4");
        writer.start_element(name("c"));
        writer.end_element(name("c"));
        writer.start_element(name("d", "urn:d", "p"));
        writer.attribute(name("e", "urn:e", "p"), "5");
        writer.end_element(name("d", "urn:d", "p"));
        writer.end_element(name("b", "urn:a"));
        writer.end_element(name("a", "urn:a"));
    });
    EXPECT_EQ(text,
              "<a xmlns=\"urn:a\" xmlns:ns1=\"urn:x\" ns1:x=\"1\" xmlns:ns2=\"urn:y\" ns2:y=\"2\" "
              "z=\"3\" xml:lang=\"en\"><b ns1:x=\"4\"><c xmlns=\"\"/><p:d xmlns:p=\"urn:d\" "
              "xmlns:ns3=\"urn:e\" ns3:e=\"5\"/></b></a>");
    EXPECT_TRUE(writer_.invented());
    const auto document = loaded(text);
    ASSERT_NE(document, nullptr);
    EXPECT_EQ(listing(document->xml).find("NS p=urn:e"), std::string::npos);
}

TEST_F(Writer, AnInventedPrefixIsDeclaredAgainWhereItIsOutOfScope) {
    const std::string text = written([&](XmlWriter& writer) {
        writer.start_element(name("a"));
        for (int i = 0; i < 2; ++i) {
            writer.start_element(name("b"));
            writer.attribute(name("x", "urn:x"), "1");
            writer.end_element(name("b"));
        }
        writer.start_element(name("b"));
        writer.namespace_declaration("ns1", "urn:other");
        writer.attribute(name("x", "urn:x"), "1");
        writer.end_element(name("b"));
        writer.end_element(name("a"));
    });
    EXPECT_EQ(text,
              "<a><b xmlns:ns1=\"urn:x\" ns1:x=\"1\"/><b xmlns:ns1=\"urn:x\" ns1:x=\"1\"/>"
              "<b xmlns:ns1=\"urn:other\" xmlns:ns2=\"urn:x\" ns2:x=\"1\"/></a>");
}

TEST_F(Writer, AnAttributeInTheDefaultNamespaceNeedsAPrefix) {
    EXPECT_EQ(written([&](XmlWriter& writer) {
                  writer.start_element(name("a", "urn:a"));
                  writer.namespace_declaration("", "urn:a");
                  writer.attribute(name("x", "urn:a"), "1");
                  writer.end_element(name("a", "urn:a"));
              }),
              "<a xmlns=\"urn:a\" xmlns:ns1=\"urn:a\" ns1:x=\"1\"/>");
}

TEST_F(Writer, ContradictionsAreFaults) {
    EXPECT_EQ(written([&](XmlWriter& writer) {
                  writer.start_element(name("a", "urn:a"));
                  writer.namespace_declaration("", "urn:b");
                  writer.end_element(name("a", "urn:a"));
              }),
              "fault: an element whose own declarations contradict its name");
    EXPECT_EQ(written([&](XmlWriter& writer) {
                  writer.start_element(name("a"));
                  writer.attribute(name("x", "", "p"), "");
                  writer.end_element(name("a"));
              }),
              "fault: an attribute with a prefix but without a namespace");
    EXPECT_TRUE(written([&](XmlWriter& writer) {
                    writer.start_element(name("a"));
                    writer.namespace_declaration("p", "");
                    writer.end_element(name("a"));
                }).starts_with("fault"));
}

// Another table may put another name in the same place.
TEST_F(Writer, NamesOfTheDocumentBeforeAreNotTakenForNew) {
    for (const char* local : {"one", "two", "three"}) {
        names_.clear();
        const std::string text = written([&](XmlWriter& writer) {
            writer.start_element(name(local));
            writer.end_element(name(local));
        });
        EXPECT_EQ(text, std::string("<") + local + "/>");
    }
}

TEST_F(Writer, RandomlyStrippedDocumentsAreWrittenRight) {
    // Names without prefixes and declarations; what comes back has the same expanded names.
    const auto document = loaded(
        "<p:a xmlns:p='urn:a' xmlns='urn:d' p:x='1'><b/><q:c xmlns:q='urn:q' q:y='2' p:z='3'>"
        "<b xmlns=''><p:d p:x='4' q:x='5' x='6'/></b></q:c>t</p:a>");
    XmlTape stripped;
    {
        NameTable bare;
        TapeSink<true> sink(stripped);
        sink.start_document();
        for (const XmlTape::Event& event : document->xml.events()) {
            switch (event.kind()) {
                case XmlTape::Kind::start_element:
                    sink.start_element(bare.intern(event.name->uri, event.name->local, ""));
                    break;
                case XmlTape::Kind::end_element:
                    sink.end_element(bare.intern(event.name->uri, event.name->local, ""));
                    break;
                case XmlTape::Kind::attribute:
                    sink.attribute(bare.intern(event.name->uri, event.name->local, ""),
                                   event.text_view());
                    break;
                case XmlTape::Kind::characters: sink.characters(event.text_view()); break;
                default: break;
            }
        }
        sink.end_document();
    }
    out_.clear();
    writer_.write_to(out_);
    stripped.play(writer_);
    ASSERT_TRUE(writer_.finish().has_value());
    const auto again = loaded(as_text(out_.view()));
    ASSERT_NE(again, nullptr);
    EXPECT_EQ(difference(document->xml, again->xml, {.prefixes = false}).value_or(""), "");
    EXPECT_TRUE(survey(stripped).undeclared_names);
    EXPECT_FALSE(survey(document->xml).undeclared_names);
}

}  // namespace
}  // namespace perfrelay::xml
