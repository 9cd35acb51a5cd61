#include "client/benchmark_csv.h"

#include <cerrno>
#include <cmath>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/report/layout.h"
#include "client/report/shown.h"

namespace perfrelay::client {
namespace {

// Letters, digits, dots and underscores stay; what else there is becomes one dash.
std::string harmless(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '.' || c == '_';
        if (plain) {
            out += c;
        } else if (!out.empty() && out.back() != '-') {
            out += '-';
        }
    }
    while (!out.empty() && out.back() == '-')
        out.pop_back();
    return out.empty() ? "input" : out;
}

// "data/small-list-objects.ser" is small-list-objects.
std::string stem(std::string_view path) {
    path.remove_prefix(path.rfind('/') + 1);  // 0 when there is none
    const std::size_t dot = path.rfind('.');
    if (dot != std::string_view::npos && dot != 0) path = path.substr(0, dot);
    return harmless(path);
}

std::string milliseconds(const Row& row, Quantity quantity) {
    return std::to_string(std::llround(static_cast<double>(elapsed(row.main, quantity)) / 1e6));
}

std::string error_text(int error) {
    return std::generic_category().message(error);
}

// All in one write, so that lines of programs that run at once do not mix.
std::string append(const std::string& path, const std::string& line) {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return path + ": cannot be opened: " + error_text(errno);
    struct stat facts {};
    const bool fresh = ::fstat(file, &facts) == 0 && facts.st_size == 0;
    std::string text = fresh ? std::string(k_benchmark_header) + "\n" : "";
    text += line + "\n";
    const ssize_t written = ::write(file, text.data(), text.size());
    const int error = written < 0 ? errno : ENOSPC;
    ::close(file);
    if (written == static_cast<ssize_t>(text.size())) return "";
    return path + ": cannot be written: " + error_text(error);
}

}  // namespace

std::vector<BenchmarkLine> benchmark_lines(const Report& report, std::int64_t now) {
    std::vector<BenchmarkLine> lines;
    if (!has_fixed_runs(report)) return lines;
    for (const FileReport& file : report.files) {
        for (const Row& row : file.rows) {
            if (row.model != Model::objects || !has_times(row) || !row.complete) continue;
            std::string line = date_text(now) + "," + std::to_string(row.size) + "," +
                               std::to_string(row.main.runs()) + ",";
            if (report.direction != Direction::decode) line += milliseconds(row, Quantity::encode);
            line += ",";
            if (report.direction != Direction::encode) line += milliseconds(row, Quantity::decode);
            lines.push_back(
                {stem(file.name) + "-" + harmless(row.codec.spec) + ".csv", std::move(line)});
        }
    }
    return lines;
}

std::string append_benchmark_lines(const std::vector<BenchmarkLine>& lines,
                                   const std::string& directory) {
    for (const BenchmarkLine& line : lines) {
        if (std::string why = append(directory + "/" + line.file, line.line); !why.empty()) {
            return why;
        }
    }
    return "";
}

}  // namespace perfrelay::client
