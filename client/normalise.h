#pragma once
// The option table, and the normaliser that brings efxperf's way of writing a command line
// ("-warmupTime 500 -xml a.xml -schema b.xsd b.xml") into the one that a GNU parser reads
// ("--warmup-time=500 --format=xml", inputs apart).
//
//   word   = option / file / "--" (files only from here on)
//   option = ("-" / "--") name ["=" value]        one dash or two, for every name
//   name   = any spelling of the option table; the value may also be the next word
//
// Files keep the schema that stood before them, modes and --format their order. Every name is
// looked up in the one table, which also feeds the help and the parser.
// Tested by tests/unit/client/normalise_test.cpp.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/options.h"

namespace perfrelay::client {

enum class OptionGroup : std::uint8_t {
    modes,
    direction,
    network,
    measurement,
    documents,
    output,
    other,
    commands,  // not options: a first word such as "convert"
};

enum class OptionArgument : std::uint8_t {
    none,
    required,
    optional_number,  // the next word only if it is a number
};

struct OptionLine {
    // The first is canonical; spelled with one dash or two alike. Unused ones are empty.
    std::array<std::string_view, 4> names{};
    std::string_view value;  // for the help: "TIME"
    std::string_view help;   // units and default included
    std::string_view mode;   // a mode: stands for --format=<mode>
    // Puts one value into `options`; false and `why` ("'x': not a number, ...") when it cannot be.
    // Null for what is not a setting (files, schemas, modes, actions).
    bool (*set)(Options& options, const std::string& value, std::string& why) = nullptr;
    OptionGroup group = OptionGroup::other;
    OptionArgument argument = OptionArgument::none;
    bool efxperf = false;     // one of efxperf's: the help shows it with a single dash
    bool repeatable = false;  // its values add up; of others the last counts
};

// Every option and command, in the order of the help.
std::span<const OptionLine> option_table();

// The line with this name (without dashes), commands excluded; null when there is none.
const OptionLine* find_option(std::string_view name);

struct Normalised {
    Action action = Action::run;
    std::vector<std::string> arguments;  // "--repeat=5", "--format=xml", "--quiet"
    // How each setting was last spelled, by canonical name: "repeat" -> "-r". For messages.
    std::map<std::string, std::string, std::less<>> spellings;
    std::vector<Input> inputs;                 // in order, each with its schema
    std::vector<std::string> relay_arguments;  // for Action::relay
    std::optional<std::string> problem;        // the first, one line without "perfclient: "
};

Normalised normalise(std::span<const char* const> words);

// What was probably meant by `name` (both without dashes): "format" for "formt", "r 5" for "r5";
// "" when nothing is near.
std::string nearest_option(std::string_view name);

}  // namespace perfrelay::client
