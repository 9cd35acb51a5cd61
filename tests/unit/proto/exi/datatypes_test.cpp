// Datatypes: which representation a type has (EXI 7, 7.1, 7.2, 7.4), texts to values and back, and
// values through bits in both packings.
#include "proto/exi/schema/datatypes.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/exi/names.h"
#include "proto/exi/typed_items.h"
#include "proto/exi/typed_value.h"

namespace perfrelay::exi {
namespace {

using R = Representation;

class TypesTest : public ::testing::Test {
  protected:
    std::uint32_t derive(const std::string& base, SimpleType facets = {}) {
        facets.base = by_name(base);
        facets.variety = from_.simple_types[facets.base].variety;
        facets.item = from_.simple_types[facets.base].item;
        from_.simple_types.push_back(std::move(facets));
        return static_cast<std::uint32_t>(from_.simple_types.size() - 1);
    }
    std::uint32_t by_name(const std::string& name) const {
        for (std::uint32_t i = 0; i < from_.simple_types.size(); ++i) {
            if (from_.simple_types[i].name.local == name) return i;
        }
        ADD_FAILURE() << name;
        return 0;
    }
    Datatypes types(const std::vector<DatatypeMapping>& map = {}, bool lexical = false) const {
        return Datatypes(from_.simple_types, map, lexical);
    }
    // What comes back of a text, through one packing; "-" when it cannot be represented.
    template <Packing packing>
    std::string through(const Datatypes& all, std::uint32_t type, const std::string& text) const {
        const Datatype& datatype = all[type];
        Value value;
        std::string scratch;
        if (!parse_value(all, datatype, normalised(text, datatype.white_space, scratch), value))
            return "-";
        Buffer bytes;
        BitWriter<packing> writer(bytes);
        std::string groups;
        write_typed(writer, datatype, value, groups);
        writer.align();
        BitReader<packing> reader(Input::of(bytes.view()));
        Arena arena;
        Value again;
        read_value(reader, datatype, arena, again);
        EXPECT_FALSE(reader.failed()) << text;
        return std::string(text_of(all, datatype, again, arena));
    }
    void expect(const std::string& type, const std::string& text, const std::string& back) const {
        const Datatypes all = types();
        EXPECT_EQ(through<Packing::bits>(all, by_name(type), text), back) << type << ' ' << text;
        EXPECT_EQ(through<Packing::bytes>(all, by_name(type), text), back) << type << ' ' << text;
    }

