// What formats of trees make of other people's bytes, and of hostile ones: every form that the
// specifications allow, cuts, depth, and counts that are not true.

#include <memory>

#include <gtest/gtest.h>

#include "proto/model/neutral_json.h"
#include "proto/object_formats.h"
#include "tests/support/codecs.h"
#include "tests/support/hex.h"
#include "tests/support/object_vectors.h"

namespace perfrelay {
namespace {

constexpr std::array<const char*, 5> k_specs{"json", "json:nlohmann", "cbor", "msgpack", "bson"};

// In the neutral notation, or the error.
std::string read(const char* spec, const std::string& bytes) {
    ObjectGraph graph;
    const auto done = codec_of(spec)->decode_objects(as_bytes(bytes), graph);
    if (!done) {
        EXPECT_EQ(graph.node_count(), 0U);
        EXPECT_LT(graph.arena().capacity(), std::size_t{1} << 20U);
        return "error: " + describe(done.error());
    }
    Buffer out;
    write_neutral_json(graph, out);
    return std::string(as_text(out.view()));
}
std::string read_hex(const char* spec, std::string_view hex) {
    return read(spec, from_hex(hex));
}
void expect_error(const char* spec, const std::string& bytes) {
    const std::string got = read(spec, bytes);
    EXPECT_TRUE(got.starts_with("error: ")) << spec << ", " << bytes.size() << " bytes: " << got;
}

TEST(TreeReading, CborForms) {
    EXPECT_EQ(read_hex("cbor", "f97e00"), R"({"t":"float","bits":"7fc00000"})");
    EXPECT_EQ(read_hex("cbor", "f93c00"), R"({"t":"float","bits":"3f800000","v":1.0})");
    EXPECT_EQ(read_hex("cbor", "f7"), R"({"t":"undefined"})");
    EXPECT_EQ(read_hex("cbor", "1bffffffffffffffff"),
              R"({"t":"bigint","id":0,"v":"18446744073709551615"})");
    EXPECT_EQ(read_hex("cbor", "3b7fffffffffffffff"), R"({"t":"long","v":"-9223372036854775808"})");
    EXPECT_EQ(read_hex("cbor", "7f657374726561646d696e67ff"), R"({"t":"string","v":"streaming"})");
    EXPECT_EQ(read_hex("cbor", "5f42010243030405ff"), R"({"t":"bytes","id":0,"hex":"0102030405"})");
    EXPECT_EQ(read_hex("cbor", "7fff"), R"({"t":"string","v":""})");
    EXPECT_EQ(read_hex("cbor", "9f018202039f0405ffff"), read_hex("cbor", "8301820203820405"));
    EXPECT_EQ(read_hex("cbor", "bf61610161629f0203ffff"), read_hex("cbor", "a26161016162820203"));
    EXPECT_EQ(read_hex("cbor", "c11a514b67b0"), R"({"t":"int","v":1363896240})");
    EXPECT_EQ(read_hex("cbor", "a10102"),
              R"({"t":"map","id":0,"entries":[[{"t":"int","v":1},{"t":"int","v":2}]]})");
    EXPECT_EQ(read_hex("cbor", "80"), R"({"t":"list","id":0,"items":[]})");
    EXPECT_EQ(read_hex("cbor", "8280a0"),
              R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[]},)"
              R"({"t":"map","id":2,"entries":[]}]})");
    for (const char* bad : {"",           "ff",
                            "1c",         "8201",
                            "81ff",       "bf01ff",
                            "7f4101ff",   "5f6161ff",
                            "7f7f61ffff", "7fc16161ff",
                            "c1",         "9fc1ff",
                            "0000",       "61ff",
                            "9f",         "7f",
                            "d81d00",     "d81c80",
                            "d90100",     "d81900",
                            "f0",         "3bffffffffffffffff",
                            "62c328"}) {
        expect_error("cbor", from_hex(bad));
    }
}

TEST(TreeReading, MsgpackForms) {
    EXPECT_EQ(read_hex("msgpack", "cfffffffffffffffff"),
              R"({"t":"bigint","id":0,"v":"18446744073709551615"})");
    EXPECT_EQ(read_hex("msgpack",
                       "d380"
                       "00000000000000"),
              R"({"t":"long","v":"-9223372036854775808"})");
    EXPECT_EQ(read_hex("msgpack", "dc000101"),
              R"({"t":"list","id":0,"items":[{"t":"int","v":1}]})");
    EXPECT_EQ(read_hex("msgpack", "8101c0"),
              R"({"t":"map","id":0,"entries":[[{"t":"int","v":1},{"t":"null"}]]})");
    EXPECT_EQ(read_hex("msgpack", "d9026162"), R"({"t":"string","v":"ab"})");
    EXPECT_EQ(read_hex("msgpack", "d7ff0000000400000001"),
              R"({"t":"date","id":0,"ms":"1000.000001"})");
    EXPECT_EQ(read_hex("msgpack",
                       "9290"
                       "80"),
              R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[]},)"
              R"({"t":"map","id":2,"entries":[]}]})");
    for (const char* bad :
         {"", "c1", "92c0", "0000", "a1ff", "a261", "d4ff00", "d40100", "d6fe00000001",
          "d7ffffffffff00000000", "c9ffffffffff", "c9ffffffff01", "81c0"}) {
        expect_error("msgpack", from_hex(bad));
    }
}

