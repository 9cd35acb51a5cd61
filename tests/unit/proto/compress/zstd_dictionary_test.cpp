#include "proto/compress/zstd_dictionary.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/compress/zstd_compressor.h"

namespace perfrelay::compress {
namespace {

constexpr const char* k_dictionary = PERFRELAY_DATA "dictionaries/messages.dict";

SpecPart with(const std::string& file, const std::string& level = "") {
    SpecPart part{.name = "zstd", .options = {}};
    if (!level.empty()) part.options.push_back({level, std::nullopt});
    part.options.push_back({"dict", file});
    return part;
}

std::unique_ptr<Compressor> made(const SpecPart& part) {
    std::string why;
    auto compressor = make_zstd(part, {}, why);
    EXPECT_NE(compressor, nullptr) << why;
    return compressor;
}

std::string refused(const SpecPart& part) {
    std::string why;
    EXPECT_EQ(make_zstd(part, {}, why), nullptr);
    return why;
}

std::string content_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string written(const std::string& name, const std::string& content) {
    std::string file = testing::TempDir() + "zstd_dictionary_test_" + name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
}

// Message `number`: much alike, as messages are.
std::string message(int number) {
    const std::string id = std::to_string(number * 7919 % 100'003);
    return "<order id='" + id + "'><customer>Customer " + std::to_string(number % 97) +
           "</customer><article>Article number " + id + "</article><price currency='EUR'>" +
           std::to_string(number * 31 % 1'000) + ".50</price></order>";
}

Buffer packed(Compressor& compressor, const std::string& text) {
    Buffer out;
    EXPECT_TRUE(compressor.compress(as_bytes(text), out));
    return out;
}

TEST(ZstdDictionary, BothDirectionsUseIt) {
    const auto plain = made({.name = "zstd", .options = {}});
    const auto with_it = made(with(k_dictionary));
    EXPECT_EQ(plain->shared(), 0U);
    EXPECT_EQ(with_it->shared(), 4096U);
    EXPECT_NE(with_it->description().find(
                  "dictionary 1965 of 4096 bytes, which both sides hold beforehand"),
              std::string::npos);
    // A line of the document that it was trained on.
    std::ifstream document(PERFRELAY_DATA "test.xml");
    std::string line;
    for (int i = 0; i < 100; ++i)
        std::getline(document, line);
    const Buffer small = packed(*with_it, line);
    EXPECT_LT(small.size(), packed(*plain, line).size() * 3 / 4);
    Buffer out;
    ASSERT_TRUE(with_it->decompress(small.view(), out));
    EXPECT_EQ(as_text(out.view()), line);
    EXPECT_EQ(as_text(packed(*with_it, line).view()), as_text(small.view())) << "again the same";
}

TEST(ZstdDictionary, LevelsStandBesideIt) {
    for (const char* level : {"-7", "1", "19"}) {
        const auto compressor = made(with(k_dictionary, level));
        EXPECT_NE(compressor->description().find("level " + std::string(level)), std::string::npos);
        Buffer out;
        ASSERT_TRUE(compressor->decompress(packed(*compressor, message(1)).view(), out));
        EXPECT_EQ(as_text(out.view()), message(1));
    }
    SpecPart behind = with(k_dictionary);
    behind.options.push_back({"5", std::nullopt});
    EXPECT_NE(made(behind)->description().find("level 5"), std::string::npos);
}

TEST(ZstdDictionary, NamesWithMarksStandInBraces) {
    const std::string file = written("a+b:c.dict", content_of(k_dictionary));
    EXPECT_EQ(made(with("{" + file + "}"))->shared(), 4096U);
}

TEST(ZstdDictionary, WhatNeedsAnotherOneIsRefused) {
    const auto plain = made({.name = "zstd", .options = {}});
    const auto with_it = made(with(k_dictionary));
    const Buffer small = packed(*with_it, message(1));
    Buffer out;
    const auto without = plain->decompress(small.view(), out);
    ASSERT_FALSE(without);
    EXPECT_EQ(without.error().code, Errc::unsupported);
    EXPECT_NE(std::string(without.error().where).find("zstd:dict=FILE"), std::string::npos);

    std::string number = content_of(k_dictionary);
    number[4] = static_cast<char>(number[4] + 1);  // RFC 8878 5: Dictionary_ID
    const auto other = made(with(written("other", number)));
    ASSERT_FALSE(other->decompress(small.view(), out));

    // What needs none is read by both.
    out.clear();
    ASSERT_TRUE(with_it->decompress(packed(*plain, message(2)).view(), out));
    EXPECT_EQ(as_text(out.view()), message(2));
}

TEST(ZstdDictionary, ChangedContentShowsInTheChecksum) {
    std::string changed = content_of(k_dictionary);
    for (std::size_t i = changed.size() / 2; i < changed.size(); ++i)
        changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto right = made(with(k_dictionary));
    const auto wrong = made(with(written("changed", changed)));
    std::ifstream document(PERFRELAY_DATA "test.xml");
    std::string line;
    for (int i = 0; i < 100; ++i)
        std::getline(document, line);
    Buffer out;
    EXPECT_FALSE(wrong->decompress(packed(*right, line).view(), out));
}

TEST(ZstdDictionary, DamagedOnesAreRefusedByName) {
    const std::string whole = content_of(k_dictionary);
    EXPECT_EQ(refused(with("/nowhere/x.dict")),
              "/nowhere/x.dict: the dictionary cannot be read, or is empty");
    EXPECT_EQ(refused(with(testing::TempDir())),
              testing::TempDir() + ": the dictionary cannot be read, or is empty");
    const std::string empty = written("empty", "");
    EXPECT_EQ(refused(with(empty)), empty + ": the dictionary cannot be read, or is empty");
    const std::string text = written("text", "<a>no dictionary</a>");
    EXPECT_EQ(refused(with(text)),
              text + ": no zstd dictionary; perfclient train-dictionary makes one");
    // Its tables are cut short, wherever that is.
    for (std::size_t size = 4; size < 64; ++size) {
        const std::string file = written("short", whole.substr(0, size));
        EXPECT_EQ(refused(with(file)),
                  file + ": the dictionary is damaged or cut short (RFC 8878 5)")
            << size;
    }
    const std::string large = written("large", whole + std::string(k_largest_dictionary, ' '));
    EXPECT_EQ(refused(with(large)), large + ": larger than a dictionary may be (16 MiB)");
}

// Whatever a damaged dictionary still is, it does no harm.
TEST(ZstdDictionary, FlippedBitsAreRefusedOrHarmless) {
    const std::string whole = content_of(k_dictionary);
    const auto right = made(with(k_dictionary));
    const Buffer small = packed(*right, message(3));
    for (std::size_t at = 0; at < 160; ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
        std::string why;
        const auto compressor = make_zstd(with(written("flipped", damaged)), {}, why);
        if (compressor == nullptr) {
            EXPECT_FALSE(why.empty());
            continue;
        }
        Buffer out;
        if (compressor->decompress(small.view(), out)) {
            EXPECT_EQ(as_text(out.view()), message(3));
        }
        out.clear();
        const Buffer own = packed(*compressor, message(4));
        ASSERT_TRUE(compressor->decompress(own.view(), out));
        EXPECT_EQ(as_text(out.view()), message(4));
    }
}

TEST(ZstdDictionary, OptionsOfTheSpec) {
    SpecPart two = with(k_dictionary);
    two.options.push_back({"dict", k_dictionary});
    EXPECT_EQ(refused(two), "zstd: one dictionary, as in zstd:dict=FILE");
    EXPECT_EQ(refused({.name = "zstd", .options = {{"dict", std::nullopt}}}),
              "zstd: one dictionary, as in zstd:dict=FILE");
    EXPECT_EQ(refused(with("")), "zstd: one dictionary, as in zstd:dict=FILE");
    EXPECT_NE(refused(with(k_dictionary, "99")).find("no level 99"), std::string::npos);
}

TEST(TrainDictionary, MakesOneThatPays) {
    Buffer samples;
    std::vector<std::size_t> sizes;
    for (int i = 0; i < 300; ++i) {
        samples.append(message(i));
        sizes.push_back(message(i).size());
    }
    std::string why;
    const auto dictionary = train_dictionary(samples.view(), sizes, 1024, why);
    ASSERT_TRUE(dictionary) << why;
    EXPECT_LE(dictionary->size(), 1024U);
    EXPECT_NE(dictionary_id(dictionary->view()), 0U);
    const std::string file = written("trained", std::string(as_text(dictionary->view())));
    const auto with_it = made(with(file));
    const auto plain = made({.name = "zstd", .options = {}});
    EXPECT_LT(packed(*with_it, message(1000)).size() * 2, packed(*plain, message(1000)).size());
    const auto again = train_dictionary(samples.view(), sizes, 1024, why);
    ASSERT_TRUE(again);
    EXPECT_EQ(as_text(again->view()), as_text(dictionary->view()));
}

TEST(TrainDictionary, TooFewAreRefused) {
    std::string why;
    const std::string one = message(1);
    const std::vector<std::size_t> sizes = {one.size()};
    EXPECT_FALSE(train_dictionary(as_bytes(one), sizes, 1024, why));
    EXPECT_TRUE(why.starts_with("1 documents of " + std::to_string(one.size()) + " bytes in all"))
        << why;
    EXPECT_FALSE(train_dictionary({}, {}, 1024, why));
}

}  // namespace
}  // namespace perfrelay::compress
