#pragma once
// The way to a session: name, address, connection, HELLO and WELCOME, BUSY waited out.
//
// Contract: returns within resolve_timeout + connect_timeout + busy_retry + 5 s (with TLS 10 s)
// whatever answers; `why` is then one line that names the address. Source: proto/wire/README.md,
// section 2. Tested by tests/integration/relay_test.cpp.

#include <string>

#include "client/relay_connection.h"
#include "common/base/result.h"
#include "common/net/channel.h"
#include "common/net/fd.h"

namespace perfrelay::client {

struct Handshaken {
    net::Fd fd;
    net::Channel channel;
    PeerInfo peer;
};

Result<Handshaken> shake_hands(const Address& address, const ConnectOptions& options,
                               std::string& why);

}  // namespace perfrelay::client
