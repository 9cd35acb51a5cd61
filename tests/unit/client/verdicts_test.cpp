#include "client/report/verdicts.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "client/report/results.h"
#include "common/net/link.h"
#include "tests/unit/client/report_samples.h"

namespace perfrelay::client {
namespace {

using samples::k_ms;

// `rounds` rounds of `runs` runs each; all of them take as long, but for a little that both of a
// pair share.
measure::Series in_rounds(std::uint32_t rounds, std::uint32_t runs, const samples::Times& times,
                          std::uint32_t process = 0) {
    measure::Series made;
    for (std::uint32_t round = 1; round <= rounds; ++round) {
        for (std::uint32_t run = 0; run < runs; ++run) {
            measure::Sample sample;
            const auto of = [&](measure::Nanoseconds time) { return time + time * round / 100; };
            sample.phase = {of(times.encode), of(times.up), of(times.down), of(times.decode)};
            for (const measure::Nanoseconds phase : sample.phase)
                sample.total += phase;
            sample.round = round;
            sample.process = process;
            made.samples.push_back(sample);
        }
    }
    return made;
}

Row timed(const std::string& title, const samples::Times& times, std::uint32_t rounds = 20) {
    Row made = samples::row(title, title, 1000, times);
    made.main = in_rounds(rounds, 3, times);
    return made;
}

std::string said_of(std::vector<Row> rows, Direction direction = Direction::both) {
    Report report = samples::report({samples::file(std::move(rows))});
    report.direction = direction;
    return samples::tables_of(report);
}

TEST(Verdicts, EveryRowAgainstTheFirstInEachQuantity) {
    const std::string said = said_of({timed("XML", {.encode = 10 * k_ms, .decode = 10 * k_ms}),
                                      timed("EXI", {.encode = 20 * k_ms, .decode = 4 * k_ms}),
                                      timed("TWIN", {.encode = 10 * k_ms, .decode = 10 * k_ms})});
    EXPECT_NE(said.find("Speed against XML, pairs from 20 rounds: test.xml\n"), std::string::npos)
        << said;
    EXPECT_NE(said.find("slower 2.000x (2.000-2.000)"), std::string::npos) << said;
    EXPECT_NE(said.find("faster 2.500x (2.500-2.500)"), std::string::npos) << said;
    EXPECT_NE(said.find("equivalent (1.000-1.000)"), std::string::npos) << said;
    EXPECT_NE(said.find("faster, slower: by more than 1 %; equivalent: within 1 %."),
              std::string::npos);
}

TEST(Verdicts, OneRowAloneIsComparedWithNothing) {
    EXPECT_EQ(said_of({timed("XML", {.encode = k_ms, .decode = k_ms})}).find("Speed against"),
              std::string::npos);
    EXPECT_EQ(said_of({timed("XML", {.encode = k_ms, .decode = k_ms}),
                       samples::not_representable_row(), samples::failed_row()})
                  .find("Speed against"),
              std::string::npos);
}

TEST(Verdicts, AFirstRowWithoutTimesIsNoBaseline) {
    const std::string said =
        said_of({samples::failed_row(), timed("A", {.encode = k_ms, .decode = k_ms}),
                 timed("B", {.encode = 2 * k_ms, .decode = 2 * k_ms})});
    EXPECT_NE(said.find("Speed against A, "), std::string::npos) << said;
}

TEST(Verdicts, TypedValuesAreComparedWithTypedValuesAlone) {
    const auto typed = [](const std::string& title, measure::Nanoseconds time) {
        Row row = timed(title, {.encode = k_ms, .decode = time});
        row.group = RowGroup::typed_values;
        return row;
    };
    const std::vector<Row> rows = {
        timed("XML", {.encode = k_ms, .decode = 10 * k_ms}), typed("XML:TYPED", 12 * k_ms),
        timed("EXI", {.encode = k_ms, .decode = 5 * k_ms}), typed("EXI:TYPED", 3 * k_ms)};
    Report report = samples::report({samples::file(rows), samples::file(rows)});
    report.direction = Direction::decode;
    report.links = {net::built_in_links().front()};
    const FileReport& file = report.files.front();
    std::vector<std::string> pairs;
    for (const RowVerdict& each : verdicts(report, file))
        pairs.push_back(each.first->codec.title + " " + each.row->codec.title);
    EXPECT_EQ(pairs, (std::vector<std::string>{"XML EXI", "XML:TYPED EXI:TYPED"}));
    const std::string said = samples::tables_of(report);
    EXPECT_NE(said.find("Speed against XML, "), std::string::npos) << said;
    EXPECT_NE(said.find("Speed against XML:TYPED, "), std::string::npos) << said;
    EXPECT_NE(said.find("(typed values)"), std::string::npos) << said;
    EXPECT_NE(said.find("ratios to XML; of typed values to XML:TYPED,"), std::string::npos) << said;
    const FileResults results = file_results(report, file);
    for (const CrossoverResult& found : results.crossovers)
        EXPECT_EQ(found.smaller.ends_with("TYPED"), found.larger.ends_with("TYPED"));
    EXPECT_EQ(results.crossovers.size(), 2U);
    EXPECT_EQ(std::ranges::count_if(results.links, &LinkTotal::best), 2);
    for (const LinkTotal& total : results.links) {
        if (total.spec.starts_with("XML")) {
            EXPECT_EQ(total.ratio, 1) << total.spec;
        }
    }
    for (const SetResult& set : set_results(report))
        EXPECT_EQ(set.spec.ends_with("TYPED"), set.baseline.ends_with("TYPED"));
}

TEST(Verdicts, TooFewRoundsGiveNoWord) {
    const std::string said = said_of({timed("A", {.encode = k_ms, .decode = k_ms}, 3),
                                      timed("B", {.encode = 2 * k_ms, .decode = 2 * k_ms}, 3)});
    EXPECT_NE(said.find("undecided 0.500x (too few rounds)"), std::string::npos) << said;
}

TEST(Verdicts, ManyRowsNeedMoreCertaintyEach) {
    // Seven rounds are enough for one pair (6), not for seven (99.3 % needs 9).
    std::vector<Row> rows;
    for (int i = 0; i < 8; ++i)
        rows.push_back(timed("R" + std::to_string(i), {.encode = (i + 1) * k_ms}, 7));
    Report many = samples::report({samples::file(rows)});
    many.direction = Direction::encode;
    for (const RowVerdict& each : verdicts(many, many.files[0]))
        EXPECT_FALSE(each.against_first.has_interval);
    rows.resize(2);
    Report two = samples::report({samples::file(rows)});
    two.direction = Direction::encode;
    ASSERT_EQ(verdicts(two, two.files[0]).size(), 1U);
    EXPECT_EQ(verdicts(two, two.files[0])[0].against_first.verdict, measure::Verdict::slower);
}

TEST(Verdicts, ANetworkHasAWiderBand) {
    Report report = samples::report({});
    EXPECT_DOUBLE_EQ(equivalence_band(report), 0.01);
    report.network = "host2:8000";
    EXPECT_DOUBLE_EQ(equivalence_band(report), 0.02);
}

TEST(Verdicts, RowsOfSeveralProcessesSaySo) {
    std::vector<Row> rows;
    for (const measure::Nanoseconds time : {10 * k_ms, 20 * k_ms}) {
        Row row = samples::row("R" + std::to_string(time), "R" + std::to_string(time), 1000, {});
        row.main = {};
        for (std::uint32_t process = 0; process < 3; ++process) {
            const measure::Series part = in_rounds(5, 2, {.encode = time}, process);
            row.main.samples.insert(row.main.samples.end(), part.samples.begin(),
                                    part.samples.end());
        }
        rows.push_back(row);
    }
    const std::string said = said_of(rows, Direction::encode);
    EXPECT_NE(said.find("pairs from 15 rounds of 3 processes"), std::string::npos) << said;
    EXPECT_NE(said.find("slower 2.000x"), std::string::npos) << said;
}

TEST(Cold, StandsBeforeTheWarmUp) {
    Row row = samples::xml_row();
    measure::Sample sample;
    sample.phase[k_encode] = 25 * k_ms;
    sample.phase[k_decode] = 90 * k_ms;
    row.cold.samples.push_back(sample);
    const Report report = samples::report({samples::file({row})});
    const std::string text = samples::text_of(report);
    EXPECT_NE(text.find("XML-ENCODE cold 25.00ms\nXML-ENCODE warmup "), std::string::npos) << text;
    EXPECT_NE(text.find("XML-DECODE cold 90.00ms\nXML-DECODE warmup "), std::string::npos) << text;
    row.cold.samples.push_back(sample);
    EXPECT_NE(samples::text_of(samples::report({samples::file({row})}))
                  .find("XML-ENCODE cold 25.00ms, median of 2 processes\n"),
              std::string::npos);
}

}  // namespace
}  // namespace perfrelay::client
