#pragma once
// What was sent for real over emulated links, beside what the model says of the same runs.
// Tested by tests/unit/client/emulated_test.cpp.

#include <string>
#include <vector>

#include "client/report/report.h"

namespace perfrelay::client {

// A row on a link, nanoseconds a run. The model of a run is the median processor time of the row's
// main runs, and the transfer that its draw of chance gives; of a streamed run, whose phases
// overlap, the transfer alone is compared.
struct EmulatedTotal {
    std::string link = {};  // its name
    std::string spec = {};  // of the row
    std::string title = {};
    std::size_t runs = 0;
    double transmit = 0;       // mean
    double total = 0;          // mean
    double model = 0;          // mean, of what total (streamed: transmit) should be
    double off = 0;            // how far it is from that, as a share
    std::size_t repeated = 0;  // other runs, which missed their link and were made again
    std::size_t late = 0;      // runs that missed their link and were not made again
    double latest = 0;         // the most that a transfer took beyond its plan
};
// Links outside, rows inside; those that were sent.
std::vector<EmulatedTotal> emulated_totals(const Report& report, const FileReport& file);

// "gprs, XML: a transfer takes 375 s, ...": those that were not.
std::vector<std::string> not_emulated(const Report& report, const FileReport& file);

// A point of a row's curve that was sent, beside the curve.
struct VerifiedPoint {
    std::string spec = {};  // of the row
    std::string title = {};
    double rate = 0;   // bit/s
    double curve = 0;  // ns, in all
    double sent = 0;
    double off = 0;           // sent from curve, as a share
    double transfer_off = 0;  // of the transfer alone: the rest is the processor's doing
};
std::vector<VerifiedPoint> verified_points(const Report& report, const FileReport& file);

// "+0.31 %".
std::string format_deviation(double share);

}  // namespace perfrelay::client
