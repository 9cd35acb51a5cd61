#pragma once
// Ctrl-C and SIGTERM: the first asks to finish the round and report what there is, the second to
// stop at once, the third has its default effect. SIGPIPE is ignored: writing to a pipe whose
// reader has gone fails with EPIPE.
//
// Installed without SA_RESTART: blocking socket calls return with EINTR, so that whoever waits
// looks at the count. The handlers are a process's: install once, from main.
// Tested by tests/unit/client/signals_test.cpp.

#include <atomic>

namespace perfrelay::client {

// How many stop signals have come, 0 to 2; valid for ever.
const std::atomic<int>& install_signals();

}  // namespace perfrelay::client
