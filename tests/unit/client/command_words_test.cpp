#include "client/command_words.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/client/parsing.h"

namespace perfrelay::client {
namespace {

constexpr std::string_view k_switches[] = {"all", "csv"};
constexpr std::string_view k_values[] = {"out"};
constexpr std::string_view k_shared[] = {"from", "ws", "quiet"};
constexpr Command k_command{"sort", k_switches, k_values, k_shared};

CommandWords read(const Words& words, Options& options) {
    std::string why;
    auto read = read_command(k_command, pointers(words), options, why);
    EXPECT_TRUE(read) << why;
    return read.value_or(CommandWords{});
}

std::string refusal(const Words& words) {
    Options options;
    std::string why;
    EXPECT_FALSE(read_command(k_command, pointers(words), options, why));
    EXPECT_EQ(why.find('\n'), std::string::npos) << why;
    return why;
}

TEST(command_words, options_and_files_in_any_order) {
    Options options;
    const CommandWords words =
        read({"a", "--out", "x=y", "-", "-all", "--from=xml", "--", "--b", "-all"}, options);
    EXPECT_EQ(words.files, (Words{"a", "-", "--b", "-all"}));
    EXPECT_EQ(words.value("out"), "x=y");
    EXPECT_TRUE(words.has("all"));
    EXPECT_FALSE(words.has("csv"));
    EXPECT_EQ(words.value("csv"), "");
    EXPECT_EQ(words.value("from"), "xml");
    EXPECT_EQ(options.from, "xml");
}

TEST(command_words, a_runs_spellings_and_settings) {
    Options options;
    const CommandWords words = read({"-q", "--ws=keep", "-ws", "drop", "-?"}, options);
    EXPECT_TRUE(words.has("quiet"));
    EXPECT_TRUE(words.has("help"));
    EXPECT_TRUE(options.quiet);
    EXPECT_EQ(options.whitespace, Whitespace::drop) << "the last counts";
}

TEST(command_words, its_own_meaning_goes_before_a_runs) {
    // In a run --csv has a value.
    Options options;
    EXPECT_EQ(read({"--csv", "a"}, options).files, Words{"a"});
}

TEST(command_words, a_dash_is_a_value) {
    Options options;
    EXPECT_EQ(read({"--out", "-"}, options).value("out"), "-");
    EXPECT_EQ(read({"--out=-x"}, options).value("out"), "-x");
}

TEST(command_words, what_is_wrong_is_said) {
    EXPECT_EQ(refusal({"--bogus"}), "--bogus: unknown option; perfclient sort --help lists them");
    EXPECT_EQ(refusal({"-repeat", "5"}),
              "-repeat is no option of sort; perfclient sort --help lists them");
    EXPECT_EQ(refusal({"--all=1"}), "--all takes no value, and here is '1'");
    EXPECT_EQ(refusal({"-help=me"}), "-help takes no value, and here is 'me'");
    EXPECT_EQ(refusal({"--out"}), "--out needs a value");
    EXPECT_EQ(refusal({"--out="}), "--out needs a value");
    EXPECT_EQ(refusal({"--out", "--all"}), "--out needs a value");
    EXPECT_EQ(refusal({"--out", "a", "-out", "b"}), "-out is given twice");
    EXPECT_EQ(refusal({"--ws", "some"}), "--ws 'some': neither auto, keep nor drop");
}

}  // namespace
}  // namespace perfrelay::client
