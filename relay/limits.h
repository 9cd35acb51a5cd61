#pragma once
// What a relay lets its clients do, each bound with what it stops. Durations in nanoseconds, sizes
// in bytes. One struct, passed by value, so that a test can tighten any of them.

#include <cstddef>
#include <cstdint>

#include "common/measure/clock.h"

namespace perfrelay::relay {

struct Limits {
    // Memory: one payload, one session's documents, everybody's together.
    std::uint64_t max_payload = std::uint64_t{256} << 20U;
    std::uint64_t max_stored = std::uint64_t{256} << 20U;
    std::uint32_t max_documents = 64;
    std::uint64_t max_memory = std::uint64_t{1} << 30U;

    // Crowds. A connection counts as a session only once it has said a valid HELLO; until then it
    // is a stranger, counted apart, and the oldest stranger makes room for the newest.
    std::uint32_t max_sessions = 64;
    std::uint32_t max_per_address = 64;
    std::uint32_t max_strangers = 4096;

    // Silence: before HELLO is complete; between requests; inside a frame, either way; in all.
    measure::Nanoseconds handshake = 5'000'000'000;
    measure::Nanoseconds tarpit = 1'000'000'000;  // between a wrong proof and its answer
    measure::Nanoseconds idle = 60'000'000'000;
    measure::Nanoseconds progress = 15'000'000'000;
    measure::Nanoseconds session = 3'600'000'000'000;

    // Endings: how long running requests may go on after SIGTERM; how long and how much is still
    // read after an ERROR so that its text arrives before the connection is reset.
    measure::Nanoseconds drain = 10'000'000'000;
    measure::Nanoseconds linger = 1'000'000'000;
    std::size_t linger_bytes = std::size_t{64} << 10U;
};

}  // namespace perfrelay::relay
