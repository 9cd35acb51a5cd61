// The string table (EXI 7.3, D).
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/exi/look_ahead.h"
#include "proto/exi/names.h"
#include "proto/exi/stable_array.h"
#include "proto/exi/value_tables.h"
#include "tests/unit/proto/exi/support.h"

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

// The same names in the same order, in another, and others: whatever a document finds of the last.
TEST(Names, OutliveTheirDocument) {
    KeptNames kept;
    Names names;
    const std::vector<std::vector<std::string>> documents{
        {"a", "b", "c"}, {"a", "b", "c"}, {"b", "x", "a", "c"}, {"y"}, {"a", "b", "c"}};
    std::vector<const QName*> first;
    for (const std::vector<std::string>& document : documents) {
        EXPECT_FALSE(kept.trim());
        names.reset(false, kept.table);
        const std::size_t preset = names.size();
        const std::uint32_t uri = names.add_uri("urn:a");
        for (std::size_t i = 0; i < document.size(); ++i) {
            const std::uint32_t name = names.number(uri, document[i]);
            ASSERT_EQ(name, preset + i);
            EXPECT_EQ(names[name].qname->local, document[i]);
            EXPECT_EQ(names[name].qname->uri, "urn:a");
            EXPECT_EQ(names[name].local, Names::k_none);
            EXPECT_EQ(names.number(uri, document[i]), name);
            names.add_local(name);
            if (&document == &documents.front()) first.push_back(names[name].qname);
        }
        EXPECT_EQ(names.size(), preset + document.size());
    }
    for (std::uint32_t i = 0; i < 3; ++i)
        EXPECT_EQ(names[names.uri(3).names[i]].qname, first[i]);
    // The same local names of another URI are other names.
    names.reset(false, kept.table);
    const std::uint32_t other = names.add_uri("urn:b");
    EXPECT_EQ(names[names.number(other, "a")].qname->uri, "urn:b");
    EXPECT_NE(names.number(names.add_uri("urn:a"), "a"), names.number(other, "a"));
}

TEST(Names, AreGoneWhenTheyHaveBecomeMany) {
    KeptNames kept;
    Names names;
    bool trimmed = false;
    for (int document = 0; document < 100 && !trimmed; ++document) {
        trimmed = kept.trim();
        if (trimmed) names.forget();
        names.reset(false, kept.table);
        const std::uint32_t uri = names.add_uri("urn:a");
        for (int i = 0; i < 100; ++i)
            names.add_local(names.number(uri, std::to_string(document * 100 + i)));
        EXPECT_EQ(names.uri(uri).names.size(), 100U);
    }
    EXPECT_TRUE(trimmed);
}

TEST(Names, ManyUrisAreFound) {
    NameTable qnames;
    Names names;
    for (int document = 0; document < 2; ++document) {
        names.reset(false, qnames);
        for (std::uint32_t i = 0; i < 30; ++i)
            EXPECT_EQ(names.add_uri("urn:" + std::to_string(i)), i + 3);
        for (std::uint32_t i = 0; i < 30; ++i)
            EXPECT_EQ(names.find_uri("urn:" + std::to_string(i)), i + 3);
        EXPECT_EQ(names.find_uri("urn:30"), Names::k_none);
    }
}

Options bounded(std::uint64_t capacity) {
    Options options;
    options.value_capacity = capacity;
    return options;
}

