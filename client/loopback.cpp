#include "client/loopback.h"

#include <cerrno>

#include <sys/socket.h>

#include "common/net/resolve.h"
#include "common/net/tcp.h"

namespace perfrelay::client {
namespace {

// A socket bound to `port`, not yet listening. With SO_REUSEADDR on Linux, bind fails with
// EADDRINUSE exactly when somebody listens there (not for connections that linger).
net::Fd bind_loopback(net::Family family, std::uint16_t port, int& error) {
    const bool v4 = family == net::Family::v4;
    const auto endpoints = net::resolve(v4 ? "127.0.0.1" : "::1", port, family, true);
    if (!endpoints) {
        error = EAFNOSUPPORT;
        return {};
    }
    const net::Endpoint& endpoint = endpoints->front();
    net::Fd socket(::socket(endpoint.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    error = 0;
    if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.size) !=
            0) {
        error = errno;
        return {};
    }
    return socket;
}

LoopbackListener listen_on(net::Family family, std::uint16_t port) {
    LoopbackListener result;
    result.socket = bind_loopback(family, port, result.error);
    if (result.error == 0 && ::listen(result.socket.get(), SOMAXCONN) != 0) {
        result.error = errno;  // EADDRINUSE: two were bound, and the other listened first
    }
    if (result.error == 0) {
        result.address = {family == net::Family::v4 ? "127.0.0.1" : "::1",
                          net::local_endpoint(result.socket.get()).port()};
    } else {
        result.socket.reset();
        result.address = {family == net::Family::v4 ? "127.0.0.1" : "::1", port};
    }
    return result;
}

}  // namespace

LoopbackListener listen_on_loopback(std::uint16_t port) {
    LoopbackListener result = listen_on(net::Family::v4, port);
    if (result.error == EAFNOSUPPORT || result.error == EADDRNOTAVAIL) {
        return listen_on(net::Family::v6, port);
    }
    if (result.error == 0 && port != 0) {
        // Somebody may listen on [::1] alone. Bound, not listening: nobody can meet this socket.
        int error = 0;
        const net::Fd other = bind_loopback(net::Family::v6, port, error);
        if (error == EADDRINUSE) {
            result.socket.reset();
            result.error = error;
            result.address.host = "::1";
        }
    }
    return result;
}

}  // namespace perfrelay::client
