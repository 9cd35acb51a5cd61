#include "client/compile_schema.h"

#include <iostream>
#include <string>

#include "client/command_words.h"
#include "client/exit_codes.h"
#include "client/output_file.h"
#include "client/signals.h"
#include "proto/schema_files.h"

namespace perfrelay::client {
namespace {

constexpr const char* k_help =
    R"(perfclient compile-schema turns an XSD into a file that -schema reads in its place, at once.

Usage: perfclient compile-schema [options] IN.xsd OUT.cxs

What IN includes and imports is read from beside it, never fetched. A file that was compiled by
another version is refused: compile it anew.

Options:
  --catalogue L=FILE  where a schema that another imports is, by its location or namespace

Exit codes: 0 done; 2 usage; 5 IN cannot be read or compiled; 6 OUT cannot be written, or
interrupted.
)";

}  // namespace

int compile_schema_main(std::span<const char* const> words, const FormatTable& /*formats*/) {
    static constexpr std::string_view k_shared[] = {"catalogue"};
    const auto fail = [](ExitCode code, const std::string& why) {
        return complain(code, "compile-schema: " + why);
    };
    Options options;
    std::string why;
    const auto read = read_command({"compile-schema", {}, {}, k_shared}, words, options, why);
    if (!read) return fail(ExitCode::usage, why);
    if (read->has("help")) {
        std::cout << k_help;
        return status(ExitCode::ok);
    }
    if (read->files.size() != 2) {
        return fail(ExitCode::usage, "IN.xsd and OUT.cxs are needed, and here are " +
                                         std::to_string(read->files.size()) +
                                         " files; perfclient compile-schema --help shows how");
    }
    const std::atomic<int>& stop = install_signals();
    Buffer out;
    if (!compile_schema(read->files[0], options.catalogue, out, why))
        return fail(ExitCode::bad_input, why);
    why = write_output(read->files[1], out.view(), stop);
    return why.empty() ? status(ExitCode::ok)
                       : fail(ExitCode::partial, read->files[1] + ": " + why);
}

}  // namespace perfrelay::client
