#pragma once
// `perfclient compare OLD.json NEW.json`: what became slower or larger between two saved reports.
// Exit 1 when something did by more than --fail-above.
// Tested by tests/integration/reports.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words`: those behind "compare". The exit status.
int compare_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
