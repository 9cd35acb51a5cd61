#pragma once
// TLS 1.3 over a connected socket, for both programs; send and receive as sendmsg and recvmsg do,
// so that callers need not know which of the two they use (channel.h).
//
// Contract: nothing older than TLS 1.3. The peer's certificate is checked, a server's against the
// name or address that was dialled. The descriptor stays the caller's. A context may be shared by
// threads, a stream not.
// Source: RFC 8446; OpenSSL 3.
// Tested by tests/integration/relay_tls.py.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>
#include <sys/uio.h>

struct ssl_ctx_st;
struct ssl_st;

namespace perfrelay::net {

struct TlsFiles {
    std::string certificate;  // PEM, the chain; ours
    std::string key;          // PEM; ours
    std::string authorities;  // PEM, who signs the peer's; a client's may be "system"
    bool any() const { return !certificate.empty() || !key.empty() || !authorities.empty(); }
};

class TlsContext {
  public:
    // A server's: certificate and key; with authorities clients need a certificate, too.
    static std::shared_ptr<const TlsContext> server(const TlsFiles& files, std::string& why);
    // A client's: authorities; certificate and key when the server asks for them.
    static std::shared_ptr<const TlsContext> client(const TlsFiles& files, std::string& why);

    ssl_ctx_st* get() const { return context_.get(); }

  private:
    struct Free {
        void operator()(ssl_ctx_st* context) const;
    };
    explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
    std::unique_ptr<ssl_ctx_st, Free> context_;
};

class TlsStream {
  public:
    enum class Progress : std::uint8_t { done, wants_read, wants_write, failed };

    // Null for want of memory.
    static std::unique_ptr<TlsStream> accept(const TlsContext& context, int fd);
    // `host`: the name or address the server's certificate must be for.
    static std::unique_ptr<TlsStream> connect(const TlsContext& context, int fd,
                                              const std::string& host);
    TlsStream(const TlsStream&) = delete;
    TlsStream& operator=(const TlsStream&) = delete;
    ~TlsStream() = default;

    // Never waits. Nothing may be sent or received before it is done.
    Progress handshake();
    // As sendmsg and recvmsg: -1 and errno; EPROTO when the peer breaks the protocol or a record
    // was forged. An end without TLS's own goodbye is ECONNRESET, since anybody can forge that.
    ssize_t send(std::span<const iovec> parts, int flags);
    ssize_t receive(std::span<const iovec> parts, int flags);
    // Bytes that are deciphered and not yet received: poll knows nothing of them.
    bool pending() const;
    // The goodbye, if the socket takes it now.
    void end_output();

    // "TLS 1.3, TLS_AES_128_GCM_SHA256".
    std::string description() const;
    const std::string& error() const { return error_; }  // why it failed

  private:
    struct Free {
        void operator()(ssl_st* ssl) const;
    };
    struct Wire {
        int fd = -1;
        int flags = 0;  // of the next call, as for send and recv
        int error = 0;  // errno of the last
    };
    friend struct WireMethod;

    explicit TlsStream(int fd) : wire_{.fd = fd} {}
    static std::unique_ptr<TlsStream> make(const TlsContext& context, int fd);
    ssize_t failed(int result);

    Wire wire_;
    std::unique_ptr<ssl_st, Free> ssl_;
    std::vector<std::uint8_t> record_;  // small parts gathered
    std::string error_;
};

}  // namespace perfrelay::net
