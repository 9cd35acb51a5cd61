#include "proto/model/base64.h"

#include <cstdint>

namespace perfrelay {

namespace {

constexpr std::string_view k_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string base64_of(Bytes bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = (group << 8U) | (i + k < bytes.size() ? bytes[i + k] : 0U);
        for (unsigned k = 0; k < 4; ++k) {
            const bool padding = i + k > bytes.size();
            out += padding ? '=' : k_digits[(group >> (18U - 6U * k)) & 0x3FU];
        }
    }
    return out;
}

bool bytes_of_base64(std::string_view text, std::string& out) {
    out.clear();
    std::uint32_t group = 0;
    std::size_t digits = 0;
    std::size_t padding = 0;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
        ++digits;
        group <<= 6U;
        if (c == '=') {
            ++padding;
        } else {
            const std::size_t digit = k_digits.find(c);
            if (digit == std::string_view::npos || padding != 0) return false;
            group |= static_cast<std::uint32_t>(digit);
        }
        if (digits % 4 != 0) continue;
        if (padding > 2) return false;
        for (std::size_t k = 0; k < 3 - padding; ++k)
            out += static_cast<char>(group >> (16U - 8U * k) & 0xFFU);
        group = 0;
    }
    return digits % 4 == 0;
}

}  // namespace perfrelay
