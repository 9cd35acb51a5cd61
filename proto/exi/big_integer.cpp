#include "proto/exi/big_integer.h"

#include <charconv>
#include <cstdint>
#include <vector>

#include "proto/exi/typed_value.h"

namespace perfrelay::exi {

namespace {

constexpr std::size_t k_limb_bits = 28;  // four groups of seven
constexpr std::uint32_t k_limb_mask = (1U << k_limb_bits) - 1;
constexpr std::uint64_t k_billion = 1'000'000'000;

}  // namespace

void add_one(Value& magnitude, Arena& arena) {
    if (magnitude.digits.empty() && magnitude.number != UINT64_MAX) {
        ++magnitude.number;
        return;
    }
    std::string digits(magnitude.digits);
    if (digits.empty()) digits = std::to_string(magnitude.number);
    std::size_t at = digits.size();
    while (at != 0 && digits[at - 1] == '9')
        digits[--at] = '0';
    if (at == 0) {
        digits.insert(0, 1, '1');
    } else {
        ++digits[at - 1];
    }
    magnitude.number = 0;
    magnitude.digits = arena.copy(digits);
}

std::string one_less(std::string_view digits) {
    std::string less(digits);
    std::size_t at = less.size();
    while (at != 0 && less[at - 1] == '0')
        less[--at] = '9';
    if (at != 0) --less[at - 1];
    const std::size_t first = less.find_first_not_of('0');
    return first == std::string::npos ? "0" : less.substr(first);
}

void groups_of_digits(std::string_view digits, std::string& groups) {
    std::vector<std::uint32_t> limbs;
    for (std::size_t at = 0; at < digits.size();) {
        const std::size_t count = (digits.size() - at) % 9 == 0 ? 9 : (digits.size() - at) % 9;
        std::uint64_t carry = 0;
        (void)std::from_chars(digits.data() + at, digits.data() + at + count, carry);
        std::uint64_t scale = 1;
        for (std::size_t i = 0; i < count; ++i)
            scale *= 10;
        for (std::uint32_t& limb : limbs) {
            carry += limb * scale;
            limb = static_cast<std::uint32_t>(carry) & k_limb_mask;
            carry >>= k_limb_bits;
        }
        for (; carry != 0; carry >>= k_limb_bits)
            limbs.push_back(static_cast<std::uint32_t>(carry) & k_limb_mask);
        at += count;
    }
    groups.clear();
    for (const std::uint32_t limb : limbs) {
        for (unsigned shift = 0; shift < k_limb_bits; shift += 7)
            groups += static_cast<char>(limb >> shift & 0x7FU);
    }
    while (groups.size() > 1 && groups.back() == 0)
        groups.pop_back();
    if (groups.empty()) groups += '\0';
}

std::string digits_of_groups(std::string_view groups) {
    std::vector<std::uint32_t> limbs;  // of nine digits, the lowest first
    for (std::size_t i = groups.size(); i-- != 0;) {
        std::uint64_t carry = static_cast<unsigned char>(groups[i]);
        for (std::uint32_t& limb : limbs) {
            carry += std::uint64_t{limb} << 7U;
            limb = static_cast<std::uint32_t>(carry % k_billion);
            carry /= k_billion;
        }
        if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
    }
    std::string out;
    for (std::size_t i = limbs.size(); i-- != 0;) {
        const std::string part = std::to_string(limbs[i]);
        if (!out.empty()) out.append(9 - part.size(), '0');
        out += part;
    }
    return out.empty() ? "0" : out;
}

}  // namespace perfrelay::exi
