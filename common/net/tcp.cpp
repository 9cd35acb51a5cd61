#include "common/net/tcp.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

namespace perfrelay::net {
namespace {

Error failed(int error, const char* where) {
    Errc code = Errc::io;
    if (error == ECONNREFUSED) code = Errc::refused;
    if (error == ETIMEDOUT) code = Errc::timed_out;
    return {.code = code, .where = where, .system = error};
}

bool set(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

const sockaddr* generic(const Endpoint& endpoint) {
    return reinterpret_cast<const sockaddr*>(&endpoint.address);
}

sockaddr_in6 as_v6(const Endpoint& endpoint) {
    sockaddr_in6 address{};
    std::memcpy(&address, &endpoint.address, sizeof address);
    return address;
}

sockaddr_in as_v4(const Endpoint& endpoint) {
    sockaddr_in address{};
    std::memcpy(&address, &endpoint.address, sizeof address);
    return address;
}

template <class Query>
Endpoint ask(int fd, Query query) {
    Endpoint endpoint;
    socklen_t size = sizeof endpoint.address;
    if (query(fd, reinterpret_cast<sockaddr*>(&endpoint.address), &size) == 0) {
        endpoint.size = size;
    }
    return endpoint;
}

}  // namespace

std::string Endpoint::text() const {
    std::array<char, INET6_ADDRSTRLEN> host{};
    const std::string port_text = ":" + std::to_string(port());
    if (family() == AF_INET) {
        const sockaddr_in v4 = as_v4(*this);
        inet_ntop(AF_INET, &v4.sin_addr, host.data(), host.size());
        return host.data() + port_text;
    }
    if (family() != AF_INET6) return "an unknown address";
    const sockaddr_in6 v6 = as_v6(*this);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], host.data(), host.size());
        return host.data() + port_text;
    }
    inet_ntop(AF_INET6, &v6.sin6_addr, host.data(), host.size());
    const std::string scope = v6.sin6_scope_id == 0 ? "" : "%" + std::to_string(v6.sin6_scope_id);
    return "[" + std::string(host.data()) + scope + "]" + port_text;
}

std::uint16_t Endpoint::port() const {
    if (family() == AF_INET) return ntohs(as_v4(*this).sin_port);
    if (family() == AF_INET6) return ntohs(as_v6(*this).sin6_port);
    return 0;
}

bool Endpoint::is_loopback() const {
    if (family() == AF_INET) return (ntohl(as_v4(*this).sin_addr.s_addr) >> 24U) == 127;
    if (family() != AF_INET6) return false;
    const sockaddr_in6 v6 = as_v6(*this);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return v6.sin6_addr.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

Result<> wait(int fd, short events, measure::Nanoseconds deadline, const std::atomic<int>* stop) {
    pollfd polled{fd, events, 0};
    while (true) {
        const measure::Nanoseconds left = deadline - measure::now();
        if (left <= 0) return Error{.code = Errc::timed_out, .where = "no answer in time"};
        const timespec timeout{left / 1'000'000'000, left % 1'000'000'000};
        const int ready = ppoll(&polled, 1, &timeout, nullptr);
        if (ready > 0) return {};
        if (ready < 0 && errno != EINTR) return failed(errno, "poll");
        if (stop != nullptr && stop->load(std::memory_order_relaxed) >= 2) {
            return failed(EINTR, "stopped");
        }
    }
}

Result<Fd> connect(const Endpoint& endpoint, measure::Nanoseconds timeout,
                   const std::atomic<int>* stop) {
    const measure::Nanoseconds deadline = measure::now() + timeout;
    Fd fd(socket(endpoint.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return failed(errno, "socket");
    if (::connect(fd.get(), generic(endpoint), endpoint.size) != 0) {
        if (errno != EINPROGRESS) return failed(errno, "connect");
        if (auto ready = wait(fd.get(), POLLOUT, deadline, stop); !ready) return ready.error();
        int error = 0;
        socklen_t size = sizeof error;
        if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
        if (error != 0) return failed(error, "connect");
    }
    const int flags = fcntl(fd.get(), F_GETFL);
    if (flags < 0 || fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
        return failed(errno, "fcntl");
    }
    tune(fd.get());
    return fd;
}

Result<Fd> listen(const Endpoint& endpoint, bool v6_only) {
    Fd fd(socket(endpoint.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return failed(errno, "socket");
    if (!set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1)) return failed(errno, "SO_REUSEADDR");
    if (endpoint.family() == AF_INET6 &&
        !set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, v6_only ? 1 : 0)) {
        return failed(errno, "IPV6_V6ONLY");
    }
    if (bind(fd.get(), generic(endpoint), endpoint.size) != 0) return failed(errno, "bind");
    if (::listen(fd.get(), SOMAXCONN) != 0) return failed(errno, "listen");
    return fd;
}

Endpoint local_endpoint(int fd) {
    return ask(fd, getsockname);
}
Endpoint remote_endpoint(int fd) {
    return ask(fd, getpeername);
}

void tune(int fd) {
    if (!set(fd, IPPROTO_TCP, TCP_NODELAY, 1)) return;
    // Each is a refinement of the one before: a kernel without one still gets the others.
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 15'000);
}

}  // namespace perfrelay::net
