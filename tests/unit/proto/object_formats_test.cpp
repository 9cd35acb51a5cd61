// Readers and writers of the object formats at their edges: forms that a writer would not choose,
// numbers at their limits, damage, and depth.

#include <string>

#include <gtest/gtest.h>

#include "proto/amf3/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/decimal.h"
#include "proto/javaser/format.h"
#include "proto/model/neutral_json.h"
#include "tests/support/files.h"
#include "tests/support/hex.h"
#include "tests/support/object_vectors.h"

namespace perfrelay {
namespace {

// What the bytes say in the neutral notation, or the error.
template <class Format>
std::string read(const std::string& bytes, const Limits& limits = {}) {
    ObjectGraph graph;
    if (const auto done = Format(limits).decode(as_bytes(bytes), graph); !done) {
        return "error: " + std::string(done.error().where);
    }
    Buffer out;
    write_neutral_json(graph, out);
    return std::string(as_text(out.view()));
}

template <class Format>
std::string written(std::string_view json, Format format = Format(Limits())) {
    const ObjectGraph graph = graph_of(std::string(json));
    ObjectGraph own;
    if (const auto lowered = format.lower(graph, own); !lowered) {
        return "error: " + std::string(lowered.error().where);
    }
    Buffer out;
    if (const auto encoded = format.encode(own, out); !encoded) {
        return "error: " + std::string(encoded.error().where);
    }
    return to_hex(out.view());
}

std::string amf3_of(std::string_view hex) {
    return read<amf3::Amf3Format>(from_hex(hex));
}
std::string hessian_of(std::string_view hex) {
    return read<hessian2::Hessian2Format>(from_hex(hex));
}
std::string java_of(std::string_view hex) {
    return read<javaser::JavaserFormat>(from_hex("aced0005" + std::string(hex)));
}

std::string int_json(long value) {
    return R"({"t":"int","v":)" + std::to_string(value) + "}";
}

TEST(Amf3, IntegersOf29Bits) {
    EXPECT_EQ(amf3_of("04 bfffffff"), int_json(268435455));
    EXPECT_EQ(amf3_of("04 c0808000"), int_json(-268435456));
    EXPECT_EQ(amf3_of("04 ffffffff"), int_json(-1));
    EXPECT_EQ(amf3_of("04 8005"), int_json(5)) << "a longer form than needed is legal";
    EXPECT_EQ(written<amf3::Amf3Format>(int_json(268435455)), "04bfffffff");
    EXPECT_EQ(written<amf3::Amf3Format>(int_json(268435456)), "0541b0000000000000");
    EXPECT_EQ(written<amf3::Amf3Format>(int_json(-268435456)), "04c0808000");
    EXPECT_EQ(written<amf3::Amf3Format>(int_json(-268435457)), "05c1b0000001000000");
    EXPECT_EQ(written<amf3::Amf3Format>(R"({"t":"long","v":"1"})"), "053ff0000000000000");
}

TEST(Amf3, ARepeatedLiteralHasAnIndexOfItsOwn) {
    EXPECT_EQ(amf3_of("09 09 01 06 03 61 06 03 61 06 03 62 06 04"),
              R"({"t":"array","id":0,"assoc":[],"dense":[{"t":"string","v":"a"},)"
              R"({"t":"string","v":"a"},{"t":"string","v":"b"},{"t":"string","v":"b"}]})");
}

TEST(Amf3, EmptyContainersTakeAnIndexAndTheEmptyStringNone) {
    EXPECT_EQ(amf3_of("09 0b 01 0c 01 09 01 01 06 01 0c 02 09 04"),
              R"({"t":"array","id":0,"assoc":[],"dense":[{"t":"bytes","id":1,"hex":""},)"
              R"({"t":"array","id":2,"assoc":[],"dense":[]},{"t":"string","v":""},)"
              R"({"t":"ref","id":1},{"t":"ref","id":2}]})");
}

// A 3.12: the bits above the externalizable flag are not significant, no member names follow.
TEST(Amf3, ExternalizableHeadersHaveNoMembers) {
    const std::string name = to_hex(as_bytes("flex.messaging.io.ObjectProxy"));
    EXPECT_EQ(amf3_of("0a 7f 3b" + name + "04 05"),
              R"({"t":"external","id":0,"type":"flex.messaging.io.ObjectProxy","items":[)" +
                  int_json(5) + "]}");
}

TEST(Amf3, RegisteredClassesAreRead) {
    amf3::Amf3Format format{Limits()};
    ObjectGraph graph;
    const std::string bytes = from_hex("0a 07 03 45 06 03 41");
    EXPECT_FALSE(format.decode(as_bytes(bytes), graph));
    format.add_one_value_class("E");
    EXPECT_TRUE(format.decode(as_bytes(bytes), graph));
}

TEST(Amf3, DatesKeepWhatADoubleHolds) {
    EXPECT_EQ(amf3_of("08 01 3ff8000000000000"), R"({"t":"date","id":0,"ms":"1.5"})");
    EXPECT_EQ(amf3_of("08 7f 43e0000000000000"),
              R"({"t":"date","id":0,"ms":"9223372036854775808"})");
    EXPECT_EQ(amf3_of("08 01 8000000000000000"), R"({"t":"date","id":0,"ms":"-0"})");
    EXPECT_EQ(written<amf3::Amf3Format>(R"({"t":"date","id":0,"ms":"1.5"})"),
              "08013ff8000000000000");
}

TEST(Amf3, TextFormsOfTheWriter) {
    const char* const json = "{\"t\":\"string\",\"v\":\"\xF0\x9F\x98\x80\"}";
    EXPECT_EQ(written<amf3::Amf3Format>(json), "0609f09f9880");
    EXPECT_EQ(
        written(json, amf3::Amf3Format(Limits(), amf3::Profile::plain, amf3::TextForm::cesu8)),
        "060deda0bdedb880");
}

TEST(Amf3, ProfilesOfMapsAndEnums) {
    const char* const map =
        R"({"t":"map","id":0,"entries":[[{"t":"string","v":"k"},{"t":"null"}]]})";
    EXPECT_EQ(written<amf3::Amf3Format>(map), "0a0b01036b0101");
    EXPECT_EQ(written(map, amf3::Amf3Format(Limits(), amf3::Profile::blazeds)), "0a1301036b01");
    EXPECT_EQ(written(map, amf3::Amf3Format(Limits(), amf3::Profile::graniteds)), "0a0b01036b0101");
    const char* const constant = R"({"t":"enum","id":0,"type":"E","v":"A"})";
    EXPECT_EQ(written<amf3::Amf3Format>(constant), "060341");
    EXPECT_EQ(written(constant, amf3::Amf3Format(Limits(), amf3::Profile::graniteds)),
              "0a070345060341");
    EXPECT_EQ(written<amf3::Amf3Format>(
                  R"({"t":"map","id":0,"entries":[[{"t":"int","v":1},{"t":"null"}]]})"),
              "110300040101")
        << "a key that is no name makes a dictionary";
}

TEST(Amf3, AnEmptyNameCannotBeADynamicMember) {
    EXPECT_TRUE(written<amf3::Amf3Format>(
                    R"({"t":"object","id":0,"fields":[],"dynamic":[["",{"t":"null"}]]})")
                    .starts_with("error: AMF3 3.12"));
    EXPECT_EQ(written<amf3::Amf3Format>(
                  R"({"t":"object","id":0,"type":"T","fields":[["",{"t":"null"}]]})"),
              "0a1303540101")
        << "sealed it can";
}

TEST(Hessian2, LongFormsAreLegal) {
    EXPECT_EQ(hessian_of("49 00000005"), int_json(5));
    EXPECT_EQ(hessian_of("58 49 00000001 4e"), R"({"t":"list","id":0,"items":[{"t":"null"}]})");
    EXPECT_EQ(hessian_of("53 0001 61"), R"({"t":"string","v":"a"})");
    EXPECT_EQ(hessian_of("52 0000 00"), R"({"t":"string","v":""})");
    EXPECT_TRUE(hessian_of("58 e1 4e").starts_with("error: Hessian 4.5")) << "a long is no int";
}

TEST(Hessian2, NumbersAtTheirLimits) {
    const auto number = [](const char* bits) {
        return written<hessian2::Hessian2Format>(std::string(R"({"t":"double","bits":")") + bits +
                                                 "\"}");
    };
    EXPECT_EQ(number("4028800000000000"), "5f00002fda") << 12.25;
    EXPECT_EQ(number("40e0000000000000"), "5f01f40000") << 32768;
    EXPECT_EQ(number("c0e0000000000000"), "5e8000") << -32768;
    EXPECT_EQ(number("8000000000000000"), "448000000000000000") << "the sign of zero stays";
    EXPECT_EQ(number("7ff8000000000000"), "447ff8000000000000");
    EXPECT_EQ(number("7ff0000000000000"), "447ff0000000000000");
    EXPECT_EQ(number("41e0000000000000"), "4441e0000000000000") << "2^31";
    EXPECT_EQ(hessian_of("5f 00000009"),
              R"({"t":"double","bits":"3f826e978d4fdf3c","v":0.009000000000000001})");
    for (const auto& [value, hex] : {std::pair(-16L, "80"),
                                     {47, "bf"},
                                     {48, "c830"},
                                     {-17, "c7ef"},
                                     {2047, "cfff"},
                                     {2048, "d40800"},
                                     {-262144, "d00000"},
                                     {262143, "d7ffff"},
                                     {262144, "4900040000"}}) {
        EXPECT_EQ(written<hessian2::Hessian2Format>(int_json(value)), hex);
        EXPECT_EQ(hessian_of(hex), int_json(value));
    }
}

TEST(Hessian2, CharactersOfFourBytesCountTwo) {
    EXPECT_EQ(hessian_of("02 f09f9880"), "{\"t\":\"string\",\"v\":\"\xF0\x9F\x98\x80\"}");
    EXPECT_EQ(hessian_of("02 eda0bd edb880"), "{\"t\":\"string\",\"v\":\"\xF0\x9F\x98\x80\"}");
    EXPECT_TRUE(hessian_of("01 f09f9880").starts_with("error: Hessian 4.12"));
    // A pair that two chunks share is one character.
    EXPECT_EQ(hessian_of("52 0001 eda0bd 01 edb880"),
              "{\"t\":\"string\",\"v\":\"\xF0\x9F\x98\x80\"}");
}

TEST(Hessian2, MinutesAreSigned) {
    EXPECT_EQ(hessian_of("4b ffffffff"), R"({"t":"date","ms":"-60000"})");
    EXPECT_EQ(written<hessian2::Hessian2Format>(R"({"t":"date","ms":"-60000"})"), "4bffffffff");
    EXPECT_EQ(written<hessian2::Hessian2Format>(R"({"t":"date","ms":"-60001"})"),
              "4affffffffffff159f");
}

TEST(Hessian2, DefinitionsStandAnywhereAndAreNoValues) {
    EXPECT_EQ(hessian_of("43 01 41 90 43 01 42 91 01 78 61 90"),
              R"({"t":"object","id":0,"type":"B","fields":[["x",{"t":"int","v":0}]]})");
    EXPECT_TRUE(hessian_of("43 01 41 90").starts_with("error: "));
}

TEST(Hessian2, LongStringsAreCutAsCauchoCuts) {
    std::string text(32767, 'a');
    text += "\xF0\x9F\x98\x80" + std::string(10, 'b');
    const std::string hex =
        written<hessian2::Hessian2Format>("{\"t\":\"string\",\"v\":\"" + text + "\"}");
    EXPECT_EQ(hex.substr(0, 6), "527fff") << "not within a pair";
    EXPECT_EQ(hex.substr(6 + 2 * 32767, 2), "0c");
    EXPECT_EQ(hessian_of(hex), "{\"t\":\"string\",\"v\":\"" + text + "\"}");
}

TEST(Hessian2, TextsWithoutReferencesHaveABound) {
    // One string of a kilobyte, a thousand times: more than the megabyte that is allowed.
    std::string json = R"({"t":"list","id":0,"items":[)";
    for (int i = 0; i < 1100; ++i)
        json += (i == 0 ? "" : ",") + (R"({"t":"string","v":")" + std::string(1000, 'x') + "\"}");
    json += "]}";
    Limits limits;
    EXPECT_FALSE(written(json, hessian2::Hessian2Format(limits)).starts_with("error"));
    limits.max_document = 1'000'000;
    EXPECT_TRUE(
        written(json, hessian2::Hessian2Format(limits)).starts_with("error: Hessian: texts"));
}

TEST(Javaser, WhatCannotBeRead) {
    EXPECT_EQ(java_of("7b"), "error: Java 6.4: its writer broke the stream off (exception)");
    EXPECT_TRUE(
        java_of("73 72 0001 41 0000000000000000 04 0000 78 70").starts_with("error: Java 6.3"));
    EXPECT_TRUE(
        java_of("73 72 0001 41 0000000000000000 06 0000 78 70").starts_with("error: Java 6.4"));
    EXPECT_TRUE(
        java_of("73 72 0001 41 0000000000000000 00 0000 78 70").starts_with("error: Java 6.4"));
    EXPECT_TRUE(
        java_of("7e 72 0001 41 0000000000000000 02 0000 78 70").starts_with("error: Java 1.12"));
    EXPECT_TRUE(java_of("73 79").starts_with("error: Java 6.4"));
    EXPECT_TRUE(read<javaser::JavaserFormat>("rO0ABXA=").find("base64") != std::string::npos);
    EXPECT_TRUE(java_of("78").starts_with("error: Java 6.4"));
}

TEST(Javaser, BlocksThatFollowOneAnotherAreOne) {
    EXPECT_EQ(java_of("77 01 61 7a 00000001 62 77 00"), R"({"t":"block","hex":"6162"})");
    EXPECT_EQ(java_of("79 70"), R"({"t":"seq","items":[{"t":"reset"},{"t":"null"}]})");
}

// Only the class itself writes when it is externalizable, whatever its superclasses are.
TEST(Javaser, ExternalizableBelowSerializable) {
    EXPECT_EQ(java_of("73 72 0001 45 0000000000000001 0c 0000 78"
                      "   72 0001 53 0000000000000001 02 0001 49 0001 73 78 70  77 01 07 78"),
              R"({"t":"object","id":0,"type":"E","levels":[{"class":"E","fields":[],)"
              R"("annotation":[{"t":"block","hex":"07"}]}]})");
}

TEST(Javaser, CollectionsThatAreNotWhatTheirClassWritesStayObjects) {
    // An ArrayList of size 2 with one item.
    EXPECT_EQ(java_of("73 72 0013 6a6176612e7574696c2e41727261794c697374 7881d21d99c7619d 03"
                      " 0001 49 0004 73697a65 78 70 00000002 77 04 00000002 70 78"),
              R"({"t":"object","id":0,"type":"java.util.ArrayList","levels":[)"
              R"({"class":"java.util.ArrayList","fields":[["size",{"t":"int","v":2}]],)"
              R"("annotation":[{"t":"block","hex":"00000002"},{"t":"null"}]}]})");
}

// Every kind of collection that lower.h knows is read as what it was made for.
TEST(Javaser, CollectionsOfTheJdkComeBack) {
    const auto through = [](const std::string& json) {
        return java_of(written<javaser::JavaserFormat>(json).substr(8));
    };
    for (const char* type :
         {"java.util.ArrayList", "java.util.LinkedList", "java.util.ArrayDeque", "java.util.Vector",
          "java.util.Stack", "java.util.PriorityQueue", "java.util.HashSet",
          "java.util.LinkedHashSet", "java.util.TreeSet", "java.util.Arrays$ArrayList",
          "java.util.CollSer", "java.util.EnumSet$SerializationProxy",
          "java.util.Collections$SingletonList", "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableSet", "java.util.Collections$SynchronizedList",
          "java.util.concurrent.CopyOnWriteArrayList", "[Ljava.lang.String;"}) {
        const std::string json = std::string(R"({"t":"list","id":0,"type":")") + type +
                                 R"(","items":[{"t":"string","v":"a"}]})";
        EXPECT_EQ(through(json), json);
    }
    for (const char* type :
         {"java.util.HashMap", "java.util.LinkedHashMap", "java.util.TreeMap",
          "java.util.Hashtable", "java.util.Properties", "java.util.IdentityHashMap",
          "java.util.EnumMap", "java.util.concurrent.ConcurrentHashMap", "java.util.CollSer",
          "java.util.Collections$SingletonMap", "java.util.Collections$UnmodifiableMap",
          "java.util.Collections$SynchronizedMap"}) {
        const std::string json =
            std::string(R"({"t":"map","id":0,"type":")") + type +
            R"(","entries":[[{"t":"enum","id":1,"type":"E","v":"A"},{"t":"string","v":"a"}]]})";
        EXPECT_EQ(through(json), json);
    }
}

