#include "client/options.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "client/help.h"
#include "client/normalise.h"
#include "common/cli/version.h"
#include "tests/unit/client/parsing.h"

namespace perfrelay::client {
namespace {

Options accepted(const Words& words) {
    return client::accepted(parse_options(pointers(words), FormatTable::built_in()));
}

std::string refused(const Words& words) {
    return client::refused(parse_options(pointers(words), FormatTable::built_in()));
}

TEST(options, bare_asks_for_help) {
    EXPECT_EQ(accepted({}).action, Action::help);
}

TEST(options, a_file_alone_is_a_run_with_efxperfs_defaults) {
    const Options options = accepted({"a.xml"});
    EXPECT_EQ(options.action, Action::run);
    EXPECT_EQ(options.inputs, (std::vector<Input>{{"a.xml", ""}}));
    EXPECT_EQ(options.formats, FormatTable::built_in().headline());
    EXPECT_EQ(options.direction, Direction::both);
    EXPECT_FALSE(options.network);
    EXPECT_EQ(options.schedule.warmup.runs, 5U);
    EXPECT_EQ(options.schedule.warmup.time, 1'000'000'000);
    EXPECT_EQ(options.schedule.main.runs, 5U);
    EXPECT_EQ(options.schedule.main.time, 1'000'000'000);
    EXPECT_EQ(options.codecs.deflate, DeflateLibrary::zlib);
    EXPECT_FALSE(options.decode_into_tape || options.cut_through || options.require_convergence ||
                 options.quiet || options.verbose);
}

TEST(options, actions_need_no_file) {
    EXPECT_EQ(accepted({"-help"}).action, Action::help);
    EXPECT_EQ(accepted({"--bogus", "-?"}).action, Action::help);
    EXPECT_EQ(accepted({"--version"}).action, Action::version);
    EXPECT_EQ(accepted({"--list-formats"}).action, Action::list_formats);
    const Options relay = accepted({"-netrelay", "8000", "-v"});
    EXPECT_EQ(relay.action, Action::relay);
    EXPECT_EQ(relay.relay_arguments, (Words{"8000", "-v"}));
    EXPECT_EQ(refused({"--version", "--bogus-and-far"}).substr(0, 17), "--bogus-and-far: ");
}

TEST(options, formats_are_expanded_in_order_each_once) {
    EXPECT_EQ(accepted({"-gzxml", "-xml", "f"}).formats, (Words{"xml+gzip", "xml"}));
    EXPECT_EQ(accepted({"-xml", "-gzxml", "--format", "xml+gzip", "-xml", "f"}).formats,
              (Words{"xml", "xml+gzip"}));
    const Words all = accepted({"--format", "xml:expat", "--format=xml:all", "f"}).formats;
    ASSERT_GE(all.size(), 3U);
    EXPECT_EQ(all.front(), "xml:expat");
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(options, a_format_that_cannot_be_made_is_refused) {
    EXPECT_NE(refused({"--format", "xmll", "f"}).find("did you mean xml"), std::string::npos);
    EXPECT_NE(refused({"--format", "xml:nonsense", "f"}), "");
    EXPECT_NE(refused({"--format", "xml+nonsense", "f"}), "");
    EXPECT_NE(refused({"--format", "xml+zstd:999", "f"}), "");
    EXPECT_NE(refused({"--format", "[xml]", "f"}).find("[xml]"), std::string::npos);
    EXPECT_NE(refused({"--format", "bson:x", "f"}).find("has no option"), std::string::npos);
}

TEST(options, directions) {
    EXPECT_EQ(accepted({"-d", "f"}).direction, Direction::decode);
    EXPECT_EQ(accepted({"-decode", "-d", "f"}).direction, Direction::decode);
    EXPECT_EQ(accepted({"--encode", "f"}).direction, Direction::encode);
    EXPECT_EQ(accepted({"-d", "-e", "f"}).direction, Direction::both);
    EXPECT_EQ(accepted({"-e", "-d", "f"}).direction, Direction::both);
}

TEST(options, minima_of_both_stages_with_units) {
    const Options options =
        accepted({"-r", "10000", "-t", "0", "-wr", "3", "-warmupTime", "250", "f"});
    EXPECT_EQ(options.schedule.main.runs, 10'000U);
    EXPECT_EQ(options.schedule.main.time, 0);
    EXPECT_EQ(options.schedule.warmup.runs, 3U);
    EXPECT_EQ(options.schedule.warmup.time, 250'000'000);
    EXPECT_EQ(accepted({"-t", "2s", "f"}).schedule.main.time, 2'000'000'000);
    EXPECT_EQ(accepted({"-time=1.5s", "f"}).schedule.main.time, 1'500'000'000);
    EXPECT_EQ(accepted({"--time", "80us", "f"}).schedule.main.time, 80'000);
    EXPECT_EQ(accepted({"-wt", "1m", "f"}).schedule.warmup.time, 60'000'000'000);
    EXPECT_EQ(accepted({"-wr", "0", "-wt", "0", "f"}).schedule.warmup.runs, 0U);
    EXPECT_EQ(accepted({"-r", "1", "-r", "2", "f"}).schedule.main.runs, 2U) << "the last counts";
}

TEST(options, the_seed_is_random_unless_given) {
    EXPECT_EQ(accepted({"--seed", "42", "f"}).schedule.seed, 42U);
    EXPECT_EQ(accepted({"--seed=18446744073709551615", "f"}).schedule.seed, UINT64_MAX);
    std::set<std::uint64_t> seeds;
    for (int i = 0; i < 8; ++i)
        seeds.insert(accepted({"f"}).schedule.seed);
    EXPECT_GT(seeds.size(), 1U);
}

TEST(options, network) {
    const Options far = accepted({"-net", "host2:8000", "f"});
    ASSERT_TRUE(far.network);
    EXPECT_EQ(far.network->address.text(), "host2:8000");
    EXPECT_FALSE(far.network->start_local);
    const Options bracketed = accepted({"--network=net://[::1]:8000", "f"});
    EXPECT_EQ(bracketed.network->address.text(), "[::1]:8000");
    const Options local = accepted({"-network", "localhost", "f"});
    EXPECT_TRUE(local.network->start_local);
    EXPECT_EQ(local.network->address.port, 0);
    // A value in brackets is one value, not a list.
    EXPECT_EQ(refused({"-net", "[::1]", "f"}),
              "-net '[::1]': no port; add the relay's, as in [::1]:8000");
}

TEST(options, choices) {
    EXPECT_TRUE(accepted({"--decode-into", "materialise", "f"}).decode_into_tape);
    EXPECT_FALSE(accepted({"--decode-into", "parse", "f"}).decode_into_tape);
    EXPECT_EQ(accepted({"--deflate=libdeflate", "f"}).codecs.deflate, DeflateLibrary::libdeflate);
    EXPECT_EQ(accepted({"--deflate=zlib", "f"}).codecs.deflate, DeflateLibrary::zlib);
    EXPECT_TRUE(accepted({"--echo", "cut-through", "-net", "h:1", "f"}).cut_through);
    EXPECT_FALSE(accepted({"--echo", "store", "-net", "h:1", "f"}).cut_through);
    EXPECT_TRUE(accepted({"--require-convergence", "f"}).require_convergence);
    EXPECT_EQ(accepted({"--max-document", "64KiB", "f"}).codecs.limits.max_document, 65536U);
    EXPECT_EQ(accepted({"--max-document=2GiB", "f"}).codecs.limits.max_document,
              std::size_t{2} << 30U);
    EXPECT_TRUE(accepted({"-q", "f"}).quiet);
    EXPECT_TRUE(accepted({"-v", "f"}).verbose);
}

TEST(options, precision_goes_beyond_the_minima_and_minima_alone_end_main) {
    constexpr measure::Nanoseconds k_minute = 60'000'000'000;
    EXPECT_DOUBLE_EQ(accepted({"f"}).schedule.precision, 0.01);
    EXPECT_EQ(accepted({"f"}).schedule.patience, 0) << "three times the minima";
    EXPECT_DOUBLE_EQ(accepted({"-net", "h:1", "f"}).schedule.precision, 0.02);
    EXPECT_EQ(accepted({"-r", "5", "f"}).schedule.precision, 0);
    EXPECT_EQ(accepted({"-t", "1s", "f"}).schedule.precision, 0);
    EXPECT_DOUBLE_EQ(accepted({"-wr", "5", "-wt", "1s", "f"}).schedule.precision, 0.01);
    const Options asked = accepted({"-t", "1s", "--precision", "0.5%", "f"});
    EXPECT_DOUBLE_EQ(asked.schedule.precision, 0.005);
    EXPECT_EQ(asked.schedule.patience, k_minute);
    EXPECT_EQ(accepted({"-t", "1m", "--precision=2%", "f"}).schedule.patience, 3 * k_minute);
    for (const char* wrong : {"1", "0%", "51%", "-1%", "1e0%", "%", "1 %", "nan%", "inf%"}) {
        EXPECT_EQ(refused({"--precision", wrong, "f"}),
                  "--precision '" + std::string(wrong) +
                      "': no percentage above 0% and up to 50%, as in 1%");
    }
}

struct Wrong {
    Words words;
    std::string says;
};

TEST(options, wrong_values_are_named_as_they_were_typed) {
    for (const Wrong& wrong : std::vector<Wrong>{
             {{"-r", "many", "f"}, "-r 'many': not a number, such as 10"},
             {{"--repeat=-1", "f"}, "--repeat '-1': not a number, such as 10"},
             {{"-wr", "1.5", "f"}, "-wr '1.5': not a number, such as 10"},
             {{"-r", "9999999999999", "f"}, "-r '9999999999999': too large, at most 1000000000000"},
             {{"--decode-into", "tape", "f"},
              "--decode-into 'tape': neither parse nor materialise"},
             {{"-deflate", "miniz", "f"}, "-deflate 'miniz': neither zlib nor libdeflate"},
             {{"--echo=fast", "f"}, "--echo 'fast': neither store nor cut-through"},
             {{"-net", "host2", "f"}, "-net 'host2': no port; add the relay's, as in host2:8000"},
             {{"-r", "0", "-t", "0", "f"}, "-repeat 0 and -time 0 leave nothing to measure"},
             {{"-q", "-v", "f"}, "-quiet and -verbose exclude each other"},
             {{"--echo", "cut-through", "f"}, "--echo is how a relay answers; add -net HOST:PORT"},
             {{"--echo", "cut-through", "-net", "h:1", "-d", "f"},
              "--echo is about round trips; -decode and -encode go one way"},
             {{"-xml"}, "no file to measure; -help shows how"},
             {{"-", "a.xml", "-"}, "standard input can be read once, and here is '-' twice"},
         }) {
        EXPECT_EQ(refused(wrong.words), wrong.says);
    }
    // Whose words are those of common/cli/units.
    EXPECT_TRUE(refused({"-t", "soon", "f"}).starts_with("-t 'soon': "));
    EXPECT_TRUE(refused({"-wt", "5 parsecs", "f"}).starts_with("-wt '5 parsecs': "));
    EXPECT_TRUE(refused({"--max-document", "64K", "f"}).starts_with("--max-document '64K': "));
}

TEST(options, what_is_misspelled_is_guessed) {
    EXPECT_EQ(refused({"--formt", "xml", "f"}), "--formt: unknown option, did you mean --format?");
}

TEST(options, how_inputs_are_read) {
    const Options options = accepted({"--from", "gzxml", "--ws=drop", "f"});
    EXPECT_EQ(options.from, "gzxml");
    EXPECT_EQ(options.whitespace, Whitespace::drop);
    EXPECT_EQ(accepted({"f"}).whitespace, Whitespace::automatic);
    EXPECT_EQ(refused({"--ws", "some", "f"}), "--ws 'some': neither auto, keep nor drop");
    EXPECT_EQ(refused({"--from", "xml:all", "f"}), "--from 'xml:all': several formats");
    EXPECT_TRUE(refused({"--from", "xlm", "f"}).starts_with("--from no format \"xlm\""));
}

TEST(options, values_are_bound_by_a_schema_that_there_is) {
    EXPECT_EQ(accepted({"--bind", "schema", "-schema", "a.xsd", "f"}).binding,
              bridge::Binding::schema);
    EXPECT_EQ(accepted({"--bind=schema", "--schema-auto", "f"}).binding, bridge::Binding::schema);
    EXPECT_EQ(
        refused({"--bind", "schema", "f"}),
        "--bind schema, and f has none; add -schema FILE.xsd or --schema-auto in front of it");
    EXPECT_EQ(
        refused({"--bind", "schema", "-schema", "a.xsd", "a", "-noschema", "b"}),
        "--bind schema, and b has none; add -schema FILE.xsd or --schema-auto in front of it");
    EXPECT_EQ(refused({"--bind", "all", "f"}), "--bind 'all': neither text, typed nor schema");
}

TEST(options, typed_rows_need_a_schema) {
    EXPECT_EQ(accepted({"-schema", "a.xsd", "--format", "exi:typed", "--format", "xml:typed", "f"})
                  .formats,
              (std::vector<std::string>{"exi:typed", "xml:typed"}));
    EXPECT_EQ(refused({"--format", "exi:typed", "f"}),
              "exi:typed: typed values need a schema, as in -schema FILE.xsd");
}

TEST(options, what_is_generated) {
    EXPECT_EQ(accepted({"--generate", "deep"}).generator_seed, std::nullopt);
    EXPECT_EQ(accepted({"--generate", "deep", "--seed", "9"}).generator_seed, 9U);
    EXPECT_EQ(
        refused({"--generate", "deap"}),
        "--generate 'deap': KIND[:SIZE] or KIND[:COUNT], where KIND is records, mixed, messages, "
        "deep, company, objects or strings");
    EXPECT_TRUE(refused({"--generate", "company:1kB"}).starts_with("--generate '1kB'"));
    EXPECT_TRUE(refused({"--generate", "objects:1000000000"})
                    .starts_with("--generate 'objects:1000000000': larger than"));
    EXPECT_TRUE(refused({"--generate", "deep:1"}).empty());
    EXPECT_TRUE(refused({"--generate", "deep:1K"}).starts_with("--generate '1K'"));
    EXPECT_EQ(
        refused({"--generate", "deep:2MB", "--max-document", "1MB"}),
        "--generate 'deep:2MB': larger than 1000000 bytes; --max-document SIZE raises the limit");
}

std::string help() {
    std::ostringstream out;
    write_help(out, FormatTable::built_in());
    return out.str();
}

TEST(help, fits_100_columns_and_ends_no_line_with_a_space) {
    std::istringstream in(help());
    std::string line;
    while (std::getline(in, line)) {
        EXPECT_LE(line.size(), 100U) << line;
        EXPECT_FALSE(line.ends_with(' ')) << "'" << line << "'";
    }
}

TEST(help, names_every_option_format_compressor_and_exit_code) {
    const std::string text = help();
    for (const OptionLine& line : option_table()) {
        for (const std::string_view name : line.names) {
            if (name.empty()) continue;
            const std::string shown = (line.group == OptionGroup::commands ? "  "
                                       : line.efxperf                      ? "-"
                                                                           : "--") +
                                      std::string(name);
            EXPECT_NE(text.find(shown), std::string::npos) << shown;
        }
    }
    const FormatTable table = FormatTable::built_in();
    for (const FormatLine& line : table.formats) {
        EXPECT_NE(text.find((line.headline ? "* " : "  ") + line.spec), std::string::npos)
            << line.spec;
    }
    for (const CompressorLine& line : table.compressors)
        EXPECT_NE(text.find("+" + line.name), std::string::npos) << line.name;
    int next = 0;
    for (const ExitCodeLine& line : exit_code_table()) {
        EXPECT_EQ(status(line.code), next++);
        EXPECT_NE(text.find(line.meaning), std::string::npos) << line.meaning;
    }
    EXPECT_EQ(next, 8);
}

TEST(help, its_examples_are_accepted) {
    std::istringstream in(help());
    std::string line;
    int examples = 0;
    while (std::getline(in, line)) {
        if (!line.starts_with("  perfclient ")) continue;
        line = line.substr(2, line.find("   ", 3) - 2);  // what follows is the explanation
        std::istringstream words_in(line);
        Words words;
        for (std::string word; words_in >> word;)
            words.push_back(word);
        words.erase(words.begin());
        EXPECT_EQ(accepted(words).action, Action::run) << line;
        ++examples;
    }
    EXPECT_EQ(examples, 3);
}

TEST(help, version_begins_with_name_and_number) {
    const std::string text = version_text("perfclient", "many");
    EXPECT_TRUE(text.starts_with("perfclient " PERFRELAY_VERSION "\ncommit: ")) << text;
    EXPECT_NE(text.find("\nfeatures: many\n"), std::string::npos) << text;
}

TEST(options, efxperfs_settings_change_the_efx_row_and_add_none) {
    using Specs = std::vector<std::string>;
    EXPECT_EQ(accepted({"-efx", "a.xml"}).formats, Specs{"exi"});
    EXPECT_EQ(accepted({"-exi", "-zip", "a.xml"}).formats, Specs{"exi:align=comp"});
    EXPECT_EQ(accepted({"-l", "-efx", "-xml", "-zip", "a.xml"}).formats,
              (Specs{"exi:align=comp,lexical", "xml"}));
    EXPECT_EQ(accepted({"-transcode", "-zip", "a.xml"}).formats, Specs{"transcode:align=comp"});
    // What was asked for by its SPEC stays as it is.
    EXPECT_EQ(accepted({"-efx", "-zip", "--format", "exi:align=byte", "a.xml"}).formats,
              (Specs{"exi:align=comp", "exi:align=byte"}));
    // Without modes the headline set has an EFX row.
    const Specs headline = accepted({"-lexical", "a.xml"}).formats;
    EXPECT_NE(std::find(headline.begin(), headline.end(), "exi:lexical"), headline.end());
    EXPECT_EQ(std::find(headline.begin(), headline.end(), "exi"), headline.end());
    EXPECT_EQ(refused({"-zip", "-xml", "a.xml"}), "-zip is a setting of the -efx row; add -efx");
}

}  // namespace
}  // namespace perfrelay::client
