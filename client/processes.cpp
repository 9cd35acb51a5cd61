#include "client/processes.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/input_sets.h"
#include "client/progress.h"
#include "client/report/layout.h"
#include "client/report/saved_report.h"
#include "client/signals.h"
#include "common/base/heap.h"
#include "common/net/fd.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_word = "as-process";
constexpr const char* k_this_program = "/proc/self/exe";
constexpr int k_look_at_stop = 100;  // ms
constexpr std::size_t k_largest_report = std::size_t{1} << 30U;

template <class Number>
bool read_number(const char* text, Number& number) {
    const char* const end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, number);
    return error == std::errc() && stop == end;
}

// One process: what it wrote, and how it ended.
class Child {
  public:
    Child(std::uint32_t number, std::uint64_t seed, std::span<const char* const> words) {
        const std::string number_text = std::to_string(number);
        const std::string seed_text = std::to_string(seed);
        std::vector<char*> arguments;
        for (const char* word : {"perfclient", k_word, number_text.c_str(), seed_text.c_str()})
            arguments.push_back(const_cast<char*>(word));  // execv's type; it changes nothing
        for (const char* word : words)
            arguments.push_back(const_cast<char*>(word));
        arguments.push_back(nullptr);

        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) return;
        output_ = net::Fd(ends[0]);
        const net::Fd write_end(ends[1]);
        const pid_t parent = ::getpid();
        pid_ = ::fork();
        if (pid_ == 0) become(arguments.data(), write_end.get(), parent);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (pid_ > 0 && !ended_) ::kill(pid_, SIGKILL);
        wait();
    }

    // All that it writes until its end; passes on what `stop` asks for.
    std::string read(const std::atomic<int>& stop) {
        std::string text;
        int told = 0;
        while (pid_ > 0 && text.size() < k_largest_report) {
            for (; told < stop; ++told)
                ::kill(pid_, SIGINT);
            pollfd waiting{.fd = output_.get(), .events = POLLIN, .revents = 0};
            if (::poll(&waiting, 1, k_look_at_stop) <= 0) continue;
            char piece[1 << 16];
            const ssize_t count = ::read(output_.get(), piece, sizeof piece);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            text.append(piece, static_cast<std::size_t>(count));
        }
        return text;
    }

    // "ended with status 3", once it has.
    std::string end() {
        wait();
        if (pid_ < 0) return "could not be started";
        if (WIFSIGNALED(status_)) {
            return "was ended by signal " + std::to_string(WTERMSIG(status_));
        }
        return "ended with status " + std::to_string(WEXITSTATUS(status_));
    }

  private:
    // Behind the fork: async-signal-safe calls alone.
    [[noreturn]] static void become(char* const* arguments, int write_end, pid_t parent) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // Signals of the terminal go to the parent alone, which passes them on.
        ::setpgid(0, 0);
        const bool alive = ::getppid() == parent;
        // dup2 leaves FD_CLOEXEC as it is when both are the same.
        const bool ready = write_end == k_result_fd ? ::fcntl(write_end, F_SETFD, 0) == 0
                                                    : ::dup2(write_end, k_result_fd) >= 0;
        if (alive && ready) ::execv(k_this_program, arguments);
        ::_exit(127);
    }

    void wait() {
        while (pid_ > 0 && !ended_) {
            if (::waitpid(pid_, &status_, 0) >= 0 || errno != EINTR) ended_ = true;
        }
    }

    net::Fd output_;
    pid_t pid_ = -1;
    bool ended_ = false;
    int status_ = 0;
};

