#include "common/cli/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace perfrelay {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr std::array<Unit, 8> k_duration_units = {{
    {"ns", 1},
    {"us", 1'000},
    {"\u00b5s", 1'000},
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"min", 60'000'000'000},
    {"h", 3'600'000'000'000},
}};

constexpr std::array<Unit, 11> k_byte_units = {{
    {"", 1},
    {"B", 1},
    {"kB", 1'000},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", std::uint64_t{1} << 10U},
    {"MiB", std::uint64_t{1} << 20U},
    {"GiB", std::uint64_t{1} << 30U},
    {"TiB", std::uint64_t{1} << 40U},
}};

constexpr std::array<Unit, 5> k_rate_units = {{
    {"", 1},
    {"k", 1'000},
    {"K", 1'000},
    {"M", 1'000'000},
    {"G", 1'000'000'000},
}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string quoted(std::string_view text) {
    return "'" + std::string(text) + "'";
}

// Number and unit, apart.
struct Quantity {
    std::string_view number;
    std::string_view unit;
};

std::optional<Quantity> split(std::string_view text) {
    const auto digits_from = [text](std::size_t at) {
        while (at < text.size() && is_digit(text[at]))
            ++at;
        return at;
    };
    std::size_t end = digits_from(0);
    if (end == 0) return std::nullopt;
    if (end < text.size() && text[end] == '.') {
        const std::size_t fraction = digits_from(end + 1);
        if (fraction == end + 1) return std::nullopt;
        end = fraction;
    }
    Quantity quantity{text.substr(0, end), text.substr(end)};
    if (quantity.unit.size() > 1 && quantity.unit.front() == ' ') quantity.unit.remove_prefix(1);
    return quantity;
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
    for (const Unit& unit : units) {
        if (unit.name == name) return &unit;
    }
    return nullptr;
}

enum class Scaled : std::uint8_t { exact, rounded, overflow };

// number x factor, up to INT64_MAX, so that the result fits either signedness.
Scaled scale(std::string_view number, std::uint64_t factor, std::uint64_t& result) {
    constexpr auto k_max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const char* const end = number.data() + number.size();
    if (number.find('.') == std::string_view::npos) {
        std::uint64_t whole = 0;
        if (std::from_chars(number.data(), end, whole).ec != std::errc{}) return Scaled::overflow;
        if (whole > k_max / factor) return Scaled::overflow;
        result = whole * factor;
        return Scaled::exact;
    }
    double value = 0;
    if (std::from_chars(number.data(), end, value, std::chars_format::fixed).ec != std::errc{}) {
        return Scaled::overflow;
    }
    const double product = value * static_cast<double>(factor);
    if (product >= static_cast<double>(k_max)) return Scaled::overflow;
    const double nearest = std::round(product);
    result = static_cast<std::uint64_t>(nearest);
    // 1.6 x 1e6 is whole although neither 1.6 nor the product is exact.
    return std::abs(product - nearest) <= 1e-9 * std::max(1.0, product) ? Scaled::exact
                                                                        : Scaled::rounded;
}

// A quantity that must be whole. `suffix` may follow the unit.
struct WholeKind {
    std::span<const Unit> units;
    std::string_view suffix;
    std::string_view name;
    std::string_view expected;
};

std::optional<std::uint64_t> parse_whole(std::string_view text, const WholeKind& kind,
                                         std::string& why) {
    const auto quantity = split(text);
    if (!quantity) {
        why = quoted(text) + ": not a number of " + std::string(kind.name) + ", " +
              std::string(kind.expected);
        return std::nullopt;
    }
    std::string_view name = quantity->unit;
    if (!kind.suffix.empty() && name.ends_with(kind.suffix)) name.remove_suffix(kind.suffix.size());
    const Unit* const unit = find_unit(kind.units, name);
    if (unit == nullptr) {
        why = quoted(text) + ": unknown unit " + quoted(quantity->unit) + ", " +
              std::string(kind.expected);
        return std::nullopt;
    }
    std::uint64_t result = 0;
    switch (scale(quantity->number, unit->factor, result)) {
        case Scaled::exact: return result;
        case Scaled::rounded:
            why = quoted(text) + ": not a whole number of " + std::string(kind.name);
            return std::nullopt;
        case Scaled::overflow: break;
    }
    why = quoted(text) + ": too large";
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text, BareDuration bare,
                                           std::string& why) {
    static constexpr std::string_view k_expected = "units are ns, us, ms, s, m, h: \"15s\"";
    const auto quantity = split(text);
    if (!quantity) {
        why = quoted(text) + ": not a duration, " + std::string(k_expected);
        return std::nullopt;
    }
    std::uint64_t factor = 0;
    if (quantity->unit.empty()) {
        switch (bare) {
            case BareDuration::refused:
                if (quantity->number != "0") {
                    why = quoted(text) + ": a unit is missing, " + std::string(k_expected);
                    return std::nullopt;
                }
                factor = 1;
                break;
            case BareDuration::milliseconds: factor = 1'000'000; break;
            case BareDuration::seconds: factor = 1'000'000'000; break;
        }
    } else {
        const Unit* const unit = find_unit(k_duration_units, quantity->unit);
        if (unit == nullptr) {
            why = quoted(text) + ": unknown unit " + quoted(quantity->unit) + ", " +
                  std::string(k_expected);
            return std::nullopt;
        }
        factor = unit->factor;
    }
    std::uint64_t result = 0;
    if (scale(quantity->number, factor, result) == Scaled::overflow) {
        why = quoted(text) + ": too long";
        return std::nullopt;
    }
    return static_cast<std::int64_t>(result);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text, std::string& why) {
    constexpr WholeKind k_bytes{k_byte_units, "", "bytes",
                                "units are B, kB, MB, GB, KiB, MiB, GiB: \"64KiB\""};
    return parse_whole(text, k_bytes, why);
}

std::optional<std::uint64_t> parse_rate(std::string_view text, std::string& why) {
    constexpr WholeKind k_rate{k_rate_units, "bit/s", "bits a second",
                               "units are k, M, G: \"240k\""};
    const auto rate = parse_whole(text, k_rate, why);
    if (rate && *rate == 0) {
        why = quoted(text) + ": a rate is more than 0";
        return std::nullopt;
    }
    return rate;
}

DurationUnit duration_unit(double nanoseconds) {
    constexpr std::array<DurationUnit, 4> k_units = {
        {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
    const double size = std::abs(nanoseconds);
    std::size_t at = 0;
    // 999.5 shows as 1000 with three digits, and so belongs to the next unit.
    while (at + 1 < k_units.size() && size >= 999.5 * k_units[at].nanoseconds)
        ++at;
    return k_units[at];
}

int decimals_for(double value, int digits) {
    constexpr int k_most = 9;
    const double size = std::abs(value);
    if (!std::isfinite(size) || size == 0) return 0;
    int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
    // Rounding may carry into one more digit before the point: 9.999 is "10.0".
    const double carry = std::pow(10.0, before_point) * (1 - 0.5 * std::pow(10.0, -digits));
    if (size >= carry) ++before_point;
    return std::clamp(digits - before_point, 0, k_most);
}

std::string format_fixed(double value, int decimals) {
    if (!std::isfinite(value)) return "-";
    std::array<char, 400> text;  // DBL_MAX has 309 digits before the point
    const auto result = std::to_chars(text.data(), text.data() + text.size(), value,
                                      std::chars_format::fixed, decimals);
    return {text.data(), result.ptr};
}

std::string format_duration(double nanoseconds) {
    if (!std::isfinite(nanoseconds)) return "-";
    const DurationUnit unit = duration_unit(nanoseconds);
    const double value = nanoseconds / unit.nanoseconds;
    return format_fixed(value, decimals_for(value, 3)) + " " + unit.name;
}

std::string format_bytes(std::uint64_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

}  // namespace perfrelay
