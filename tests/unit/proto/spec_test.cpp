#include "proto/codec/spec.h"

#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

Spec parsed(std::string_view text) {
    std::string why;
    const std::optional<Spec> spec = parse_spec(text, why);
    EXPECT_TRUE(spec) << why;
    EXPECT_EQ(why, "");
    return spec.value_or(Spec{});
}

std::string refusal(std::string_view text) {
    std::string why;
    EXPECT_FALSE(parse_spec(text, why)) << text;
    return why;
}

TEST(Spec, NameAlone) {
    const Spec spec = parsed("xml");
    EXPECT_EQ(spec.format.name, "xml");
    EXPECT_TRUE(spec.format.options.empty());
    EXPECT_TRUE(spec.compressors.empty());
}

TEST(Spec, OptionsAndCompressors) {
    const Spec spec = parsed("xml:tinyxml2+gzip:6+zstd");
    ASSERT_EQ(spec.format.options.size(), 1U);
    EXPECT_EQ(spec.format.options[0].key, "tinyxml2");
    EXPECT_FALSE(spec.format.options[0].value);
    ASSERT_EQ(spec.compressors.size(), 2U);
    EXPECT_EQ(spec.compressors[0].name, "gzip");
    ASSERT_EQ(spec.compressors[0].options.size(), 1U);
    EXPECT_EQ(spec.compressors[0].options[0].key, "6");
    EXPECT_EQ(spec.compressors[1].name, "zstd");
    EXPECT_TRUE(spec.compressors[1].options.empty());
}

TEST(Spec, BracesKeepPlusAndComma) {
    const Spec spec = parsed("exi:dtrm={urn:a,b+c}x>{urn:d}e;..,vcap=0+zstd:3");
    ASSERT_EQ(spec.format.options.size(), 2U);
    EXPECT_EQ(spec.format.options[0].key, "dtrm");
    EXPECT_EQ(spec.format.options[0].value, "{urn:a,b+c}x>{urn:d}e;..");
    EXPECT_EQ(spec.format.options[1].key, "vcap");
    EXPECT_EQ(spec.format.options[1].value, "0");
    ASSERT_EQ(spec.compressors.size(), 1U);
    EXPECT_EQ(spec.compressors[0].name, "zstd");
}

TEST(Spec, ValuesHoldColonsEqualsBlanksAndMayBeEmpty) {
    const Spec spec = parsed("exi:schema=c:a b=c.xsd,sid=,strict");
    ASSERT_EQ(spec.format.options.size(), 3U);
    EXPECT_EQ(spec.format.options[0].value, "c:a b=c.xsd");
    EXPECT_EQ(spec.format.options[1].value, "");
    EXPECT_FALSE(spec.format.options[2].value);
}

TEST(Spec, CompressorOptionsAreSeparatedByColons) {
    const Spec spec = parsed("xml+zstd:-5:dict={a:b+c},d");
    ASSERT_EQ(spec.compressors.size(), 1U);
    ASSERT_EQ(spec.compressors[0].options.size(), 2U);
    EXPECT_EQ(spec.compressors[0].options[0].key, "-5");
    EXPECT_EQ(spec.compressors[0].options[1].key, "dict");
    EXPECT_EQ(spec.compressors[0].options[1].value, "{a:b+c},d");
}

TEST(Spec, TextIsWhatWasParsed) {
    for (const std::string_view text :
         {"xml", "xml:tinyxml2", "xml+gzip", "xml:tinyxml2+gzip:6", "exi:a,b=c,d=+zstd:3:dict=f",
          "exi:dtrm={urn:a,b+c}x>{urn:d}e;..,vcap=0+zstd:3", "a1:b={}", "x:y={{}+lz4"}) {
        EXPECT_EQ(parsed(text).text(), text);
    }
}

struct Refused {
    const char* text;
    const char* why;
};

TEST(Spec, RefusalsNameThePlace) {
    for (const Refused& refused : {
             Refused{"", "\"\", character 1: expected a format name"},
             Refused{":a", "\":a\", character 1: expected a format name"},
             Refused{"+gzip", "\"+gzip\", character 1: expected a format name"},
             Refused{"XML", "\"XML\", character 1: unexpected \"X\": names are lower case"},
             Refused{"x-y", "\"x-y\", character 2: unexpected \"-\": names are a-z and 0-9"},
             Refused{"xml tiny",
                     "\"xml tiny\", character 4: unexpected \" \": names are a-z and 0-9"},
             Refused{"xml:", "\"xml:\", character 5: expected an option after \":\""},
             Refused{"xml:+gzip", "\"xml:+gzip\", character 5: expected an option after \":\""},
             Refused{"xml:a,", "\"xml:a,\", character 7: expected an option after \",\""},
             Refused{"xml:a,,b", "\"xml:a,,b\", character 7: expected an option after \",\""},
             Refused{"xml:=a", "\"xml:=a\", character 5: expected an option after \":\""},
             Refused{"xml:a:b", "\"xml:a:b\", character 6: unexpected \":\" in an option's name"},
             Refused{"xml:{a}", "\"xml:{a}\", character 5: unexpected \"{\" in an option's name"},
             Refused{"xml+", "\"xml+\", character 5: expected a compressor name after \"+\""},
             Refused{"xml++gzip",
                     "\"xml++gzip\", character 5: expected a compressor name after \"+\""},
             Refused{"xml+GZIP",
                     "\"xml+GZIP\", character 5: unexpected \"G\": names are lower case"},
             Refused{"xml+gzip:", "\"xml+gzip:\", character 10: expected an option after \":\""},
             Refused{"xml+gzip,6",
                     "\"xml+gzip,6\", character 9: unexpected \",\": names are a-z and 0-9"},
             Refused{"exi:a={b", "\"exi:a={b\", character 7: \"{\" is never closed"},
             Refused{"exi:a=b}", "\"exi:a=b}\", character 8: \"}\" without \"{\""},
             Refused{"exi:a={b}}", "\"exi:a={b}}\", character 10: \"}\" without \"{\""},
         }) {
        EXPECT_EQ(refusal(refused.text), refused.why);
    }
}

TEST(Spec, RefusalsStayOneShortLine) {
    EXPECT_EQ(refusal("xml:a=b\nc"), "\"xml:a=b?c\", character 8: control character");
    EXPECT_EQ(refusal("xml:a={\x1b}"), "\"xml:a={?}\", character 8: control character");
    EXPECT_LT(refusal(std::string(100'000, 'x') + "!").size(), 200U);
}

// Whatever the bytes: an answer, and what is accepted reads back as itself.
TEST(Spec, EveryShortText) {
    constexpr std::string_view k_alphabet = "a:,+={}\x01Z";
    for (std::size_t number = 0; number < 9U * 9 * 9 * 9 * 9; ++number) {
        std::string text;
        for (std::size_t rest = number; rest != 0; rest /= k_alphabet.size())
            text += k_alphabet[rest % k_alphabet.size()];
        std::string why;
        const std::optional<Spec> spec = parse_spec(text, why);
        ASSERT_NE(spec.has_value(), !why.empty()) << text;
        if (spec) {
            ASSERT_EQ(spec->text(), text);
        }
    }
}

}  // namespace
}  // namespace perfrelay