TEST(TreeReading, BsonForms) {
    const auto of_element = [](std::string element) {
        element = from_hex(element);
        std::string out(1, static_cast<char>(element.size() + 5));
        return out + std::string(3, '\0') + element + '\0';
    };
    const auto value = [&](const char* element) {
        const std::string all = read("bson", of_element(element));
        const std::string front = R"({"t":"map","id":0,"entries":[[{"t":"string","v":"a"},)";
        return all.starts_with(front) ? all.substr(front.size(), all.size() - front.size() - 3)
                                      : all;
    };
    EXPECT_EQ(value("0a6100"), R"({"t":"null"})");
    EXPECT_EQ(value("066100"), R"({"t":"undefined"})");
    EXPECT_EQ(value("086100"
                    "01"),
              R"({"t":"bool","v":true})");
    EXPECT_EQ(value("106100"
                    "01000000"),
              R"({"t":"int","v":1})");
    EXPECT_EQ(value("126100"
                    "0100000000000000"),
              R"({"t":"long","v":"1"})");
    EXPECT_EQ(value("096100"
                    "0100000000000000"),
              R"({"t":"date","id":1,"ms":"1"})");
    EXPECT_EQ(value("056100"
                    "0200000080abcd"),
              R"({"t":"bytes","id":1,"hex":"abcd"})");
    EXPECT_EQ(value("076100"
                    "000102030405060708090a0b"),
              R"({"t":"bytes","id":1,"hex":"000102030405060708090a0b"})");
    EXPECT_EQ(value("046100"
                    "0500000000"),
              R"({"t":"list","id":1,"items":[]})");
    // The names of a list's items say nothing.
    EXPECT_EQ(value("046100"
                    "08000000"
                    "0a3700"
                    "00"),
              R"({"t":"list","id":1,"items":[{"t":"null"}]})");
    for (const char* bad : {"0b6100"
                            "6100"
                            "6100",
                            "ff6100", "206100",
                            "106100"
                            "01",
                            "0261000500000061",
                            "026100"
                            "01000000ff",
                            "036100"
                            "04000000",
                            "036100"
                            "ff00000000",
                            "0a61",
                            "086100"
                            "02"}) {
        expect_error("bson", of_element(bad));
    }
    for (const char* bad : {"", "05", "0500000001", "0600000000", "050000000000", "ffffff7f00"})
        expect_error("bson", from_hex(bad));
}

TEST(TreeReading, JsonForms) {
    for (const char* spec : {"json", "json:nlohmann"}) {
        SCOPED_TRACE(spec);
        EXPECT_EQ(read(spec, " [1, 1.0, -0.0, 1e2, \"\\ud83d\\ude00\\u0000\"] "),
                  R"({"t":"list","id":0,"items":[{"t":"int","v":1},)"
                  R"({"t":"double","bits":"3ff0000000000000","v":1.0},)"
                  R"({"t":"double","bits":"8000000000000000","v":-0.0},)"
                  R"({"t":"double","bits":"4059000000000000","v":100.0},)"
                  "{\"t\":\"string\",\"v\":\"\U0001F600\\u0000\"}]}");
        EXPECT_EQ(read(spec, "18446744073709551615"),
                  R"({"t":"bigint","id":0,"v":"18446744073709551615"})");
        EXPECT_EQ(read(spec, "9007199254740993.0"),
                  R"({"t":"double","bits":"4340000000000000","v":9007199254740992.0})");
        EXPECT_EQ(read(spec, "{\"a\":1,\"a\":2}"),
                  R"({"t":"map","id":0,"entries":[[{"t":"string","v":"a"},{"t":"int","v":1}],)"
                  R"([{"t":"string","v":"a"},{"t":"int","v":2}]]})");
        for (const std::string& bad :
             {std::string(), std::string("["), std::string("[1,]"), std::string("{\"a\"}"),
              std::string("\"\\ud83d\""), std::string("\"\xff\""), std::string("1e999"),
              std::string("01"), std::string("nul"), std::string("1 2"), std::string("1\0", 2),
              std::string("1\0x", 3), std::string("\"a\nb\""), std::string("NaN")}) {
            expect_error(spec, bad);
        }
    }
    EXPECT_EQ(read("json", "[1,}"), "error: byte 3: Invalid value.");
    EXPECT_EQ(read("json:nlohmann", "[1,}"), "error: byte 3: JSON: a syntax error (RFC 8259)");
}

