#pragma once
// perfclient reference: the man page and the shells' completions, from the option table.
// Tested by tests/integration/reference.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words` after "reference". The exit status.
int reference_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
