#include "common/net/tls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

namespace perfrelay::net {
namespace {

constexpr std::size_t k_record = std::size_t{16} << 10U;  // most that one record carries

// The first of OpenSSL's complaints, in words; the others go.
std::string complaint() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    return reason == nullptr ? "no reason given" : reason;
}

bool load_own(SSL_CTX* context, const TlsFiles& files, std::string& why) {
    if (files.certificate.empty() != files.key.empty()) {
        why = "--tls-cert and --tls-key belong together";
        return false;
    }
    if (files.certificate.empty()) return true;
    if (SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1) {
        why = "--tls-cert " + files.certificate + ": " + complaint();
        return false;
    }
    if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1) {
        why = "--tls-key " + files.key + ": " + complaint();
        return false;
    }
    return true;
}

bool load_authorities(SSL_CTX* context, const std::string& file, std::string& why) {
    const int loaded = file == "system"
                           ? SSL_CTX_set_default_verify_paths(context)
                           : SSL_CTX_load_verify_locations(context, file.c_str(), nullptr);
    if (loaded == 1) return true;
    why = "--tls-ca " + file + ": " + complaint();
    return false;
}

SSL_CTX* make_context(const SSL_METHOD* method) {
    SSL_CTX* const context = SSL_CTX_new(method);
    if (context == nullptr) throw std::bad_alloc();
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    // Every session is a full handshake: no tickets to send, none to steal.
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return context;
}

// Server name indication, RFC 6066 section 3; OpenSSL's macro for it, without its cast.
bool set_server_name(SSL* ssl, std::string host) {
    return SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data()) == 1;
}

}  // namespace

// The socket under a stream: OpenSSL's own would be killed by SIGPIPE and knows no MSG_DONTWAIT.
struct WireMethod {
    static TlsStream::Wire& of(BIO* bio) {
        return *static_cast<TlsStream::Wire*>(BIO_get_data(bio));
    }
    static int write(BIO* bio, const char* data, int size) {
        TlsStream::Wire& wire = of(bio);
        BIO_clear_retry_flags(bio);
        const ssize_t sent =
            ::send(wire.fd, data, static_cast<std::size_t>(size), wire.flags | MSG_NOSIGNAL);
        wire.error = sent < 0 ? errno : 0;
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
        return static_cast<int>(sent);
    }
    static int read(BIO* bio, char* data, int size) {
        TlsStream::Wire& wire = of(bio);
        BIO_clear_retry_flags(bio);
        const ssize_t got = ::recv(wire.fd, data, static_cast<std::size_t>(size), wire.flags);
        wire.error = got < 0 ? errno : 0;
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
        return static_cast<int>(got);
    }
    static long control(BIO*, int command, long, void*) {
        return command == BIO_CTRL_FLUSH ? 1 : 0;
    }
    static BIO_METHOD* make() {
        BIO_METHOD* const method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
        if (method == nullptr) throw std::bad_alloc();
        BIO_meth_set_write(method, write);
        BIO_meth_set_read(method, read);
        BIO_meth_set_ctrl(method, control);
        return method;
    }
    static const BIO_METHOD* get() {
        static BIO_METHOD* const method = make();  // as long as the program
        return method;
    }
};

void TlsContext::Free::operator()(ssl_ctx_st* context) const {
    SSL_CTX_free(context);
}
void TlsStream::Free::operator()(ssl_st* ssl) const {
    SSL_free(ssl);
}

