#include "proto/xml/utf8_text.h"

#include <string>

#include <gtest/gtest.h>
#include <iconv.h>

#include "proto/xml/position.h"

namespace perfrelay::xml {
namespace {

std::string encoded(std::string text, const char* encoding) {
    const iconv_t handle = iconv_open(encoding, "UTF-8");
    std::string out(text.size() * 8 + 16, '\0');
    char* in = text.data();
    std::size_t in_left = text.size();
    char* to = out.data();
    std::size_t out_left = out.size();
    iconv(handle, &in, &in_left, &to, &out_left);
    iconv(handle, nullptr, nullptr, &to, &out_left);
    EXPECT_EQ(in_left, 0U) << encoding;
    iconv_close(handle);
    out.resize(out.size() - out_left);
    return out;
}

constexpr std::size_t k_any_size = std::size_t{1} << 30U;

std::string read(Utf8Text& reader, std::string_view bytes) {
    const auto text = reader.read(as_bytes(bytes), Utf8Text::Form::owned, k_any_size);
    if (!text) return "error: " + describe(text.error());
    return std::string(*text);
}

struct Sample {
    const char* declared;
    const char* iconv_name;
    const char* characters;
};

class Encoding : public testing::TestWithParam<Sample> {};

TEST_P(Encoding, IsRead) {
    const Sample& sample = GetParam();
    const std::string text = std::string("<?xml version=\"1.0\" encoding='") + sample.declared +
                             "'?>\n<a>" + sample.characters + "</a>";
    Utf8Text reader;
    for (int again = 0; again < 2; ++again) {
        EXPECT_EQ(read(reader, encoded(text, sample.iconv_name)), text);
        EXPECT_EQ(reader.encoding(), sample.declared);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, Encoding,
    testing::Values(Sample{"UTF-8", "UTF-8", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
                    Sample{"utf-8", "UTF-8", "\xC3\xA9"}, Sample{"US-ASCII", "US-ASCII", "plain"},
                    Sample{"ISO-8859-1", "ISO-8859-1", "\xC3\xA9\xC2\xA3"},
                    Sample{"iso-8859-15", "ISO-8859-15", "\xE2\x82\xAC"},
                    Sample{"windows-1252", "WINDOWS-1252", "\xE2\x82\xAC\xE2\x80\x9Cx\xE2\x80\x9D"},
                    Sample{"Shift_JIS", "SHIFT_JIS", "\xE6\x97\xA5\xE6\x9C\xAC\xEF\xBD\xB1"},
                    Sample{"EUC-JP", "EUC-JP", "\xE6\x97\xA5\xE6\x9C\xAC"},
                    Sample{"ISO-2022-JP", "ISO-2022-JP", "\xE6\x97\xA5\xE6\x9C\xAC"},
                    Sample{"GB18030", "GB18030", "\xE4\xB8\xAD\xF0\x9F\x98\x80"},
                    Sample{"Big5", "BIG5", "\xE4\xB8\xAD"}, Sample{"KOI8-R", "KOI8-R", "\xD0\xB6"},
                    Sample{"IBM037", "IBM037", "\xC3\xA9"},
                    Sample{"IBM1047", "IBM1047", "\xC3\xA9"}));

TEST(Utf8Text, WideEncodingsAreFoundOutWithAndWithoutMark) {
    const std::string text = "<a>\xE2\x82\xAC\xF0\x9F\x98\x80</a>";
    for (const char* encoding : {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"}) {
        Utf8Text reader;
        EXPECT_EQ(read(reader, encoded(text, encoding)), text) << encoding;
        EXPECT_FALSE(reader.byte_order_mark());
        EXPECT_EQ(reader.encoding(), encoding);
        EXPECT_EQ(read(reader, encoded("\xEF\xBB\xBF" + text, encoding)), text) << encoding;
        EXPECT_TRUE(reader.byte_order_mark());
        const std::string declared =
            "<?xml version='1.0' encoding='" + std::string(encoding).substr(0, 6) + "'?>" + text;
        EXPECT_EQ(read(reader, encoded(declared, encoding)), declared);
    }
}

TEST(Utf8Text, TheMarkWinsOverTheDeclarationAndIsNoText) {
    Utf8Text reader;
    const std::string text = "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xC3\xA9</a>";
    EXPECT_EQ(read(reader, "\xEF\xBB\xBF" + text), text);
    EXPECT_TRUE(reader.byte_order_mark());
    EXPECT_EQ(reader.encoding(), "UTF-8");
}

// A second mark was read over by the parsers, though it is a character of the document.
TEST(Utf8Text, ASecondMarkIsRefused) {
    const std::string mark = "\xEF\xBB\xBF";
    for (const char* encoding : {"UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"}) {
        Utf8Text reader;
        for (const char* text : {"<a/>", "<?xml version='1.0'?><a/>", ""}) {
            EXPECT_EQ(read(reader, encoded(mark + mark + text, encoding)),
                      "error: line 1, column 1: a second byte-order mark before the document")
                << encoding << ' ' << text;
        }
        EXPECT_EQ(read(reader, encoded(mark + "<a>" + mark + "</a>", encoding)),
                  "<a>" + mark + "</a>");
    }
}

TEST(Utf8Text, Utf8IsBorrowedOrCopiedWithANulBehind) {
    Utf8Text reader;
    const std::string bytes = "<a/>";
    const auto borrowed = reader.read(as_bytes(bytes), Utf8Text::Form::borrowed, k_any_size);
    ASSERT_TRUE(borrowed.has_value());
    EXPECT_EQ(borrowed->data(), bytes.data());
    const auto owned = reader.read(as_bytes(bytes), Utf8Text::Form::owned, k_any_size);
    ASSERT_TRUE(owned.has_value());
    EXPECT_NE(owned->data(), bytes.data());
    EXPECT_EQ(owned->data()[owned->size()], '\0');
    EXPECT_EQ(read(reader, ""), "");
}

TEST(Utf8Text, ErrorsHaveTheirPlace) {
    Utf8Text reader;
    EXPECT_EQ(read(reader, "<?xml version='1.0' encoding='nothing-such'?><a/>"),
              "error: line 1, column 1: an encoding that iconv does not know");
    EXPECT_EQ(read(reader, "<?xml version='1.0' encoding='UTF-16'?><a/>"),
              "error: line 1, column 31: the declared encoding contradicts the bytes");
    EXPECT_EQ(read(reader, encoded("<?xml version='1.0' encoding='UTF-8'?><a/>", "UTF-16LE")),
              "error: line 1, column 31: the declared encoding contradicts the bytes");
    EXPECT_EQ(read(reader, encoded("<?xml version='1.0' encoding='UTF-16'?><a/>", "UTF-32LE")),
              "error: line 1, column 31: the declared encoding contradicts the bytes");
    EXPECT_EQ(read(reader, "<?xml version='1.0' encoding='Shift_JIS'?>\n<a>\x83\x41\xFF</a>"),
              "error: line 2, column 5: bytes that are not of the document's encoding");
    EXPECT_EQ(read(reader, "<?xml version='1.0' encoding='US-ASCII'?>\r\n<a>\xC3\xA9</a>"),
              "error: line 2, column 4: bytes that are not of the document's encoding");
    const std::string cut = encoded("<a>xyz</a>", "UTF-16LE");
    const auto text = reader.read(as_bytes(std::string_view(cut).substr(0, 9)),
                                  Utf8Text::Form::owned, k_any_size);
    ASSERT_FALSE(text.has_value());
    EXPECT_EQ(text.error().code, Errc::truncated);
    EXPECT_EQ(text.error().column, 5U);
}

TEST(Utf8Text, NamesThatAreNoneDoNotReachIconv) {
    EXPECT_EQ(declared_encoding("<?xml version='1.0' encoding='UTF-8//TRANSLIT'?>"), "");
    EXPECT_EQ(declared_encoding("<?xml version='1.0' encoding = \"x\" ?>"), "x");
    EXPECT_EQ(declared_encoding("<?xml version='1.0'?><a encoding='no'/>"), "");
    EXPECT_EQ(declared_encoding("<?xmlish encoding='no'?>"), "");
    EXPECT_EQ(declared_encoding("<?xml encoding"), "");
    EXPECT_EQ(declared_encoding("<?xml encoding='"), "");
}

TEST(Utf8Text, SizeIsBoundedBeforeAndAfterConversion) {
    Utf8Text reader;
    const std::string latin =
        "<?xml version='1.0' encoding='ISO-8859-1'?><a>" + std::string(1000, '\xE9') + "</a>";
    EXPECT_TRUE(reader.read(as_bytes(latin), Utf8Text::Form::borrowed, 3000).has_value());
    for (const std::size_t limit : {std::size_t{500}, std::size_t{1500}}) {
        const auto text = reader.read(as_bytes(latin), Utf8Text::Form::borrowed, limit);
        ASSERT_FALSE(text.has_value());
        EXPECT_EQ(text.error().code, Errc::limit_exceeded);
    }
}

TEST(Position, LinesEndInThreeWaysAndColumnsAreCharacters) {
    const std::string_view text = "a\r\nb\rc\n\xC3\xA9x";
    const auto place = [&](std::size_t offset) {
        const Error error = error_at(text, offset, Errc::malformed, "");
        return std::to_string(error.line) + ":" + std::to_string(error.column);
    };
    EXPECT_EQ(place(0), "1:1");
    EXPECT_EQ(place(1), "1:2");
    EXPECT_EQ(place(3), "2:1");
    EXPECT_EQ(place(5), "3:1");
    EXPECT_EQ(place(7), "4:1");
    EXPECT_EQ(place(9), "4:2");
    EXPECT_EQ(place(99), "4:3");
}

}  // namespace
}  // namespace perfrelay::xml
