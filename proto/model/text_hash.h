#pragma once
// text_hash: what tables of texts within one process are keyed by. Not kept, not sent: no promise
// that it stays the same. Collisions cost time only; inputs bound how many texts there are.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace perfrelay {

inline std::uint32_t text_hash(std::string_view text) {
    std::uint64_t hash = text.size() * 0x9E3779B97F4A7C15U;
    const char* next = text.data();
    std::size_t left = text.size();
    while (left >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, next, sizeof word);
        hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15U;
        next += sizeof word;
        left -= sizeof word;
    }
    std::uint64_t word = 0;
    if (left != 0) std::memcpy(&word, next, left);
    hash = (std::rotl(hash, 23) ^ word) * 0x9E3779B97F4A7C15U;
    return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace perfrelay
