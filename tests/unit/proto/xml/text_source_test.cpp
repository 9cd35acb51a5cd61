#include "proto/xml/text_source.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

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

// Whatever the first pieces are, an encoding is what it is for a document that is all there.
TEST(TextSource, SmallPiecesHideNoEncoding) {
    const std::vector<std::string> texts = {
        "\xEF\xBB\xBF<a/>",
        "\xEF\xBB\xBF\xEF\xBB\xBF<a/>",
        "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-16'?><a/>",
        "\xFF\xFE<\0a\0/\0>\0"s,
        "\xFE\xFF\0<\0a\0/\0>"s,
        "<\0a\0/\0>\0"s,
        "\0<\0a\0/\0>"s,
        "\xFF\xFE\0\0<\0\0\0a\0\0\0/\0\0\0>\0\0\0"s,
        "\0\0\xFE\xFF\0\0\0<\0\0\0a\0\0\0/\0\0\0>"s,
        "\0\0\0<\0\0\0a\0\0\0/\0\0\0>"s,
        "\x4C\x6F\xA7\x94\x93\x40\xA5\x6F\x6E\x4C\x81\x61\x6E",  // <?xml v?><a/>
        "<?xml version='1.0'" + std::string(3000, ' ') + "encoding='ISO-8859-1'?><a/>",
        "<a/>",
        "<"};
    for (const std::string& text : texts) {
        Utf8Text whole;
        const auto read = whole.read(as_bytes(text), Utf8Text::Form::borrowed, 1U << 20U);
        const std::string expected = !read ? read.error().where
                                     : whole.encoding() != "UTF-8"
                                         ? "an encoding other than UTF-8 cannot be streamed"
                                         : std::string(*read);
        for (std::size_t piece = 1; piece <= text.size(); ++piece) {
            MemorySource bytes(as_bytes(text), piece);
            EXPECT_EQ(all_of(bytes), expected) << text << " in pieces of " << piece;
        }
    }
}

TEST(TextSource, ANulIsNoCharacter) {
    for (const std::string& text :
         {"\xEF\xBB\xBF<\0?\0x\0m\0l\0"s, "<a>\0</a>"s, "<a/>      \0"s}) {
        MemorySource bytes(as_bytes(text), 5);
        EXPECT_EQ(all_of(bytes), "a NUL character");
    }
}

TEST(TextSource, WaitsForAsMuchAsIsAskedFor) {
    const std::string text = "<a>" + std::string(100, 'x') + "</a>";
    MemorySource bytes(as_bytes(text), 7);
    const Limits limits;
    TextSource source(bytes, limits);
    ASSERT_TRUE(source.head());
    EXPECT_EQ(source.next(20)->size(), 21U);
    EXPECT_EQ(source.next()->size(), 7U);
    EXPECT_EQ(source.next(1000)->size(), 72U);
    EXPECT_TRUE(source.next(5)->empty());
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