TEST(Javaser, BigNumbers) {
    EXPECT_EQ(javaser::to_digits(as_bytes(from_hex("400000000000000000"))),
              "1180591620717411303424");
    EXPECT_EQ(javaser::to_digits({}), "0");
    const auto magnitude = javaser::to_magnitude("1180591620717411303424");
    ASSERT_TRUE(magnitude);
    EXPECT_EQ(to_hex(*magnitude), "400000000000000000");
    EXPECT_FALSE(javaser::to_magnitude("12a"));
    EXPECT_FALSE(javaser::to_magnitude(""));
    struct Case {
        const char* unscaled;
        std::int32_t scale;
        const char* text;
    };
    // java.math.BigDecimal.toString
    for (const auto& [unscaled, scale, text] : {Case{"0", 2, "0.00"},
                                                {"0", -3, "0E+3"},
                                                {"1", 0, "1"},
                                                {"-123", 1, "-12.3"},
                                                {"123", -1, "1.23E+3"},
                                                {"-1", -10, "-1E+10"},
                                                {"1", 6, "0.000001"},
                                                {"1", 7, "1E-7"},
                                                {"12345", 12, "1.2345E-8"},
                                                {"-5", 3, "-0.005"}}) {
        EXPECT_EQ(javaser::decimal_text(unscaled, scale), text);
        const auto parsed = javaser::parse_decimal(text);
        ASSERT_TRUE(parsed) << text;
        EXPECT_EQ(parsed->digits, unscaled) << text;
        EXPECT_EQ(parsed->scale, scale) << text;
    }
}

