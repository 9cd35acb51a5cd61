#pragma once
// perfclient load: what a relay and the way to it bear: many sessions at once, requests as fast as
// answers come, or at a rate (--rate), whatever the answers do.
//
// At a rate a request has an intended start, and its latency counts from there: one that had to
// wait for the answer before it is as slow as it would have been for whoever sent it. None is left
// out.
// Contract: every answer is verified, outside the measured time; a wrong one ends the load, exit 4.
// Tested by tests/integration/relay_service.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words` after "load". The exit status.
int load_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
