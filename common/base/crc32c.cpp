#include "common/base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace perfrelay {
namespace {

constexpr std::uint32_t k_polynomial = 0x82f63b78U;  // bit-reversed 0x1edc6f41

using Table = std::array<std::uint32_t, 256>;

constexpr std::array<Table, 8> make_tables() {
    std::array<Table, 8> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? k_polynomial : 0U);
        tables[0][byte] = crc;
    }
    for (std::size_t byte = 0; byte < 256; ++byte) {
        for (std::size_t i = 1; i < 8; ++i) {
            const std::uint32_t crc = tables[i - 1][byte];
            tables[i][byte] = (crc >> 8U) ^ tables[0][crc & 0xffU];
        }
    }
    return tables;
}
constexpr std::array<Table, 8> k_tables = make_tables();

std::uint64_t load_little_endian(const std::uint8_t* from) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i)
        value |= std::uint64_t{from[i]} << (8U * i);
    return value;
}

#if defined(__x86_64__)

// The instruction takes 3 cycles but one can start every cycle, so three stripes are computed side
// by side and joined: the register after n bytes of zeros is a linear function of the register
// before, kept as one table for each of its four bytes.
constexpr std::size_t k_stripe = 1024;
using Shift = std::array<Table, 4>;

constexpr std::uint32_t after_zeros(std::uint32_t crc, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        crc = (crc >> 8U) ^ k_tables[0][crc & 0xffU];
    return crc;
}

constexpr Shift make_shift(std::size_t bytes) {
    std::array<std::uint32_t, 32> of_bit{};
    for (std::size_t bit = 0; bit < 32; ++bit)
        of_bit[bit] = after_zeros(1U << bit, bytes);
    Shift shift{};
    for (std::size_t byte = 0; byte < 4; ++byte) {
        for (std::size_t value = 0; value < 256; ++value) {
            for (std::size_t bit = 0; bit < 8; ++bit) {
                if ((value >> bit & 1U) != 0) shift[byte][value] ^= of_bit[8 * byte + bit];
            }
        }
    }
    return shift;
}
constexpr Shift k_shift_one = make_shift(k_stripe);
constexpr Shift k_shift_two = make_shift(2 * k_stripe);

std::uint32_t shifted(const Shift& shift, std::uint64_t crc) {
    return shift[0][crc & 0xffU] ^ shift[1][crc >> 8U & 0xffU] ^ shift[2][crc >> 16U & 0xffU] ^
           shift[3][crc >> 24U & 0xffU];
}

std::uint64_t load(const std::uint8_t* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(Bytes bytes, std::uint32_t before) {
    std::uint64_t crc = ~before;
    const std::uint8_t* next = bytes.data();
    std::size_t left = bytes.size();
    while (left >= 3 * k_stripe) {
        std::uint64_t second = 0;
        std::uint64_t third = 0;
        for (std::size_t i = 0; i < k_stripe; i += 8) {
            crc = _mm_crc32_u64(crc, load(next + i));
            second = _mm_crc32_u64(second, load(next + k_stripe + i));
            third = _mm_crc32_u64(third, load(next + 2 * k_stripe + i));
        }
        crc = shifted(k_shift_two, crc) ^ shifted(k_shift_one, second) ^ third;
        next += 3 * k_stripe;
        left -= 3 * k_stripe;
    }
    for (; left >= 8; next += 8, left -= 8)
        crc = _mm_crc32_u64(crc, load(next));
    auto narrow = static_cast<std::uint32_t>(crc);
    for (; left != 0; ++next, --left)
        narrow = _mm_crc32_u8(narrow, *next);
    return ~narrow;
}

#endif

}  // namespace

std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t before) {
    std::uint32_t crc = ~before;
    const std::uint8_t* next = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; next += 8, left -= 8) {
        const std::uint64_t word = load_little_endian(next) ^ crc;
        crc = 0;
        for (unsigned i = 0; i < 8; ++i)
            crc ^= k_tables[7 - i][word >> (8U * i) & 0xffU];
    }
    for (; left != 0; ++next, --left)
        crc = (crc >> 8U) ^ k_tables[0][(crc ^ *next) & 0xffU];
    return ~crc;
}

#if defined(__x86_64__)
bool crc32c_has_instruction() {
    return __builtin_cpu_supports("sse4.2") != 0;
}
std::uint32_t crc32c_by_instruction(Bytes bytes, std::uint32_t before) {
    return by_instruction(bytes, before);
}
#else
bool crc32c_has_instruction() {
    return false;
}
std::uint32_t crc32c_by_instruction(Bytes bytes, std::uint32_t before) {
    return crc32c_by_table(bytes, before);
}
#endif

std::uint32_t crc32c(Bytes bytes, std::uint32_t before) {
    return crc32c_has_instruction() ? crc32c_by_instruction(bytes, before)
                                    : crc32c_by_table(bytes, before);
}

}  // namespace perfrelay
