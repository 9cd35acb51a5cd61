#include "proto/xml/text_source.h"

#include <string>

#include <gtest/gtest.h>

namespace perfrelay::xml {
namespace {

using namespace std::string_view_literals;

TEST(PrologLength, EndsWithTheRootsBracket) {
    EXPECT_EQ(prolog_length("<a/>"), 1U);
    EXPECT_EQ(prolog_length(" \n<a"), 3U);
    EXPECT_EQ(prolog_length("<?xml version='1.0'?><!--<--><!DOCTYPE a [<!ENTITY x '>'>]><a>"), 60U);
    // What the parser will refuse is not waited for.
    EXPECT_EQ(prolog_length("text<a/>"), 1U);
    EXPECT_EQ(prolog_length("<![CDATA[x]]>"), 1U);
}

TEST(PrologLength, IsUnknownUntilThen) {
    const std::string_view whole =
        "<?xml version='1.0'?> <!-- - --> <!DOCTYPE a [<!ENTITY x \"]>\">]> <?p i?> <a>";
    for (std::size_t size = 0; size < whole.size() - 2; ++size) {
        // A lone "<" might be anything's start; it is the root's only once more is there.
        EXPECT_FALSE(prolog_length(whole.substr(0, size))) << size;
    }
    EXPECT_EQ(prolog_length(whole), whole.size() - 2);
}

std::string all_of(ByteSource& bytes, const Limits& limits = {}) {
    TextSource source(bytes, limits);
    const auto head = source.head();
    if (!head) return head.error().where;
    std::string text(*head);
    while (true) {
        const auto more = source.next();
        if (!more) return more.error().where;
        if (more->empty()) return text;
        text += *more;
    }
}

TEST(TextSource, GivesTheWholeTextInPieces) {
    const std::string_view text = "<!-- a --><a>some text</a>\n";
    for (std::size_t piece = 1; piece < 30; ++piece) {
        MemorySource bytes(as_bytes(text), piece);
        EXPECT_EQ(all_of(bytes), text);
    }
}

TEST(TextSource, TheHeadHoldsTheProlog) {
    const std::string text = "<!DOCTYPE a [<!ENTITY e 'v'>]><a>" + std::string(1000, 'x') + "</a>";
    MemorySource bytes(as_bytes(text), 3);
    const Limits limits;
    TextSource source(bytes, limits);
    const auto head = source.head();
    ASSERT_TRUE(head);
    EXPECT_TRUE(head->starts_with("<!DOCTYPE a [<!ENTITY e 'v'>]><"));
    EXPECT_LT(head->size(), 40U);
    EXPECT_EQ(source.bytes(), head->size());
}

TEST(TextSource, DropsAMark) {
    MemorySource bytes(as_bytes("\xEF\xBB\xBF<a/>"), 1);
    EXPECT_EQ(all_of(bytes), "<a/>");
}

TEST(TextSource, OtherEncodingsCannotBeStreamed) {
    for (const std::string_view text :
         {"<?xml version='1.0' encoding='ISO-8859-1'?><a/>"sv, "\xFF\xFE<\0a\0/\0>\0"sv,
          "\0<\0a\0/\0>"sv, "\xFE\xFF\0<\0a"sv}) {
        MemorySource bytes(as_bytes(text), 5);
        EXPECT_EQ(all_of(bytes), "an encoding other than UTF-8 cannot be streamed");
    }
    MemorySource ascii(as_bytes("<?xml version='1.0' encoding='us-ascii'?><a>\xC3\xA4</a>"), 9);
    EXPECT_EQ(all_of(ascii), "bytes that are not of the document's encoding");
}

TEST(TextSource, ObeysItsLimits) {
    const std::string comment = "<!--" + std::string(3U << 20U, '-');
    MemorySource endless(as_bytes(comment), 100'000);
    EXPECT_EQ(all_of(endless), "more than 1 MiB before the root element cannot be streamed");
    MemorySource large(as_bytes("<a>0123456789</a>"), 4);
    EXPECT_EQ(all_of(large, {.max_document = 10}), "the document is larger than the limit");
}

TEST(TextSource, WatchesAttributesAcrossPieces) {
    const std::string few =
        "<a" + std::string(50, '=') + "><b" + std::string(50, '=') + "></b></a>";
    const std::string many =
        "<a>"
        "<b" +
        std::string(101, '=') + "></b></a>";
    const Limits limits;
    for (const auto* text : {&few, &many}) {
        MemorySource bytes(as_bytes(*text), 7);
        TextSource source(bytes, limits);
        source.watch_attributes(100);
        bool good = source.head().has_value();
        while (good) {
            const auto more = source.next();
            good = more.has_value();
            if (good && more->empty()) break;
        }
        EXPECT_EQ(good, text == &few);
    }
}

}  // namespace
}  // namespace perfrelay::xml
