#pragma once
// The command line of `perfclient convert`: [options] IN OUT, or --generate KIND[:N] OUT.
//
// Options that a run has too (--from, --ws, --schema, --schema-auto, --generate, --seed,
// --max-document,
// --deflate) mean the same; command_words.h says how they are written. Contract: parsing neither
// prints nor exits; a refusal is one line. The format to write is known and can be made when
// parsing succeeds. Tested by tests/unit/client/convert_options_test.cpp.

#include <ostream>
#include <span>
#include <string>
#include <variant>

#include "client/options.h"

namespace perfrelay::client {

struct ConvertOptions {
    Options common;         // from, whitespace, codecs, generator_seed
    bool ws_given = false;  // else convert.h says which policy holds
    bool help = false;
    bool events = false;
    bool graph = false;
    bool trace = false;
    std::string to;  // canonical SPEC; "" with --events, --graph and --trace
    Input input;
    std::string output;  // "-": standard output
};

std::variant<ConvertOptions, Refusal> parse_convert(std::span<const char* const> words,
                                                    const FormatTable& formats);

void write_convert_help(std::ostream& out);

}  // namespace perfrelay::client
