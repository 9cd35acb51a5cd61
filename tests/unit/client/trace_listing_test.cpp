#include "client/trace_listing.h"

#include <gtest/gtest.h>

namespace perfrelay::client {
namespace {

TEST(TraceListing, ALineAnEvent) {
    NameTable names;
    const QName* const a = names.intern("u", "a", "p");
    Buffer out;
    TraceListing listing(out);
    listing.header(8);
    listing.event({.event = "SE(*)", .at = 8, .name_bits = 74, .name = a});
    listing.event({.event = "NS",
                   .code = "0.2",
                   .at = 82,
                   .code_bits = 3,
                   .name_bits = 20,
                   .has_value = true,
                   .value = "p",
                   .second = "u"});
    listing.event({.event = "AT(*)",
                   .code = "0.1",
                   .at = 105,
                   .code_bits = 3,
                   .name_bits = 9,
                   .value_bits = 24,
                   .name = a,
                   .has_value = true,
                   .value = "1\n\""});
    listing.value(*a, "", 8);
    listing.packed(12, 40);
    EXPECT_EQ(as_text(out.view()),
              "# OFFSET    CODE      BITS            EVENT\n"
              "0.0                   8               header\n"
              "1.0                   0               SD\n"
              "1.0                   0+74+0          SE(*) {u}a prefix p\n"
              "10.2        0.2       3+20+0          NS \"p\" \"u\"\n"
              "13.1        0.1       3+9+24          AT(*) {u}a prefix p = \"1\\n\\\"\"\n"
              "                      8               value {u}a = \"\"\n"
              "                      96              packed: 40 bytes are 12\n");
}

}  // namespace
}  // namespace perfrelay::client
