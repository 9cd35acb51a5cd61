#include "proto/model/event_listing.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "proto/xml/loader.h"
#include "tests/support/files.h"

namespace perfrelay {
namespace {

std::string listing(const XmlTape& tape, const Fidelity& shown = {}) {
    Buffer out;
    EventListing sink(out, shown);
    tape.play(sink);
    return std::string(as_text(out.view()));
}

std::string listing_of(std::string_view xml, const Fidelity& shown = {}) {
    Document document;
    document.source.append(xml);
    const auto loaded = xml::load(document, {});
    return loaded ? listing(document.xml, shown) : describe(loaded.error());
}

// What reading a listing says: the listing of what was read, or the error.
std::string read_again(std::string_view text, const Fidelity& shown = {},
                       const Limits& limits = {}) {
    XmlTape tape;
    const auto done = read_event_listing(text, limits, tape);
    return done ? listing(tape, shown) : describe(done.error());
}

TEST(EventListing, EveryKindOfEventHasItsLine) {
    const std::string xml =
        "<?pre d?><!DOCTYPE a PUBLIC \"pub\" \"sys\" [<!ENTITY e SYSTEM 'x'>]>"
        "<a xmlns=\"urn:a\" xmlns:p=\"urn:p\" b=\"1\" p:b=\"2\">t<!--c--><p:x/>&e;<?q?></a>";
    const std::string expected =
        "SD\nPI pre \"d\"\nDT a|pub|sys\nSE {urn:a}a \nNS =urn:a\nNS p=urn:p\nAT {urn:p}b = \"2\"\n"
        "AT {}b = \"1\"\nCH \"t\"\nCM \"c\"\nSE {urn:p}x p\nEE\nER e\nPI q \"\"\nEE\nED\n";
    EXPECT_EQ(listing_of(xml), expected);
    EXPECT_EQ(read_again(expected), expected);
}

TEST(EventListing, WhatIsNotKeptIsNotShownAndTextAroundItIsOne) {
    const std::string xml =
        "<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><p:a xmlns:p='u'>1<!--c-->2<?q r?>3&e;4</p:a>";
    EXPECT_EQ(listing_of(xml, {.comments = false,
                               .processing_instructions = false,
                               .doctype = false,
                               .prefixes = false,
                               .entity_references = false}),
              "SD\nSE {u}a\nCH \"1234\"\nEE\nED\n");
    EXPECT_EQ(listing_of(xml, {.comments = false, .doctype = false}),
              "SD\nSE {u}a p\nNS p=u\nCH \"12\"\nPI q \"r\"\nCH \"3\"\nER e\nCH \"4\"\nEE\nED\n");
}

TEST(EventListing, ValuesAreEscapedAndNothingElseIs) {
    NameTable names;
    const QName* a = names.intern("u\"\\\n{}", "a", "");
    Buffer out;
    EventListing sink(out);
    sink.start_document();
    sink.start_element(a);
    sink.attribute(a, "\"\\\n\t\r\x01\x1f \x7f\xc3\xa9");
    sink.characters("x\"");
    sink.characters("");
    sink.characters("\ny");
    sink.end_element(a);
    sink.end_document();
    EXPECT_EQ(as_text(out.view()),
              "SD\nSE {u\"\\\\n{}}a \nAT {u\"\\\\n{}}a = \"\\\"\\\\\\n\\t\\r\\u0001\\u001f "
              "\x7f\xc3\xa9\"\n"
              "CH \"x\\\"\\ny\"\nEE\nED\n");
}

TEST(EventListing, LinesSortByUtf16CodeUnits) {
    // U+10000 is D800 DC00 in UTF-16, before U+F900; in UTF-8 it is the other way round. Whole
    // lines: "a" before "a-b" because of the blank behind it.
    NameTable names;
    const QName* r = names.intern("", "r", "");
    Buffer out;
    EventListing sink(out);
    sink.start_document();
    sink.start_element(r);
    for (const char* local :
         {"a\xef\xa4\x80", "a\xf0\x90\x80\x80", "a\xed\x9f\xbb", "a-b", "a", "Z"})
        sink.attribute(names.intern("", local, ""), "");
    sink.namespace_declaration("b", "1");
    sink.namespace_declaration("", "2");
    sink.end_element(r);
    EXPECT_EQ(as_text(out.view()),
              "SD\nSE {}r \nNS =2\nNS b=1\nAT {}Z = \"\"\nAT {}a = \"\"\nAT {}a-b = \"\"\n"
              "AT {}a\xed\x9f\xbb = \"\"\nAT {}a\xf0\x90\x80\x80 = \"\"\nAT {}a\xef\xa4\x80 = "
              "\"\"\nEE\n");
}

TEST(ReadEventListing, OddNamesAndValuesComeBack) {
    for (const std::string text : {
             "SD\nSE {${stuff}}l p\nNS p=${stuff}\nNS q=a b}c\nAT {a b}c}k = \"1\"\nAT {}k = "
             "\"2\"\n"
             "SE {q|#x}m q\nNS q=q|#x\nEE\nEE\nED\n",
             "SD\nSE {}r \nAT { = \"}a = \" = \\\"} = \\\\\"\nEE\nED\n",
             "SD\nDT r|p|C:\\new|x\nCM \"\"\nSE {}r \nCH "
             "\"\\u0001\\u001f\\\"\\\\\\n\\t\\r\"\nEE\nED\n",
         }) {
        EXPECT_EQ(read_again(text), text);
    }
}

TEST(ReadEventListing, WithoutPrefixesNamesHaveNone) {
    const std::string text = "SD\nSE {u}r\nAT {v}a = \"1\"\nEE\nED\n";
    EXPECT_EQ(read_again(text, {.prefixes = false}), text);
}

TEST(ReadEventListing, AttributesTakeThePrefixInScope) {
    const auto prefix_of_last = [](std::string_view text) -> std::string {
        XmlTape tape;
        const auto done = read_event_listing(text, {}, tape);
        if (!done) return describe(done.error());
        std::string found;
        for (const XmlTape::Event& event : tape.events()) {
            if (event.kind() == XmlTape::Kind::attribute) found = event.name->prefix;
        }
        return found;
    };
    EXPECT_EQ(prefix_of_last("SD\nSE {}r \nNS =u\nNS p=u\nNS q=u\nAT {u}a = \"\"\nEE\nED\n"), "p");
    EXPECT_EQ(prefix_of_last("SD\nSE {}r \nNS p=u\nNS q=u\nSE {}s \nNS p=v\nAT {u}a = \"\"\nEE\n"
                             "EE\nED\n"),
              "q");
    EXPECT_EQ(prefix_of_last("SD\nSE {}r \nSE {}s \nNS p=u\nEE\nAT {u}a = \"\"\nEE\nED\n"),
              "line 6: listing: AT stands behind SE, NS or AT");
    EXPECT_EQ(prefix_of_last("SD\nSE {}r \nSE {}s \nNS p=u\nEE\nSE {}s \nAT {u}a = \"\"\nEE\nEE\n"
                             "ED\n"),
              "");
    EXPECT_EQ(prefix_of_last("SD\nSE {}r \nAT {http://www.w3.org/XML/1998/namespace}lang = \"\"\n"
                             "EE\nED\n"),
              "xml");
}

TEST(ReadEventListing, AFragmentHasSeveralElements) {
    const std::string text = "SD\nSE {}a \nEE\nSE {}b \nEE\nED\n";
    EXPECT_EQ(read_again(text), text);
}

TEST(ReadEventListing, FaultsAreNamedWithTheirLine) {
    const auto starts = [](std::string_view text, std::string_view expected) {
        const std::string said = read_again(text);
        EXPECT_TRUE(said.starts_with(expected)) << text << "\n" << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    };
    starts("", "line 1: listing: no ED");
    starts("SD\n", "line 2: listing: no ED");
    starts("SD\nED", "line 2: listing: the last line has no end");
    starts("SE {}a\n", "line 1: listing: the first line is SD");
    starts("SD\nSD\n", "line 2: listing: SD");
    starts("SD\nEE\n", "line 2: listing: EE without SE");
    starts("SD\nSE {}a \nED\n", "line 3: listing: ED inside");
    starts("SD\nED\nED\n", "line 3: listing: a line behind ED");
    starts("SD\nXX\n", "line 2: listing: no event");
    starts("SD\n\n", "line 2: listing: no event");
    starts("SD\nCH \"x\"\n", "line 2: listing: CH outside");
    starts("SD\nSE a\n", "line 2: listing: SE {uri}local");
    starts("SD\nSE {}\n", "line 2: listing: SE {uri}local");
    starts("SD\nSE {}a \nNS p\n", "line 3: listing: NS prefix=uri");
    starts("SD\nSE {}a \nAT {}b = \"\"\nNS p=u\n", "line 4: listing: NS stands");
    starts("SD\nSE {}a \nAT {}b \"\"\n", "line 3: listing: AT {uri}local");
    for (const char* value : {"", " ", "\"", "x", "\"\"", " x\"", " \"x", " \"", " \"a\"b\""}) {
        starts("SD\nSE {}a \nCH" + std::string(value) + "\n", "line 3: listing: ");
    }
    for (const char* escape : {"\\", "\\x", "\\u", "\\u000", "\\u0020", "\\u0000", "\\u001G"}) {
        starts("SD\nSE {}a \nCH \"" + std::string(escape) + "\"\n", "line 3: listing: ");
    }
    for (const char control : {'\0', '\x01', '\t', '\r', '\x1f'}) {
        starts("SD\nSE {}a \nCH \"" + std::string(1, control) + "\"\n",
               "line 3: listing: an unescaped control");
    }
    for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
        starts("SD\nSE {}a \nCH \"" + std::string(bad) + "\"\n", "line 3: listing: not UTF-8");
    }
    Limits tight;
    tight.max_depth = 1;
    EXPECT_EQ(read_again("SD\nSE {}a \nSE {}a \n", {}, tight),
              "line 3: listing: elements nested deeper than the limit");
    tight = {};
    tight.max_names = 1;
    EXPECT_EQ(read_again("SD\nSE {}a \nSE {}b \n", {}, tight),
              "line 3: listing: more names than the limit");
}

// Listings that other implementations made, beside the checkout where they are.
TEST(ReadEventListing, EveryListingOfTheVectorsComesBackByteForByte) {
    const std::filesystem::path folder = "../shared/vectors/exi/events";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no vectors at " << folder;
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".events") continue;
        const std::string text = file_text(entry.path());
        const std::size_t element = text.find("\nSE ") + 1;
        const bool prefixes =
            text.find_last_of(" }", text.find('\n', element)) > text.find('}', element);
        EXPECT_EQ(read_again(text, {.prefixes = prefixes}), text) << entry.path();
        ++count;
    }
    EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace perfrelay
