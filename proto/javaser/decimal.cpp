#include "proto/javaser/decimal.h"

#include <algorithm>
#include <charconv>

namespace perfrelay::javaser {

namespace {

constexpr std::uint32_t k_billion = 1'000'000'000;
constexpr std::size_t k_digits_a_limb = 9;

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string to_digits(Bytes magnitude) {
    std::vector<std::uint32_t> limbs;  // base 10^9, least first
    for (const std::uint8_t byte : magnitude) {
        std::uint64_t carry = byte;
        for (std::uint32_t& limb : limbs) {
            carry += std::uint64_t{limb} << 8U;
            limb = static_cast<std::uint32_t>(carry % k_billion);
            carry /= k_billion;
        }
        if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
    }
    if (limbs.empty()) return "0";
    std::string out = std::to_string(limbs.back());
    for (std::size_t i = limbs.size() - 1; i-- > 0;) {
        const std::string nine = std::to_string(limbs[i]);
        out.append(k_digits_a_limb - nine.size(), '0');
        out += nine;
    }
    return out;
}

std::optional<std::vector<std::uint8_t>> to_magnitude(std::string_view digits) {
    constexpr std::size_t k_most_digits = k_longest_magnitude * 5 / 2;
    if (!all_digits(digits) || digits.size() > k_most_digits) return std::nullopt;
    std::vector<std::uint8_t> bytes;  // least first
    for (const char digit : digits) {
        unsigned carry = static_cast<unsigned>(digit - '0');
        for (std::uint8_t& byte : bytes) {
            carry += byte * 10U;
            byte = static_cast<std::uint8_t>(carry);
            carry >>= 8U;
        }
        if (carry != 0) bytes.push_back(static_cast<std::uint8_t>(carry));
    }
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

std::string decimal_text(std::string_view unscaled, std::int32_t scale) {
    if (scale == 0) return std::string(unscaled);
    const bool negative = unscaled.starts_with('-');
    const std::string_view digits = unscaled.substr(negative ? 1 : 0);
    const std::string sign = negative ? "-" : "";
    const auto count = static_cast<std::int64_t>(digits.size());
    const std::int64_t exponent = -static_cast<std::int64_t>(scale) + (count - 1);
    constexpr std::int64_t k_least_plain = -6;
    if (scale > 0 && exponent >= k_least_plain) {
        const std::int64_t whole = count - scale;
        if (whole > 0) {
            return sign + std::string(digits.substr(0, static_cast<std::size_t>(whole))) + "." +
                   std::string(digits.substr(static_cast<std::size_t>(whole)));
        }
        return sign + "0." + std::string(static_cast<std::size_t>(-whole), '0') +
               std::string(digits);
    }
    std::string out = sign + std::string(digits.substr(0, 1));
    if (digits.size() > 1) out += "." + std::string(digits.substr(1));
    if (exponent != 0) out += (exponent > 0 ? "E+" : "E") + std::to_string(exponent);
    return out;
}

std::optional<Unscaled> parse_decimal(std::string_view text) {
    std::int64_t exponent = 0;
    if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
        std::string_view number = text.substr(e + 1);
        if (number.starts_with('+')) number.remove_prefix(1);
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), exponent);
        if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
        text = text.substr(0, e);
    }
    std::string digits;
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    std::int64_t scale = 0;
    if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
        scale = static_cast<std::int64_t>(text.size() - point - 1);
        digits = std::string(text.substr(0, point)) + std::string(text.substr(point + 1));
    } else {
        digits = text;
    }
    if (!all_digits(digits)) return std::nullopt;
    constexpr std::int64_t k_far = std::int64_t{1} << 40U;
    if (exponent > k_far || exponent < -k_far) return std::nullopt;
    scale -= exponent;
    if (scale < INT32_MIN || scale > INT32_MAX) return std::nullopt;
    const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    digits.erase(0, first);
    return Unscaled{(negative && digits != "0" ? "-" : "") + digits,
                    static_cast<std::int32_t>(scale)};
}

}  // namespace perfrelay::javaser
