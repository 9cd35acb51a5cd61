#pragma once
// Bytes for tests, as their specifications and vectors show them.

#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace perfrelay {

// Two digits a byte, blanks between bytes.
inline std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i < hex.size();) {
        if (hex[i] == ' ') {
            ++i;
            continue;
        }
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
        i += 2;
    }
    return bytes;
}

inline std::string to_hex(Bytes bytes) {
    static constexpr std::string_view k_digits = "0123456789abcdef";
    std::string out;
    for (const std::uint8_t byte : bytes)
        out += {k_digits[byte >> 4U], k_digits[byte & 15U]};
    return out;
}

}  // namespace perfrelay
