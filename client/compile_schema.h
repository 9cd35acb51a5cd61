#pragma once
// `perfclient compile-schema IN.xsd OUT.cxs`: a schema once compiled, so that runs need not.
//
// Contract: one line on standard error and an exit status of exit_codes.h when it fails; OUT
// appears complete or not at all. Tested by tests/integration/exi_schema.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words`: what stands behind "compile-schema". The exit status.
int compile_schema_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
