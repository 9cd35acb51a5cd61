#include "proto/wire/authentication.h"

#include <new>
#include <string_view>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace perfrelay::wire {

Proof prove(Bytes secret, Side side, Bytes hello, Bytes welcome) {
    const std::string_view label = side == Side::client ? "perfrelay1 c" : "perfrelay1 s";
    Buffer text;
    text.append(label);
    text.append(hello);
    text.append(welcome);
    Proof proof{};
    unsigned size = 0;
    // It fails only for want of memory.
    if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), text.view().data(),
             text.size(), proof.data(), &size) == nullptr ||
        size != proof.size()) {
        throw std::bad_alloc();
    }
    return proof;
}

bool same(const Proof& expected, Bytes given) {
    return given.size() == expected.size() &&
           CRYPTO_memcmp(expected.data(), given.data(), expected.size()) == 0;
}

}  // namespace perfrelay::wire
