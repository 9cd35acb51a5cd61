// The text report of hand-made results, to the letter: whoever changes a line changes it here.

#include "client/report/report.h"

#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/report/sections.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using namespace samples;  // NOLINT(google-build-using-namespace): short cases

TEST(TextReport, InMemoryBothDirections) {
    EXPECT_EQ(text_of(report({file({xml_row(), gzxml_row()})})), R"(warmup: 1000 ms or 5 runs
main: 1000 ms or 5 runs
[1] file: test.xml (937005 bytes)
schema:
XML-ENCODE warmup 200ms / 50 runs = 4.00ms per run
XML-ENCODE main 404ms / 101 runs = 4.00ms per run, median 4.00 ms (95 %: 3.96-4.04), min 3.80 ms, p95 4.18 ms
XML-DECODE warmup 617ms / 50 runs = 12.33ms per run
XML-DECODE main 1246ms / 101 runs = 12.34ms per run, median 12.3 ms (95 %: 12.2-12.5), min 11.7 ms, p95 12.9 ms
XML-SIZE 923797 bytes
GZXML-ENCODE warmup 1110ms / 50 runs = 22.21ms per run
GZXML-ENCODE main 2244ms / 101 runs = 22.22ms per run, median 22.2 ms (95 %: 22.0-22.4), min 21.1 ms, p95 23.2 ms
GZXML-DECODE warmup 458ms / 50 runs = 9.17ms per run
GZXML-DECODE main 926ms / 101 runs = 9.17ms per run, median 9.17 ms (95 %: 9.08-9.26), min 8.71 ms, p95 9.58 ms
GZXML-SIZE 72933 bytes

XML      GZXML    XML       GZXML     XML       GZXML
SIZE*    SIZE*    ENCODE**  ENCODE**  DECODE**  DECODE**  FILENAME
-------- -------- --------- --------- --------- --------- -------------------------------
  923797    72933      4.00     22.22     12.34      9.17 test.xml
* Size measurements are in bytes.
** Timing measurements are in milliseconds
   Each is the median of all runs.

What these rows are
  XML (xml)
    reader: reader of xml
    writer: writer of xml
  GZXML (xml+gzip)
    reader: reader of xml+gzip
    writer: writer of xml+gzip

How they were measured
  verified  decode(encode(document)) gave the document again, before anything was timed
  times     a document; median, and its 95 % interval from order statistics
  stages    warm-up, then main, each until both its minima hold, time and runs
  order     interleaved in rounds, in cyclic orders drawn from seed 42
  batch     1 document a run, the same for every format
  memory    heap kept between runs, buffers reused
  decode    parse: from bytes to every event, names resolved, values as text, counted and hashed
  deflate   zlib in every format that uses it
  clock     40.0 ns to read
  program   perfclient 0.1.0
  command   perfclient test.xml
)");
}

// The sample in efxperf's manual: whoever reads its table with a script can go on doing so.
TEST(TextReport, DecodeTableIsEfxperfs) {
    Row xml = row("xml", "XML", 937'005, {.decode = 79'380 * k_us});
    xml.from_source = true;
    Report made = report({file({xml, row("efx", "EFX", 72'933, {.decode = 3'090 * k_us})})});
    made.direction = Direction::decode;
    made.schedule.main.time = 5'000 * k_ms;
    EXPECT_EQ(tables_of(made), R"(XML      EFX      XML       EFX
SIZE*    SIZE*    DECODE**  DECODE**  FILENAME
-------- -------- --------- --------- -------------------------------
  937005    72933     79.38      3.09 test.xml
* Size measurements are in bytes.
  In a decode test, SIZE of the file's own format is that of the file itself.
** Timing measurements are in milliseconds
   Each is the median of all runs.
)");
    const std::string lines = run_lines(made);
    EXPECT_TRUE(lines.starts_with(R"(warmup: 1000 ms or 5 runs
main: 5000 ms or 5 runs
[1] file: test.xml (937005 bytes)
schema:
XML-DECODE warmup 3967ms / 50 runs = 79.34ms per run
XML-DECODE main 8017ms / 101 runs = 79.38ms per run, median )"))
        << lines;
    EXPECT_EQ(lines.find("ENCODE"), std::string::npos);
    EXPECT_EQ(text_of(made).find("writer:"), std::string::npos) << "nothing was written";
}

