// The tables of --link, of hand-made results.

#include <gtest/gtest.h>

#include "client/options.h"
#include "client/report/sections.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases

net::Link link(std::string_view text) {
    std::string why;
    auto parsed = net::parse_link(text, net::built_in_links(), why);
    EXPECT_TRUE(parsed) << why;
    return parsed.value_or(net::Link{});
}

Report two_formats(const char* on) {
    Report made = report(
        {file({row("xml", "XML", 1'000'000, {.encode = 1000 * k_us, .decode = 2000 * k_us}),
               row("exi", "EFX", 100'000, {.encode = 20'000 * k_us, .decode = 3000 * k_us})})});
    made.links = {link(on)};
    return made;
}

TEST(LinksTables, NothingWithoutLinks) {
    Report made = two_formats("dsl");
    made.links.clear();
    EXPECT_EQ(links_tables(made), "");
}

TEST(LinksTables, TotalsAndTheSpeedAtWhichOneOvertakes) {
    // 8,000,192 bits each way, no headers: 8 s; a tenth of it for the other.
    const std::string text = links_tables(two_formats("rate=1M,rtt=100ms,overhead=0"));
    EXPECT_EQ(
        text.substr(0, text.find("Cross-over")),
        R"(On links, modelled from exact sizes and the measured processor time (encode, up, down, decode): test.xml
LINK                          FORMAT  PACKETS   TRANSMIT  PROCESSOR      TOTAL    RATIO  BEST
----------------------------  ------  -------  ---------  ---------  ---------  -------  ----
rate=1M,rtt=100ms,overhead=0  XML         691     16.1 s    3.00 ms     16.1 s   1.0000
rate=1M,rtt=100ms,overhead=0  EFX          70     1.70 s    23.0 ms     1.72 s   0.1070  *

)") << text;
    EXPECT_NE(text.find("EFX      XML     below 746 Mbit/s (95 %: "), std::string::npos) << text;
    EXPECT_NE(text.find("Best by speed: EFX below 746 Mbit/s, XML above\n"), std::string::npos);
    EXPECT_NE(
        text.find("rate=1M,rtt=100ms,overhead=0: 1M down, 1M up, RTT 100 ms (the command line)"),
        std::string::npos);
}

TEST(LinksTables, OneWayIsHalfTheBits) {
    Report made = two_formats("rate=1M,rtt=100ms,overhead=0");
    made.direction = Direction::decode;
    const std::string text = links_tables(made);
    EXPECT_NE(text.find("(down to the last byte, then decode)"), std::string::npos);
    EXPECT_NE(text.find("8.05 s"), std::string::npos) << text;
}

TEST(LinksTables, OverlappingPhasesAreNotModelled) {
    Report made = two_formats("dsl");
    made.stream = true;
    const std::string text = links_tables(made);
    EXPECT_TRUE(text.starts_with("On links: not modelled of streamed or multithreaded runs\n"));
    EXPECT_EQ(text.find("XML"), std::string::npos) << text;
}

std::variant<Options, Refusal> parsed(std::vector<const char*> words) {
    words.push_back("a.xml");
    return parse_options(words, FormatTable::built_in());
}

TEST(LinkOptions, AddUpInOrder) {
    const auto options = parsed({"--link", "gprs", "--link=3g", "--link", "rate=9600"});
    ASSERT_TRUE(std::holds_alternative<Options>(options));
    const auto& links = std::get<Options>(options).links;
    ASSERT_EQ(links.size(), 3U);
    EXPECT_EQ(links[0].name, "gprs");
    EXPECT_EQ(links[1].name, "3g");
    EXPECT_EQ(links[2].up, 9'600U);
}

TEST(LinkOptions, AreRefusedInOneLine) {
    const auto wrong = parsed({"--link", "gprz"});
    ASSERT_TRUE(std::holds_alternative<Refusal>(wrong));
    EXPECT_EQ(std::get<Refusal>(wrong).code, ExitCode::usage);
    EXPECT_TRUE(std::get<Refusal>(wrong).line.starts_with("--link 'gprz' is no link"));
    const auto file = parsed({"--link-file", "/no/such/file"});
    ASSERT_TRUE(std::holds_alternative<Refusal>(file));
    EXPECT_EQ(std::get<Refusal>(file).code, ExitCode::bad_input);
    EXPECT_EQ(std::get<Refusal>(file).line,
              "--link-file '/no/such/file': cannot be read, or is empty");
}

}  // namespace
}  // namespace perfrelay::client
