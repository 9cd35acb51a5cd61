#include "proto/xml/escape.h"

namespace perfrelay::xml {

namespace {

// How a special byte is written; empty: as it is, or not at all (see `refused`).
template <Place place>
std::string_view replacement(char c, const Buffer& out) {
    switch (c) {
        case '&': return "&amp;";
        case '<': return "&lt;";
        case '"': return place == Place::attribute ? "&quot;" : std::string_view();
        case '\r': return "&#13;";
        case '\t': return place == Place::attribute ? "&#9;" : std::string_view();
        case '\n': return place == Place::attribute ? "&#10;" : std::string_view();
        case '>': {
            // XML 1.0 2.4: "]]>" must not stand in text. The brackets may have come in an earlier
            // piece; one escape too many does no harm.
            const bool ends = out.last(0) == ']' && out.last(1) == ']';
            return place == Place::text && ends ? "&gt;" : std::string_view();
        }
        default: return {};
    }
}

// XML 1.0 2.2: other controls, and U+FFFE and U+FFFF (0xEF 0xBF 0xBE, 0xEF 0xBF 0xBF).
bool refused(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(at) == 0xEF) {
        return text.size() - at > 2 && byte(at + 1) == 0xBF && byte(at + 2) >= 0xBE;
    }
    return byte(at) < 0x20 && byte(at) != '\t' && byte(at) != '\n' && byte(at) != '\r';
}

}  // namespace

template <Place place>
bool append_escaped(Buffer& out, std::string_view text, std::size_t clean) {
    bool good = true;
    for (std::size_t at = clean; at < text.size();) {
        const std::size_t special = find_special<place>(text.data(), at, text.size());
        out.append(text.substr(at, special - at));
        at = special;
        if (at == text.size()) break;
        if (refused(text, at)) {
            good = false;
        } else if (const std::string_view with = replacement<place>(text[at], out); !with.empty()) {
            out.append(with);
        } else {
            out.u8(static_cast<std::uint8_t>(text[at]));
        }
        ++at;
    }
    return good;
}

template bool append_escaped<Place::text>(Buffer&, std::string_view, std::size_t);
template bool append_escaped<Place::attribute>(Buffer&, std::string_view, std::size_t);

}  // namespace perfrelay::xml
