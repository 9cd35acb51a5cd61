#include "client/input_kind.h"

#include <algorithm>

namespace perfrelay::client {
namespace {

using namespace std::string_view_literals;

constexpr InputKind k_kinds[] = {
    {"XML", "xml", false, {}, {".xml", ".xsd", ".svg", ".rss", ".gpx", ".kml", ".xhtml"}},
    {"EXI", "exi", false, {"$EXI"sv}, {".exi"}},
    {"gzip", "gzip", true, {"\x1f\x8b"sv}, {".gz"}},
    {"zstd", "zstd", true, {"\x28\xb5\x2f\xfd"sv}, {".zst", ".zstd"}},
    {"LZ4", "lz4", true, {"\x04\x22\x4d\x18"sv}, {".lz4"}},
    {"brotli", "brotli", true, {}, {".br"}},
    {"Java serialization", "javaser", false, {"\xac\xed\0\x05"sv}, {".ser"}},
    {"AMF3", "amf3", false, {}, {".amf", ".amf3"}},
    {"Hessian 2", "hessian2", false, {}, {".h2", ".hessian", ".hes"}},
    {"SQLite", "sqlite", false, {"SQLite format 3\0"sv}, {".sqlite", ".sqlite3", ".db"}},
    {"JSON", "json", false, {}, {".json"}},
    {"CBOR", "cbor", false, {}, {".cbor"}},
    {"MessagePack", "msgpack", false, {}, {".msgpack", ".mpk"}},
    {"BSON", "bson", false, {}, {".bson"}},
};
constexpr const InputKind& k_xml = k_kinds[0];
constexpr const InputKind& k_exi = k_kinds[1];

// A byte-order mark, or "<" in any encoding, behind whitespace in those that have ASCII inside.
bool begins_like_xml(std::string_view content) {
    constexpr std::array k_starts{"\xef\xbb\xbf"sv,    "\xfe\xff"sv, "\xff\xfe"sv,
                                  "\0\0\xfe\xff"sv,    "\0<"sv,      "\0\0\0<"sv,
                                  "\x4c\x6f\xa7\x94"sv};  // the last: "<?xm" in EBCDIC
    const auto starts = [&](std::string_view with) { return content.starts_with(with); };
    if (std::any_of(k_starts.begin(), k_starts.end(), starts)) return true;
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && content[first] == '<';
}

// EXI 5.2: the first two bits are 1 and 0.
bool has_distinguishing_bits(Bytes content) {
    return !content.empty() && content[0] >> 6U == 2;
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool ends_with(std::string_view name, std::string_view ending) {
    return !ending.empty() && name.size() > ending.size() &&
           std::equal(ending.rbegin(), ending.rend(), name.rbegin(),
                      [](char a, char b) { return a == lower(b); });
}

std::string_view ending_of(std::string_view name, const InputKind& kind) {
    for (const std::string_view ending : kind.endings) {
        if (ends_with(name, ending)) return ending;
    }
    return {};
}

}  // namespace

std::span<const InputKind> input_kinds() {
    return k_kinds;
}

const InputKind* kind_by_ending(std::string_view name) {
    for (const InputKind& kind : k_kinds) {
        if (!ending_of(name, kind).empty()) return &kind;
    }
    return nullptr;
}

std::string_view without_ending(std::string_view name, const InputKind& kind) {
    return name.substr(0, name.size() - ending_of(name, kind).size());
}

std::optional<Detected> detect_kind(Bytes content, std::string_view name) {
    const std::string_view text = as_text(content);
    for (const InputKind& kind : k_kinds) {
        for (const std::string_view magic : kind.magics) {
            if (!magic.empty() && text.starts_with(magic)) {
                return Detected{&kind, "by its first bytes"};
            }
        }
    }
    if (begins_like_xml(text)) return Detected{&k_xml, "by its first bytes"};
    if (const InputKind* const kind = kind_by_ending(name)) {
        return Detected{kind, "by its name"};
    }
    if (has_distinguishing_bits(content)) return Detected{&k_exi, "by its first two bits"};
    return std::nullopt;
}

}  // namespace perfrelay::client
