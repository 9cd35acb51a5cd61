#include "proto/model/whitespace.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/model/event_listing.h"
#include "proto/xml/loader.h"
#include "tests/support/files.h"

namespace perfrelay {
namespace {

Document load(std::string_view xml) {
    Document document;
    document.source.append(xml);
    const auto loaded = xml::load(document, {});
    EXPECT_TRUE(loaded) << describe(loaded.error());
    return document;
}

std::string listing(const XmlTape& tape, const Fidelity& shown = {}) {
    Buffer out;
    EventListing sink(out, shown);
    tape.play(sink);
    return std::string(as_text(out.view()));
}

// Every text, in brackets, under a policy; both ways of applying it agree.
std::string texts(std::string_view xml, Whitespace policy) {
    Document document = load(xml);
    XmlTape filtered;
    {
        // In pieces of one character, as a parser may deliver them.
        struct Splitter : WhitespaceFilter<TapeSink<true>> {
            using WhitespaceFilter::WhitespaceFilter;
            void characters(std::string_view text) {
                for (const char& c : text)
                    WhitespaceFilter::characters({&c, 1});
            }
        };
        TapeSink<true> sink(filtered);
        Splitter splitter(sink, policy);
        document.xml.play(splitter);
    }
    const std::size_t before = document.xml.events().size();
    const std::size_t dropped = apply_whitespace(policy, document.xml);
    EXPECT_EQ(document.xml.events().size(), before - dropped);
    EXPECT_EQ(listing(document.xml), listing(filtered)) << xml;
    EXPECT_EQ(apply_whitespace(policy, document.xml), 0U) << "once is enough: " << xml;
    std::string all;
    for (const XmlTape::Event& event : document.xml.events()) {
        if (event.kind() != XmlTape::Kind::characters) continue;
        all += '[';
        for (const char c : event.text_view())
            all += c == '\n' ? '$' : c == '\t' ? '>' : c == '\r' ? '<' : c;
        all += ']';
    }
    return all;
}

constexpr Whitespace k_auto = Whitespace::automatic;

TEST(Whitespace, AutoKeepsWhatIsAllOfAnElement) {
    EXPECT_EQ(texts("<a>\n <b> </b>\n <c x='1'>\t</c>\n</a>", k_auto), "[ ][>]");
    EXPECT_EQ(texts("<a> </a>", k_auto), "[ ]");
    EXPECT_EQ(texts("<a> <!--c--> </a>", k_auto), "");
    EXPECT_EQ(texts("<a> <?p?></a>", k_auto), "");
    EXPECT_EQ(texts("<a><b/> </a>", k_auto), "");
}

TEST(Whitespace, AutoTouchesNoTextThatIsMore) {
    EXPECT_EQ(texts("<a> x <b/> y\n</a>", k_auto), "[ x ][ y$]");
    EXPECT_EQ(texts("<a>\xc2\xa0<b/>\xe3\x80\x80</a>", k_auto), "[\xc2\xa0][\xe3\x80\x80]");
    EXPECT_EQ(texts("<a><b/><![CDATA[ ]]>&#32;x</a>", k_auto), "[  x]");
    EXPECT_EQ(texts("<a><b/>&#13;</a>", k_auto), "");
}

TEST(Whitespace, AutoHonoursXmlSpace) {
    EXPECT_EQ(texts("<a xml:space='preserve'> <b> <c/> </b> </a>", k_auto), "[ ][ ][ ][ ]");
    EXPECT_EQ(texts("<a xml:space='preserve'> <b xml:space='default'> <c/> </b>\n</a>", k_auto),
              "[ ][$]");
    EXPECT_EQ(texts("<a> <b xml:space='preserve'> <c/></b> <c/></a>", k_auto), "[ ]");
    EXPECT_EQ(texts("<a space='preserve'> <b/></a>", k_auto), "");
}

TEST(Whitespace, AutoKeepsWhatStandsBesideAReference) {
    const std::string subset = "<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]>";
    EXPECT_EQ(texts(subset + "<a> &e; <b/> </a>", k_auto), "[ ][ ]");
}

TEST(Whitespace, KeepKeepsAndDropDropsAll) {
    const char* xml = "<a>\n <b xml:space='preserve'> </b>x<c> </c>\n</a>";
    EXPECT_EQ(texts(xml, Whitespace::keep), "[$ ][ ][x][ ][$]");
    EXPECT_EQ(texts(xml, Whitespace::drop), "[x]");
}

std::vector<std::string> fields(const std::string& line, char separator) {
    std::vector<std::string> found;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, separator);)
        found.push_back(field);
    return found;
}

// Without what that implementation drops or renames: xsi:schemaLocation, xsi:nil, xsi:type.
std::string without_xsi(const std::string& listing) {
    std::string kept;
    for (const std::string& line : fields(listing, '\n')) {
        if (line.find("XMLSchema-instance}") == std::string::npos) kept += line + "\n";
    }
    return kept;
}

// What an independent implementation makes of every document without a schema: its reader has the
// same policy. Left out are rows whose options change the content otherwise.
TEST(Whitespace, AutoIsThatOfTheVectors) {
    const std::filesystem::path folder = "../shared/vectors/exi";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no vectors at " << folder;
    std::ifstream manifest(folder / "manifest.tsv");
    std::size_t count = 0;
    for (std::string line; std::getline(manifest, line);) {
        const std::vector<std::string> row = fields(line, '\t');
        if (row.size() < 8 || row[2] != "-") continue;
        Fidelity shown{false, false, false, false, false, true};
        Whitespace policy = k_auto;
        bool comparable = true;
        for (const std::string& option : fields(row[3], ',')) {
            const bool all = option == "all";
            if (all || option == "comments") shown.comments = true;
            if (all || option == "pis") shown.processing_instructions = true;
            if (all || option == "dtds") shown.doctype = true;
            if (all || option == "prefixes") shown.prefixes = true;
            if (all || option == "lexical") policy = Whitespace::keep;
            if (option == "er" || option == "fragment" || option == "profile" ||
                option.starts_with("maxgr") || option.starts_with("sc") ||
                option.starts_with("maxprod")) {
                comparable = false;
            }
        }
        if (!comparable) continue;
        Document document = load(file_text(folder / row[1]));
        apply_whitespace(policy, document.xml);
        EXPECT_EQ(without_xsi(listing(document.xml, shown)),
                  without_xsi(file_text(folder / row[7])))
            << line;
        ++count;
    }
    EXPECT_GT(count, 50U);
}

}  // namespace
}  // namespace perfrelay
