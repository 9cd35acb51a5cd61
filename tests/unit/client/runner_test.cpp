#include "client/runner.h"

#include <gtest/gtest.h>

#include "client/convergence.h"

namespace perfrelay::client {
namespace {

// One timed row whose totals are `values`, in microseconds.
Report report_of(std::initializer_list<measure::Nanoseconds> values) {
    Row row;
    row.status = RowStatus::timed;
    for (const measure::Nanoseconds value : values) {
        measure::Sample sample;
        sample.total = value * 1'000;
        row.main.samples.push_back(sample);
    }
    FileReport file;
    file.rows.push_back(row);
    Report report;
    report.files.push_back(file);
    return report;
}

TEST(Converged, NeedsAnIntervalThatIsNarrow) {
    EXPECT_TRUE(converged(report_of({1000, 1001, 1002, 1003, 1004, 1005, 1006})));
    EXPECT_FALSE(converged(report_of({900, 1000, 1001, 1002, 1003, 1100})));
    EXPECT_FALSE(converged(report_of({1000, 1000, 1000}))) << "three runs have no interval";
}

TEST(Converged, ANetworkMayVaryTwiceAsMuch) {
    Report report = report_of({985, 990, 1000, 1000, 1000, 1015});
    EXPECT_FALSE(converged(report));
    report.network = "host2:8000";
    EXPECT_TRUE(converged(report));
}

TEST(Converged, PrecisionSaysHowNarrow) {
    Report report = report_of({985, 990, 1000, 1000, 1000, 1015});
    report.schedule.precision = 0.02;
    EXPECT_TRUE(converged(report));
    report.schedule.precision = 0.001;
    EXPECT_FALSE(converged(report));
}

TEST(Converged, RowsWithoutTimesDoNotCount) {
    Report report = report_of({1000, 1001, 1002, 1003, 1004, 1005, 1006});
    report.files[0].rows.push_back(Row{});
    EXPECT_TRUE(converged(report));
}

}  // namespace
}  // namespace perfrelay::client
