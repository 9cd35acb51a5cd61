#pragma once
// Channel: a connected socket, plain or under TLS, with the calls of a socket.
// Contract: as sendmsg and recvmsg; the descriptor stays the caller's.
// Tested by tests/integration/relay_tls.py.

#include <memory>
#include <span>
#include <utility>

#include <sys/socket.h>
#include <sys/uio.h>

#include "common/net/tls.h"

namespace perfrelay::net {

class Channel {
  public:
    explicit Channel(int fd = -1, std::unique_ptr<TlsStream> tls = nullptr)
        : fd_(fd), tls_(std::move(tls)) {}

    TlsStream* tls() const { return tls_.get(); }
    void secure(std::unique_ptr<TlsStream> tls) { tls_ = std::move(tls); }

    ssize_t send(std::span<iovec> parts, int flags) const {
        if (tls_ != nullptr) return tls_->send(parts, flags);
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        return sendmsg(fd_, &message, flags | MSG_NOSIGNAL);
    }
    ssize_t receive(std::span<iovec> parts, int flags) const {
        if (tls_ != nullptr) return tls_->receive(parts, flags);
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        return recvmsg(fd_, &message, flags);
    }
    // Bytes are there that poll does not know of.
    bool pending() const { return tls_ != nullptr && tls_->pending(); }

  private:
    int fd_;
    std::unique_ptr<TlsStream> tls_;
};

}  // namespace perfrelay::net
