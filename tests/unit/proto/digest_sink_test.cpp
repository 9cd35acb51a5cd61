#include "proto/model/digest_sink.h"

#include <string_view>

#include <gtest/gtest.h>

namespace perfrelay {
namespace {

struct Content {
    std::string_view attribute = "v";
    std::string_view first = "one";
    std::string_view second = "two";
    bool split = false;
    bool comment = false;
};

Digest digest(const Content& content) {
    NameTable names;
    const QName* root = names.intern("", "r", "");
    const QName* item = names.intern("", "i", "");
    DigestSink sink;
    sink.start_document();
    sink.start_element(root);
    sink.attribute(item, content.attribute);
    if (content.split) {
        for (const char& c : content.first)
            sink.characters({&c, 1});
    } else {
        sink.characters(content.first);
    }
    if (content.comment) sink.comment("");
    sink.start_element(item);
    sink.characters(content.second);
    sink.end_element(item);
    sink.end_element(root);
    sink.end_document();
    return sink.digest();
}

TEST(DigestSink, DoesNotDependOnHowTextIsSplit) {
    EXPECT_EQ(digest({}), digest({.split = true}));
    EXPECT_EQ(digest({}).text_bytes, 7U);
}

TEST(DigestSink, ChangesWithValuesPlacesAndEvents) {
    EXPECT_NE(digest({}), digest({.attribute = "w"}));
    EXPECT_NE(digest({}), digest({.first = "two", .second = "one"}));
    EXPECT_NE(digest({}), digest({.comment = true}));
    EXPECT_NE(digest({.attribute = ""}), digest({}));
}

TEST(DigestSink, StartsAnewWithEachDocument) {
    DigestSink sink;
    sink.start_document();
    sink.characters("x");
    sink.start_document();
    sink.end_document();
    EXPECT_EQ(sink.digest().events, 1U);
}

}  // namespace
}  // namespace perfrelay
