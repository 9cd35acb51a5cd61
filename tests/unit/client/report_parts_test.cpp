// What the text report says beside its numbers, and the parts it is made of.

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "client/report/layout.h"
#include "client/report/sections.h"
#include "client/report/shown.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases

TEST(TextReport, WarnsOfWhatItsNumbersCannotBear) {
    Row few = row("few", "FEW", 10, {.encode = 4 * k_ms, .decode = 5 * k_ms}, 5);
    Row one = row("one", "ONE", 10, {.encode = 4 * k_ms, .decode = 5 * k_ms}, 1);
    one.main = series(1, {.encode = 400, .decode = 400}, 125);
    Row apart = row("apart", "APART", 10, {.encode = 4 * k_ms, .decode = 5 * k_ms});
    for (Sample& sample : apart.main.samples)
        sample.total += k_ms;
    Row coarse = row("coarse", "COARSE", 10, {.encode = 1'200, .decode = 7'900});
    Report made = report({file({few, one, apart, coarse})});
    EXPECT_EQ(warnings(made), R"(Warnings
  FEW, test.xml: no interval: 5 runs, 6 needed
  ONE, test.xml: no interval: 1 batch, 6 needed
  APART, test.xml: ENCODE + DECODE = 9.00 ms a run but TOTAL = 10.0 ms: they differ by more than 2 %
  COARSE, test.xml: ENCODE lasts 1.20 us a run, DECODE lasts 7.90 us a run: coarse for a clock that takes 40.0 ns to read
)");
    EXPECT_NE(tables_of(made).find("(3) the phases do not add up to the total within 2 %\n"),
              std::string::npos)
        << tables_of(made);
    EXPECT_EQ(warnings(report({file({xml_row()})})), "");
}

