#include "common/net/link.h"

#include <set>

#include <gtest/gtest.h>

namespace perfrelay::net {
namespace {

Link parsed(std::string_view text) {
    std::string why;
    const auto link = parse_link(text, built_in_links(), why);
    EXPECT_TRUE(link) << text << ": " << why;
    return link.value_or(Link{});
}

std::string refused(std::string_view text) {
    std::string why;
    EXPECT_FALSE(parse_link(text, built_in_links(), why)) << text;
    return why;
}

TEST(Link, ProfilesAreWholeAndApart) {
    std::set<std::string> names;
    for (const Link& link : built_in_links()) {
        SCOPED_TRACE(link.name);
        EXPECT_TRUE(names.insert(link.name).second);
        EXPECT_GT(link.down, 0U);
        EXPECT_GT(link.up, 0U);
        EXPECT_GT(link.rtt, 0);
        EXPECT_FALSE(link.source.empty());
        EXPECT_EQ(parsed(link.name), link);
    }
    EXPECT_EQ(parsed("edge").down, 240'000U);
    EXPECT_EQ(parsed("gprs").loss, 0.02);
}

TEST(Link, KeysAndValues) {
    const Link link = parsed("down=240k, up=200k,rtt=840ms,jitter=50ms,loss=1%,overhead=40,cold");
    EXPECT_EQ(link.down, 240'000U);
    EXPECT_EQ(link.up, 200'000U);
    EXPECT_EQ(link.rtt, 840'000'000);
    EXPECT_EQ(link.jitter, 50'000'000);
    EXPECT_EQ(link.loss, 0.01);
    EXPECT_EQ(link.overhead, 40U);
    EXPECT_TRUE(link.cold);
    EXPECT_EQ(parsed("rate=1.5M").up, 1'500'000U);
    EXPECT_EQ(parsed("rate=1.5M").rtt, 0);
}

TEST(Link, AProfileMayBeChanged) {
    const Link link = parsed("gprs,loss=0,cold");
    EXPECT_EQ(link.name, "gprs,loss=0,cold");
    EXPECT_EQ(link.down, 50'000U);
    EXPECT_EQ(link.loss, 0);
    EXPECT_TRUE(link.cold);
}

TEST(Link, RefusalsNameTheWordAndARemedy) {
    EXPECT_NE(refused("edeg").find("did you mean 'edge'?"), std::string::npos);
    EXPECT_NE(refused("").find("--list-links"), std::string::npos);
    EXPECT_NE(refused("loss=0,gprs").find("'gprs' is no link"), std::string::npos);
    EXPECT_NE(refused("down=1M").find("a rate each way"), std::string::npos);
    EXPECT_NE(refused("down=1M,up=0").size(), 0U);
    EXPECT_NE(refused("edge,speed=1").find("no property"), std::string::npos);
    for (const char* text : {"edge,rtt=5", "edge,rtt=-1ms", "edge,rtt=2h", "edge,loss=51%",
                             "edge,loss=-1", "edge,loss=x", "edge,loss=%", "edge,loss=nan",
                             "edge,overhead=-1", "edge,overhead=9999", "rate=200G", "rate=1e6"}) {
        EXPECT_FALSE(refused(text).empty());
    }
}

TEST(Link, Files) {
    std::string why;
    const auto links = parse_link_file(
        "# ours\n\nfield = down=9600,up=9600,rtt=1s  # HF\r\nbetter=edge,rtt=300ms", why);
    ASSERT_TRUE(links) << why;
    ASSERT_EQ(links->size(), 2U);
    EXPECT_EQ((*links)[0].name, "field");
    EXPECT_EQ((*links)[0].rtt, 1'000'000'000);
    EXPECT_EQ((*links)[1].name, "better");
    EXPECT_EQ((*links)[1].down, 240'000U);
    EXPECT_TRUE(parse_link_file("", why)->empty());
    for (const char* bad : {"x", "= down=1,up=1", "a b = edge", "ok = edge\nx = edeg"})
        EXPECT_FALSE(parse_link_file(bad, why)) << bad;
    EXPECT_TRUE(why.starts_with("line 2: 'edeg'")) << why;
}

TEST(Link, RatesAreShownAsTheyAreRead) {
    EXPECT_EQ(format_rate(250), "250");
    EXPECT_EQ(format_rate(5'470), "5.47k");
    EXPECT_EQ(format_rate(240'000), "240k");
    EXPECT_EQ(format_rate(1'600'000), "1.6M");
    EXPECT_EQ(format_rate(1'000'000'000), "1G");
}

}  // namespace
}  // namespace perfrelay::net
