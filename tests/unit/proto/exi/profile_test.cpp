// EXI Profile 1.0: an encoder keeps to the limits on what built-in grammars learn, and any decoder
// reads what it wrote.
#include <string>

#include "proto/exi/schema/schema_maker.h"
#include "proto/model/event_listing.h"
#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

std::unique_ptr<Codec> with_types(const std::string& spec) {
    std::string why;
    auto made = FormatTable::built_in().make(spec, {.schema = built_in_schema()}, why);
    EXPECT_NE(made, nullptr) << why;
    return made;
}

// Encoded under `options`, decoded without them, as a listing; checked to be what was written.
std::string through(const std::string& options, const std::string& text) {
    std::string first;
    for (const std::string align : {"bit", "byte", "pre", "comp"}) {
        const auto document = document_of(text);
        const auto writer = with_types("exi:align=" + align + options);
        Buffer out;
        const Result<> written = writer->encode(*document, out);
        EXPECT_TRUE(written) << options << ": " << describe(written.error());
        std::string kept;
        for (const std::string word : {"prefixes", "comments", "lexical"}) {
            if (options.find(word) != std::string::npos) kept += "," + word;
        }
        XmlTape tape;
        const auto reader = with_types("exi:align=" + align + kept);
        const Result<> read = reader->decode(out.view(), tape);
        EXPECT_TRUE(read) << options << ": " << describe(read.error());
        const auto found = difference(document->xml, tape, writer->info().fidelity);
        EXPECT_FALSE(found) << options << ": " << *found;
        Buffer listed;
        EventListing listing(listed, writer->info().fidelity);
        tape.play(listing);
        const std::string shown(as_text(listed.view()));
        if (first.empty()) first = shown;
        EXPECT_EQ(shown, first) << align;
    }
    return first;
}

std::size_t count(const std::string& text, const std::string& of) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(of, at)) != std::string::npos; ++at)
        ++found;
    return found;
}

TEST(ExiProfile, NoLimitAddsNothing) {
    const std::string text = "<r><a k='1'>x</a><a k='1'>x</a></r>";
    EXPECT_EQ(count(through(",maxgr=9,maxprod=99", text), "anyType"), 0U);
    EXPECT_EQ(count(through(",nolocal", text), "anyType"), 0U);
}

TEST(ExiProfile, EveryElementGetsATypeWhereNothingMayBeLearned) {
    const std::string text = "<r><a k='1'>x<b/></a><a k='1'>x</a></r>";
    for (const char* limits : {",maxgr=0,maxprod=0", ",maxgr=0", ",maxprod=0"})
        EXPECT_EQ(count(through(limits, text), "anyType"), 4U) << limits;
}

TEST(ExiProfile, GrammarsThatThereAreGoOn) {
    // r is one; a would be another.
    const std::string shown = through(",maxgr=1", "<r><a/><a/><r><a k='1'/></r></r>");
    EXPECT_EQ(count(shown, "anyType"), 3U);
}

TEST(ExiProfile, ProductionsThatAreKnownAreUsedOthersAreNot) {
    const std::string text = "<r a='1' b='2'><r a='3' b='4'>t</r><r a='3' b='4'>t</r></r>";
    EXPECT_EQ(count(through(",maxprod=1", text), "anyType"), 0U);
    // What was written for them is what is written without learning: each time as the first time.
    const auto size = [&](const std::string& options, int repeats) {
        std::string many = "<r a='1'>";
        for (int i = 0; i < repeats; ++i)
            many += "<r a='1' b='1'>t</r>";
        Buffer out;
        EXPECT_TRUE(
            with_types("exi:align=byte" + options)->encode(*document_of(many + "</r>"), out));
        return out.size();
    };
    const std::size_t limited = size(",maxprod=1", 3) - size(",maxprod=1", 2);
    EXPECT_EQ(size(",maxprod=1", 9) - size(",maxprod=1", 8), limited);
    EXPECT_LT(size("", 9) - size("", 8), limited);
}

TEST(ExiProfile, TypesOfTheDocumentsOwn) {
    const std::string names =
        "<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
        "xmlns:xs='http://www.w3.org/2001/XMLSchema'>";
    EXPECT_EQ(count(through(",maxgr=0", names + "<v xsi:type='xs:int'>7</v></r>"), "anyType"), 1U);
    // One that nothing is known of: there is no room for another.
    EXPECT_EQ(count(through(",maxgr=0,maxprod=0", names + "<v xsi:type='xs:odd' k='1'>7</v></r>"),
                    "anyType"),
              1U);
    EXPECT_EQ(count(through(",maxgr=0", names + "<v xsi:nil='true'/></r>"), "anyType"), 2U);
}

TEST(ExiProfile, PrefixesOfWhatIsAddedAreDeclared) {
    const std::string shown = through(",maxprod=0,prefixes", "<r xmlns:xsdP='urn:x'><a/></r>");
    EXPECT_EQ(count(shown, "xsdPP:anyType"), 2U);
    EXPECT_EQ(count(shown, "NS xsdPP="), 1U);
    EXPECT_EQ(count(shown, "NS xsi="), 1U);
    const std::string known =
        through(",maxprod=0,prefixes", "<r xmlns:s='http://www.w3.org/2001/XMLSchema'/>");
    EXPECT_EQ(count(known, "s:anyType"), 1U);
}

TEST(ExiProfile, TextThatNobodyCouldResolveIsNotAdded) {
    const std::string text = "<r><a k='1'>x</a><a k='1'>x</a></r>";
    EXPECT_EQ(count(through(",maxprod=0,lexical", text), "anyType"), 0U);
    EXPECT_EQ(count(through(",maxprod=0,lexical,prefixes", text), "anyType"), 3U);
}

TEST(ExiProfile, CommentsComeAfterTheType) {
    EXPECT_EQ(count(through(",maxprod=0,comments", "<r><!--c--><a/><!--d--></r>"), "anyType"), 2U);
}

TEST(ExiProfile, SelfContainedElementsKeepToItToo) {
    const auto document = document_of("<r><s><a k='1'/></s><s><a k='1'/></s></r>");
    const auto writer = with_types("exi:maxprod=0,sc=s");
    Buffer out;
    ASSERT_TRUE(writer->encode(*document, out));
    XmlTape tape;
    const auto reader = with_types("exi:sc");
    ASSERT_TRUE(reader->decode(out.view(), tape));
    EXPECT_EQ(difference(document->xml, tape, writer->info().fidelity), std::nullopt);
}

}  // namespace
}  // namespace perfrelay::exi
