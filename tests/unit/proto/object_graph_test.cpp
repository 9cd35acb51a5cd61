// Object graphs: what is equal, what shares, and the texts within.

#include "proto/model/object_graph.h"

#include <bit>

#include <gtest/gtest.h>

#include "proto/model/object_difference.h"
#include "proto/model/wide_text.h"

namespace perfrelay {
namespace {

using graph::Node;
using graph::NodeKind;
using graph::Value;

Node* list_of(ObjectGraph& graph, std::initializer_list<Value> values) {
    Node* const node = graph.new_node(NodeKind::list);
    const auto kept = graph.copy({values.begin(), values.size()});
    node->items = kept.data();
    node->count = static_cast<std::uint32_t>(kept.size());
    return node;
}

TEST(ObjectGraph, SharingIsPartOfTheDocument) {
    ObjectGraph shared;
    Node* const one = list_of(shared, {Value::int32(1)});
    shared.root = Value::of(list_of(shared, {Value::of(one), Value::of(one)}));
    ObjectGraph separate;
    Node* const a = list_of(separate, {Value::int32(1)});
    Node* const b = list_of(separate, {Value::int32(1)});
    separate.root = Value::of(list_of(separate, {Value::of(a), Value::of(b)}));

    EXPECT_EQ(difference(shared, shared), std::nullopt);
    EXPECT_EQ(difference(shared, separate), "root[1]: another object than before");
    EXPECT_EQ(difference(separate, shared), "root[1]: an object seen before, expected another");
}

TEST(ObjectGraph, CyclesAreCompared) {
    const auto ring = [](ObjectGraph& graph, int length) {
        Node* first = nullptr;
        Node* last = nullptr;
        for (int i = 0; i < length; ++i) {
            Node* const node = list_of(graph, {Value::null()});
            if (last != nullptr) last->items[0] = Value::of(node);
            if (first == nullptr) first = node;
            last = node;
        }
        last->items[0] = Value::of(first);
        graph.root = Value::of(first);
    };
    ObjectGraph two;
    ObjectGraph another_two;
    ObjectGraph three;
    ring(two, 2);
    ring(another_two, 2);
    ring(three, 3);
    EXPECT_EQ(difference(two, another_two), std::nullopt);
    EXPECT_EQ(difference(two, three), "root[0][0]: another object than before");
}

TEST(ObjectGraph, DoublesByTheirBitsAndKindsApart) {
    const auto number = [](Value value) {
        ObjectGraph graph;
        graph.root = value;
        return graph;
    };
    EXPECT_NE(difference(number(Value::float64(0.0)), number(Value::float64(-0.0))), std::nullopt);
    EXPECT_EQ(difference(number(Value::float64_bits(0x7FF8000000000001U)),
                         number(Value::float64_bits(0x7FF8000000000001U))),
              std::nullopt);
    EXPECT_EQ(difference(number(Value::int32(5)), number(Value::int64(5))),
              "root: long 5, expected int 5");
}

TEST(ObjectGraph, ADeepGraphIsComparedWithoutAStack) {
    const auto deep = [](ObjectGraph& graph) {
        Value value = Value::int32(7);
        for (int i = 0; i < 1'000'000; ++i)
            value = Value::of(list_of(graph, {value}));
        graph.root = value;
    };
    ObjectGraph a;
    ObjectGraph b;
    deep(a);
    deep(b);
    EXPECT_EQ(difference(a, b), std::nullopt);
}

TEST(ObjectGraph, InternedTextsAreOneAndClearStartsAgain) {
    ObjectGraph graph;
    for (int round = 0; round < 2; ++round) {
        const graph::Text* const first = graph.intern("a\xC3\xA9");
        for (int i = 0; i < 1000; ++i)
            EXPECT_EQ(graph.intern("t" + std::to_string(i))->view(), "t" + std::to_string(i));
        EXPECT_EQ(graph.intern("a\xC3\xA9"), first);
        EXPECT_NE(graph.text("a\xC3\xA9"), first);
        EXPECT_EQ(first->units, 2U);
        EXPECT_FALSE(first->ascii());
        EXPECT_EQ(graph.text_count(), 1002U);
        graph.clear();
        EXPECT_EQ(graph.text_count(), 0U);
    }
}

TEST(ObjectGraph, ReferenceTablesForgetWithoutBeingCleared) {
    ReferenceTable table;
    table.start(3);
    EXPECT_EQ(table.find(2), ReferenceTable::k_none);
    EXPECT_EQ(table.add(2), 0U);
    EXPECT_EQ(table.skip(), 1U);
    EXPECT_EQ(table.add(0), 2U);
    EXPECT_EQ(table.find(0), 2U);
    table.start(4);
    for (std::uint32_t id = 0; id < 4; ++id)
        EXPECT_EQ(table.find(id), ReferenceTable::k_none);
    EXPECT_EQ(table.add(3), 0U);
}

std::string wide(std::string_view from, NulForm nul = NulForm::one_byte) {
    std::string to;
    return append_wide_text(from, nul, to) ? to : "malformed";
}

TEST(ObjectGraphDates, ADateThatIsNoNumberIsOneValue) {
    graph::Node first{};
    graph::Node second{};
    first.set_date(std::bit_cast<double>(0x7FF8000000000000U));
    second.set_date(std::bit_cast<double>(0xFFFF5FFFF00001B8U));
    EXPECT_TRUE(first.has(graph::Node::k_fractional));
    EXPECT_EQ(first.millis_bits, second.millis_bits);
}

TEST(WideText, SurrogatePairsBecomeOneCharacterAndLoneOnesStay) {
    EXPECT_EQ(wide("\xED\xA0\xBD\xED\xB8\x80"), "\xF0\x9F\x98\x80");
    EXPECT_EQ(wide("\xED\xA0\xBD"), "\xED\xA0\xBD");
    EXPECT_EQ(wide("\xED\xB8\x80\xED\xA0\xBD"), "\xED\xB8\x80\xED\xA0\xBD");
    EXPECT_EQ(wide("\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80"), "\xED\xA0\xBD\xF0\x9F\x98\x80");
    EXPECT_EQ(utf16_units("a\xC3\xA9\xED\xA0\xBD\xF0\x9F\x98\x80"), 5U);
}

TEST(WideText, MalformedIsRefused) {
    for (const char* bad : {"\xC3", "\xC3(", "\x80", "\xC1\x81", "\xE0\x80\x80", "\xF0\x80\x80\x80",
                            "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "\xC0\x80"}) {
        EXPECT_EQ(wide(bad), "malformed") << bad;
    }
    EXPECT_EQ(wide("\xC0\x80", NulForm::two_bytes), std::string(1, '\0'));
}

TEST(WideText, Cesu8AndModifiedUtf8) {
    const std::string text("a\0\xF0\x9F\x98\x80\xC3\xA9", 8);
    std::uint8_t out[16];
    ASSERT_EQ(cesu8_size(text, NulForm::two_bytes), 11U);
    EXPECT_EQ(write_cesu8(text, NulForm::two_bytes, out) - out, 11);
    EXPECT_EQ(std::string(out, out + 11), "a\xC0\x80\xED\xA0\xBD\xED\xB8\x80\xC3\xA9");
    EXPECT_EQ(cesu8_size(text, NulForm::one_byte), 10U);
}

TEST(WideText, CopyingTellsAsciiOfEveryLength) {
    for (std::size_t size = 0; size < 40; ++size) {
        const std::string ascii(size, 'x');
        std::string to(size + 8, '\0');
        const auto copied = [&](const std::string& from) {
            const bool all =
                copy_ascii(reinterpret_cast<const std::uint8_t*>(from.data()), size, to.data());
            EXPECT_EQ(to.substr(0, size), from);
            return all;
        };
        EXPECT_TRUE(copied(ascii));
        for (std::size_t i = 0; i < size; ++i) {
            std::string other = ascii;
            other[i] = '\xC3';
            EXPECT_FALSE(copied(other)) << i << " of " << size;
        }
    }
}

}  // namespace
}  // namespace perfrelay