template <class Format>
void expect_deep(const std::string& opening, const std::string& head = "") {
    constexpr std::size_t k_depth = 1'000'000;
    std::string bytes = head;
    for (std::size_t i = 0; i < k_depth; ++i)
        bytes += opening;
    ObjectGraph graph;
    EXPECT_FALSE(Format(Limits()).decode(as_bytes(bytes), graph)) << "it is cut";
    Limits limits;
    limits.max_depth = 100;
    const auto done = Format(limits).decode(as_bytes(bytes), graph);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::limit_exceeded);
}

TEST(ObjectFormats, AMillionDeep) {
    expect_deep<amf3::Amf3Format>(from_hex("09 03 01"));
    expect_deep<amf3::Amf3Format>(from_hex("0a 0b 01 03 61"));
    expect_deep<hessian2::Hessian2Format>("\x79");
    expect_deep<hessian2::Hessian2Format>("W");
    expect_deep<hessian2::Hessian2Format>("H");
    expect_deep<javaser::JavaserFormat>(
        from_hex("75 71 007e0000 00000001"),
        from_hex("aced0005 75 72 0013 5b4c6a6176612e6c616e672e4f626a6563743b 90ce589f1073296c 02 "
                 "0000 78 70 00000001"));
    // Descriptions whose annotations hold objects whose descriptions ..
    expect_deep<javaser::JavaserFormat>(from_hex("73 72 0001 41 0000000000000000 02 0000"),
                                        from_hex("aced0005"));
}

