#include "proto/formats.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

using Specs = std::vector<std::string>;

Specs expanded(std::string_view spec) {
    std::string why;
    Specs specs = FormatTable::built_in().expand(spec, why);
    EXPECT_EQ(why, "") << spec;
    return specs;
}

std::string refusal(std::string_view spec) {
    const FormatTable table = FormatTable::built_in();
    std::string why;
    EXPECT_EQ(table.expand(spec, why), Specs{}) << spec;
    std::string made_why;
    EXPECT_EQ(table.make(spec, {}, made_why), nullptr) << spec;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    return why;
}

TEST(Formats, EveryLineMakesWhatItSays) {
    const FormatTable table = FormatTable::built_in();
    std::set<std::string> seen;
    for (const FormatLine& line : table.formats) {
        std::string why;
        const auto codec = table.make(line.spec, {}, why);
        ASSERT_NE(codec, nullptr) << why;
        EXPECT_EQ(codec->info().spec, line.spec);
        EXPECT_FALSE(codec->info().title.empty());
        EXPECT_FALSE(codec->info().reader.empty());
        EXPECT_FALSE(codec->info().writer.empty());
        EXPECT_FALSE(line.summary.empty());
        EXPECT_TRUE(seen.insert(line.spec).second);
        EXPECT_TRUE(seen.insert(codec->info().title).second) << codec->info().title;
    }
}

TEST(Formats, EveryCompressorGoesAroundEveryFormat) {
    const FormatTable table = FormatTable::built_in();
    for (const FormatLine& line : table.formats) {
        for (const CompressorLine& compressor : table.compressors) {
            std::string why;
            const auto codec = table.make(line.spec + "+" + compressor.name, {}, why);
            ASSERT_NE(codec, nullptr) << why;
            EXPECT_EQ(codec->info().spec, line.spec + "+" + compressor.name);
        }
    }
}

TEST(Formats, HeadlineIsXmlTinyxml2GzxmlExiAmf3AndHessian) {
    EXPECT_EQ(FormatTable::built_in().headline(),
              (Specs{"xml", "xml:tinyxml2", "xml+gzip", "exi", "amf3", "hessian2"}));
}

// A group is the line's, whatever the options and compressors.
TEST(Formats, GroupsOfRows) {
    const FormatTable table = FormatTable::built_in();
    for (const char* spec : {"amf3", "amf3:profile=blazeds+gzip", "hessian", "hessian2+zstd:3"})
        EXPECT_EQ(table.group_of(spec), RowGroup::keeps_references) << spec;
    for (const char* spec : {"xml", "gzxml", "exi:align=comp"})
        EXPECT_EQ(table.group_of(spec), RowGroup::tree) << spec;
}

TEST(Formats, OneSpecStandsForItself) {
    EXPECT_EQ(expanded("xml"), Specs{"xml"});
    EXPECT_EQ(expanded("xml:pugixml+zstd:3"), Specs{"xml:pugixml+zstd:3"});
}

TEST(Formats, AliasIsReplaced) {
    EXPECT_EQ(expanded("gzxml"), Specs{"xml+gzip"});
    EXPECT_EQ(expanded("gzxml+zstd:9"), Specs{"xml+gzip+zstd:9"});
    std::string why;
    const auto codec = FormatTable::built_in().make("gzxml", {}, why);
    ASSERT_NE(codec, nullptr) << why;
    EXPECT_EQ(codec->info().spec, "xml+gzip");
    EXPECT_EQ(codec->info().title, "GZXML");
}

TEST(Formats, AllIsEveryEngineWithItsCompressors) {
    const Specs engines{"xml", "xml:libxml2", "xml:expat", "xml:tinyxml2", "xml:pugixml"};
    EXPECT_EQ(expanded("xml:all"), engines);
    Specs packed;
    for (const std::string& engine : engines)
        packed.push_back(engine + "+gzip+zstd:5");
    EXPECT_EQ(expanded("xml:all+gzip+zstd:5"), packed);
}

