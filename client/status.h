#pragma once
// perfclient status: what a relay is doing, in a few lines.
// Contract: as a run's connection: exit 3 and one line when the relay does not answer, is full, or
// will not have us. Tested by tests/integration/relay_service.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words` after "status". The exit status.
int status_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
