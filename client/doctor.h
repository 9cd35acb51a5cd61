#pragma once
// `perfclient doctor [HOST:PORT]`: what stands between this machine and good numbers: its clock,
// timers and processors; the name, the way to the relay, the relay itself, its round trip and rate.
//
// Contract: a line each as it is found out, ok, warn or FAIL, with what to do; ends within a minute
// whatever answers. Exit 0 without FAIL, else 3. Tested by tests/integration/doctor.py.

#include <span>

#include "proto/formats.h"

namespace perfrelay::client {

// `words`: those behind "doctor". The exit status.
int doctor_main(std::span<const char* const> words, const FormatTable& formats);

}  // namespace perfrelay::client
