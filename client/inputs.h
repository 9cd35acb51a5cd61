#pragma once
// Reads the documents named on the command line: files, pipes, "-" for standard input.
//
// Contract: memory grows with the bytes that arrive, never beyond Limits::max_document; directories
// and devices are refused before they are read (standard input may be a terminal); failures are one
// line with the name, what is wrong, and what to do.
// Tested by tests/unit/client/inputs_test.cpp.

#include <atomic>
#include <optional>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/document.h"

namespace perfrelay::client {

// A Document with `name` and `source` filled in; the tape is the loader's work. Nothing, and `why`,
// when it cannot be read or is empty. `stop` (may be null): when not 0 and a signal interrupts the
// wait for a slow pipe, reading ends with `why` = "...: interrupted".
std::optional<Document> read_input(const std::string& path, const Limits& limits,
                                   const std::atomic<int>* stop, std::string& why);

}  // namespace perfrelay::client
