#include "proto/model/xml_tape.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

// A small document with everything in it.
struct Parts {
    std::string attribute = "1";
    std::string text = "hello";
    std::string comment = "c";
    std::string prefix = "p";
    std::string internal = "<!ENTITY e 'x'>";
    std::string data = "d";
    std::string entity = "e";
    bool swap_attributes = false;
    bool split_text = false;
    bool extra_element = false;
};

template <bool copied = true>
void record(XmlTape& tape, const Parts& parts) {
    NameTable names;
    const QName* root = names.intern("urn:a", "root", parts.prefix);
    const QName* one = names.intern("", "one", "");
    const QName* two = names.intern("", "two", "");
    TapeSink<copied> sink(tape);
    sink.start_document();
    sink.doctype({"p:root", "", "x.dtd", parts.internal, true, true});
    sink.comment(parts.comment);
    sink.start_element(root);
    sink.namespace_declaration(parts.prefix, "urn:a");
    if (parts.swap_attributes) {
        sink.attribute(two, "2");
        sink.attribute(one, parts.attribute);
    } else {
        sink.attribute(one, parts.attribute);
        sink.attribute(two, "2");
    }
    if (parts.split_text) {
        for (const char& c : parts.text)
            sink.characters({&c, 1});
    } else {
        sink.characters(parts.text);
    }
    sink.comment("between");
    sink.characters(" world");
    sink.processing_instruction("pi", parts.data);
    sink.entity_reference(parts.entity);
    if (parts.extra_element) {
        sink.start_element(one);
        sink.end_element(one);
    }
    sink.end_element(root);
    sink.end_document();
}

std::string compare(const Parts& changed, const Fidelity& fidelity = {}) {
    XmlTape original;
    XmlTape other;
    record(original, Parts{});
    record(other, changed);
    return difference(original, other, fidelity).value_or("");
}

TEST(XmlTape, EqualDocumentsDoNotDiffer) {
    EXPECT_EQ(compare({}), "");
}

TEST(XmlTape, ReplayingGivesTheSameTape) {
    XmlTape original;
    record(original, Parts{});
    XmlTape copy;
    TapeSink<true> sink(copy);
    original.play(sink);
    EXPECT_EQ(difference(original, copy, {}).value_or(""), "");
    EXPECT_EQ(copy.events().size(), original.events().size());
}

TEST(XmlTape, EveryKindOfChangeIsFoundAndNamed) {
    EXPECT_NE(compare({.attribute = "7"}).find("attribute {}one: \"7\" where \"1\""),
              std::string::npos)
        << compare({.attribute = "7"});
    EXPECT_NE(compare({.text = "hullo"}).find("text \"hullo\" where \"hello\""), std::string::npos);
    EXPECT_NE(compare({.comment = "x"}).find("comment"), std::string::npos);
    EXPECT_NE(compare({.prefix = "q"}).find("{urn:a}q:root"), std::string::npos);
    EXPECT_NE(compare({.internal = ""}).find("internal subset"), std::string::npos);
    EXPECT_NE(compare({.data = "x"}).find("processing instruction"), std::string::npos);
    EXPECT_NE(compare({.entity = "x"}).find("reference"), std::string::npos);
    EXPECT_NE(compare({.extra_element = true}).find("start of {}one where end of"),
              std::string::npos);
}

TEST(XmlTape, WhatDoesNotCountIsNotFound) {
    EXPECT_EQ(compare({.swap_attributes = true}), "");
    EXPECT_EQ(compare({.split_text = true}), "");
}

TEST(XmlTape, FidelityDecidesWhatCounts) {
    EXPECT_EQ(compare({.comment = "x"}, {.comments = false}), "");
    EXPECT_EQ(compare({.prefix = "q"}, {.prefixes = false}), "");
    EXPECT_EQ(compare({.internal = "x"}, {.internal_subset = false}), "");
    EXPECT_EQ(compare({.data = "x"}, {.processing_instructions = false}), "");
    EXPECT_EQ(compare({.entity = "x"}, {.entity_references = false}), "");
    EXPECT_NE(compare({.text = "x"}, {.comments = false, .prefixes = false}), "");
    // Text around a comment that is not kept is one text.
    EXPECT_NE(compare({.text = "hello "}, {.comments = false}), "");
}

