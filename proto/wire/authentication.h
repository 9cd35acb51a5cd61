#pragma once
// Proofs that both ends know the secret, WIRE 2: HMAC-SHA-256 over the greetings of this very
// connection, whose nonces are fresh, so that a proof is good for nothing else.
//
// Contract: no I/O. The comparison takes the same time wherever the two differ.
// Source: proto/wire/README.md section 2; RFC 2104, FIPS 180-4.
// Tested by tests/unit/proto/wire/authentication_test.cpp, tests/fuzz/fuzz_wire.cpp.

#include "common/base/bytes.h"
#include "proto/wire/frames.h"

namespace perfrelay::wire {

enum class Side : std::uint8_t { client, relay };

// The payload of `side`'s AUTH. `hello` and `welcome` as they were sent.
Proof prove(Bytes secret, Side side, Bytes hello, Bytes welcome);

bool same(const Proof& expected, Bytes given);

}  // namespace perfrelay::wire
