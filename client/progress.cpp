#include "client/progress.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include "client/report/layout.h"
#include "common/cli/units.h"

namespace perfrelay::client {
namespace {

using measure::Nanoseconds;

constexpr Nanoseconds k_live_interval = 100'000'000;
constexpr Nanoseconds k_plain_interval = 1'000'000'000;

std::string_view stage_name(measure::Stage stage) {
    switch (stage) {
        case measure::Stage::calibration: return "calibration";
        case measure::Stage::warmup: return "warm-up";
        case measure::Stage::main: return "main";
    }
    return "";
}

std::string file_label(const ProgressLine& line) {
    return "[" + std::to_string(line.file) + "/" + std::to_string(line.files) + "] ";
}

std::string seconds(Nanoseconds time) {
    return format_fixed(static_cast<double>(time) / 1e9, 1);
}

// The rest of a run is told coarsely: "3 s", "12 min", "2.5 h".
std::string rough(Nanoseconds time) {
    const double seconds = static_cast<double>(time) / 1e9;
    if (seconds < 99.5) return format_fixed(seconds, 0) + " s";
    if (seconds < 99.5 * 60) return format_fixed(seconds / 60, 0) + " min";
    return format_fixed(seconds / 3600, 1) + " h";
}

// `text` in at most `width` columns. A code point counts as one; control characters, which a file
// name may hold, would move the cursor and are shown as "?".
std::string cut(std::string_view text, std::size_t width) {
    std::string result;
    std::size_t columns = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool continues = (byte & 0xC0U) == 0x80U;
        if (!continues && ++columns > width) break;
        result += byte < 0x20 || byte == 0x7F ? '?' : c;
    }
    return result;
}

// So many that a turn of a long run costs no more than one of a short one.
double median_of_latest(const measure::Series& series) {
    constexpr std::size_t k_latest = 1000;
    const std::span all(series.samples);
    std::vector<double> values;
    for (const measure::Sample& sample : all.last(std::min(all.size(), k_latest)))
        values.push_back(static_cast<double>(sample.total) / sample.batch);
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

ProgressStyle progress_style(bool quiet, int fd) {
    if (quiet) return ProgressStyle::none;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): before any thread is started
    const char* const terminal = std::getenv("TERM");
    const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
    return ::isatty(fd) != 0 && !dumb ? ProgressStyle::live : ProgressStyle::plain;
}

std::size_t terminal_width(int fd) {
    constexpr std::size_t k_usual = 80;
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : k_usual;
}

std::string live_line(const ProgressLine& line, std::size_t width) {
    constexpr std::size_t k_longest_name = 30;
    std::string text = file_label(line);
    text += cut(line.name, k_longest_name) + "  ";
    text += stage_name(line.stage);
    text += "  ";
    text += line.format;
    text += "  " + std::to_string(line.runs) + "/" + std::to_string(line.runs_wanted) + " runs";
    text += "  " + seconds(line.elapsed) + "/" + seconds(line.wanted) + " s";
    if (line.median > 0) text += "  median " + format_duration(line.median);
    if (line.left >= 0) text += "  ETA " + rough(line.left);
    return cut(text, width);
}

std::string plain_line(const ProgressLine& line, std::size_t formats) {
    std::string text = file_label(line) + std::string(line.name) + ": ";
    text += stage_name(line.stage);
    text += ", " + std::to_string(formats) + (formats == 1 ? " format" : " formats");
    if (line.stage != measure::Stage::calibration) {
        text += ", at least " + format_duration(static_cast<double>(line.wanted)) + " and " +
                std::to_string(line.runs_wanted) + (line.runs_wanted == 1 ? " run" : " runs") +
                (formats == 1 ? "" : " each");
    }
    return cut(text, std::string::npos);
}

Nanoseconds time_left(std::span<const Done> done, measure::Stage stage,
                      const measure::ScheduleOptions& wanted) {
    if (stage == measure::Stage::calibration) return -1;
    const auto needs = [](double run, const measure::Minimum& minimum) {
        return std::max(static_cast<double>(minimum.time), run * static_cast<double>(minimum.runs));
    };
    double left = 0;
    for (const Done& format : done) {
        if (format.runs == 0) return -1;
        const double elapsed = static_cast<double>(format.elapsed);
        const double run = elapsed / static_cast<double>(format.runs);
        const bool warmup = stage == measure::Stage::warmup;
        left += std::max(0.0, needs(run, warmup ? wanted.warmup : wanted.main) - elapsed);
        if (warmup) left += needs(run, wanted.main);
    }
    return static_cast<Nanoseconds>(left);
}

void Done::add(const measure::Series& series) {
    if (series.samples.size() < samples) *this = {};
    for (const measure::Sample& sample : std::span(series.samples).subspan(samples)) {
        elapsed += sample.total;
        runs += sample.batch;
    }
    samples = series.samples.size();
}

void Progress::begin_file(std::size_t file, std::size_t files, const std::string& name,
                          std::vector<std::string> formats,
                          const measure::ScheduleOptions& wanted) {
    clear();
    file_ = file;
    files_ = files;
    name_ = printable(name);
    formats_ = std::move(formats);
    wanted_ = wanted;
    done_.assign(formats_.size(), Done{});
    stage_ = measure::Stage::calibration;
    stage_told_ = false;
}

ProgressLine Progress::line(measure::Stage stage, std::size_t subject,
                            const measure::Minimum& wanted) const {
    ProgressLine line;
    line.file = file_;
    line.files = files_;
    line.name = name_;
    line.stage = stage;
    line.format = formats_[subject];
    line.runs = done_[subject].runs;
    line.runs_wanted = wanted.runs;
    line.elapsed = done_[subject].elapsed;
    line.wanted = wanted.time;
    line.left = time_left(done_, stage, wanted_);
    return line;
}

void Progress::turn(measure::Stage stage, std::size_t subject, const measure::Series& so_far,
                    const measure::Minimum& wanted) {
    if (style_ == ProgressStyle::none || subject >= formats_.size()) return;
    if (stage != stage_) {
        done_.assign(formats_.size(), Done{});
        stage_ = stage;
        stage_told_ = false;
    }
    if (stage == measure::Stage::main) wanted_.main = wanted;  // it may be extended
    done_[subject].add(so_far);
    const Nanoseconds time = measure::now();
    if (style_ == ProgressStyle::plain) {
        if (stage_told_ || stage == measure::Stage::calibration) return;
        if (last_ != 0 && time - last_ < k_plain_interval) return;
        last_ = time;
        stage_told_ = true;
        write(plain_line(line(stage, subject, wanted), formats_.size()) + "\n");
        return;
    }
    if (last_ != 0 && time - last_ < k_live_interval) return;
    last_ = time;
    ProgressLine now = line(stage, subject, wanted);
    now.median = median_of_latest(so_far);
    // One column stays free: in the last one some terminals go to the next line.
    write("\r" + live_line(now, terminal_width(fd_) - 1) + "\x1b[K");
    shown_ = true;
}

void Progress::clear() {
    if (shown_) write("\r\x1b[K");
    shown_ = false;
}

void Progress::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd_, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;  // nobody reads it: progress is not worth a failure
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace perfrelay::client
