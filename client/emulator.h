#pragma once
// Emulator: rows that have been measured, once more over each link of --link, through a relay and
// for real: each byte arrives when the link would have it arrive (common/net/shaper.h).
//
// A row's first transfer here is as fast as the connection goes: what it takes must be small beside
// what the link would take. Then, link by link, rows take turns; one shaped run warms up where
// there is time for it. Run i meets the same chance in every row: that of draw i. A run that missed
// its link by more than 1 % and 1 ms is made again, while the row's time for that link lasts.
// Rows or links that cannot be emulated say why; they are modelled.
//
// Contract: whatever ends early, rows keep what there was. Runs count no less than in main: each is
// verified, and a row that fails there has failed.
// Tested by tests/integration/links.py.

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/format_subject.h"
#include "client/link_plan.h"
#include "client/options.h"
#include "client/progress.h"
#include "client/report/report.h"

namespace perfrelay::client {

// A row that has times, and what runs it.
struct Emulated {
    FormatSubject* subject = nullptr;
    Row* row = nullptr;
};

class Emulator {
  public:
    // All references outlive the emulator. `terms` are those of the bench's connection.
    Emulator(const Options& options, const LinkTerms& terms, Bench& bench,
             const std::atomic<int>& stop, Progress& progress);

    // Fills in the rows' on_links and curve. `file`: which of the inputs, for the progress line.
    // Returns how many points of curves there was no time for.
    std::size_t run(std::span<const Emulated> rows, std::size_t file, const std::string& name);

  private:
    struct Turn;

    bool going_on() const { return stop_ == 0 && bench_.lost.empty(); }
    // And there is time for a run with this transfer.
    bool has_time(measure::Nanoseconds transfer) const;
    bool time_path(Turn& turn);
    void emulate(std::vector<Turn>& turns, std::size_t link);
    bool run_once(Turn& turn, const net::LinkWays& ways, OnLink& found);
    void repeat_missed(Turn& turn, std::size_t link, std::size_t run);
    std::size_t verify_curves(std::vector<Turn>& turns);

    const Options& options_;
    LinkTerms terms_;
    Bench& bench_;
    const std::atomic<int>& stop_;
    Progress& progress_;
    std::size_t file_ = 0;
    std::string name_;
};

}  // namespace perfrelay::client
