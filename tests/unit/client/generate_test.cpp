#include "client/generate.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "common/base/crc32c.h"
#include "proto/codec/codec.h"
#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {
namespace {

Document made(GeneratedKind kind, std::uint64_t size, std::uint64_t seed) {
    Document document;
    document.name = "generated";
    generate({kind, size}, seed, document.source);
    return document;
}

std::size_t depth(const XmlTape& tape) {
    std::size_t deepest = 0;
    std::size_t open = 0;
    for (const XmlTape::Event& event : tape.events()) {
        if (event.kind() == XmlTape::Kind::start_element) deepest = std::max(deepest, ++open);
        if (event.kind() == XmlTape::Kind::end_element) --open;
    }
    return deepest;
}

// The bytes themselves, on any machine: documents of earlier versions are made again by their seed.
TEST(generate, the_same_seed_gives_the_same_bytes) {
    struct Known {
        GeneratedKind kind;
        std::uint64_t seed;
        std::size_t size;
        std::uint32_t crc32c;
    };
    constexpr std::array k_known{
        Known{GeneratedKind::records, 1, 50173, 0x111DDE2C},
        Known{GeneratedKind::records, 7, 50477, 0x8745A319},
        Known{GeneratedKind::mixed, 1, 51568, 0xF974EBEA},
        Known{GeneratedKind::mixed, 7, 51567, 0xB753F133},
        Known{GeneratedKind::messages, 1, 50025, 0xF030E771},
        Known{GeneratedKind::messages, 7, 50047, 0xB745B7AE},
        Known{GeneratedKind::deep, 1, 51420, 0x9290E588},
        Known{GeneratedKind::deep, 7, 51345, 0xFDFBFCB0},
    };
    for (const Known& known : k_known) {
        const Document document = made(known.kind, 50'000, known.seed);
        EXPECT_EQ(document.source.size(), known.size);
        EXPECT_EQ(crc32c(document.source.view()), known.crc32c);
    }
}

TEST(generate, has_the_size_asked_for_and_is_well_formed) {
    for (const GeneratedKindLine& line : generated_kinds()) {
        if (line.format != "xml") continue;
        constexpr std::size_t k_largest_record = 9'000;
        for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{1'000}, line.size}) {
            for (const std::uint64_t seed : {0U, 1U, 2U, ~0U}) {
                Document document = made(line.kind, size, seed);
                EXPECT_GE(document.source.size(), size);
                EXPECT_LE(document.source.size(), size + k_largest_record) << line.name;
                const auto loaded = xml::load(document, {});
                ASSERT_TRUE(loaded) << line.name << ": " << describe(loaded.error());
                EXPECT_EQ(apply_whitespace(Whitespace::drop, document.xml), 0U) << line.name;
                EXPECT_LE(depth(document.xml), 80U);
            }
        }
    }
    Document deep = made(GeneratedKind::deep, 100'000, 1);
    ASSERT_TRUE(xml::load(deep, {}));
    EXPECT_GE(depth(deep.xml), 70U);
}

TEST(generate, every_format_carries_every_kind) {
    const FormatTable table = FormatTable::built_in();
    for (const GeneratedKindLine& kind : generated_kinds()) {
        if (kind.format != "xml") continue;
        Document document = made(kind.kind, std::min<std::uint64_t>(kind.size, 60'000), 3);
        ASSERT_TRUE(xml::load(document, {}));
        complete(document, Model::objects, bridge::Binding::typed, {});
        ASSERT_EQ(document.missing + document.bridge_fault, "") << kind.name;
        for (const FormatLine& format : table.formats) {
            std::string why;
            const auto codec = table.make(format.spec, {}, why);
            ASSERT_NE(codec, nullptr) << why;
            EXPECT_EQ(codec->cannot_represent(document, true).value_or(""), "")
                << kind.name << " by " << format.spec;
            ASSERT_TRUE(codec->prepare(document));
            Buffer out;
            ASSERT_TRUE(codec->encode(document, out)) << kind.name << " by " << format.spec;
            XmlTape decoded;
            ASSERT_TRUE(codec->decode(out.view(), decoded)) << kind.name << " by " << format.spec;
            EXPECT_EQ(difference(document.xml, decoded, codec->info().fidelity).value_or(""), "")
                << kind.name << " by " << format.spec;
        }
    }
}

// The data sets of the systems succeeded, by their published sizes; the values are compared with
// the files in tests/conformance/object_data_test.cpp.
TEST(generate, data_sets_of_objects) {
    for (const auto& [name, size] : {std::pair("company", 49'824), std::pair("objects", 366'565),
                                     std::pair("strings", 529'149)}) {
        std::string why;
        const auto what = parse_generator(name, why);
        ASSERT_TRUE(what) << why;
        Buffer out;
        generate(*what, line_of(what->kind).seed, out);
        EXPECT_EQ(out.size(), static_cast<std::size_t>(size)) << name;
        EXPECT_TRUE(as_text(out.view()).starts_with("\xAC\xED"));
        Buffer other;
        generate(*what, 7, other);
        EXPECT_FALSE(as_text(out.view()) == as_text(other.view()));
    }
}

TEST(parse_generator, counts) {
    std::string why;
    EXPECT_EQ(parse_generator("company", why)->size, 1'000U);
    EXPECT_EQ(parse_generator("objects:7", why)->size, 7U);
    EXPECT_TRUE(parse_generator("strings:10", why)->exceeds(100));
    EXPECT_FALSE(parse_generator("strings:10", why)->exceeds(10'000));
    EXPECT_TRUE(parse_generator("strings:99999999999", why)->exceeds(~std::uint64_t{0}));
    EXPECT_FALSE(parse_generator("records:10kB", why)->exceeds(10'000));
    for (const char* bad : {"company:", "company:1kB", "objects:-1", "strings:x"}) {
        why.clear();
        EXPECT_FALSE(parse_generator(bad, why)) << bad;
        EXPECT_FALSE(why.empty()) << bad;
    }
}

TEST(parse_generator, kind_and_size) {
    std::string why;
    const auto deep = parse_generator("deep:2kB", why);
    ASSERT_TRUE(deep);
    EXPECT_EQ(deep->kind, GeneratedKind::deep);
    EXPECT_EQ(deep->size, 2'000U);
    EXPECT_EQ(parse_generator("messages", why)->size, 1'000U);
    for (const char* bad : {"", "deap", "deep:", "deep:x", ":1kB", "records:1kB:2", "Deep"}) {
        why.clear();
        EXPECT_FALSE(parse_generator(bad, why)) << bad;
        EXPECT_FALSE(why.empty()) << bad;
        EXPECT_EQ(why.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace perfrelay::client
