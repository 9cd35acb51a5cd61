#pragma once
// The words behind a command ("convert", "explain"): its options and its files.
//
//   word   = option / file / "--" (files only from here on); "-" is a file
//   option = ("-" / "--") name ["=" value]
//
// A value is the next word, unless that begins like an option, or follows "=". An option is the
// command's own, whose value is given once, or one of the option table that a run has too and that
// means the same: given twice, the last counts.
// Contract: neither prints nor exits. Tested by tests/unit/client/command_words_test.cpp.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/options.h"

namespace perfrelay::client {

// What a command takes, by canonical names without dashes.
struct Command {
    std::string_view name;
    std::span<const std::string_view> switches;  // its own without a value; all have help
    std::span<const std::string_view> values;    // its own with one
    std::span<const std::string_view> shared;    // settings of a run
};

struct CommandWords {
    std::map<std::string, std::string, std::less<>> options;  // canonical name -> value
    std::vector<std::string> files;

    bool has(std::string_view name) const { return options.find(name) != options.end(); }
    // "" of what is not given: no option takes an empty value.
    std::string value(std::string_view name) const;
};

// Shared settings are put into `options` as well. Nothing, and one line in `why`, for an option
// that is unknown or none of the command's; a value that is missing, too much,
// given twice or refused by its setting.
std::optional<CommandWords> read_command(const Command& command, std::span<const char* const> words,
                                         Options& options, std::string& why);

}  // namespace perfrelay::client