TEST(TextReport, EncodeHasNoDecode) {
    Report made = report({file({row("xml", "XML", 923'797, {.encode = 22'220 * k_us})})});
    made.direction = Direction::encode;
    EXPECT_EQ(tables_of(made), R"(XML      XML
SIZE*    ENCODE**  FILENAME
-------- --------- -------------------------------
  923797     22.22 test.xml
* Size measurements are in bytes.
** Timing measurements are in milliseconds
   Each is the median of all runs.
)");
    const std::string all = text_of(made);
    EXPECT_EQ(all.find("XML-DECODE"), std::string::npos);
    EXPECT_EQ(all.find("reader:"), std::string::npos);
    EXPECT_EQ(all.find("  decode  "), std::string::npos);
}

Report over_network(Direction direction, const Times& times) {
    Row xml = row("xml", "XML", 937'005, times);
    Row tiny = row("xml:tinyxml2", "XML:TINYXML2", 937'005, times);
    Report made = report({file({xml, tiny})});
    made.direction = direction;
    made.network = "host2:8000";
    made.relay = "192.0.2.7:8000, protocol 1.0";
    made.rtt_ns = 52'300;
    return made;
}

TEST(TextReport, RoundTripOverANetwork) {
    const Report made =
        over_network(Direction::both, {4 * k_ms, 2 * k_ms, 3'500 * k_us, 12 * k_ms});
    const std::string all = text_of(made);
    EXPECT_TRUE(all.starts_with(R"(network-host = host2:8000
warmup: 1000 ms or 5 runs
main: 1000 ms or 5 runs
[1] file: test.xml (937005 bytes)
schema:
XML-ENCODE warmup 200ms / 50 runs = 4.00ms per run
XML-ENCODE main 404ms / 101 runs = 4.00ms per run, median 4.00 ms (95 %: 3.96-4.04), min 3.80 ms, p95 4.18 ms
XML-TRANSMIT warmup 275ms / 50 runs = 5.50ms per run
XML-TRANSMIT main 556ms / 101 runs = 5.50ms per run, median 5.50 ms (95 %: 5.45-5.55), min 5.22 ms, p95 5.75 ms, up 2.00 ms, down 3.50 ms
XML-DECODE warmup 600ms / 50 runs = 11.99ms per run
XML-DECODE main 1212ms / 101 runs = 12.00ms per run, median 12.0 ms (95 %: 11.9-12.1), min 11.4 ms, p95 12.5 ms
XML-TOTAL warmup 1074ms / 50 runs = 21.49ms per run
XML-TOTAL main 2172ms / 101 runs = 21.50ms per run, median 21.5 ms (95 %: 21.3-21.7), min 20.4 ms, p95 22.5 ms
XML-SIZE 937005 bytes
XML:TINYXML2-ENCODE warmup)"))
        << all;
    EXPECT_TRUE(tables_of(made).starts_with(
        R"(XML      XML:TINYXML2 XML       XML:TINYXML2 XML       XML:TINYXML2
SIZE*    SIZE*        ENCODE**  ENCODE**     DECODE**  DECODE**     FILENAME
-------- ------------ --------- ------------ --------- ------------ -------------------------------
  937005       937005      4.00         4.00     12.00        12.00 test.xml

XML        XML:TINYXML2 XML       XML:TINYXML2
TRANSMIT** TRANSMIT**   TOTAL**   TOTAL**      FILENAME
---------- ------------ --------- ------------ -------------------------------
      5.50         5.50     21.50        21.50 test.xml
)")) << tables_of(made);
    EXPECT_NE(all.find(R"(
  transmit  through the relay and back; up ends with the first byte back
  total     measured on its own, not the sum of its phases
  relay     192.0.2.7:8000, protocol 1.0
  rtt       52.3 us, the shortest round trip of an empty message
  clock     40.0 ns to read
)"),
              std::string::npos)
        << all;
}

TEST(TextReport, OneWayOverANetwork) {
    const Report decode =
        over_network(Direction::decode, {.up = k_ms, .down = 3 * k_ms, .decode = 12 * k_ms});
    EXPECT_NE(tables_of(decode).find("\nSIZE*    SIZE*        DECODE**  DECODE**     FILENAME\n"),
              std::string::npos)
        << tables_of(decode);
    EXPECT_NE(tables_of(decode).find("\nTRANSMIT** TRANSMIT**   TOTAL**   TOTAL**      FILENAME\n"),
              std::string::npos)
        << tables_of(decode);
    const std::string lines = run_lines(decode);
    EXPECT_EQ(lines.find("ENCODE"), std::string::npos);
    EXPECT_NE(lines.find("XML-TRANSMIT main 404ms / 101 runs = 4.00ms per run, median 4.00 ms "
                         "(95 %: 3.96-4.04), min 3.80 ms, p95 4.18 ms\nXML-DECODE"),
              std::string::npos)
        << lines;
    const Report encode = over_network(Direction::encode, {.encode = 4 * k_ms, .up = 2 * k_ms});
    EXPECT_NE(tables_of(encode).find("\nSIZE*    SIZE*        ENCODE**  ENCODE**     FILENAME\n"),
              std::string::npos)
        << tables_of(encode);
    EXPECT_NE(text_of(encode).find("  transmit  to the relay, until it confirms the last byte\n"),
              std::string::npos);
}

// Strongly packed rows had a ratio of 0.0000.
TEST(TextReport, SmallRatiosKeepTheirDigits) {
    FileReport packed = file({xml_row(), gzxml_row(), tinyxml_row(), gzxml_row()});
    packed.bytes = 39'000'046;
    packed.rows[3].codec.spec = "xml+brotli";
    packed.rows[3].size = 355;
    EXPECT_NE(tables_of(report({packed})).find(" 0.00000910 "), std::string::npos);
}

// In a decode test nothing is encoded, and a report without times has verified nothing.
TEST(TextReport, SaysOnlyWhatWasDone) {
    Report made = report({file({xml_row(), gzxml_row(), tinyxml_row(), gzxml_row()})});
    EXPECT_NE(about_method(made).find("decode(encode(document))"), std::string::npos);
    EXPECT_NE(about_rows(made).find("from DOM"), std::string::npos);
    made.direction = Direction::decode;
    EXPECT_EQ(about_method(made).find("encode(document)"), std::string::npos);
    EXPECT_NE(about_method(made).find("verified"), std::string::npos);
    EXPECT_EQ(about_rows(made).find("from DOM"), std::string::npos);
    EXPECT_EQ(tables_of(made).find("from DOM"), std::string::npos);
    EXPECT_EQ(about_method(report({file({not_representable_row()})})).find("verified"),
              std::string::npos);
}

TEST(TextReport, FourFormatsGetARowEach) {
    Row odd = row("xml:expat", "XML:EXPAT", 923'797, {.encode = 4 * k_ms, .decode = 10 * k_ms}, 5);
    odd.codec.notes = {"no UTF-8 check"};
    Row unmeasured;
    unmeasured.codec = row("xml+zstd", "XML+ZSTD", 0, {}).codec;
    unmeasured.size = 61'002;
    const Report made = report({file({xml_row(), gzxml_row(), tinyxml_row(),
                                      not_representable_row(), failed_row(), unmeasured, odd})});
    EXPECT_EQ(tables_of(made), R"([1] test.xml (937005 bytes)
FORMAT            SIZE    RATIO    ENCODE    DECODE     TOTAL  95 % INTERVAL  NOTES
                 bytes  to file        ms        ms        ms   of TOTAL, ms
------------  --------  -------  --------  --------  --------  -------------  -----
XML             923797   0.9859      4.00     12.34     16.34    16.18-16.50
GZXML            72933   0.0778     22.22      9.17     31.39    31.08-31.70
XML:TINYXML2    923800   0.9859     31.20     79.38    110.58  109.47-111.69  1,2
XML:PUGIXML          -        -  not representable: a default attribute of the internal subset
BAD                  -        -  FAILED: decode(encode(document)) differs at event 7
XML+ZSTD         61002   0.0651  not measured (interrupted)
XML:EXPAT       923797   0.9859      4.00     10.00     14.00           none  2,3

SIZE: bytes that are sent and decoded.
RATIO: SIZE to the size of the file as it is. Times: the median of all runs.
(1) from DOM
(2) no UTF-8 check
(3) no interval: 5 runs, 6 needed
)");
    const std::string lines = run_lines(made);
    EXPECT_NE(lines.find("\nXML:PUGIXML not representable: a default attribute of the internal "
                         "subset\nBAD FAILED: decode(encode(document)) differs at event 7\n"
                         "XML+ZSTD not measured (interrupted)\n"),
              std::string::npos)
        << lines;
}

// Rows that do different work with references stand apart, in the order of the first of each.
TEST(TextReport, WhatBothSidesHoldStandsBesideTheSize) {
    Row with = row("xml+zstd:dict=d", "XML+ZSTD:DICT=d", 141,
                   {.encode = k_us * 200, .decode = k_us * 300});
    with.codec.shared_bytes = 112'640;
    const std::string columns = tables_of(report({file({xml_row(), with})}));
    EXPECT_NE(
        columns.find("  XML+ZSTD:DICT=d needs 112640 bytes more, which both sides hold before "
                     "anything is sent.\n"),
        std::string::npos)
        << columns;
    const std::string rows =
        tables_of(report({file({xml_row(), gzxml_row(), tinyxml_row(), with})}));
    EXPECT_NE(rows.find("  SHARED  "), std::string::npos) << rows;
    EXPECT_NE(rows.find("XML+ZSTD:DICT=d       141  0.000150  112640  "), std::string::npos)
        << rows;
    EXPECT_NE(rows.find("SHARED: what both sides hold before anything is sent; not in SIZE.\n"),
              std::string::npos);
    EXPECT_EQ(tables_of(report({file({xml_row(), gzxml_row()})})).find("SHARED"),
              std::string::npos);
}

TEST(TextReport, RowsAreGroupedByReferences) {
    Report report;
    FileReport& file = report.files.emplace_back();
    file.name = "a.xml";
    file.bytes = 100;
    file.mapping = "text: as texts";
    for (const char* spec : {"xml", "amf3", "exi", "hessian2"}) {
        file.rows.push_back(row(spec, spec, 50, {.encode = k_ms, .decode = k_ms}));
        const bool keeps = spec[0] == 'a' || spec[0] == 'h';
        file.rows.back().group = keeps ? RowGroup::keeps_references : RowGroup::tree;
    }
    std::ostringstream out;
    write_text(report, out);
    const std::string text = out.str();
    std::size_t at = text.find("(tree)\n");
    for (const char* next :
         {"\nxml ", "\nexi ", "\n(keeps references)\n", "\namf3 ", "\nhessian2 "}) {
        const std::size_t found = text.find(next, at == std::string::npos ? 0 : at);
        ASSERT_NE(found, std::string::npos) << next << text;
        at = found;
    }
    EXPECT_NE(text.find("  amf3 (amf3), keeps references\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  mapping   text: as texts\n"), std::string::npos) << text;

    for (Row& each : file.rows)
        each.group = RowGroup::tree;
    std::ostringstream one;
    write_text(report, one);
    EXPECT_EQ(one.str().find("(tree)"), std::string::npos);
}

TEST(TextReport, RowsOverANetworkAndInOneDirection) {
    Report made = over_network(Direction::both, {4 * k_ms, 2 * k_ms, 3 * k_ms, 12 * k_ms});
    const Times times{4 * k_ms, 2 * k_ms, 3 * k_ms, 12 * k_ms};
    made.files[0].rows.push_back(row("a", "A", 937'005, times));
    made.files[0].rows.push_back(row("b", "B", 9'370'050, times));
    EXPECT_TRUE(tables_of(made).starts_with(R"([1] test.xml (937005 bytes)
FORMAT            SIZE    RATIO    ENCODE  TRANSMIT    DECODE     TOTAL  95 % INTERVAL  NOTES
                 bytes  to file        ms        ms        ms        ms   of TOTAL, ms
------------  --------  -------  --------  --------  --------  --------  -------------  -----
XML             937005   1.0000      4.00      5.00     12.00     21.00    20.79-21.21
)")) << tables_of(made);
    made.network = "";
    made.direction = Direction::decode;
    EXPECT_TRUE(tables_of(made).starts_with(R"([1] test.xml (937005 bytes)
FORMAT            SIZE    RATIO    DECODE  95 % INTERVAL  NOTES
                 bytes  to file        ms  of DECODE, ms
------------  --------  -------  --------  -------------  -----
XML             937005   1.0000     12.00    11.88-12.12
)")) << tables_of(made);
}

TEST(TextReport, ColumnsSayWhyACellIsEmpty) {
    Row unmeasured = xml_row();
    unmeasured.status = RowStatus::unmeasured;
    unmeasured.why = "the relay was lost";
    unmeasured.main.samples.clear();
    FileReport second = file({unmeasured, failed_row(), not_representable_row()});
    second.name = "second.xml";
    FileReport missing;
    missing.name = "missing.xml";
    missing.error = "missing.xml: No such file or directory";
    const Report made =
        report({file({xml_row(), failed_row(), not_representable_row()}), second, missing});
    EXPECT_EQ(
        tables_of(made),
        R"(XML      BAD      XML:PUGIXML XML       BAD       XML:PUGIXML XML       BAD       XML:PUGIXML
SIZE*    SIZE*    SIZE*       ENCODE**  ENCODE**  ENCODE**    DECODE**  DECODE**  DECODE**    FILENAME
-------- -------- ----------- --------- --------- ----------- --------- --------- ----------- -----------
  923797        -           -      4.00    FAILED   not repr.     12.34    FAILED   not repr. test.xml
  923797        -           - not meas.    FAILED   not repr. not meas.    FAILED   not repr. second.xml
       -        -           -         -         -           -         -         -           - missing.xml
* Size measurements are in bytes.
** Timing measurements are in milliseconds
   Each is the median of all runs.
BAD, test.xml: FAILED: decode(encode(document)) differs at event 7
XML:PUGIXML, test.xml: not representable: a default attribute of the internal subset
XML, second.xml: not measured (the relay was lost)
BAD, second.xml: FAILED: decode(encode(document)) differs at event 7
XML:PUGIXML, second.xml: not representable: a default attribute of the internal subset
missing.xml: No such file or directory
)");
    EXPECT_NE(run_lines(made).find("\n[3] file: missing.xml\nerror: missing.xml: No such file or "
                                   "directory\n"),
              std::string::npos);
}

TEST(TextReport, OnlyUnreadableFiles) {
    FileReport missing;
    missing.name = "missing.xml";
    missing.error = "missing.xml: No such file or directory";
    EXPECT_EQ(tables_of(report({missing})), "missing.xml: No such file or directory\n");
}

TEST(TextReport, PartialSaysSoFirstAndLast) {
    Row cut = xml_row();
    cut.main = series(3, {.encode = 4 * k_ms, .decode = 12 * k_ms});
    cut.complete = false;
    Report made = report({file({cut})});
    made.partial = true;
    EXPECT_EQ(tables_of(made), R"(partial: the run ended early, this is what was measured until then
XML      XML       XML
SIZE*    ENCODE**  DECODE**  FILENAME
-------- --------- --------- -------------------------------
  923797      4.00     12.00 test.xml
* Size measurements are in bytes.
** Timing measurements are in milliseconds
   Each is the median of all runs.
XML, test.xml: interrupted after 3 runs

Warnings
  XML, test.xml: no interval: 3 runs, 6 needed
partial: the run ended early
)");
    const std::string all = text_of(made);
    EXPECT_TRUE(all.starts_with("partial: "));
    EXPECT_TRUE(all.ends_with("\npartial: the run ended early\n"));
    EXPECT_NE(all.find("median 4.00 ms (no interval: 3 runs, 6 needed), min 4.00 ms, p95 "),
              std::string::npos)
        << all;
}

TEST(TextReport, IsFreeOfTheLocaleAndOfTheStream) {
    struct DecimalComma : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const Report made = report({file({xml_row(), gzxml_row(), tinyxml_row(), failed_row()})});
    const std::string plain = text_of(made);
    const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
    std::ostringstream out;  // takes the global locale
    out.width(10'000);
    out.fill('*');
    out << std::hex << std::scientific;
    write_text(made, out);
    EXPECT_EQ(out.str(), plain);
    std::locale::global(before);
}

TEST(TextReport, AnEmptyReportIsStillOne) {
    EXPECT_TRUE(text_of(Report{}).starts_with("warmup: 1000 ms or 5 runs\n"));
    EXPECT_EQ(tables_of(Report{}), "");
}

// -multithread: documents a second of all, of one alone, and each thread's own time.
TEST(ThreadsTable, RatesGainAndEachThread) {
    Report report;
    report.threads = 2;
    FileReport file;
    file.name = "test.xml";
    Row row = samples::row("xml", "XML", 1000, {.decode = 10 * samples::k_ms}, 7);
    for (measure::Sample& sample : row.main.samples)
        sample.wall = 12'500'000;
    row.alone = samples::series(7, {.decode = 10 * samples::k_ms});
    row.threads = {samples::series(7, {.decode = 9 * samples::k_ms}),
                   samples::series(7, {.decode = 11 * samples::k_ms})};
    file.rows.push_back(row);
    file.rows.push_back(samples::failed_row());
    report.files.push_back(file);
    EXPECT_EQ(threads_table(report),
              "Threads\n"
              "FORMAT  2 THREADS  95 % INTERVAL   1 THREAD    GAIN  EACH THREAD  FILENAME\n"
              "           docs/s         docs/s     docs/s            total, ms\n"
              "------  ---------  -------------  ---------  ------  -----------  --------\n"
              "XML         160.0    160.0-160.0      100.0   1.60x   9.00 11.00  test.xml\n"
              "Documents a second of all threads together, each with codecs of its own; the times "
              "of the\nother tables are means over the threads. One thread was measured in turn "
              "with all of them.\n");
    report.threads = 0;
    EXPECT_EQ(threads_table(report), "");
}

// Many threads do not fit a cell; batches count each of their documents.
TEST(ThreadsTable, ManyThreads) {
    Report report;
    report.threads = 8;
    FileReport file;
    file.name = "f";
    Row row = samples::row("xml", "XML", 1000, {.decode = 10 * samples::k_ms}, 7);
    row.main = samples::series(7, {.decode = samples::k_ms}, 10);
    for (measure::Sample& sample : row.main.samples)
        sample.wall = 20 * samples::k_ms;
    for (int i = 0; i < 8; ++i)
        row.threads.push_back(samples::series(7, {.decode = (i + 1) * samples::k_ms}, 10));
    file.rows.push_back(row);
    report.files.push_back(file);
    const std::string text = threads_table(report);
    EXPECT_NE(text.find("4000"), std::string::npos) << text;
    EXPECT_NE(text.find("1.00-8.00"), std::string::npos) << text;
}

}  // namespace
}  // namespace perfrelay::client
