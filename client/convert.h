#pragma once
// `perfclient convert`: any input into any format, or into its event listing.
//
// Whitespace: as --ws says; without it nothing is dropped, but that XML becomes under "auto" what
// is neither XML nor the listing, unless the format's options ask for values as they are written.
// Contract: one line on standard error and an exit status of exit_codes.h when it fails, and
// nothing partial where the output should be. Tested by tests/integration/convert.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words`: what stands behind "convert". The exit status.
int convert_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