// Five bytes that claim 2^28 items, pairs or bytes, and more.
TEST(TreeReading, Claims) {
    for (const char* claim : {"9a10000000", "ba10000000", "7a10000000", "5a10000000",
                              "9bffffffffffffffff", "bb8000000000000000", "7bffffffffffffffff"}) {
        expect_error("cbor", from_hex(claim));
    }
    for (const char* claim :
         {"dd10000000", "df10000000", "db10000000", "c610000000", "c910000000ff", "ddffffffff"}) {
        expect_error("msgpack", from_hex(claim));
    }
    for (const char* claim : {"0000001000", "ffffffff00",
                              "1000000005610000000010"
                              "0000000000"})
        expect_error("bson", from_hex(claim));
}

// A list in a list .., whole; as deep as the limit, and one more.
std::string nested(const std::string& spec, std::size_t levels) {
    if (spec == "cbor") return std::string(levels - 1, '\x81') + '\x80';
    if (spec == "msgpack") return std::string(levels - 1, '\x91') + '\x90';
    if (spec != "bson") return std::string(levels, '[') + std::string(levels, ']');
    // The innermost has 5 bytes, each around it 8 more: size, type, "0", end.
    std::string out;
    for (std::size_t left = levels; left > 0; --left) {
        const std::size_t size = 5 + 8 * (left - 1);
        for (const unsigned shift : {0U, 8U, 16U, 24U})
            out += static_cast<char>(size >> shift);
        if (left > 1)
            out += std::string(
                "\x04"
                "0\0",
                3);
    }
    return out + std::string(levels, '\0');
}

TEST(TreeReading, AMillionLevels) {
    constexpr std::size_t k_levels = 1'000'000;
    for (const char* spec : k_specs) {
        SCOPED_TRACE(spec);
        ObjectGraph graph;
        const auto done = codec_of(spec)->decode_objects(as_bytes(nested(spec, k_levels)), graph);
        ASSERT_TRUE(done) << describe(done.error());
        EXPECT_EQ(graph.node_count(), k_levels);
        const auto more =
            codec_of(spec)->decode_objects(as_bytes(nested(spec, k_levels + 1)), graph);
        ASSERT_FALSE(more);
        EXPECT_EQ(more.error().code, Errc::limit_exceeded);
        Limits limits;
        limits.max_depth = 3;
        EXPECT_TRUE(codec_of(spec, limits)->decode_objects(as_bytes(nested(spec, 3)), graph));
        EXPECT_FALSE(codec_of(spec, limits)->decode_objects(as_bytes(nested(spec, 4)), graph));
    }
}

// The table and its references are levels too: what would be too deep to be read is refused.
TEST(TreeReading, WhatIsWrittenCanBeRead) {
    Limits limits;
    limits.max_depth = 4;
    for (const auto& [json, fits] :
         {std::pair(R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[]}]})", true),
          std::pair(R"({"t":"list","id":0,"items":[{"t":"list","id":1,"items":[{"t":"list","id":2,
                        "items":[{"t":"ref","id":1}]}]}]})",
                    false)}) {
        const Document document = document_of_objects(json);
        for (const char* spec : k_specs) {
            EXPECT_EQ(!codec_of(spec, limits)->cannot_represent(document, false), fits) << spec;
        }
    }
}

TEST(TreeReading, NoInputAtAll) {
    for (const char* spec : k_specs) {
        ObjectGraph graph;
        EXPECT_FALSE(codec_of(spec)->decode_objects(Bytes(), graph)) << spec;
    }
}

// Every cut is an error, and so is every byte behind the end.
TEST(TreeReading, Cuts) {
    const Document document = document_of_objects(
        R"({"t":"map","id":0,"entries":[[{"t":"string","v":"some text"},{"t":"list","id":1,
            "items":[{"t":"int","v":100000},{"t":"double","bits":"3fb999999999999a","v":0.1},
            {"t":"date","id":2,"ms":"1234567890123"},{"t":"bytes","id":3,"hex":"0102030405"},
            {"t":"float","bits":"3fc00000","v":1.5},{"t":"long","v":"1099511627776"},{"t":"null"},
            {"t":"bool","v":true}]}],[{"t":"string","v":"b"},{"t":"map","id":4,"entries":[]}]]})");
    for (const char* spec : k_specs) {
        SCOPED_TRACE(spec);
        const auto format = codec_of(spec);
        Buffer out;
        ASSERT_TRUE(format->encode(document, out));
        const std::string whole(as_text(out.view()));
        for (std::size_t size = 0; size < whole.size(); ++size)
            expect_error(spec, whole.substr(0, size));
        expect_error(spec, whole + std::string(1, '\0'));
        expect_error(spec, whole + "\xC0");
    }
}

}  // namespace
}  // namespace perfrelay
