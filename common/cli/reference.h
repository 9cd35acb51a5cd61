#pragma once
// Reference: a program's options as a man page and as completions for bash, zsh and fish, made from
// the same table as its help, so that they cannot say something else.
// Source: man(7) of groff; bash(1) "Programmable Completion", zshcompsys(1), fish's complete(1).
// Tested by tests/integration/reference.py.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfrelay {

struct ReferenceOption {
    std::vector<std::string> names;  // as they are typed: "--repeat", "-repeat", "-r"
    std::string value;               // "" for none; "FILE", "DIR", "a|b" are completed
    std::string help;
    std::string group;
};

struct Reference {
    std::string program;
    std::string summary;   // after the name, no full stop
    std::string synopsis;  // without the program's name
    std::string description;
    std::vector<ReferenceOption> options;  // in order, those of a group together
    std::vector<std::pair<std::string, std::string>> commands;  // first words, with their meaning
    std::vector<std::pair<std::string, std::string>> statuses;  // exit statuses
    std::string see_also;                                       // "perfrelay(1)"
};

// `kind`: man, bash, zsh or fish; nothing for another.
std::optional<std::string> render(const Reference& reference, std::string_view kind);

}  // namespace perfrelay
