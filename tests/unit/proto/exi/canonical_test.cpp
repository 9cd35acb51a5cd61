// Canonical EXI without a schema, written and checked.
#include "proto/exi/canonical.h"

#include "tests/unit/proto/exi/support.h"

namespace perfrelay::exi {
namespace {

TEST(Canonical, OrderOfAttributesAndDeclarationsDoesNotMatter) {
    const auto one = document_of("<a xmlns:q='urn:q' xmlns:p='urn:p' c='3' p:b='2' a='1'/>");
    const auto other = document_of("<a a='1' xmlns:p='urn:p' p:b='2' xmlns:q='urn:q' c='3'/>");
    for (const char* spec :
         {"exi:canonical", "exi:canonical,omitOptionsDocument", "exi:canonical,prefixes,options",
          "exi:canonical,align=pre", "exi:canonical,align=comp"}) {
        const Buffer a = encoded(spec, *one);
        const Buffer b = encoded(spec, *other);
        EXPECT_EQ(as_text(a.view()), as_text(b.view())) << spec;
    }
    const Buffer a = encoded("exi", *one);
    const Buffer b = encoded("exi", *other);
    EXPECT_NE(as_text(a.view()), as_text(b.view()));
}

TEST(Canonical, IsChecked) {
    const auto document = document_of("<r><a c='3' b='2'/><a b='2' c='3'>text</a></r>");
    EXPECT_TRUE(check_canonical(encoded("exi:canonical", *document).view(), {}, Limits{}));
    EXPECT_TRUE(
        check_canonical(encoded("exi:canonical,prefixes,options", *document).view(), {}, Limits{}));
    EXPECT_TRUE(check_canonical(encoded("exi:canonical,omitOptionsDocument", *document).view(), {},
                                Limits{}));
    // A block size without blocks need not be said.
    EXPECT_FALSE(check_canonical(encoded("exi:options,blockSize=7", *document).view(), {}, {}));
    const Result<> plain = check_canonical(encoded("exi", *document).view(), {}, Limits{});
    ASSERT_FALSE(plain);
    EXPECT_GT(plain.error().offset, 1U);
    EXPECT_FALSE(check_canonical(encoded("exi:cookie", *document).view(), {}, Limits{}));
    EXPECT_FALSE(
        check_canonical(encoded("exi:align=comp,options", *document).view(), {}, Limits{}));
}

}  // namespace
}  // namespace perfrelay::exi
