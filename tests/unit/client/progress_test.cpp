#include "client/progress.h"

#include <array>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace perfrelay::client {
namespace {

using measure::Stage;

constexpr measure::Nanoseconds k_second = 1'000'000'000;

ProgressLine example() {
    ProgressLine line;
    line.file = 1;
    line.files = 3;
    line.name = "test.xml";
    line.stage = Stage::main;
    line.format = "GZXML";
    line.runs = 12;
    line.runs_wanted = 5;
    line.elapsed = 400'000'000;
    line.wanted = k_second;
    line.median = 79'380'000;
    line.left = 3 * k_second;
    return line;
}

TEST(live_line, says_where_the_run_stands) {
    EXPECT_EQ(live_line(example(), 200),
              "[1/3] test.xml  main  GZXML  12/5 runs  0.4/1.0 s  median 79.4 ms  ETA 3 s");
}

TEST(live_line, leaves_out_what_is_not_known) {
    ProgressLine line = example();
    line.stage = Stage::warmup;
    line.median = 0;
    line.left = -1;
    EXPECT_EQ(live_line(line, 200), "[1/3] test.xml  warm-up  GZXML  12/5 runs  0.4/1.0 s");
}

TEST(live_line, tells_long_times_coarsely) {
    ProgressLine line = example();
    const auto eta = [&line](double seconds) {
        line.left = static_cast<measure::Nanoseconds>(seconds * 1e9);
        const std::string text = live_line(line, 200);
        return text.substr(text.find("ETA"));
    };
    EXPECT_EQ(eta(0), "ETA 0 s");
    EXPECT_EQ(eta(99.4), "ETA 99 s");
    EXPECT_EQ(eta(100), "ETA 2 min");
    EXPECT_EQ(eta(3600), "ETA 60 min");
    EXPECT_EQ(eta(9000), "ETA 2.5 h");
}

TEST(live_line, fits_the_width_whatever_the_name) {
    ProgressLine line = example();
    EXPECT_EQ(live_line(line, 10), "[1/3] test");
    EXPECT_EQ(live_line(line, 0), "");
    const std::string name = "directory/" + std::string(200, 'n') + ".xml";
    line.name = name;
    const std::string text = live_line(line, 100);
    EXPECT_LE(text.size(), 100U);
    EXPECT_NE(text.find("GZXML"), std::string::npos) << "a long name hides the rest";
    // "ü" is two bytes and one column, and is not cut in half.
    const std::string wide = "\xc3\xbc\xc3\xbc\xc3\xbc";
    line.name = wide;
    EXPECT_EQ(live_line(line, 8), "[1/3] \xc3\xbc\xc3\xbc");
}

TEST(live_line, shows_control_characters_of_a_name_as_question_marks) {
    ProgressLine line = example();
    line.name = "a\x1b[2J\nb";
    EXPECT_EQ(live_line(line, 13), "[1/3] a?[2J?b");
    EXPECT_EQ(plain_line(line, 1).find('\n'), std::string::npos);
}

TEST(plain_line, tells_the_stage_and_its_minima) {
    ProgressLine line = example();
    EXPECT_EQ(plain_line(line, 3),
              "[1/3] test.xml: main, 3 formats, at least 1.00 s and 5 runs each");
    line.stage = Stage::warmup;
    line.runs_wanted = 1;
    EXPECT_EQ(plain_line(line, 1), "[1/3] test.xml: warm-up, 1 format, at least 1.00 s and 1 run");
}

TEST(time_left, counts_what_every_format_still_needs) {
    measure::ScheduleOptions wanted;
    wanted.warmup = {k_second, 5};
    wanted.main = {2 * k_second, 5};
    // Time is the longer minimum for the first, runs for the second: 5 x 1 s.
    const std::array<Done, 2> done{Done{k_second / 2, 10}, Done{k_second, 1}};
    EXPECT_EQ(time_left(done, Stage::main, wanted), (2 * k_second - k_second / 2) + 4 * k_second);
    EXPECT_EQ(time_left(done, Stage::warmup, wanted),
              k_second / 2 + 2 * k_second + 4 * k_second + 5 * k_second);
}

TEST(time_left, never_goes_below_zero_and_admits_ignorance) {
    const measure::ScheduleOptions wanted;
    const std::array<Done, 1> over{Done{10 * k_second, 100}};
    EXPECT_EQ(time_left(over, Stage::main, wanted), 0);
    const std::array<Done, 2> none_yet{Done{k_second, 10}, Done{}};
    EXPECT_LT(time_left(none_yet, Stage::main, wanted), 0);
    EXPECT_LT(time_left(over, Stage::calibration, wanted), 0);
}

class Pipe {
  public:
    Pipe() { EXPECT_EQ(::pipe2(ends_.data(), O_NONBLOCK | O_CLOEXEC), 0); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    int writing() const { return ends_[1]; }
    std::string taken() const {
        std::array<char, 65536> buffer{};
        const ssize_t got = ::read(ends_[0], buffer.data(), buffer.size());
        return {buffer.data(), static_cast<std::size_t>(got < 0 ? 0 : got)};
    }

  private:
    std::array<int, 2> ends_{};
};

measure::Series series(std::size_t runs, measure::Nanoseconds each) {
    measure::Series result;
    for (std::size_t i = 0; i < runs; ++i) {
        measure::Sample sample;
        sample.total = each;
        result.samples.push_back(sample);
    }
    return result;
}

TEST(progress, plain_lines_come_once_a_stage_and_at_most_one_a_second) {
    const Pipe pipe;
    Progress progress(pipe.writing(), ProgressStyle::plain);
    const measure::ScheduleOptions wanted;
    progress.begin_file(1, 1, "a.xml", {"XML", "GZXML"}, wanted);
    for (int i = 0; i < 100; ++i) {
        progress.turn(Stage::calibration, 0, series(1, 1000), wanted.warmup);
        progress.turn(Stage::warmup, 0, series(2, 1000), wanted.warmup);
        progress.turn(Stage::warmup, 1, series(2, 1000), wanted.warmup);
    }
    EXPECT_EQ(pipe.taken(), "[1/1] a.xml: warm-up, 2 formats, at least 1.00 s and 5 runs each\n");
    // Too early for the next line: it comes as soon as the second is over, once.
    progress.turn(Stage::main, 0, series(1, 1000), wanted.main);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    for (int i = 0; i < 100; ++i)
        progress.turn(Stage::main, 0, series(1, 1000), wanted.main);
    EXPECT_EQ(pipe.taken(), "[1/1] a.xml: main, 2 formats, at least 1.00 s and 5 runs each\n");
}

TEST(progress, the_live_line_is_rewritten_sparingly_and_erased) {
    const Pipe pipe;
    {
        Progress progress(pipe.writing(), ProgressStyle::live);
        const measure::ScheduleOptions wanted;
        progress.begin_file(2, 2, "a.xml", {"XML"}, wanted);
        for (int i = 0; i < 1000; ++i)
            progress.turn(Stage::main, 0, series(3, 2'000'000), wanted.main);
        const std::string text = pipe.taken();
        EXPECT_TRUE(
            text.starts_with("\r[2/2] a.xml  main  XML  3/5 runs  0.0/1.0 s  median 2.00 ms"))
            << text;
        EXPECT_TRUE(text.ends_with("\x1b[K"));
        EXPECT_EQ(text.find('\n'), std::string::npos);
        progress.clear();
        EXPECT_EQ(pipe.taken(), "\r\x1b[K");
        progress.clear();
        EXPECT_EQ(pipe.taken(), "") << "nothing is there to be erased";
        std::this_thread::sleep_for(std::chrono::milliseconds(110));
        progress.turn(Stage::main, 0, series(4, 2'000'000), wanted.main);
        EXPECT_NE(pipe.taken().find("4/5 runs"), std::string::npos);
    }
    EXPECT_EQ(pipe.taken(), "\r\x1b[K") << "the end erases it, too";
}

TEST(progress, says_nothing_when_quiet_and_survives_a_reader_that_has_gone) {
    const Pipe pipe;
    const measure::ScheduleOptions wanted;
    Progress quiet(pipe.writing(), ProgressStyle::none);
    quiet.begin_file(1, 1, "a.xml", {"XML"}, wanted);
    quiet.turn(Stage::main, 0, series(1, 1000), wanted.main);
    EXPECT_EQ(pipe.taken(), "");
    Progress unread(-1, ProgressStyle::live);
    unread.begin_file(1, 1, "a.xml", {"XML"}, wanted);
    unread.turn(Stage::main, 0, series(1, 1000), wanted.main);
}

TEST(progress_style, is_live_on_a_terminal_alone) {
    const Pipe pipe;
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
        GTEST_SKIP() << "no pseudo-terminals here";
    }
    std::array<char, 128> name{};
    ASSERT_EQ(::ptsname_r(master, name.data(), name.size()), 0);
    const int terminal = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal, 0);
    winsize size{};
    size.ws_col = 123;
    ASSERT_EQ(::ioctl(terminal, TIOCSWINSZ, &size), 0);

    ::setenv("TERM", "xterm", 1);
    EXPECT_EQ(progress_style(false, terminal), ProgressStyle::live);
    EXPECT_EQ(progress_style(true, terminal), ProgressStyle::none);
    EXPECT_EQ(progress_style(false, pipe.writing()), ProgressStyle::plain);
    ::setenv("TERM", "dumb", 1);
    EXPECT_EQ(progress_style(false, terminal), ProgressStyle::plain);
    EXPECT_EQ(terminal_width(terminal), 123U);
    EXPECT_EQ(terminal_width(pipe.writing()), 80U);
    ::close(terminal);
    ::close(master);
}

}  // namespace
}  // namespace perfrelay::client
