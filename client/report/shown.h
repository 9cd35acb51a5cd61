#pragma once
// What of a Report is shown: its columns of times, its formats, a word on every row without times.
// Common to all writers.
// Tested by tests/unit/client/report_test.cpp.

#include <cstdint>
#include <string>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

// transmit is up + down, run by run; total is measured on its own.
enum class Quantity : std::uint8_t { encode, transmit, decode, total };

const char* name(const Report& report, Quantity quantity);  // "ENCODE"; streamed, "ENC+SEND"
const char* key_of(Quantity quantity);                      // "encode", in what is saved

// What the report's direction and network measured, in the order in which it happens. The total is
// among them over a network only: in memory it is of interest beside both its phases, not alone.
std::vector<Quantity> quantities(const Report& report);

// The same of tables of rows, which show the total in memory as well, beside both its phases.
std::vector<Quantity> row_quantities(const Report& report);

// Nanoseconds a document, a sample each.
std::vector<double> values(const measure::Series& series, Quantity quantity);
// The same, summarised: of several processes with an interval that counts these, not their runs.
measure::Summary summary(const measure::Series& series, Quantity quantity);
// Nanoseconds, summed over the series.
measure::Nanoseconds elapsed(const measure::Series& series, Quantity quantity);

// A format of the report: one column of a table, or one row.
struct Mode {
    std::string spec;
    std::string title;
    const CodecInfo* codec = nullptr;  // in the report; the same in all its files
    RowGroup group = RowGroup::tree;
};

// Every format of any file, in the order in which they were asked for. The report must outlive
// them.
std::vector<Mode> modes(const Report& report);

// What the format does otherwise than the others, in what the report's direction does.
std::vector<std::string> notes(const Report& report, const CodecInfo& codec);

// Whether rows of more than one group are in it.
bool several_groups(const Report& report);

// Whether rows of these groups deliver the same: values as text, or typed ones. Only such rows are
// compared.
bool comparable(RowGroup a, RowGroup b);

// That format's row; null when the file has none.
const Row* find_row(const FileReport& file, const std::string& spec);

bool has_times(const Row& row);

// -repeat N -time 0: so many runs and no more, as amf-benchmark measures.
bool has_fixed_runs(const Report& report);

// "not representable: nesting of 120 levels", "FAILED: ...", "not measured (interrupted)"; for a
// row with times "", unless it was interrupted: "interrupted after 3 runs".
std::string remark(const Row& row);

// Encode, up, down and decode of a run make up its total to within 2 %, in the median run. Run by
// run: medians of skewed phases need not add up even where every run does.
bool phases_add_up(const measure::Series& series);

// "5 runs, 6 needed" when the row has too few for an interval, else "".
std::string too_few(const Row& row);

}  // namespace perfrelay::client
