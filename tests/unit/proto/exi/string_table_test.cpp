// The string table (EXI 7.3, D).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/exi/names.h"
#include "proto/exi/value_tables.h"

namespace perfrelay::exi {
namespace {

// D.1 to D.3
TEST(Names, StartWithTheEntriesOfAppendixD) {
    NameTable qnames;
    Names names;
    names.reset(false, qnames);
    ASSERT_EQ(names.uris(), 3U);
    EXPECT_EQ(names.uri(1).text, k_xml_uri);
    EXPECT_EQ(names.uri(2).text, k_xsi_uri);
    EXPECT_EQ(names.uri(1).names.size(), 4U);
    EXPECT_EQ(names[names.uri(1).names[3]].qname->local, "space");
    EXPECT_EQ(names.uri(0).prefixes, (std::vector<std::string_view>{""}));
    EXPECT_EQ(names.uri(2).prefixes, (std::vector<std::string_view>{"xsi"}));
    EXPECT_EQ(names[names.xsi_type()].local, 1U);
    names.reset(true, qnames);
    ASSERT_EQ(names.uris(), 4U);
    EXPECT_EQ(names.uri(3).names.size(), 46U);
    EXPECT_TRUE(names.uri(3).prefixes.empty());
}

TEST(Names, ANumberIsNotYetAnIdentifier) {
    NameTable qnames;
    Names names;
    names.reset(false, qnames);
    const std::uint32_t uri = names.add_uri("urn:a");
    const std::uint32_t name = names.number(uri, "x");
    EXPECT_EQ(names[name].local, Names::k_none);
    EXPECT_EQ(names.number(uri, "x"), name);
    names.add_local(name);
    EXPECT_EQ(names[name].local, 0U);
    EXPECT_EQ(names.find_uri("urn:a"), uri);
    EXPECT_EQ(names.find_uri("urn:b"), Names::k_none);
}

Options bounded(std::uint64_t capacity) {
    Options options;
    options.value_capacity = capacity;
    return options;
}

// EXI 7.3.3: the oldest goes, and its local identifier stays unassigned.
TEST(Values, CapacityGoesRound) {
    ReadValues read;
    WriteValues write;
    read.reset(bounded(2));
    write.reset(bounded(2));
    read.make_room(2);
    write.make_room(2);
    const std::string texts[] = {"one", "two", "a third one, of more than sixteen bytes"};
    for (const std::string& text : texts) {
        read.add(0, text);
        write.add(0, text, WriteValues::Key(text));
    }
    EXPECT_EQ(read.local_size(0), 3U);
    EXPECT_EQ(write.local_size(0), 3U);
    EXPECT_EQ(read.global_size(), 2U);
    EXPECT_EQ(read.local(0, 0), nullptr);
    EXPECT_EQ(*read.local(0, 2), texts[2]);
    EXPECT_EQ(*read.global(0), texts[2]);
    EXPECT_EQ(write.find("one", WriteValues::Key("one")), WriteValues::k_none);
    EXPECT_EQ(write.find("two", WriteValues::Key("two")), 1U);
    EXPECT_EQ(write.find(texts[2], WriteValues::Key(texts[2])), 0U);
    EXPECT_EQ(write[0].local, 2U);
}

TEST(Values, ManyComeAndGoAndAreFoundWhileTheyAreThere) {
    std::vector<std::string> texts;
    for (int i = 0; i < 3000; ++i)
        texts.push_back(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i));
    for (const std::uint64_t capacity : {std::uint64_t{7}, std::uint64_t{500}}) {
        WriteValues values;
        values.reset(bounded(capacity));
        values.make_room(1);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            values.add(0, texts[i], WriteValues::Key(texts[i]));
            const std::size_t first = i < capacity ? 0 : i + 1 - capacity;
            for (const std::size_t there : {first, i})
                ASSERT_EQ(values.find(texts[there], WriteValues::Key(texts[there])),
                          there % capacity);
            if (first != 0) {
                ASSERT_EQ(values.find(texts[first - 1], WriteValues::Key(texts[first - 1])),
                          WriteValues::k_none);
            }
        }
    }
}

TEST(Values, WhatDoesNotEnter) {
    Options options;
    options.value_max_length = 3;
    ValueRules rules;
    rules.set(options);
    EXPECT_FALSE(rules.enters(0));
    EXPECT_TRUE(rules.enters(3));
    EXPECT_FALSE(rules.enters(4));
    rules.set(bounded(0));
    EXPECT_FALSE(rules.enters(1));
}

}  // namespace
}  // namespace perfrelay::exi
