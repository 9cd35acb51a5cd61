#pragma once
// Writes a result where it belongs, whole or not at all.
//
// A file is written under another name beside its place and renamed over it, with the permissions
// of the file it replaces; links are followed. What is there and is no file (a pipe, /dev/null) is
// written into. Contract: on failure nothing partial is left under `path`, and nothing beside it.
// Tested by tests/unit/client/output_file_test.cpp.

#include <atomic>
#include <string>

#include "common/base/bytes.h"

namespace perfrelay::client {

// "-" is standard output. "" or why not, without the name. `stop`: when it is not 0 before the file
// is in its place, nothing is written and the answer is "interrupted".
std::string write_output(const std::string& path, Bytes content, const std::atomic<int>& stop);

}  // namespace perfrelay::client
