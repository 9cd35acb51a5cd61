#pragma once
// Access: who may use the relay: a secret to be proved, a list of addresses, TLS. Read from files,
// and again on SIGHUP; what is there once is never changed, only replaced. Tested by
// tests/integration/relay_security.py.

#include <memory>
#include <string>
#include <vector>

#include "common/cli/secret.h"
#include "common/net/address_list.h"
#include "common/net/tls.h"

namespace perfrelay::relay {

struct AccessOptions {
    std::string secret_file;         // "": $PERFRELAY_SECRET, if there is one
    std::vector<std::string> allow;  // lists
    std::string allow_file;          // one more list; "": none
    net::TlsFiles tls;
};

struct Access {
    std::shared_ptr<const Secret> secret;  // null: none needed
    net::AddressList allow;
    bool listed = false;                         // only addresses in `allow`
    std::shared_ptr<const net::TlsContext> tls;  // null: plain
    bool certificates = false;                   // and clients need one

    bool admits(const net::Endpoint& peer) const { return !listed || allow.contains(peer); }
    bool anyone() const { return secret == nullptr && !listed && !certificates; }
};

// Null, and one line in `why`, when a file is missing or its content will not do.
std::shared_ptr<const Access> load_access(const AccessOptions& options, std::string& why);

}  // namespace perfrelay::relay
