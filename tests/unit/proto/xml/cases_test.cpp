// Documents that other programs got wrong, with the events that are right.
//
//  attribute-blanks: a tab in an attribute was written raw and came back as a space
//  blank-only-text: text of blanks alone was dropped, even under xml:space="preserve"
//  entity-in-entity-continues: after entities in entities the rest of the content was lost
//  line-ends: CR LF in text and CDATA, and &#13; that must stay
//  namespace-name-characters: namespace names with braces, bars or blanks were refused or mangled
// Depth and texts of more than 10,000,000 bytes are in engines_test.cpp.

#include <string>
#include <tuple>

#include "tests/unit/proto/xml/support.h"

namespace perfrelay::xml {
namespace {

constexpr const char* k_cases[] = {
    "attribute-blanks-a",
    "attribute-blanks-b",
    "blank-only-text-a",
    "blank-only-text-b",
    "entity-in-entity-continues-a",
    "entity-in-entity-continues-b",
    "line-ends-a",
    "line-ends-b",
    "namespace-name-characters-a",
    "namespace-name-characters-b",
};

class Case : public testing::TestWithParam<std::tuple<const char*, std::string>> {
  protected:
    std::string path_ = std::string("tests/data/xml/") + std::get<0>(GetParam());
};

TEST_P(Case, IsCarriedOrRefused) {
    const auto document = loaded(file_text(path_ + ".xml"));
    ASSERT_NE(document, nullptr);
    const std::string expected = file_text(path_ + ".events");
    EXPECT_EQ(listing(document->xml), expected);
    const auto engine = make_engine(std::get<1>(GetParam()));
    for (const bool source : {false, true}) {
        const std::string result = round_trip(*engine, *document, source);
        EXPECT_TRUE(result.empty() || result.starts_with("refused: ")) << result;
        // Only the DOMs have a reason to.
        EXPECT_TRUE(result.empty() || engine->info().writer.find("from DOM") != std::string::npos)
            << result;
    }
    if (engine->cannot_represent(*document, true)) return;
    XmlTape tape;
    ASSERT_TRUE(engine->decode(document->source.view(), tape).has_value());
    EXPECT_EQ(listing(tape), expected);
}

INSTANTIATE_TEST_SUITE_P(All, Case,
                         testing::Combine(testing::ValuesIn(k_cases),
                                          testing::ValuesIn(k_engines)));

}  // namespace
}  // namespace perfrelay::xml
