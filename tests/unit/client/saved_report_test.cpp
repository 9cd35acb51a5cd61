// Reports as JSON and back, refused ones, merged ones; CSV and Markdown of hand-made results.

#include "client/report/saved_report.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client/report/json_text.h"
#include "client/report/results.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases
using Json = nlohmann::json;

std::string written(ReportWriter writer, const Report& made) {
    std::ostringstream out;
    writer(made, out);
    return out.str();
}

// Every member away from its default.
Report full() {
    Row timed =
        row("xml", "XML", 1'000,
            {.encode = 4 * k_ms, .up = k_ms, .down = 2 * k_ms, .decode = 12'340 * k_us}, 21);
    timed.codec.notes = {"a note"};
    timed.threads = {timed.main, timed.main};
    timed.alone = timed.main;
    timed.saved = "kept/test.xml";
    timed.events = 77;
    timed.main.samples[3].batch = 20;
    timed.main.samples[3].start = 5;
    timed.main.samples[3].wall = 6;
    Row objects = gzxml_row();
    objects.model = Model::objects;
    objects.group = RowGroup::keeps_references;
    objects.from_source = true;
    FileReport one = file({timed, objects, not_representable_row(), failed_row()});
    one.content = "1c291ca3";
    one.schema = "a.xsd";
    one.whitespace_dropped = 3;
    one.mapping = "as text";
    FileReport unread;
    unread.name = "bad<&\"\xff.xml";
    unread.error = "line 2: mismatched tag";
    Report made = report({one, unread});
    made.started = "2026-12-01T09:47:30Z";
    made.exit_code = 4;
    made.messages = {"perfclient: bad"};
    made.partial = true;
    made.network = "host2:8000";
    made.relay = "protocol 1.0";
    made.whitespace = "auto";
    made.rtt_ns = 200'000;
    made.schedule.seed = std::numeric_limits<std::uint64_t>::max();
    made.schedule.main = {.time = 7, .runs = 8};
    made.links = {net::built_in_links().begin(), net::built_in_links().begin() + 3};
    made.links[1].jitter = 5 * k_ms;
    made.links[1].cold = true;
    return made;
}

Report read(const std::string& text) {
    std::string why;
    auto made = read_report(text, why);
    EXPECT_TRUE(made) << why;
    return made ? *made : Report();
}

std::string refusal(Json document) {
    std::string why;
    EXPECT_FALSE(read_report(document.dump(), why));
    return why;
}

TEST(SavedReport, ComesBackWhole) {
    const Report made = full();
    const std::string text = written(write_json, made);
    const Report back = read(text);
    EXPECT_EQ(written(write_json, back), text);
    EXPECT_EQ(back.schedule.seed, made.schedule.seed);
    EXPECT_EQ(back.links, made.links);
    EXPECT_EQ(back.files[0].rows[0].main.samples[3].batch, 20U);
    EXPECT_EQ(back.files[1].name, "bad<&\"\\xff.xml");
    EXPECT_EQ(text_of(back), text_of(made));
    EXPECT_EQ(written(write_csv, back), written(write_csv, made));
}

TEST(SavedReport, NumbersAreThoseOfTheTables) {
    const Json document = Json::parse(written(write_json, full()));
    const Json& row = document["files"][0]["rows"][0];
    EXPECT_EQ(row["results"]["times_ns"]["decode"]["count"], 21);
    EXPECT_EQ(row["results"]["times_ns"]["up"]["median"], 1e6);
    EXPECT_NEAR(row["results"]["size_ratio"].get<double>(), 1'000.0 / 937'005, 1e-12);
    EXPECT_EQ(document["files"][0]["rows"][2]["results"]["remark"],
              "not representable: a default attribute of the internal subset");
    EXPECT_EQ(document["results"]["status"], "partial");
    // Both ways, 1,000 and 24 bytes with their headers.
    EXPECT_EQ(document["files"][0]["results"]["curves"][0]["bits"], 2 * 8 * (1'024 + 52));
    EXPECT_EQ(document["files"][0]["results"]["speeds_bps"].front(), 1e3);
    EXPECT_EQ(document["files"][0]["results"]["speeds_bps"].back(), 1e11);
}

TEST(SavedReport, TheSchemaIsThePublishedOne) {
    std::ifstream file("client/report/report.schema.json");
    const std::string published{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(report_schema(), published)
        << "perfclient report --schema > client/report/report.schema.json";
    EXPECT_TRUE(Json::accept(published));
}

TEST(SavedReport, IsRefusedByPlace) {
    const Json good = Json::parse(written(write_json, full()));
    Json bad = good;
    bad["files"][0]["rows"][0]["size"] = -1;
    EXPECT_EQ(refusal(bad), "files/0/rows/0/size: no integer from 0 to 18446744073709551615");
    bad = good;
    bad["direction"] = "sideways";
    EXPECT_EQ(refusal(bad), "direction: none of both, encode, decode");
    bad = good;
    bad["files"][0]["rows"][0]["main"]["documents"][0] = 0;
    EXPECT_EQ(refusal(bad), "files/0/rows/0/main/documents: a run of that many documents");
    bad = good;
    bad["files"][0]["rows"][0]["main"]["encode_ns"].erase(0);
    EXPECT_EQ(refusal(bad), "files/0/rows/0/main/encode_ns: not as many numbers as total_ns has");
    bad = good;
    bad["links"][0]["down_bps"] = 0;
    EXPECT_EQ(refusal(bad), "links/0: a link of no speed");
    bad = good;
    bad["files"][0]["part"] = 1;
    EXPECT_EQ(refusal(bad), "files: part 1: there is none");
    bad = good;
    bad["schedule"]["seed"] = "12x";
    EXPECT_EQ(refusal(bad), "schedule/seed: no integer from 0 to 18446744073709551615");
    bad = good;
    bad["schema_version"] = 99;
    EXPECT_EQ(refusal(bad), "schema_version 99, and this build reads 1");
    EXPECT_EQ(refusal(Json::array()),
              "no report of perfclient: \"format\" is not \"perfrelay "
              "report\"");
    std::string why;
    EXPECT_FALSE(read_report("{", why));
    EXPECT_EQ(why, "no JSON");
}

TEST(SavedReport, WhatIsUnknownOrMissingDoesNoHarm) {
    Json document = Json::parse(written(write_json, full()));
    document["files"][0]["later"] = {1, 2};
    document["files"][0]["rows"][0].erase("warmup");
    document.erase("links");
    const Report made = read(document.dump());
    EXPECT_TRUE(made.links.empty());
    EXPECT_TRUE(made.files[0].rows[0].warmup.samples.empty());
}

TEST(SavedReport, SeveralBecomeOne) {
    Report a = report({file({xml_row()})});
    a.command_line = "perfclient a";
    Report b = report({file({gzxml_row()}), file({xml_row()})});
    b.command_line = "perfclient b";
    b.exit_code = 6;
    b.partial = true;
    const Report two = merge_reports({a, b});
    ASSERT_EQ(two.files.size(), 3U);
    EXPECT_EQ(two.files[2].part, 1U);
    ASSERT_EQ(two.parts.size(), 2U);
    EXPECT_EQ(two.parts[1].command_line, "perfclient b");
    EXPECT_EQ(two.exit_code, 6);
    EXPECT_TRUE(two.partial);
    const Report three = merge_reports({a, read(written(write_json, two))});
    EXPECT_EQ(three.parts.size(), 3U);
    EXPECT_EQ(three.files[3].part, 2U);
    EXPECT_NE(text_of(three).find("perfclient b"), std::string::npos);
}

TEST(SavedReport, UnlikeOnesAreToldApart) {
    const Report a = report({});
    Report b = a;
    EXPECT_EQ(unlike(a, b), "");
    b.direction = Direction::decode;
    EXPECT_EQ(unlike(a, b), "direction: both ways, and decode");
    b = a;
    b.network = "host:1";
    EXPECT_EQ(unlike(a, b), "where: in memory, and over a network");
    b = a;
    b.links = {net::built_in_links().front()};
    EXPECT_EQ(unlike(a, b), "links: other ones");
}

TEST(JsonText, IsValidWhateverItIsGiven) {
    std::string text;
    JsonText json(text);
    json.begin_object();
    json.key("empty");
    json.begin_array();
    json.end_array();
    json.key("numbers");
    json.begin_array(true);
    for (const double value : {0.1, 5.0, -0.0, 1e300, 5e-324, std::nan(""), HUGE_VAL})
        json.number(value);
    json.end_array();
    json.key("text");
    json.text("</script>\"\\\n\xff\xe2\x80\xa8");
    json.end_object();
    EXPECT_EQ(text, R"({
 "empty": [],
 "numbers": [0.1,5,-0,1e+300,5e-324,null,null],
 "text": "\u003c/script>\"\\\\x0a\\xff\\xe2\\x80\\xa8"
})");
    EXPECT_TRUE(Json::accept(text));
}

TEST(Csv, ALineARun) {
    Report made = full();
    made.files[0].name = "a,\"b\".xml";
    const std::string text = written(write_csv, made);
    EXPECT_EQ(
        text.substr(0, text.find("\r\n")),
        "part,started,file,file_bytes,content,format,title,row_group,size,status,why,stage,run,"
        "documents,start_ns,encode_ns,up_ns,down_ns,decode_ns,total_ns");
    const std::string start =
        "0,2026-12-01T09:47:30Z,\"a,\"\"b\"\".xml\",937005,1c291ca3,xml,XML,tree,"
        "1000,timed,,main,";
    EXPECT_NE(text.find(start + "10,1,0,4000000,1000000,2000000,12340000,19340000\r\n"),
              std::string::npos)
        << text.substr(0, 1'000);
    EXPECT_NE(
        text.find(",not representable,a default attribute of the internal subset,,,,,,,,,\r\n"),
        std::string::npos);
    EXPECT_NE(text.find(",failed,line 2: mismatched tag,,,,,,,,,\r\n"), std::string::npos);
}

TEST(Markdown, NothingBreaksOutOfACell) {
    Report made = full();
    made.files[0].name = "a|b<c>.xml";
    const std::string text = written(write_markdown, made);
    EXPECT_NE(text.find("\n## a\\|b\\<c\\>.xml\n"), std::string::npos);
    EXPECT_NE(text.find("| XML | 1000 | 0.0011 | 4.00 ms | 3.00 ms | 12.3 ms | 19.3 ms | "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("**Partial:**"), std::string::npos);
}

}  // namespace
}  // namespace perfrelay::client