// Nested counts, each as large as the bytes that are left, would add up to their square.
TEST(ObjectFormats, CountsAreHeldAgainstWhatOthersStillWant) {
    const auto capacity = [](auto format, const std::string& bytes) {
        ObjectGraph graph;
        EXPECT_FALSE(format.decode(as_bytes(bytes), graph));
        return graph.arena().capacity();
    };
    std::string amf3;
    for (int i = 0; i < 20'000; ++i)
        amf3 += from_hex("09 b1 9c 41 01");  // 400,032 items
    EXPECT_LT(capacity(amf3::Amf3Format(Limits()), amf3), std::size_t{16} << 20U);
    std::string hessian;
    for (int i = 0; i < 20'000; ++i)
        hessian += from_hex("58 d5 86a0");  // 100,000 items
    EXPECT_LT(capacity(hessian2::Hessian2Format(Limits()), hessian), std::size_t{16} << 20U);
}

template <class Format>
void flip_every_bit(const std::string& file) {
    std::string bytes = file_text(file);
    ASSERT_FALSE(bytes.empty()) << file;
    Format format{Limits()};
    ObjectGraph graph;
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        // Whatever it is now: an error, or a graph that can be shown and written.
        if (format.decode(as_bytes(bytes), graph)) {
            Buffer out;
            write_neutral_json(graph, out);
            ObjectGraph own;
            if (format.lower(graph, own)) (void)format.encode(own, out).has_value();
        }
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    }
}

TEST(ObjectFormats, EveryFlippedBit) {
    const std::string folder = "tests/data/objects/";
    for (const char* name : {"table-order.a", "external-ac.a", "object-sealed-dynamic.a"})
        flip_every_bit<amf3::Amf3Format>(folder + "amf3/" + name + ".amf");
    for (const char* name : {"nested.a", "object.a", "ref-list-map-cycle.a"})
        flip_every_bit<hessian2::Hessian2Format>(folder + "hessian2/" + name + ".h2");
    for (const char* name : {"wide.a", "proxy.a", "bigdec.a", "custom.a", "top-level.a", "enum.a"})
        flip_every_bit<javaser::JavaserFormat>(folder + "jos/" + name + ".ser");
}

}  // namespace
}  // namespace perfrelay
