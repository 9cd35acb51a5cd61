// What stands between main and the runner: the command line in, text and exit status out.

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <new>
#include <span>
#include <string_view>
#include <variant>

#include <unistd.h>

#include "client/benchmark_csv.h"
#include "client/compile_schema.h"
#include "client/convert.h"
#include "client/explain.h"
#include "client/help.h"
#include "client/local_relay.h"
#include "client/progress.h"
#include "client/report/layout.h"
#include "client/report/report.h"
#include "client/runner.h"
#include "client/signals.h"
#include "common/base/heap.h"

namespace perfrelay::client {

namespace {

int become(const Options& options) {
    std::string why;
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string program = find_perfrelay("", path != nullptr ? path : "", why);
    if (!program.empty()) why = become_relay(program, options.relay_arguments);
    return complain(ExitCode::connection, why);
}

int measure_and_print(const Options& options, const FormatTable& formats,
                      std::string command_line) {
    keep_heap();
    const std::atomic<int>& stop = install_signals();
    Progress progress(STDERR_FILENO, progress_style(options.quiet, STDERR_FILENO));
    RunResult result = run(options, formats, stop, progress, std::cerr);
    result.report.command_line = std::move(command_line);
    if (!result.report.files.empty()) {
        if (options.quiet) {
            write_tables(result.report, std::cout);
        } else {
            write_text(result.report, std::cout);
        }
    }
    const auto lines = benchmark_lines(result.report, std::time(nullptr));
    for (const BenchmarkLine& line : lines)
        std::cout << "benchmark result appended to " << printable(line.file) << '\n';
    const std::string fault = append_benchmark_lines(lines, ".");
    if (!fault.empty()) std::cerr << "perfclient: " << printable(fault) << '\n';
    std::cout.flush();
    if (!std::cout) {
        // A reader that went away (head, less) knows what it has read.
        if (errno != EPIPE) std::cerr << "perfclient: cannot write the results\n";
        return status(result.code == ExitCode::ok ? ExitCode::partial : result.code);
    }
    return status(fault.empty() || result.code != ExitCode::ok ? result.code : ExitCode::partial);
}

struct CommandMain {
    std::string_view name;
    int (*main)(std::span<const char* const> words, const FormatTable& formats);
};
// Those of the option table that are built.
constexpr CommandMain k_commands[] = {
    {"convert", convert_main}, {"explain", explain_main}, {"compile-schema", compile_schema_main}};

int parse_and_run(int argc, const char* const* argv, const FormatTable& formats) {
    const std::span<const char* const> all(argv, static_cast<std::size_t>(argc));
    const auto words = all.subspan(all.empty() ? 0 : 1);
    for (const CommandMain& command : k_commands) {
        if (!words.empty() && words.front() == command.name) {
            return command.main(words.subspan(1), formats);
        }
    }
    auto parsed = parse_options(words, formats);
    if (const auto* refused = std::get_if<Refusal>(&parsed))
        return complain(refused->code, refused->line);
    const Options& options = std::get<Options>(parsed);
    std::string command_line = "perfclient";
    for (const char* word : words)
        command_line += std::string(" ") + word;
    switch (options.action) {
        case Action::help: write_help(std::cout, formats); return status(ExitCode::ok);
        case Action::version:
            write_version(std::cout, PERFRELAY_VERSION);
            return status(ExitCode::ok);
        case Action::list_formats: write_formats(std::cout, formats); return status(ExitCode::ok);
        case Action::list_links: write_links(std::cout); return status(ExitCode::ok);
        case Action::relay: return become(options);
        case Action::run: return measure_and_print(options, formats, std::move(command_line));
    }
    return status(ExitCode::usage);
}

}  // namespace

int perfclient_main(int argc, const char* const* argv, const FormatTable& formats) {
    try {
        return parse_and_run(argc, argv, formats);
    } catch (const std::bad_alloc&) {
        // The runner has no use for this; parsing options and printing results may come to it.
        std::fputs("perfclient: not enough memory\n", stderr);
        return status(ExitCode::bad_input);
    }
}

}  // namespace perfrelay::client
