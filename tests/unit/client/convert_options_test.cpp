#include "client/convert_options.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/client/parsing.h"

namespace perfrelay::client {
namespace {

ConvertOptions accepted(const Words& words) {
    return client::accepted(parse_convert(pointers(words), FormatTable::built_in()));
}

std::string refused(const Words& words) {
    const std::string line =
        client::refused(parse_convert(pointers(words), FormatTable::built_in()));
    const std::string start = "convert: ";
    EXPECT_TRUE(line.empty() || line.starts_with(start)) << line;
    return line.empty() ? "" : line.substr(start.size());
}

TEST(convert_options, in_and_out) {
    const ConvertOptions options = accepted({"a.xml", "-"});
    EXPECT_EQ(options.input, (Input{"a.xml", ""}));
    EXPECT_EQ(options.output, "-");
    EXPECT_EQ(options.to, "xml");
    EXPECT_FALSE(options.events);
    EXPECT_FALSE(options.ws_given);
    EXPECT_EQ(accepted({"--", "-a", "-b"}).input.path, "-a");
    EXPECT_TRUE(accepted({"-h"}).help);
}

TEST(convert_options, a_trace_takes_the_place_of_a_format) {
    EXPECT_TRUE(accepted({"--trace", "a.exi", "-"}).trace);
    EXPECT_EQ(refused({"--trace", "--to", "xml", "a", "-"}),
              "--events, --graph, --trace and --to exclude each other");
    EXPECT_EQ(refused({"--trace", "--events", "a", "-"}),
              "--events, --graph, --trace and --to exclude each other");
    EXPECT_EQ(refused({"--trace=1", "a", "-"}), "--trace takes no value, and here is '1'");
}

TEST(convert_options, outs_ending_says_what_to_write) {
    EXPECT_EQ(accepted({"a", "b"}).to, "xml");
    EXPECT_EQ(accepted({"a", "b.txt"}).to, "xml");
    EXPECT_EQ(accepted({"a", "b.xml.gz"}).to, "xml+gzip");
    EXPECT_EQ(accepted({"a", "b.GZ"}).to, "xml+gzip");
    EXPECT_EQ(accepted({"a", "b.xml.gz.zst"}).to, "xml+gzip+zstd");
    EXPECT_EQ(accepted({"a", "b.br"}).to, "xml+brotli");
    EXPECT_EQ(accepted({"--to", "gzxml", "a", "b.zst"}).to, "xml+gzip");
    EXPECT_EQ(refused({"a", "b.sqlite"}), "b.sqlite: SQLite cannot be written");
    EXPECT_EQ(accepted({"a", "b.json"}).to, "json");
    EXPECT_EQ(accepted({"a", "b.mpk.gz"}).to, "msgpack+gzip");
}

TEST(convert_options, options_mean_what_they_mean_in_a_run) {
    const ConvertOptions options =
        accepted({"-from", "xml+gzip", "--ws=keep", "a", "--events", "--max-document", "1MB", "b",
                  "--deflate", "libdeflate"});
    EXPECT_EQ(options.common.from, "xml+gzip");
    EXPECT_EQ(options.common.whitespace, Whitespace::keep);
    EXPECT_TRUE(options.ws_given);
    EXPECT_TRUE(options.events);
    EXPECT_EQ(options.to, "");
    EXPECT_EQ(options.common.codecs.limits.max_document, 1'000'000U);
    EXPECT_EQ(options.common.codecs.deflate, DeflateLibrary::libdeflate);
}

TEST(convert_options, a_generated_document_stands_for_in) {
    const ConvertOptions options = accepted({"--generate", "deep:1kB", "--seed", "4", "-"});
    EXPECT_EQ(options.input, (Input{"deep:1kB", "", true}));
    EXPECT_EQ(options.common.generator_seed, 4U);
    EXPECT_EQ(options.output, "-");
    EXPECT_FALSE(refused({"--generate", "deep", "a", "b"}).empty());
    EXPECT_FALSE(refused({"--generate", "deep", "--generate", "deep", "b"}).empty());
    EXPECT_FALSE(refused({"--generate", "deap", "b"}).empty());
    EXPECT_FALSE(refused({"--generate", "deep:2GiB", "b"}).empty());
}

TEST(convert_options, what_is_wrong_is_said) {
    EXPECT_NE(refused({}).find("IN and OUT"), std::string::npos);
    EXPECT_NE(refused({"a"}).find("1 files"), std::string::npos);
    EXPECT_NE(refused({"a", "b", "c"}).find("3 files"), std::string::npos);
    EXPECT_EQ(refused({"--to", "xml", "--events", "a", "b"}),
              "--events, --graph, --trace and --to exclude each other");
    EXPECT_EQ(refused({"--to", "xml:all", "a", "b"}), "--to 'xml:all': several formats");
    EXPECT_TRUE(refused({"--to", "xlm", "a", "b"}).starts_with("--to no format"));
    EXPECT_TRUE(refused({"--from", "xlm", "a", "b"}).starts_with("--from no format"));
    EXPECT_EQ(refused({"--to"}), "--to needs a value");
    EXPECT_EQ(refused({"--events=1", "a", "b"}), "--events takes no value, and here is '1'");
    EXPECT_EQ(refused({"--ws", "some", "a", "b"}), "--ws 'some': neither auto, keep nor drop");
    EXPECT_TRUE(refused({"--bogus", "a", "b"}).starts_with("--bogus: unknown option"));
    EXPECT_TRUE(refused({"-repeat", "5", "a", "b"}).starts_with("-repeat is no option of convert"));
}

TEST(convert_options, the_help_fits_and_its_examples_are_accepted) {
    std::ostringstream out;
    write_convert_help(out);
    std::istringstream in(out.str());
    int examples = 0;
    for (std::string line; std::getline(in, line);) {
        EXPECT_LE(line.size(), 100U) << line;
        const std::string start = "  perfclient convert ";
        if (!line.starts_with(start)) continue;
        std::istringstream words(line.substr(start.size(), line.find("   ") - start.size()));
        Words found;
        for (std::string word; words >> word;)
            found.push_back(word);
        EXPECT_EQ(refused(found), "") << line;
        ++examples;
    }
    EXPECT_GE(examples, 4);
}

}  // namespace
}  // namespace perfrelay::client
