#pragma once
// Data sets as inputs: a directory stands for the documents in it and below, a pattern for the
// files it matches.
// Tested by tests/unit/client/input_sets_test.cpp.

#include <optional>
#include <string>
#include <vector>

#include "client/options.h"

namespace perfrelay::client {

// In place of a directory: its regular files, and those of directories in it, by name, as far as
// their endings are those of documents; hidden ones and links to directories are left out. In place
// of a path that is no file and has one of *?[ in it: what glob(7) finds, directories as above. All
// else stays, also what holds or matches nothing: whoever reads it says so. Nothing, and one line
// in `why`, of more than 10,000 files. `any`: every ending will do.
std::optional<std::vector<Input>> expand_inputs(const std::vector<Input>& inputs, bool any,
                                                std::string& why);

}  // namespace perfrelay::client