TEST(Formats, RefusalsSuggestWhatIsNear) {
    EXPECT_EQ(refusal("xml:pugi"), "format xml has no option \"pugi\": did you mean xml:pugixml?");
    EXPECT_EQ(refusal("xml:tinyxml"),
              "format xml has no option \"tinyxml\": did you mean xml:tinyxml2?");
    EXPECT_EQ(refusal("xnl"), "no format \"xnl\": did you mean xml?");
    EXPECT_EQ(refusal("gzxm"), "no format \"gzxm\": did you mean gzxml?");
    EXPECT_EQ(refusal("xml+gzp"), "no compressor \"gzp\": did you mean gzip?");
    EXPECT_EQ(refusal("xml+zst:3"), "no compressor \"zst\": did you mean zstd?");
}

TEST(Formats, RefusalsListWhatThereIsWhenNothingIsNear) {
    EXPECT_EQ(
        refusal("protobuf"),
        "no format \"protobuf\"; there are xml, xml:libxml2, xml:expat, xml:tinyxml2, "
        "xml:pugixml, gzxml, transcode, efx, amf3, hessian, javaser, json, json:nlohmann, cbor, "
        "msgpack, bson");
    EXPECT_EQ(refusal("xml+bzip2all"),
              "no compressor \"bzip2all\"; there are gzip, deflate, zstd, brotli, lz4");
    EXPECT_EQ(refusal("xml:whatever=1"), "format xml has no option \"whatever=1\"");
    EXPECT_EQ(refusal("xml:all,pugixml"), "format xml has no option \"all,pugixml\"");
    EXPECT_EQ(refusal("xml:" + std::string(5000, 'x')),
              "format xml has no option \"" + std::string(60, 'x') + "...\"");
}

TEST(Formats, OtherRefusals) {
    EXPECT_EQ(refusal(""), "\"\", character 1: expected a format name");
    EXPECT_EQ(refusal("gzxml:tinyxml2"), "gzxml takes no options; it is short for xml+gzip");
    EXPECT_EQ(refusal("xml:all+gzip:77"),
              "gzip: no level 77; gzip takes a level from 0 to 12, as in gzip:6");
    EXPECT_EQ(refusal("xml+zstd:dict=f"), "f: the dictionary cannot be read, or is empty");
}

TEST(Formats, LevelsAreThoseOfTheRunsDeflateLibrary) {
    const FormatTable table = FormatTable::built_in();
    std::string why;
    EXPECT_EQ(table.expand("xml+gzip:12", why), Specs{"xml+gzip:12"});
    EXPECT_NE(table.make("xml+gzip:12", {.limits = {}, .deflate = DeflateLibrary::libdeflate}, why),
              nullptr);
    EXPECT_EQ(why, "");
    EXPECT_EQ(table.make("xml+gzip:12", {}, why), nullptr);
    EXPECT_EQ(why, "gzip: no level 12; gzip takes a level from 0 to 9, as in gzip:6");
}

TEST(Formats, DeflateLibraryIsTheRunsForEveryFormat) {
    const FormatTable table = FormatTable::built_in();
    for (const std::string spec : {"xml+gzip", "xml:expat+deflate:3"}) {
        std::string why;
        const auto zlib = table.make(spec, {}, why);
        const auto libdeflate =
            table.make(spec, {.limits = {}, .deflate = DeflateLibrary::libdeflate}, why);
        ASSERT_TRUE(zlib != nullptr && libdeflate != nullptr) << why;
        EXPECT_NE(zlib->info().notes.back().find("by zlib 1."), std::string::npos);
        EXPECT_NE(libdeflate->info().notes.back().find("by libdeflate 1."), std::string::npos);
    }
}

TEST(Formats, AFormatMayBeAddedToACopy) {
    FormatTable table = FormatTable::built_in();
    table.formats.push_back({"other", "", "a copy of xml", true, table.formats.front().make});
    std::string why;
    const auto codec = table.make("other+lz4", {}, why);
    ASSERT_NE(codec, nullptr) << why;
    EXPECT_EQ(codec->info().spec, "other+lz4");
    EXPECT_EQ(table.headline().back(), "other");
    EXPECT_EQ(FormatTable::built_in().make("other", {}, why), nullptr);
}

// EXI's option "all" keeps everything; it was once taken for "every format called exi".
TEST(Formats, AllIsAnOptionWhereThereIsOneFormatOfTheName) {
    std::string why;
    EXPECT_EQ(FormatTable::built_in().expand("exi:all", why), std::vector<std::string>{"exi:all"});
    EXPECT_EQ(FormatTable::built_in().expand("exi:all+gzip", why),
              std::vector<std::string>{"exi:all+gzip"});
}

}  // namespace
}  // namespace perfrelay
