#pragma once
// `perfclient explain FILE`: where the bytes of an encoded document go: structure (event codes),
// names, values; by kind of event and by name.
//
// For every format that can say (Codec::trace); the others are named as such. Contract: one line on
// standard error and an exit status of exit_codes.h when it fails. Tested by
// tests/unit/client/byte_account_test.cpp and tests/integration/exi.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words`: what stands behind "explain". The exit status.
int explain_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