    Components from_;
};

TEST_F(TypesTest, RepresentationsOfBuiltInTypes) {
    const Datatypes all = types();
    const auto of = [&](const std::string& name) { return all[by_name(name)].representation; };
    EXPECT_EQ(of("anySimpleType"), R::string);
    EXPECT_EQ(of("int"), R::integer);
    EXPECT_EQ(of("unsignedLong"), R::unsigned_integer);
    EXPECT_EQ(of("positiveInteger"), R::unsigned_integer);
    EXPECT_EQ(of("nonPositiveInteger"), R::integer);
    EXPECT_EQ(of("byte"), R::n_bit);
    EXPECT_EQ(all[by_name("byte")].width, 8);
    EXPECT_EQ(all[by_name("byte")].minimum, -128);
    EXPECT_EQ(of("unsignedByte"), R::n_bit);
    EXPECT_EQ(of("short"), R::integer);
    EXPECT_EQ(of("float"), R::floating);
    EXPECT_EQ(of("duration"), R::string);
    EXPECT_EQ(of("QName"), R::string);
    EXPECT_EQ(of("NMTOKENS"), R::list);
    EXPECT_EQ(of("gMonthDay"), R::g_month_day);
    EXPECT_EQ(all[by_name("token")].white_space, WhiteSpace::collapse);
}

TEST_F(TypesTest, BoundsDecideOnIntegers) {
    SimpleType open;
    open.min_exclusive = "-5";
    open.max_exclusive = "4";
    const std::uint32_t small = derive("integer", open);
    SimpleType wide;
    wide.min_inclusive = "0";
    wide.max_inclusive = "4096";
    const std::uint32_t unsigned_one = derive("integer", wide);
    SimpleType exclusive;
    exclusive.min_exclusive = "-1";
    const std::uint32_t from_zero = derive("integer", exclusive);
    SimpleType one;
    one.min_inclusive = one.max_inclusive = "7";
    const std::uint32_t single = derive("int", one);
    // A reader may give a type the facets of its base once more.
    SimpleType inherited;
    inherited.min_inclusive = "-32768";
    inherited.max_inclusive = "32767";
    inherited.min_exclusive = "10";
    inherited.max_exclusive = "14";
    const std::uint32_t three = derive("short", inherited);
    const Datatypes all = types();
    EXPECT_EQ(all[small].representation, R::n_bit);
    EXPECT_EQ(all[small].minimum, -4);
    EXPECT_EQ(all[small].count, 8U);
    EXPECT_EQ(all[small].width, 3);
    EXPECT_EQ(all[unsigned_one].representation, R::unsigned_integer);
    EXPECT_EQ(all[from_zero].representation, R::unsigned_integer);
    EXPECT_EQ(all[three].minimum, 11);
    EXPECT_EQ(all[three].count, 3U);
    EXPECT_EQ(all[single].width, 0);
    EXPECT_EQ(through<Packing::bits>(all, single, "7"), "7");
    EXPECT_EQ(through<Packing::bits>(all, single, "8"), "-");
    EXPECT_EQ(through<Packing::bits>(all, small, "-4"), "-4");
    EXPECT_EQ(through<Packing::bits>(all, small, "3"), "3");
    EXPECT_EQ(through<Packing::bits>(all, small, "4"), "-");
}

TEST_F(TypesTest, Integers) {
    expect("int", "+07", "7");
    expect("int", "-1", "-1");
    expect("int", "-0", "0");
    expect("integer", "18446744073709551615", "18446744073709551615");
    expect("integer", "-18446744073709551616", "-18446744073709551616");
    expect("integer", "-18446744073709551617", "-18446744073709551617");
    expect("integer", "123456789012345678901234567890123456789",
           "123456789012345678901234567890123456789");
    expect("integer", "-100000000000000000000000000000", "-100000000000000000000000000000");
    expect("nonNegativeInteger", "-1", "-");
    expect("int", "1.0", "-");
    expect("int", "", "-");
    expect("unsignedByte", "255", "255");
    expect("unsignedByte", "256", "-");
    expect("byte", "-128", "-128");
}

TEST_F(TypesTest, DecimalsAndFloats) {
    expect("decimal", "00012.3400", "12.34");
    expect("decimal", "-.5", "-0.5");
    expect("decimal", "5.", "5.0");
    expect("decimal", "-0.0", "0.0");
    expect("decimal", "0.000000000000000000000000001", "0.000000000000000000000000001");
    expect("decimal", "1E2", "-");
    expect("float", "100", "1E2");
    expect("double", "12.5E-3", "125E-4");
    expect("double", "-INF", "-INF");
    expect("double", "NaN", "NaN");
    expect("double", "0.000", "0E0");
    expect("double", "-9223372036854775808", "-9223372036854775808E0");
    expect("double", "9223372036854775808", "-");
    expect("double", "1E16384", "-");
    expect("double", "1E-16383", "1E-16383");
}

TEST_F(TypesTest, DatesAndTimes) {
    expect("dateTime", "2000-01-01T00:00:00", "2000-01-01T00:00:00");
    expect("dateTime", "-0044-03-15T12:00:00.0500Z", "-0044-03-15T12:00:00.05Z");
    expect("dateTime", "12004-03-15T12:00:00-03:30", "12004-03-15T12:00:00-03:30");
    expect("date", "1999-02-28+14:00", "1999-02-28+14:00");
    expect("time", "23:59:60.000", "23:59:60");
    expect("gYear", "0001Z", "0001Z");
    expect("gYearMonth", "2000-12", "2000-12");
    expect("gMonthDay", "--02-29", "--02-29");
    expect("gMonth", "--07Z", "--07Z");
    expect("gDay", "---31-01:00", "---31-01:00");
    expect("dateTime", "1999-12-31T24:00:00Z", "2000-01-01T00:00:00Z");
    expect("dateTime", "2000-02-28T24:00:00", "2000-02-29T00:00:00");
    expect("time", "24:00:00", "00:00:00");
    expect("date", "1999-13-01", "-");
    expect("date", "99-01-01", "-");
    expect("time", "1:00:00", "-");
}

TEST_F(TypesTest, TimesInUtc) {
    const Datatypes all = types();
    const auto utc = [&](const std::string& type, const std::string& text) {
        Value value;
        Arena arena;
        const Datatype& datatype = all[by_name(type)];
        EXPECT_TRUE(parse_value(all, datatype, text, value)) << text;
        to_utc(datatype.representation, value);
        return std::string(text_of(all, datatype, value, arena));
    };
    EXPECT_EQ(utc("dateTime", "2000-03-01T01:30:00+02:00"), "2000-02-29T23:30:00Z");
    EXPECT_EQ(utc("dateTime", "1999-12-31T23:00:00-05:00"), "2000-01-01T04:00:00Z");
    EXPECT_EQ(utc("dateTime", "0001-01-01T00:00:00+00:01"), "-0001-12-31T23:59:00Z");
    EXPECT_EQ(utc("time", "01:00:00+02:00"), "23:00:00Z");
    EXPECT_EQ(utc("time", "01:00:00"), "01:00:00");
    // Canonical EXI 4.5.5 says it of all of them; the day is that of the first moment.
    EXPECT_EQ(utc("date", "2000-01-01+02:00"), "1999-12-31Z");
    EXPECT_EQ(utc("date", "2000-01-01-02:00"), "2000-01-01Z");
    EXPECT_EQ(utc("date", "2000-01-01"), "2000-01-01");
    EXPECT_EQ(utc("gYear", "2525-08:00"), "2525Z");
    EXPECT_EQ(utc("gYear", "2525+08:00"), "2524Z");
    EXPECT_EQ(utc("gYearMonth", "2000-01+01:00"), "1999-12Z");
    EXPECT_EQ(utc("gMonth", "--12+02:00"), "--11Z");
    EXPECT_EQ(utc("gMonthDay", "--12-25-03:30"), "--12-25Z");
    EXPECT_EQ(utc("gMonthDay", "--03-01+01:00"), "--02-29Z");
    EXPECT_EQ(utc("gDay", "---01+01:00"), "---31Z");
    EXPECT_EQ(utc("gDay", "---31Z"), "---31Z");
    EXPECT_TRUE(same_utc_value("2000-01-01+02:00", "1999-12-31Z"));
    EXPECT_FALSE(same_typed_value("2000-01-01+02:00", "1999-12-31Z"));
}

TEST_F(TypesTest, BinaryAndBoolean) {
    expect("hexBinary", "0aFF", "0AFF");
    expect("hexBinary", "0aF", "-");
    expect("base64Binary", "Zm9v YmE=", "Zm9vYmE=");
    expect("base64Binary", "Zm9vY", "-");
    expect("base64Binary", "", "");
    expect("boolean", " 1 ", "true");
    expect("boolean", "yes", "-");
    SimpleType pattern;
    pattern.patterns = {"[01]"};
    const std::uint32_t digits = derive("boolean", pattern);
    const Datatypes all = types();
    EXPECT_EQ(all[digits].representation, R::boolean_pattern);
    EXPECT_EQ(through<Packing::bits>(all, digits, "1"), "1");
}

TEST_F(TypesTest, EnumerationsAreMatchedByValue) {
    SimpleType values;
    values.enumeration = {"1.50", "2", "1.5"};
    const std::uint32_t decimals = derive("decimal", values);
    values.enumeration = {"b", "a"};
    const std::uint32_t strings = derive("string", values);
    const std::uint32_t further = [&] {
        from_.simple_types.back().name = {"urn:x", "Strings"};
        return derive("Strings");
    }();
    values.enumeration = {"2047-11-30+01:00"};
    const std::uint32_t dates = derive("date", values);
    values.enumeration = {"2003-03-19T13:20:00-05:00"};
    const std::uint32_t times = derive("dateTime", values);
    const Datatypes all = types();
    EXPECT_EQ(through<Packing::bits>(all, times, "2003-03-19T12:20:00-06:00"),
              "2003-03-19T13:20:00-05:00");
    // They begin at other moments.
    EXPECT_EQ(through<Packing::bits>(all, dates, "2047-11-29Z"), "-");
    EXPECT_EQ(all[decimals].representation, R::enumeration);
    EXPECT_EQ(through<Packing::bits>(all, decimals, "01.5"), "1.5");
    EXPECT_EQ(through<Packing::bits>(all, decimals, "3"), "-");
    EXPECT_EQ(through<Packing::bits>(all, strings, "a"), "a");
    EXPECT_EQ(all[further].representation, R::enumeration);
    EXPECT_EQ(all[further].count, 2U);
}

TEST_F(TypesTest, MapsGoToTheClosestAncestor) {
    const std::string xsd(k_xsd_uri);
    const std::string exi(k_exi_uri);
    // EXI 7.4: xs:integer is closer to xs:int than xs:decimal.
    const Datatypes decimal = types({{{xsd, "decimal"}, {exi, "string"}}});
    EXPECT_EQ(decimal[by_name("decimal")].representation, R::string);
    EXPECT_EQ(decimal[by_name("int")].representation, R::integer);
    const Datatypes integer = types({{{xsd, "integer"}, {exi, "decimal"}}});
    EXPECT_EQ(integer[by_name("unsignedByte")].representation, R::decimal);
    const Datatypes foreign = types({{{xsd, "date"}, {"urn:x", "special"}}});
    EXPECT_EQ(foreign[by_name("date")].representation, R::foreign);
}

TEST_F(TypesTest, LexicalSets) {
    // Table 7-2: sizes of the sets.
    const Datatypes all = types({}, true);
    const auto size = [&](const std::string& name) {
        const Datatype& datatype = all[by_name(name)];
        EXPECT_EQ(datatype.representation, R::string);
        return datatype.set == 0 ? 0 : all.set(datatype.set).size();
    };
    EXPECT_EQ(size("base64Binary"), 69U);
    EXPECT_EQ(size("hexBinary"), 26U);
    EXPECT_EQ(size("boolean"), 14U);
    EXPECT_EQ(size("dateTime"), 20U);
    EXPECT_EQ(size("decimal"), 17U);
    EXPECT_EQ(size("double"), 23U);
    EXPECT_EQ(size("int"), 16U);
    EXPECT_EQ(size("string"), 0U);
}

TEST(CharacterSets, OfPatterns) {
    const auto of = [](const std::string& pattern) {
        const std::vector<std::string> one{pattern};
        const auto set = characters_of(one);
        std::string text;
        for (std::size_t i = 0; set && i < set->size(); ++i)
            text += static_cast<char>((*set)[i]);
        return set ? text : "none";
    };
    EXPECT_EQ(of("[a-c]{3}|x?"), "abcx");
    EXPECT_EQ(of("[a-e-[b-d]]"), "ae");
    EXPECT_EQ(of("\\-\\[[\\]\\\\]"), "-[\\]");
    EXPECT_EQ(of("[+-]?[0-2]"), "+-012");
    EXPECT_EQ(of("[\\s]"), "\t\n\r ");
    EXPECT_EQ(of("\\d"), "none");
    EXPECT_EQ(of("[^a]"), "none");
    EXPECT_EQ(of("."), "none");
    EXPECT_EQ(of("\\p{Lu}"), "none");
    EXPECT_EQ(of("[a-\xE2\x82\xAC]"), "none");
}

TEST_F(TypesTest, OnlyTheMostDerivedPatternsCount) {
    SimpleType first;
    first.patterns = {"[a-z]*"};
    first.name = {"", "First"};
    (void)derive("string", first);
    SimpleType second;
    second.patterns = {"[ab]", "c"};
    const std::uint32_t both = derive("First", second);
    const std::uint32_t token = derive("NMTOKEN", {});
    const Datatypes all = types();
    ASSERT_NE(all[both].set, 0U);
    EXPECT_EQ(all.set(all[both].set).size(), 3U);
    EXPECT_EQ(all[token].set, 0U);
}

TEST_F(TypesTest, ValuesThatNoTypeHasAreRefused) {
    const Datatypes all = types();
    const auto fails = [&](const std::string& type, std::vector<std::uint8_t> bytes) {
        BitReader<Packing::bytes> reader(Input::of(Bytes(bytes)));
        Arena arena;
        Value value;
        read_value(reader, all[by_name(type)], arena, value);
        return reader.failed();
    };
    EXPECT_TRUE(fails("gMonth", {0xA0, 0x01, 0x00}));          // month 13
    EXPECT_TRUE(fails("time", {0x3D, 0x00, 0x00, 0, 0}));      // second 61
    EXPECT_TRUE(fails("gYear", {0x00, 0x00, 0x01, 0xFF, 7}));  // zone
    EXPECT_TRUE(fails("double", {0, 1, 0, 0xFF, 0xFF, 1}));    // exponent
    EXPECT_TRUE(fails("integer", std::vector<std::uint8_t>(k_most_octets + 8, 0xFF)));
}

}  // namespace
}  // namespace perfrelay::exi
