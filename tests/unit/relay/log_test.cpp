#include "relay/log.h"

#include <memory>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <spdlog/sinks/ostream_sink.h>

namespace perfrelay::relay {
namespace {

const SessionRecord k_record = {
    .id = 7,
    .peer = "[fe80::1%eth\"0]:4711",
    .protocol = "1.0",
    .tls = "TLS 1.3, X",
    .authenticated = true,
    .tally = {.bytes_in = 1000, .bytes_out = 2000, .echo = 3, .ping = 4},
    .lasted = 1'500'000'000,
    .outcome = "malformed: \x01\xff \\"};

std::string said(Log::Style style, const auto& say) {
    std::ostringstream out;
    Log log(std::make_shared<spdlog::sinks::ostream_sink_mt>(out), style);
    say(log);
    return out.str();
}

TEST(Log, JsonIsJsonWhateverIsSaid) {
    const std::string text = said(Log::Style::json, [](Log& log) {
        log.session(k_record);
        log.warn("a \"quoted\"\nline {}", "\x7f");
    });
    std::istringstream lines(text);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const auto session = nlohmann::json::parse(line);
    EXPECT_EQ(session["session"], 7);
    EXPECT_EQ(session["peer"], k_record.peer);
    EXPECT_EQ(session["echo"], 3);
    EXPECT_EQ(session["bytes_out"], 2000);
    EXPECT_EQ(session["seconds"], 1.5);
    EXPECT_EQ(session["authenticated"], true);
    EXPECT_EQ(session["level"], "info");
    ASSERT_TRUE(std::getline(lines, line));
    const auto warning = nlohmann::json::parse(line);
    EXPECT_EQ(warning["message"], "a \"quoted\"\nline \x7f");
    EXPECT_EQ(warning["level"], "warning");
    EXPECT_EQ(warning["time"].get<std::string>().size(), 24U);
    EXPECT_FALSE(std::getline(lines, line));
}

TEST(Log, TextIsALineForPeople) {
    const std::string text = said(Log::Style::text, [](Log& log) { log.session(k_record); });
    for (const char* part : {"session 7 from ", "protocol 1.0, TLS 1.3, X, secret;",
                             "echo 3, sink 0", "1000 bytes in, 2000 bytes out; 1.5 s; malformed"}) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace perfrelay::relay
