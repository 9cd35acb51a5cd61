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
#include "client/compare_command.h"
#include "client/compile_schema.h"
#include "client/convergence.h"
#include "client/convert.h"
#include "client/doctor.h"
#include "client/explain.h"
#include "client/help.h"
#include "client/input_sets.h"
#include "client/load.h"
#include "client/local_relay.h"
#include "client/processes.h"
#include "client/progress.h"
#include "client/reference_page.h"
#include "client/report/layout.h"
#include "client/report/report.h"
#include "client/report_command.h"
#include "client/runner.h"
#include "client/signals.h"
#include "client/status.h"
#include "client/train_dictionary.h"
#include "common/base/heap.h"
#include "common/cli/version.h"

namespace perfrelay::client {

namespace {

int become(const Options& options) {
    std::string why;
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
    const std::string program = find_perfrelay("", path != nullptr ? path : "", why);
    if (!program.empty()) why = become_relay(program, options.relay_arguments);
    return complain(ExitCode::connection, why);
}

// What was asked for in files has the complaint, too.
int refuse(const Refusal& refused, std::string command_line) {
    Report report;
    report.version = PERFRELAY_VERSION;
    report.command_line = std::move(command_line);
    report.started = date_text(std::time(nullptr));
    report.exit_code = status(refused.code);
    report.messages = {refused.line};
    write_outputs(report, refused.outputs);
    return complain(refused.code, refused.line);
}

int measure_and_print(const Options& given, const FormatTable& formats,
                      std::span<const char* const> words, std::string command_line) {
    keep_heap();
    const std::atomic<int>& stop = install_signals();
    Progress progress(STDERR_FILENO, progress_style(given.quiet, STDERR_FILENO));
    if (const std::string why = check_outputs(given.outputs); !why.empty()) {
        return refuse({ExitCode::usage, why, given.outputs}, command_line);
    }
    Options options = given;
    std::string unexpanded;
    auto inputs = expand_inputs(options.inputs, !options.from.empty(), unexpanded);
    if (!inputs) {
        return refuse({ExitCode::bad_input, unexpanded, options.outputs}, std::move(command_line));
    }
    options.inputs = std::move(*inputs);
    RunResult result = run(options, formats, stop, progress, std::cerr);
    if (options.plan) {
        std::cout << result.plan << std::flush;
        return status(result.code);
    }
    if (options.processes > 1) measure_in_others(options, words, stop, std::cerr, result);
    if (options.require_convergence) require_convergence(result, std::cerr);
    result.report.command_line = std::move(command_line);
    result.report.commit = build_commit();
    result.report.exit_code = status(result.code);
    const bool in_place_of_text = to_standard_output(options.outputs);
    if (!result.report.files.empty() && !in_place_of_text) {
        if (options.quiet) {
            write_tables(result.report, std::cout);
        } else {
            write_text(result.report, std::cout);
        }
    }
    const auto lines = benchmark_lines(result.report, std::time(nullptr));
    const std::string beside = options.save.empty() ? "." : options.save;
    for (const BenchmarkLine& line : lines) {
        (in_place_of_text ? std::cerr : std::cout)
            << "benchmark result appended to "
            << printable(options.save.empty() ? line.file : beside + "/" + line.file) << '\n';
    }
    std::string fault = append_benchmark_lines(lines, beside);
    const std::string unwritten = write_outputs(result.report, options.outputs);
    if (fault.empty()) fault = unwritten;
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
constexpr CommandMain k_commands[] = {{"convert", convert_main},
                                      {"explain", explain_main},
                                      {"compile-schema", compile_schema_main},
                                      {"train-dictionary", train_dictionary_main},
                                      {"report", report_main},
                                      {"compare", compare_main},
                                      {"doctor", doctor_main},
                                      {"load", load_main},
                                      {"reference", reference_main},
                                      {"status", status_main}};

int parse_and_run(int argc, const char* const* argv, const FormatTable& formats) {
    const std::span<const char* const> all(argv, static_cast<std::size_t>(argc));
    const auto words = all.subspan(all.empty() ? 0 : 1);
    if (AsProcess which; is_as_process(words, which)) return run_as_process(which, formats);
    for (const CommandMain& command : k_commands) {
        if (!words.empty() && words.front() == command.name) {
            return command.main(words.subspan(1), formats);
        }
    }
    std::string command_line = "perfclient";
    for (const char* word : words)
        command_line += std::string(" ") + word;
    auto parsed = parse_options(words, formats);
    if (const auto* refused = std::get_if<Refusal>(&parsed)) {
        return refuse(*refused, std::move(command_line));
    }
    const Options& options = std::get<Options>(parsed);
    switch (options.action) {
        case Action::help: write_help(std::cout, formats); return status(ExitCode::ok);
        case Action::version:
            std::cout << version_text("perfclient",
                                      "TLS 1.3, secrets; formats: perfclient --list-formats");
            return status(ExitCode::ok);
        case Action::list_formats: write_formats(std::cout, formats); return status(ExitCode::ok);
        case Action::list_links: write_links(std::cout); return status(ExitCode::ok);
        case Action::relay: return become(options);
        case Action::run:
            return measure_and_print(options, formats, words, std::move(command_line));
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