// EXI Profile 3.1
TEST(XmlTape, AnyTypeMayBeAdded) {
    constexpr std::string_view k_xsd = "http://www.w3.org/2001/XMLSchema";
    const auto tape_of = [&](XmlTape& tape, std::string_view prefix, std::string_view type) {
        NameTable names;
        TapeSink<true> sink(tape);
        sink.start_document();
        sink.start_element(names.intern("", "r", ""));
        if (!prefix.empty()) sink.namespace_declaration(prefix, k_xsd);
        if (!type.empty()) {
            sink.attribute(names.intern("http://www.w3.org/2001/XMLSchema-instance", "type", "xsi"),
                           type);
        }
        sink.end_element(names.intern("", "r", ""));
        sink.end_document();
    };
    XmlTape plain;
    XmlTape any;
    XmlTape other;
    XmlTape typed;
    tape_of(plain, "", "");
    tape_of(any, "x", "x:anyType");
    tape_of(other, "x", "x:int");
    tape_of(typed, "x", "x:decimal");
    const Fidelity may{.may_add_any_type = true};
    EXPECT_EQ(difference(plain, any, may), std::nullopt);
    EXPECT_NE(difference(plain, any, {}), std::nullopt);
    EXPECT_NE(difference(plain, other, may), std::nullopt);
    EXPECT_NE(difference(any, plain, may), std::nullopt);
    EXPECT_NE(difference(typed, any, may), std::nullopt);
}

TEST(XmlTape, BorrowedTextIsNotCopiedWhileItLiesSideBySide) {
    const Parts parts{.split_text = true};
    XmlTape tape;
    record<false>(tape, parts);
    bool seen = false;
    for (const XmlTape::Event& event : tape.events()) {
        if (event.kind() != XmlTape::Kind::characters || seen) continue;
        seen = true;
        EXPECT_EQ(event.text_view(), "hello");
        EXPECT_EQ(event.text, parts.text.data());
    }
    EXPECT_TRUE(seen);
}

TEST(XmlTape, PiecesFromHereAndThereAreJoined) {
    for (const bool copied : {false, true}) {
        XmlTape tape;
        NameTable names;
        const QName* root = names.intern("", "r", "");
        const auto feed = [&](auto sink) {
            sink.start_document();
            sink.start_element(root);
            sink.characters("ab");
            sink.characters("");
            const std::string elsewhere = "cd";
            sink.characters(elsewhere);
            sink.characters("ef");
            sink.end_element(root);
            sink.end_document();
        };
        if (copied) {
            feed(TapeSink<true>(tape));
        } else {
            feed(TapeSink<false>(tape));
        }
        ASSERT_EQ(tape.events().size(), 3U);
        EXPECT_EQ(tape.events()[1].text_view(), "abcdef");
    }
}

TEST(XmlTape, RecordingAgainStartsAnew) {
    XmlTape tape;
    record(tape, Parts{});
    const std::size_t events = tape.events().size();
    record(tape, Parts{});
    EXPECT_EQ(tape.events().size(), events);
}

// A target of 16 MiB and more was cut to its size's lower 24 bits.
TEST(XmlTape, LongTargetsAreKeptWhole) {
    for (const std::size_t size : {(1U << 24U) - 2, (1U << 24U) - 1, 1U << 24U, (1U << 24U) + 5}) {
        const std::string target(size, 't');
        XmlTape tape;
        TapeSink<true> sink(tape);
        sink.start_document();
        sink.processing_instruction(target, "data");
        sink.end_document();
        EXPECT_TRUE(tape.events()[0].first_view() == target) << size;
        EXPECT_EQ(tape.events()[0].text_view(), "data");
    }
}

}  // namespace
}  // namespace perfrelay
