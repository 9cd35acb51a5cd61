// The options of an exi SPEC.
#include "proto/exi/exi_spec.h"

#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

std::optional<EncoderOptions> parsed(const std::string& text, std::string& why) {
    const auto spec = parse_spec(text, why);
    EXPECT_TRUE(spec) << why;
    return parse_options(spec->format, 9, why);
}

EncoderOptions accepted(const std::string& text) {
    std::string why;
    const auto options = parsed(text, why);
    EXPECT_TRUE(options) << text << ": " << why;
    return options.value_or(EncoderOptions{});
}

std::string refused(const std::string& text) {
    std::string why;
    EXPECT_FALSE(parsed(text, why)) << text;
    EXPECT_EQ(why.find('\n'), std::string::npos);
    return why;
}

TEST(ExiSpec, BareIsTheSmallestHeaderAndKeepsNothing) {
    const EncoderOptions options = accepted("exi");
    EXPECT_EQ(options.stream, Options{});
    EXPECT_FALSE(options.cookie || options.write_options || options.canonical);
    EXPECT_TRUE(options.keep_schema_location && options.keep_nil_false);
}

TEST(ExiSpec, EveryWord) {
    const EncoderOptions o = accepted(
        "exi:align=byte,all,cookie,options,vcap=0,vmax=7,nolocal,profile,preview,level=9,"
        "sc=a;{urn:x;y}b,xsiloc=drop,nilinsig=drop,er=drop,schemaId,"
        "dtrm=xsd:decimal>exi:string;{urn:g}s>{urn:g}i");
    EXPECT_EQ(o.stream.alignment, Alignment::byte_aligned);
    EXPECT_EQ(o.stream.preserve, (Preserve{true, true, true, true, true}));
    EXPECT_EQ(o.stream.value_capacity, 0U);
    EXPECT_EQ(o.stream.value_max_length, 7U);
    EXPECT_FALSE(o.stream.profile.local_values);
    EXPECT_EQ(o.self_contained, (std::vector<ExpandedName>{{"", "a"}, {"urn:x;y", "b"}}));
    EXPECT_EQ(o.stream.datatype_map.at(0).type.uri, "http://www.w3.org/2001/XMLSchema");
    EXPECT_EQ(o.stream.datatype_map.at(1).representation, (ExpandedName{"urn:g", "i"}));
    EXPECT_EQ(o.stream.schema_id.kind, SchemaId::Kind::no_schema);
    EXPECT_FALSE(o.keep_schema_location || o.keep_nil_false || o.keep_entity_references);
    EXPECT_EQ(o.level, 9);
}

// Canonical EXI 2, 3
TEST(ExiSpec, CanonicalHasOptionsThatSayNoMoreThanTheyMust) {
    const EncoderOptions o = accepted(
        "exi:canonical,align=comp,blockSize=7,dtrm=xsd:int>exi:string;xsd:date>exi:date;"
        "{urn:g}b>{urn:g}i;{urn:g}a>{urn:g}i;xsd:float>exi:double");
    EXPECT_TRUE(o.write_options);
    EXPECT_EQ(o.stream.alignment, Alignment::pre_compression);
    EXPECT_EQ(o.stream.block_size, 7U);
    ASSERT_EQ(o.stream.datatype_map.size(), 3U);
    EXPECT_EQ(o.stream.datatype_map[0].type.local, "a");
    EXPECT_EQ(o.stream.datatype_map[2].type.local, "int");
    const EncoderOptions lexical =
        accepted("exi:canonical,lexical,blockSize=7,dtrm=xsd:int>exi:string");
    EXPECT_EQ(lexical.stream.block_size, Options{}.block_size);
    EXPECT_TRUE(lexical.stream.datatype_map.empty());
    const EncoderOptions omitted = accepted("exi:canonical,omitOptionsDocument,blockSize=7");
    EXPECT_FALSE(omitted.write_options);
    EXPECT_EQ(omitted.stream.block_size, 7U);
    EXPECT_NE(refused("exi:omitOptionsDocument").find("canonical"), std::string::npos);
    EXPECT_NE(refused("exi:canonical,options,omitOptionsDocument").find("canonical"),
              std::string::npos);
}

TEST(ExiSpec, Refusals) {
    EXPECT_NE(refused("exi:colour"), "");
    EXPECT_NE(refused("exi:align=word").find("bit, byte, pre or comp"), std::string::npos);
    EXPECT_NE(refused("exi:blockSize=0").find("from 1 to"), std::string::npos);
    EXPECT_NE(refused("exi:vcap").find("number"), std::string::npos);
    EXPECT_NE(refused("exi:vcap=4294967296").find("number"), std::string::npos);
    EXPECT_NE(refused("exi:level=10").find("from 0 to 9"), std::string::npos);
    EXPECT_NE(refused("exi:strict,comments").find("5.4"), std::string::npos);
    EXPECT_NE(refused("exi:sc=a,align=comp").find("5.4"), std::string::npos);
    EXPECT_NE(refused("exi:comments,comments").find("twice"), std::string::npos);
    EXPECT_NE(refused("exi:comments=1").find("no value"), std::string::npos);
    EXPECT_NE(refused("exi:canonical,cookie").find("Canonical"), std::string::npos);
    EXPECT_NE(refused("exi:profile").find("options"), std::string::npos);
    EXPECT_NE(refused("exi:schemaId").find("options"), std::string::npos);
    EXPECT_NE(refused("exi:maxgr").find("number"), std::string::npos);
    EXPECT_NE(refused("exi:er=maybe").find("keep or drop"), std::string::npos);
    EXPECT_NE(refused("exi:sc={urn:x}").find("no name"), std::string::npos);
    EXPECT_NE(refused("exi:dtrm=a").find("type>representation"), std::string::npos);
}

// perfclient looks at SPECs before it has read a schema: refused there, they could not be had.
TEST(ExiSpec, WhatNeedsASchemaIsMissedByTheDocument) {
    const auto document = document_of("<r/>");
    for (const char* spec : {"exi:maxgr=0", "exi:maxprod=1", "exi:utc"}) {
        EXPECT_NE(codec_of(spec)->cannot_represent(*document, false).value_or("").find("-schema"),
                  std::string::npos);
    }
    EXPECT_FALSE(codec_of("exi:nolocal")->cannot_represent(*document, false));
}

TEST(ExiSpec, FidelityIsThatOfTheOptions) {
    EXPECT_FALSE(codec_of("exi")->info().fidelity.comments);
    EXPECT_TRUE(codec_of("exi:comments")->info().fidelity.comments);
    EXPECT_EQ(codec_of("exi:all")->info().fidelity, Fidelity{});
}

TEST(ExiSpec, HintsOfSchemasGoOnlyWhenAsked) {
    const auto document = document_of(
        "<a xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='u v' "
        "xsi:nil='false'/>");
    const Buffer kept = encoded("exi", *document);
    XmlTape tape;
    const auto codec = codec_of("exi");
    ASSERT_TRUE(codec->decode(kept.view(), tape));
    EXPECT_FALSE(difference(document->xml, tape, codec->info().fidelity));
    EXPECT_LT(encoded("exi:xsiloc=drop", *document).size(), kept.size());
    EXPECT_EQ(encoded("exi:xsiloc=drop,nilinsig=drop", *document).size(),
              encoded("exi", *document_of("<a/>")).size());
}

}  // namespace
}  // namespace perfrelay::exi
