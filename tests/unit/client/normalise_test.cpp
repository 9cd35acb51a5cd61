#include "client/normalise.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/client/parsing.h"

namespace perfrelay::client {
namespace {

Normalised run(const Words& words) {
    return normalise(pointers(words));
}

TEST(option_table, names_are_unique_and_every_line_is_complete) {
    std::set<std::string_view> seen;
    for (const OptionLine& line : option_table()) {
        ASSERT_FALSE(line.names.front().empty());
        for (const std::string_view name : line.names) {
            if (name.empty()) continue;
            EXPECT_TRUE(seen.insert(name).second) << name << " stands twice";
            EXPECT_EQ(name.find('='), std::string_view::npos);
        }
        const std::string_view name = line.names.front();
        EXPECT_FALSE(line.help.empty()) << name;
        if (line.group == OptionGroup::commands) continue;  // their words are their own
        EXPECT_EQ(line.argument != OptionArgument::none, !line.value.empty()) << name;
    }
}

TEST(option_table, holds_every_option_of_efxperf) {
    for (const char* name :
         {"netrelay", "net",   "network", "schema",     "noschema", "efx",         "transcode",
          "xml",      "gzxml", "decode",  "d",          "encode",   "e",           "repeat",
          "r",        "time",  "t",       "warmup",     "wr",       "warmupTime",  "wt",
          "mt",       "quiet", "q",       "verbose",    "v",        "help",        "?",
          "lexical",  "l",     "strict",  "extensible", "x",        "multithread", "zip"}) {
        const OptionLine* const line = find_option(name);
        ASSERT_NE(line, nullptr) << name;
        EXPECT_TRUE(line->efxperf) << name;
    }
}

TEST(find_option, knows_no_empty_name_and_no_command) {
    EXPECT_EQ(find_option(""), nullptr);
    EXPECT_EQ(find_option("convert"), nullptr);
    EXPECT_EQ(find_option("-xml"), nullptr);
}

// What each name of a setting becomes, with a value where it takes one.
std::string expected(const OptionLine& line) {
    if (!line.mode.empty()) return "--format=" + std::string(line.mode);
    std::string text = "--" + std::string(line.names.front());
    if (line.argument == OptionArgument::optional_number) return text + "=12";
    if (line.argument != OptionArgument::none) text += "=some:value";
    return text;
}

TEST(normalise, takes_every_name_of_every_setting_with_one_dash_and_two) {
    std::size_t checked = 0;
    for (const OptionLine& line : option_table()) {
        if (line.set == nullptr && line.mode.empty()) continue;
        for (const std::string_view name : line.names) {
            if (name.empty()) continue;
            for (const std::string dashes : {"-", "--"}) {
                const std::string word = dashes + std::string(name);
                std::vector<Words> forms;
                if (line.argument == OptionArgument::none) {
                    forms = {{word, "a.xml"}};
                } else if (line.argument == OptionArgument::optional_number) {
                    forms = {{word, "12", "a.xml"}, {word + "=12", "a.xml"}};
                } else {
                    forms = {{word, "some:value", "a.xml"}, {word + "=some:value", "a.xml"}};
                }
                for (const Words& form : forms) {
                    const Normalised result = run(form);
                    EXPECT_FALSE(result.problem) << word << ": " << *result.problem;
                    EXPECT_EQ(result.arguments, Words{expected(line)}) << word;
                    EXPECT_EQ(result.inputs, (std::vector<Input>{{"a.xml", ""}})) << word;
                    EXPECT_EQ(result.action, Action::run);
                    ++checked;
                }
            }
        }
    }
    EXPECT_GT(checked, 60U);
}

TEST(normalise, a_command_that_is_built_stands_first) {
    EXPECT_EQ(run({"-q", "convert", "a", "b"}).problem,
              "convert stands before its options; a file of this name is ./convert");
    EXPECT_FALSE(run({"a.xml", "convert"}).problem);
}

TEST(normalise, what_is_generated_stands_among_the_files) {
    const Normalised found = run({"a.xml", "--generate", "deep", "-generate=records:1MB", "b.xml"});
    EXPECT_EQ(found.inputs,
              (std::vector<Input>{
                  {"a.xml", ""}, {"deep", "", true}, {"records:1MB", "", true}, {"b.xml", ""}}));
    EXPECT_TRUE(found.arguments.empty());
}

TEST(normalise, an_optional_number_takes_the_next_word_only_if_it_is_one) {
    EXPECT_EQ(run({"-mt", "2", "a.xml"}).inputs, (std::vector<Input>{{"a.xml", ""}}));
    EXPECT_EQ(run({"-mt", "2x", "a.xml"}).inputs, (std::vector<Input>{{"2x", ""}, {"a.xml", ""}}));
    EXPECT_EQ(run({"-mt=2", "3"}).inputs, (std::vector<Input>{{"3", ""}}));
    EXPECT_EQ(run({"-mt", "a.xml"}).arguments, Words{"--multithread=auto"});
    EXPECT_EQ(run({"-mt", "-q"}).arguments, (Words{"--multithread=auto", "--quiet"}));
}

TEST(normalise, remembers_how_a_setting_was_spelled) {
    const Normalised result = run({"--repeat=3", "-r", "4", "-warmupTime", "5"});
    EXPECT_EQ(result.spellings.at("repeat"), "-r");
    EXPECT_EQ(result.spellings.at("warmup-time"), "-warmupTime");
    EXPECT_EQ(result.arguments, (Words{"--repeat=3", "--repeat=4", "--warmup-time=5"}));
}

TEST(normalise, modes_and_formats_keep_their_order) {
    EXPECT_EQ(
        run({"-gzxml", "--format", "xml:expat", "-xml", "--format=xml+zstd:3", "f"}).arguments,
        (Words{"--format=gzxml", "--format=xml:expat", "--format=xml", "--format=xml+zstd:3"}));
}

TEST(normalise, a_value_may_hold_equal_signs_and_begin_with_a_dash) {
    EXPECT_EQ(run({"--format=xml:a=b", "f"}).arguments, (Words{"--format=xml:a=b"}));
    EXPECT_EQ(run({"--format", "xml:a=b", "f"}).arguments, (Words{"--format=xml:a=b"}));
    EXPECT_EQ(run({"-r", "-5", "f"}).arguments, (Words{"--repeat=-5"}));
}

TEST(normalise, files_keep_the_schema_that_stands_before_them) {
    const Normalised result =
        run({"first.xml", "-schema", "a.xsd", "a1.xml", "-q", "a2.xml", "-noschema", "n.xml",
             "--schema=b.cxs", "b.xml", "-", "--noschema", "last.xml"});
    EXPECT_EQ(result.inputs, (std::vector<Input>{{"first.xml", ""},
                                                 {"a1.xml", "a.xsd"},
                                                 {"a2.xml", "a.xsd"},
                                                 {"n.xml", ""},
                                                 {"b.xml", "b.cxs"},
                                                 {"-", "b.cxs"},
                                                 {"last.xml", ""}}));
    EXPECT_FALSE(result.problem);
    EXPECT_FALSE(run({"-noschema", "a.xml", "-noschema", "b.xml"}).problem);
    const Normalised named = run({"-schema", "a.xsd", "a.xml", "--schema-auto", "b.xml", "c.xml",
                                  "-schema", "d.xsd", "d.xml", "-schema-auto", "-noschema", "e"});
    const auto by_itself = [](const char* path) {
        return Input{.path = path, .schema = "", .schema_auto = true};
    };
    EXPECT_EQ(named.inputs, (std::vector<Input>{{"a.xml", "a.xsd"},
                                                by_itself("b.xml"),
                                                by_itself("c.xml"),
                                                {"d.xml", "d.xsd"},
                                                {"e", ""}}));
}

TEST(normalise, after_two_dashes_everything_is_a_file) {
    const Normalised result = run({"-q", "--", "-xml", "--", "--bogus", "-"});
    EXPECT_FALSE(result.problem);
    EXPECT_EQ(result.inputs,
              (std::vector<Input>{{"-xml", ""}, {"--", ""}, {"--bogus", ""}, {"-", ""}}));
    EXPECT_EQ(result.arguments, Words{"--quiet"});
}

struct Problem {
    Words words;
    std::string says;
};

TEST(normalise, suggests_what_was_meant) {
    for (const Problem& problem : std::vector<Problem>{
             {{"--formt", "xml"}, "--formt: unknown option, did you mean --format?"},
             {{"--formt=xml"}, "--formt: unknown option, did you mean --format?"},
             {{"-xlm"}, "-xlm: unknown option, did you mean -xml?"},
             {{"-gzxmll"}, "-gzxmll: unknown option, did you mean -gzxml?"},
             {{"-gxml"}, "-gxml: unknown option, did you mean -gzxml?"},
             {{"-warmuptime"}, "-warmuptime: unknown option, did you mean -warmup-time?"},
             {{"-netwrok"}, "-netwrok: unknown option, did you mean -network?"},
             {{"--Decode"}, "--Decode: unknown option, did you mean --decode?"},
             {{"--no-schema"}, "--no-schema: unknown option, did you mean --noschema?"},
             {{"-r5"}, "-r5: unknown option, did you mean -r 5?"},
             {{"-t2s"}, "-t2s: unknown option, did you mean -t 2s?"},
             {{"--complete-nonsense"},
              "--complete-nonsense: unknown option; -help lists them, a file of this name is "
              "./--complete-nonsense"},
         }) {
        EXPECT_EQ(run(problem.words).problem, problem.says);
    }
}

TEST(normalise, names_missing_and_unwanted_values) {
    for (const Problem& problem : std::vector<Problem>{
             {{"-r"}, "-r needs a value, as in -r N"},
             {{"-net", "-xml", "a.xml"}, "-net needs a value, as in -net HOST:PORT"},
             {{"--format="}, "--format needs a value, as in --format SPEC"},
             {{"-t", ""}, "-t needs a value, as in -t TIME"},
             {{"-t", "--", "a.xml"}, "-t needs a value, as in -t TIME"},
             {{"-netrelay"}, "-netrelay needs a value, as in -netrelay PORT"},
             {{"-xml=yes"}, "-xml takes no value, and here is 'yes'"},
             {{"--quiet="}, "--quiet takes no value, and here is ''"},
             {{"-help=x"}, "-help takes no value, and here is 'x'"},
         }) {
        EXPECT_EQ(run(problem.words).problem, problem.says);
    }
}

TEST(normalise, the_first_problem_counts) {
    EXPECT_EQ(run({"-xml=yes", "--bogus-and-far", "-r"}).problem,
              "-xml takes no value, and here is 'yes'");
}

TEST(nearest_option, is_bounded) {
    EXPECT_EQ(nearest_option(""), "");
    EXPECT_EQ(nearest_option("zzzzzzzzz"), "");
    EXPECT_EQ(nearest_option(std::string(10'000, 'x')), "");
    EXPECT_EQ(nearest_option("xml"), "xml");
}

TEST(normalise, help_wins_over_everything_but_the_relay) {
    for (const char* word : {"-help", "--help", "-?", "--?", "-h", "--h"}) {
        EXPECT_EQ(run({word}).action, Action::help) << word;
        EXPECT_EQ(run({"--bogus", "-efx", word, "a.xml"}).action, Action::help) << word;
        EXPECT_EQ(run({"--version", word}).action, Action::help) << word;
    }
    EXPECT_EQ(run({"--version"}).action, Action::version);
    EXPECT_EQ(run({"-version"}).action, Action::version);
    EXPECT_EQ(run({"--list-formats"}).action, Action::list_formats);
    EXPECT_EQ(run({"--", "-help"}).action, Action::run);
}

TEST(normalise, netrelay_hands_everything_else_to_the_relay) {
    for (const Problem& form : std::vector<Problem>{
             {{"-netrelay", "8000"}, "8000"},
             {{"--netrelay=8000"}, "8000"},
             {{"-netrelay", "8000", "-v"}, "8000 -v"},
             {{"-v", "-netrelay", "8000"}, "8000 -v"},
             {{"-verbose", "-netrelay=8000", "--bind", "::1", "--unknown-here=3"},
              "8000 -verbose --bind ::1 --unknown-here=3"},
             {{"-netrelay", "8000", "-help"}, "8000 -help"},
             {{"-help", "-netrelay", "8000"}, "8000 -help"},
             {{"-netrelay", "nonsense"}, "nonsense"},  // perfrelay says what is wrong with it
             // efxperf's other way of writing it
             {{"-net", "8000"}, "8000"},
             {{"-net", "8000", "-v"}, "8000 -v"},
             {{"-verbose", "--network=8000"}, "8000 -verbose"},
         }) {
        const Normalised result = run(form.words);
        EXPECT_EQ(result.action, Action::relay) << form.says;
        EXPECT_FALSE(result.problem);
        std::string joined;
        for (const std::string& argument : result.relay_arguments)
            joined += (joined.empty() ? "" : " ") + argument;
        EXPECT_EQ(joined, form.says);
    }
}

TEST(normalise, a_number_is_no_host_where_something_is_measured) {
    for (const Words& words : {Words{"-net", "8000", "a.xml"}, Words{"-xml", "-net", "8000"},
                               Words{"-net=8000", "-r", "5"}}) {
        const Normalised result = run(words);
        EXPECT_EQ(result.action, Action::run);
        EXPECT_EQ(result.problem, "-net '8000': no host; it is HOST:PORT, as in localhost:8000");
    }
}

}  // namespace
}  // namespace perfrelay::client
