#pragma once
// What --version says of either program: version, commit, how it was built, what it can.
// Tested by tests/integration/relay_command_line.py and cli.py.

#include <string>
#include <string_view>

namespace perfrelay {

// "PROGRAM VERSION", then a line each.
std::string version_text(std::string_view program, std::string_view features);

}  // namespace perfrelay
