#pragma once
// What DEFLATE data (RFC 1951) is wrapped in. HTTP calls the zlib wrapper "deflate"; so do SPECs.

namespace perfrelay::compress {

enum class DeflateWrapper {
    gzip,  // RFC 1952: CRC-32 and length
    zlib,  // RFC 1950: Adler-32
};

}  // namespace perfrelay::compress