// EXI 7.3.3: the oldest goes, and its local identifier stays unassigned.
TEST(Values, CapacityGoesRound) {
    Arena memory;
    ReadValues read;
    WriteValues write;
    read.reset(bounded(2), memory);
    write.reset(bounded(2));
    read.make_room(2);
    write.make_room(2);
    std::string_view first;
    const std::string texts[] = {"one", "two", "a third one, of more than sixteen bytes"};
    for (const std::string& text : texts) {
        read.add(0, text);
        write.add(0, text, WriteValues::Key(text));
        if (first.empty()) first = read.local(0, 0);
    }
    EXPECT_EQ(first, "one");  // it was handed out
    EXPECT_EQ(read.local_size(0), 3U);
    EXPECT_EQ(write.local_size(0), 3U);
    EXPECT_EQ(read.global_size(), 2U);
    EXPECT_TRUE(read.local(0, 0).empty());
    EXPECT_TRUE(read.local(0, 3).empty());
    EXPECT_EQ(read.local(0, 1), "two");
    EXPECT_EQ(read.local(0, 2), texts[2]);
    EXPECT_EQ(read.global(0), texts[2]);
    EXPECT_TRUE(read.global(2).empty());
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

// Of every size there is a kind of place for.
TEST(Values, AreWhatWasRead) {
    std::vector<std::string> texts;
    for (std::size_t i = 1; i < 3000; ++i)
        texts.push_back(std::to_string(i) + std::string(i % 600, 'x'));
    Arena memory;
    ReadValues values;
    for (int document = 0; document < 2; ++document) {
        memory.clear();
        values.reset({}, memory);
        values.make_room(2);
        std::vector<std::string_view> before;
        for (std::uint32_t i = 0; i < texts.size(); ++i) {
            values.add(i % 2, texts[i]);
            before.push_back(values.local(i % 2, i / 2));
        }
        for (std::uint32_t i = 0; i < texts.size(); ++i) {
            EXPECT_EQ(before[i], texts[i]);
            EXPECT_EQ(values.local(i % 2, i / 2).data(), before[i].data());
            EXPECT_EQ(values.global(i), texts[i]);
        }
        EXPECT_TRUE(values.global(static_cast<std::uint32_t>(texts.size())).empty());
    }
}

TEST(StableArray, NeverMoves) {
    Arena arena;
    StableArray<std::uint64_t> array;
    std::vector<const std::uint64_t*> where;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        std::uint64_t& added = array.push(arena);
        added = i;
        where.push_back(&added);
    }
    for (std::uint32_t i = 0; i < array.size(); ++i) {
        EXPECT_EQ(&array[i], where[i]);
        EXPECT_EQ(array[i], i);
    }
    array.clear();
    EXPECT_EQ(array.size(), 0U);
    EXPECT_EQ(array.push(arena), 0U);
}

// Whatever is passed in whatever order, a key is that of its text.
TEST(LookAhead, KeysAreThoseOfTheTexts) {
    const auto document = document_of(
        "<a b='1' c='22' d='' e='4' f='5' g='6' h='7' i='8' j='9' k='10' l='11'>text<b/>a text of "
        "more "
        "than sixteen bytes<!-- --> <c d='x'/></a>");
    WriteValues values;
    values.reset({});
    values.make_room(1);
    LookAhead ahead;
    for (int round = 0; round < 2; ++round) {
        ahead.start(document->xml.events(), values);
        std::vector<std::string_view> passed;
        for (const XmlTape::Event& event : document->xml.events()) {
            if (event.kind() != XmlTape::Kind::attribute &&
                event.kind() != XmlTape::Kind::characters) {
                continue;
            }
            EXPECT_EQ(ahead.pass(values), passed.size());
            passed.push_back(event.text_view());
            for (std::uint32_t i = 0; i < passed.size(); ++i) {
                const WriteValues::Key expected(passed[i]);
                const WriteValues::Key& key = ahead.key(i, passed[i]);
                EXPECT_EQ(key.hash, expected.hash);
                EXPECT_EQ(key.size, expected.size);
                EXPECT_EQ(key.start, expected.start);
                EXPECT_EQ(key.rest, expected.rest);
            }
            EXPECT_EQ(ahead.key(0, "joined").hash, WriteValues::Key("joined").hash);
            if (values.find(event.text_view(), WriteValues::Key(event.text_view())) ==
                WriteValues::k_none) {
                values.add(0, event.text_view(), WriteValues::Key(event.text_view()));
            }
        }
        EXPECT_GE(passed.size(), 15U);
    }
}

TEST(Values, AKeyKnowsWhetherItsTextIsAscii) {
    for (std::size_t size = 1; size < 40; ++size) {
        EXPECT_TRUE(WriteValues::Key(std::string(size, 'x')).ascii);
        for (std::size_t at = 0; at < size; ++at) {
            std::string text(size, 'x');
            text[at] = '\xC3';
            EXPECT_FALSE(WriteValues::Key(text).ascii) << size << ", " << at;
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
