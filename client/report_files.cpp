#include "client/report_files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "client/inputs.h"
#include "client/output_file.h"
#include "client/report/saved_report.h"

namespace perfrelay::client {
namespace {

constexpr std::pair<std::string_view, ReportWriter> k_writers[] = {{"json", write_json},
                                                                   {"jsonl", write_jsonl},
                                                                   {"csv", write_csv},
                                                                   {"markdown", write_markdown},
                                                                   {"html", write_html}};

constexpr std::size_t k_largest_report = std::size_t{512} << 20U;

std::string error_text() {
    return std::generic_category().message(errno);
}

// Files are written beside their place and then put there.
std::string unwritable(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) == 0) {
        if (S_ISDIR(facts.st_mode)) return "a directory";
        if (::access(path.c_str(), W_OK) != 0) return "cannot be written: " + error_text();
        if (!S_ISREG(facts.st_mode)) return "";
    }
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    return ::access(folder.c_str(), W_OK | X_OK) == 0 ? "" : "cannot be written: " + error_text();
}

std::string named(const Output& output) {
    return "--" + output.kind + " " + (output.path == "-" ? "standard output" : output.path) + ": ";
}

}  // namespace

ReportWriter writer_of(std::string_view kind) {
    const auto* const found =
        std::ranges::find(k_writers, kind, &std::pair<std::string_view, ReportWriter>::first);
    return found != std::end(k_writers) ? found->second : nullptr;
}

std::string check_outputs(const std::vector<Output>& outputs) {
    for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        const auto same = [&](const Output& other) { return other.path == output->path; };
        if (std::find_if(outputs.begin(), output, same) != output) {
            return named(*output) + "another report goes there";
        }
        const std::string why = output->path == "-" ? "" : unwritable(output->path);
        if (!why.empty()) return named(*output) + why;
    }
    return "";
}

bool to_standard_output(const std::vector<Output>& outputs) {
    return std::ranges::any_of(outputs, [](const Output& output) { return output.path == "-"; });
}

std::string write_outputs(const Report& report, const std::vector<Output>& outputs) {
    // A run that was stopped has results, too.
    static constexpr std::atomic<int> k_go_on{0};
    std::string first;
    for (const Output& output : outputs) {
        std::string why;
        try {
            std::ostringstream text;
            writer_of(output.kind)(report, text);
            why = write_output(output.path, as_bytes(text.view()), k_go_on);
        } catch (const std::bad_alloc&) {
            why = "not enough memory";
        }
        if (!why.empty() && first.empty()) first = named(output) + why;
    }
    return first;
}

std::optional<Report> load_report(const std::string& path, std::string& why) {
    Limits limits;
    limits.max_document = k_largest_report;
    const auto document = read_input(path, limits, nullptr, why);
    if (!document) return std::nullopt;
    auto report = read_report(as_text(document->source.view()), why);
    if (!report) why = (path == "-" ? "standard input" : path) + ": " + why;
    return report;
}

}  // namespace perfrelay::client