bool write_all(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(k_result_fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

void append(measure::Series& to, measure::Series& from, std::uint32_t process) {
    for (measure::Sample& sample : from.samples) {
        sample.process = process;
        to.samples.push_back(sample);
    }
}

void append(std::vector<measure::Series>& to, std::vector<measure::Series>& from,
            std::uint32_t process) {
    for (std::size_t i = 0; i < std::min(to.size(), from.size()); ++i)
        append(to[i], from[i], process);
}

void give_up(Row& row, std::uint32_t process, RowStatus status, const std::string& why) {
    row.status = status;
    row.why = "in process " + std::to_string(process + 1) + ": " + why;
    row.main = row.warmup = row.alone = row.cold = {};
    row.threads.clear();
}

void merge_row(Row& row, Row& other, std::uint32_t process) {
    const bool refused =
        other.status == RowStatus::failed || other.status == RowStatus::not_representable;
    if (row.status == RowStatus::failed || row.status == RowStatus::not_representable) return;
    if (refused) return give_up(row, process, other.status, other.why);
    if (other.size != row.size) {
        return give_up(row, process, RowStatus::failed,
                       std::to_string(other.size) + " bytes, not " + std::to_string(row.size));
    }
    append(row.warmup, other.warmup, process);
    append(row.main, other.main, process);
    append(row.alone, other.alone, process);
    append(row.cold, other.cold, process);
    append(row.threads, other.threads, process);
    row.complete = row.complete && other.complete;
}

void merge_noise(measure::Noise& noise, const measure::Noise& other) {
    noise.kernel.insert(noise.kernel.end(), other.kernel.begin(), other.kernel.end());
    const auto before = static_cast<double>(noise.duration);
    const auto more = static_cast<double>(other.duration);
    if (noise.steal >= 0 && other.steal >= 0 && before + more > 0) {
        noise.steal = (noise.steal * before + other.steal * more) / (before + more);
    }
    noise.preempted += other.preempted;
    noise.duration += other.duration;
}

}  // namespace

bool is_as_process(std::span<const char* const> words, AsProcess& found) {
    constexpr std::size_t k_own = 3;
    if (words.size() < k_own || std::strcmp(words[0], k_word) != 0) return false;
    found.words = words.subspan(k_own);
    return read_number(words[1], found.number) && read_number(words[2], found.seed) &&
           found.number > 0 && ::fcntl(k_result_fd, F_GETFD) >= 0;
}

int run_as_process(const AsProcess& which, const FormatTable& formats) {
    auto parsed = parse_options(which.words, formats);
    if (const auto* refused = std::get_if<Refusal>(&parsed))
        return complain(refused->code, refused->line);
    Options& options = std::get<Options>(parsed);
    options.process = which.number;
    options.schedule.seed = which.seed + which.number;
    // What the first one does for all.
    options.save.clear();
    options.links.clear();
    std::string why;
    auto inputs = expand_inputs(options.inputs, !options.from.empty(), why);
    if (!inputs) return complain(ExitCode::bad_input, why);
    options.inputs = std::move(*inputs);
    keep_heap();
    const std::atomic<int>& stop = install_signals();
    Progress progress(STDERR_FILENO, progress_style(options.quiet, STDERR_FILENO));
    // What it complains of is in the report, and said by the first process.
    std::ostringstream unheard;
    RunResult result = run(options, formats, stop, progress, unheard);
    result.report.exit_code = status(result.code);
    std::ostringstream text;
    write_json(result.report, text);
    return write_all(text.str()) ? status(result.code) : status(ExitCode::partial);
}

std::string merge_process(Report& report, Report other, std::uint32_t number) {
    if (other.files.size() > report.files.size()) return "measured other files";
    for (std::size_t i = 0; i < other.files.size(); ++i) {
        FileReport& file = report.files[i];
        FileReport& more = other.files[i];
        if (more.name != file.name || more.bytes != file.bytes) return file.name + " has changed";
        if (!more.error.empty() && file.error.empty()) return more.error;
        if (more.rows.size() != file.rows.size()) return "measured other formats";
        for (std::size_t k = 0; k < file.rows.size(); ++k)
            merge_row(file.rows[k], more.rows[k], number);
        merge_noise(file.noise, more.noise);
    }
    report.partial = report.partial || other.partial;
    ++report.processes;
    return "";
}

void measure_in_others(const Options& options, std::span<const char* const> words,
                       const std::atomic<int>& stop, std::ostream& talk, RunResult& result) {
    Report& report = result.report;
    for (std::uint32_t number = 1; number < options.processes && stop == 0; ++number) {
        const std::string who =
            "process " + std::to_string(number + 1) + " of " + std::to_string(options.processes);
        Child child(number, options.schedule.seed, words);
        const std::string text = child.read(stop);
        const std::string end = child.end();
        std::string why;
        std::optional<Report> other = read_report(text, why);
        if (text.empty() || !other) {
            why = end + (text.empty() ? "" : ", and its report cannot be read: " + why);
        } else {
            result.code = graver(result.code, static_cast<ExitCode>(other->exit_code));
            for (const std::string& line : other->messages) {
                if (std::ranges::find(report.messages, line) != report.messages.end()) continue;
                report.messages.push_back(who + ": " + line);
                talk << "perfclient: " << printable(report.messages.back()) << std::endl;
            }
            why = merge_process(report, std::move(*other), number);
        }
        if (why.empty()) continue;
        report.messages.push_back(who + ": " + why);
        talk << "perfclient: " << printable(report.messages.back()) << std::endl;
        report.partial = true;
        result.code = graver(result.code, ExitCode::partial);
    }
    if (stop != 0 && report.processes < options.processes) {
        report.partial = true;
        result.code = graver(result.code, ExitCode::partial);
    }
}

}  // namespace perfrelay::client
