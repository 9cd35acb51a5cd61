#include "common/base/utf8.h"

#include <cstdint>

namespace perfrelay {
namespace {

// What may stand first, and what second; further bytes are 80 to BF.
struct Form {
    std::uint8_t first, last;
    std::uint8_t second_first, second_last;
    std::uint8_t size;
};
constexpr Form k_forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

bool within(std::string_view text, std::size_t at, std::uint8_t first, std::uint8_t last) {
    if (at >= text.size()) return false;
    const auto byte = static_cast<std::uint8_t>(text[at]);
    return byte >= first && byte <= last;
}

}  // namespace

std::size_t utf8_size(std::string_view text) {
    if (within(text, 0, 0x00, 0x7F)) return 1;
    for (const Form& form : k_forms) {
        if (!within(text, 0, form.first, form.last)) continue;
        if (!within(text, 1, form.second_first, form.second_last)) return 0;
        for (std::size_t at = 2; at < form.size; ++at) {
            if (!within(text, at, 0x80, 0xBF)) return 0;
        }
        return form.size;
    }
    return 0;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = utf8_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

}  // namespace perfrelay