TEST(TextReport, SmallTimesKeepThreeDigits) {
    const Report made =
        report({file({row("a", "A", 856, {.encode = 2'310, .decode = 812}),
                      row("b", "B", 134, {.encode = 40 * k_us, .decode = 12'340 * k_us})})});
    EXPECT_NE(tables_of(made).find("\n     856      134  0.002310  0.040000  0.000812 12.340000 "
                                   "test.xml\n"),
              std::string::npos)
        << tables_of(made);
    const std::string lines = run_lines(made);
    EXPECT_NE(lines.find("A-ENCODE main 0.233ms / 101 runs = 0.00231ms per run, median 2.31 us "
                         "(95 %: 2.29-2.33), min 2.19 us, p95 2.41 us\n"),
              std::string::npos)
        << lines;
}

TEST(TextReport, BatchesAreSaid) {
    Row small = xml_row();
    small.main = series(20, {.encode = 2'000, .decode = 3'000}, 25);
    FileReport second = file({small});
    second.name = "small.xml";
    EXPECT_NE(about_method(report({file({xml_row()}), second}))
                  .find("\n  batch     1 document a run (test.xml); 25 documents a run "
                        "(small.xml), the same for every format\n"),
              std::string::npos);
    EXPECT_NE(about_method(report({second, second}))
                  .find("\n  batch     25 documents a run, the same for every format\n"),
              std::string::npos);
    EXPECT_EQ(about_method(report({file({failed_row()})})).find("  batch "), std::string::npos);
    EXPECT_NE(run_lines(report({second})).find("XML-ENCODE main 1.00ms / 500 runs = 0.00200ms"),
              std::string::npos)
        << run_lines(report({second}));
}

TEST(TextReport, NoWarmUpAndNoRunsAreSaidPlainly) {
    Row none = xml_row();
    none.warmup.samples.clear();
    Report made = report({file({none})});
    made.schedule.warmup = {.time = 0, .runs = 0};
    made.schedule.main = {.time = 1'500 * k_us, .runs = 1};
    const std::string lines = run_lines(made);
    EXPECT_TRUE(lines.starts_with("warmup: 0 ms or 0 runs\nmain: 1.500 ms or 1 runs\n")) << lines;
    EXPECT_NE(lines.find("\nXML-ENCODE warmup 0ms / 0 runs\n"), std::string::npos) << lines;
    none.main.samples.clear();
    EXPECT_NE(run_lines(report({file({none})})).find("\nXML no runs asked for\n"),
              std::string::npos);
}

TEST(TextReport, SchemaAndMaterialise) {
    Report made = report({file({xml_row()})});
    made.files[0].schema = "test.xsd";
    made.decode_into = "materialise";
    const std::string all = text_of(made);
    EXPECT_NE(all.find("\nschema: test.xsd\n"), std::string::npos);
    EXPECT_NE(all.find("\n  decode    materialise: from bytes to a stored tape of every event, "
                       "names resolved, values as text\n"),
              std::string::npos)
        << all;
}

TEST(TextReport, NamesCannotHarmATerminal) {
    Row odd = not_representable_row();
    odd.why = "element \x1b]0;title\x07";
    FileReport first = file({xml_row(), odd});
    first.name = "a\nb\x1b[31m\xc2\x9b\xff.xml";
    first.schema = "\tx";
    Report made = report({first});
    made.network = "host\r";
    made.relay = "\x7f";
    const std::string all = text_of(made);
    for (const char c : all) {
        const auto byte = static_cast<unsigned char>(c);
        ASSERT_TRUE(c == '\n' || (byte >= 0x20 && byte < 0x7f)) << int(byte);
    }
    EXPECT_NE(all.find(R"([1] file: a\x0ab\x1b[31m\xc2\x9b\xff.xml (937005 bytes))"),
              std::string::npos)
        << all;
}

TEST(TextReport, LongNamesKeepTheirColumnsWhereTheyAre) {
    FileReport first = file({xml_row()});
    first.name = std::string(200, 'n');
    const std::string text = tables_of(report({first}));
    EXPECT_NE(text.find("\n-------- --------- --------- -------------------------------\n"
                        "  923797      4.00     12.34 " +
                        first.name + "\n"),
              std::string::npos)
        << text;
}

TEST(Layout, PrintableKeepsGoodTextAndIsIdempotent) {
    EXPECT_EQ(printable("test.xml"), "test.xml");
    EXPECT_EQ(printable("gr\u00fc\u00df \u65e5\u672c \U0001f600"),
              "gr\u00fc\u00df \u65e5\u672c \U0001f600");
    const std::array<std::pair<std::string_view, std::string_view>, 8> bad = {{
        {"\x80", "\\x80"},
        {"\xc3", "\\xc3"},
        {"\xc0\xaf", "\\xc0\\xaf"},
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        {"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
        {"a\xc2\x85z", "a\\xc2\\x85z"},
    }};
    for (const auto& [text, shown] : bad) {
        EXPECT_EQ(printable(text), shown);
        EXPECT_EQ(printable(printable(text)), shown);
    }
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

// U+202E in a file's name turned what the terminal showed of the line about.
TEST(Layout, FormatCharactersAreShown) {
    EXPECT_EQ(printable("a\u202eb"), "a\\xe2\\x80\\xaeb");
    for (const char* hidden : {"\u00ad", "\u061c", "\u200b", "\u200f", "\u2028", "\u2066", "\u2069",
                               "\ufeff", "\U000e0041", "\u009b"}) {
        EXPECT_TRUE(printable(hidden).starts_with("\\x")) << printable(hidden);
    }
    for (const char* seen : {"\u00a0", "\u2010", "\u2027", "\u202f", "\u3000", "\uff01"}) {
        EXPECT_EQ(printable(seen), seen);
    }
}

TEST(Layout, TablesCountCodePoints) {
    Table table({{.heading = {"N"}, .right = false}, {.heading = {"V"}, .width = 3}}, 1);
    table.row({"gr\u00fcn", "1"});
    table.row({"x", "22"});
    table.row({"y"}, "and a remark");
    EXPECT_EQ(table.text(),
              "N    V\n"
              "---- ---\n"
              "gr\u00fcn   1\n"
              "x     22\n"
              "y    and a remark\n");
}

TEST(Shown, QuantitiesFollowDirectionAndNetwork) {
    using enum Quantity;
    Report made;
    EXPECT_EQ(quantities(made), (std::vector{encode, decode}));
    made.network = "host2:8000";
    EXPECT_EQ(quantities(made), (std::vector{encode, transmit, decode, total}));
    made.direction = Direction::encode;
    EXPECT_EQ(quantities(made), (std::vector{encode, transmit, total}));
    made.direction = Direction::decode;
    EXPECT_EQ(quantities(made), (std::vector{transmit, decode, total}));
}

TEST(Shown, PhasesAddUpRunByRun) {
    // A third of the runs is slow in encode, another third in decode: the medians of the phases are
    // the fast ones, that of the total is not.
    measure::Series skewed;
    for (int i = 0; i < 30; ++i) {
        Sample sample;
        sample.phase[k_encode] = i % 3 == 0 ? 10 * k_ms : k_ms;
        sample.phase[k_decode] = i % 3 == 1 ? 10 * k_ms : k_ms;
        sample.total = sample.phase[k_encode] + sample.phase[k_decode] + k_us;
        skewed.samples.push_back(sample);
    }
    EXPECT_TRUE(phases_add_up(skewed));
    for (Sample& sample : skewed.samples)
        sample.total += sample.total / 40;
    EXPECT_FALSE(phases_add_up(skewed));
    EXPECT_TRUE(phases_add_up({}));
}

TEST(Shown, FormatsOfAllFilesInTheirFirstOrder) {
    const Report made = report({file({xml_row()}), file({gzxml_row(), xml_row()})});
    const std::vector<Mode> all = modes(made);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].title, "XML");
    EXPECT_EQ(all[1].title, "GZXML");
    EXPECT_EQ(find_row(made.files[0], "xml+gzip"), nullptr);
    EXPECT_NE(find_row(made.files[1], "xml+gzip"), nullptr);
}

}  // namespace
}  // namespace perfrelay::client
