#pragma once
// Progress: says on stderr what is being measured, between turns and never while something is
// timed. On a terminal one line, rewritten at most 10 times a second and erased at the end;
// elsewhere a plain line at the start of a stage, at most one a second; nothing when quiet.
//
// The lines are made by pure functions, apart from the class that prints them.
// Tested by tests/unit/client/progress_test.cpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/measure/clock.h"
#include "common/measure/schedule.h"

namespace perfrelay::client {

enum class ProgressStyle : std::uint8_t { none, plain, live };

// Live only on a terminal that can go back to the start of its line (TERM is not "dumb").
ProgressStyle progress_style(bool quiet, int fd);

// Columns of the terminal behind `fd`; 80 when it does not say.
std::size_t terminal_width(int fd);

// What one line says.
struct ProgressLine {
    std::size_t file = 1;  // counted from 1
    std::size_t files = 1;
    std::string_view name;
    measure::Stage stage = measure::Stage::warmup;
    std::string_view format;  // whose turn it was
    std::uint64_t runs = 0;   // of that format in this stage
    std::uint64_t runs_wanted = 0;
    measure::Nanoseconds elapsed = 0;  // of that format in this stage
    measure::Nanoseconds wanted = 0;
    double median = 0;               // ns a document; 0 while there is none
    measure::Nanoseconds left = -1;  // of the whole file; negative: not known yet
};

// "[1/3] test.xml  main  GZXML  12/5 runs  0.4/1.0 s  median 79.38 ms  ETA 3 s", cut to `width`.
std::string live_line(const ProgressLine& line, std::size_t width);
// "[1/3] test.xml: main, 3 formats, at least 1 s and 5 runs each"
std::string plain_line(const ProgressLine& line, std::size_t formats);

// What one format has done in the present stage.
struct Done {
    measure::Nanoseconds elapsed = 0;
    std::uint64_t runs = 0;
    std::size_t samples = 0;  // of its series, seen so far

    // What the series holds beyond those.
    void add(const measure::Series& series);
};

// Time until all formats have met their minima: of this stage, by the pace so far, and of the whole
// main stage if that is still to come. Negative when there is no pace to go by.
measure::Nanoseconds time_left(std::span<const Done> done, measure::Stage stage,
                               const measure::ScheduleOptions& wanted);

class Progress final : public measure::Observer {
  public:
    Progress(int fd, ProgressStyle style) : fd_(fd), style_(style) {}
    ~Progress() override { clear(); }

    // Before each schedule. `file` from 1; `formats`: the subjects' titles, in their order.
    void begin_file(std::size_t file, std::size_t files, const std::string& name,
                    std::vector<std::string> formats, const measure::ScheduleOptions& wanted);

    void turn(measure::Stage stage, std::size_t subject, const measure::Series& so_far,
              const measure::Minimum& wanted) override;

    // Takes the live line away: before anything else is printed, and at the end of a file.
    void clear();

  private:
    void write(std::string_view text);
    ProgressLine line(measure::Stage stage, std::size_t subject,
                      const measure::Minimum& wanted) const;

    int fd_;
    ProgressStyle style_;
    std::size_t file_ = 1;
    std::size_t files_ = 1;
    std::string name_;
    std::vector<std::string> formats_;
    measure::ScheduleOptions wanted_;
    std::vector<Done> done_;
    measure::Stage stage_ = measure::Stage::calibration;
    bool stage_told_ = false;
    bool shown_ = false;  // a live line stands on the terminal
    measure::Nanoseconds last_ = 0;
};

}  // namespace perfrelay::client
