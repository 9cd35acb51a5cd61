#pragma once
// What --version says of either program: version, commit, how it was built, what it can.
// Tested by tests/integration/relay_command_line.py and cli.py.

#include <string>
#include <string_view>

namespace perfrelay {

// Of the source, "-dirty" behind it when tracked files had changed; "": not known.
const char* build_commit();

// "PROGRAM VERSION", then a line each.
std::string version_text(std::string_view program, std::string_view features);

}  // namespace perfrelay
