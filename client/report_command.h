#pragma once
// `perfclient report`: saved reports (--json), one or several put together, shown as tables or
// written in any other form. Nothing is measured.
// Tested by tests/integration/reports.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words`: those behind "report". The exit status.
int report_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