std::shared_ptr<const TlsContext> TlsContext::server(const TlsFiles& files, std::string& why) {
    const std::shared_ptr<TlsContext> context(new TlsContext(make_context(TLS_server_method())));
    if (files.certificate.empty()) {
        why = "TLS needs --tls-cert and --tls-key";
        return nullptr;
    }
    if (!load_own(context->get(), files, why)) return nullptr;
    if (files.authorities.empty()) return context;
    if (!load_authorities(context->get(), files.authorities, why)) return nullptr;
    SSL_CTX_set_verify(context->get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    return context;
}

std::shared_ptr<const TlsContext> TlsContext::client(const TlsFiles& files, std::string& why) {
    const std::shared_ptr<TlsContext> context(new TlsContext(make_context(TLS_client_method())));
    if (files.authorities.empty()) {
        why = "TLS needs --tls-ca FILE, who signed the relay's certificate (or --tls-ca system)";
        return nullptr;
    }
    if (!load_own(context->get(), files, why) ||
        !load_authorities(context->get(), files.authorities, why)) {
        return nullptr;
    }
    SSL_CTX_set_verify(context->get(), SSL_VERIFY_PEER, nullptr);
    return context;
}

std::unique_ptr<TlsStream> TlsStream::make(const TlsContext& context, int fd) {
    std::unique_ptr<TlsStream> stream(new TlsStream(fd));
    stream->ssl_.reset(SSL_new(context.get()));
    BIO* const bio = BIO_new(WireMethod::get());
    if (stream->ssl_ == nullptr || bio == nullptr) {
        BIO_free(bio);
        return nullptr;
    }
    BIO_set_data(bio, &stream->wire_);
    BIO_set_init(bio, 1);
    SSL_set_bio(stream->ssl_.get(), bio, bio);
    return stream;
}

std::unique_ptr<TlsStream> TlsStream::accept(const TlsContext& context, int fd) {
    auto stream = make(context, fd);
    if (stream != nullptr) SSL_set_accept_state(stream->ssl_.get());
    return stream;
}

std::unique_ptr<TlsStream> TlsStream::connect(const TlsContext& context, int fd,
                                              const std::string& host) {
    auto stream = make(context, fd);
    if (stream == nullptr) return nullptr;
    SSL* const ssl = stream->ssl_.get();
    SSL_set_connect_state(ssl);
    // An address is looked for among the certificate's addresses, and is no name to be sent.
    in6_addr ignored{};
    const bool numeric = inet_pton(AF_INET, host.c_str(), &ignored) == 1 ||
                         inet_pton(AF_INET6, host.c_str(), &ignored) == 1;
    const bool set = numeric ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1
                             : SSL_set1_host(ssl, host.c_str()) == 1 && set_server_name(ssl, host);
    return set ? std::move(stream) : nullptr;
}

TlsStream::Progress TlsStream::handshake() {
    ERR_clear_error();
    wire_.flags = MSG_DONTWAIT;
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return Progress::done;
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ: return Progress::wants_read;
        case SSL_ERROR_WANT_WRITE: return Progress::wants_write;
        default: break;
    }
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified != X509_V_OK) {
        error_ =
            std::string("the certificate will not do: ") + X509_verify_cert_error_string(verified);
        ERR_clear_error();
    } else if (wire_.error != 0) {
        error_ = std::strerror(wire_.error);  // NOLINT(concurrency-mt-unsafe)
    } else {
        error_ = complaint();
    }
    return Progress::failed;
}

// What a call that moved nothing means.
ssize_t TlsStream::failed(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE: errno = wire_.error == EINTR ? EINTR : EAGAIN; return -1;
        case SSL_ERROR_ZERO_RETURN: return 0;
        case SSL_ERROR_SYSCALL: errno = wire_.error == 0 ? ECONNRESET : wire_.error; return -1;
        default: break;
    }
    const bool ended = ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
    error_ = complaint();
    errno = ended ? ECONNRESET : EPROTO;
    return -1;
}

ssize_t TlsStream::send(std::span<const iovec> parts, int flags) {
    while (!parts.empty() && parts.front().iov_len == 0)
        parts = parts.subspan(1);
    if (parts.empty()) return 0;
    ERR_clear_error();
    wire_.flags = flags;
    const void* data = parts.front().iov_base;
    std::size_t size = std::min(parts.front().iov_len, k_record);
    if (parts.size() > 1 && size < k_record) {
        // A record of its own for a frame's header would cost more than copying behind it.
        record_.resize(k_record);
        size = 0;
        for (const iovec& part : parts) {
            const std::size_t some = std::min(part.iov_len, k_record - size);
            if (some != 0) std::memcpy(record_.data() + size, part.iov_base, some);
            size += some;
        }
        data = record_.data();
    }
    const int sent = SSL_write(ssl_.get(), data, static_cast<int>(size));
    return sent > 0 ? sent : failed(sent);
}

ssize_t TlsStream::receive(std::span<const iovec> parts, int flags) {
    ssize_t received = 0;
    wire_.flags = flags & ~MSG_WAITALL;
    for (const iovec& part : parts) {
        std::size_t filled = 0;
        while (filled < part.iov_len) {
            if (received != 0 && !pending()) return received;
            ERR_clear_error();
            const auto room =
                static_cast<int>(std::min(part.iov_len - filled, std::size_t{1} << 30U));
            const int got =
                SSL_read(ssl_.get(), static_cast<std::uint8_t*>(part.iov_base) + filled, room);
            if (got <= 0) return received != 0 ? received : failed(got);
            filled += static_cast<std::size_t>(got);
            received += got;
        }
    }
    return received;
}

bool TlsStream::pending() const {
    return SSL_pending(ssl_.get()) > 0;
}

void TlsStream::end_output() {
    if (SSL_is_init_finished(ssl_.get()) == 0) return;
    ERR_clear_error();
    wire_.flags = MSG_DONTWAIT;
    SSL_shutdown(ssl_.get());
}

std::string TlsStream::description() const {
    std::string version = SSL_get_version(ssl_.get());
    if (version.starts_with("TLSv")) version.replace(0, 4, "TLS ");
    return version + ", " + SSL_get_cipher_name(ssl_.get());
}

}  // namespace perfrelay::net
