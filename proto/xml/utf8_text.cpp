#include "proto/xml/utf8_text.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <iconv.h>

#include "proto/model/xml_chars.h"
#include "proto/xml/position.h"

namespace perfrelay::xml {

namespace {

constexpr const char* k_mismatch = "the declared encoding contradicts the bytes";
constexpr const char* k_not_of_encoding = "bytes that are not of the document's encoding";
constexpr const char* k_too_large = "the document is larger than the limit";

struct Signature {
    std::string_view bytes;
    const char* encoding;  // for iconv; empty: eight-bit, see the declaration
    std::size_t unit;
    bool mark;
};

using namespace std::string_view_literals;

// XML 1.0 appendix F.1, longest first.
constexpr Signature k_signatures[] = {
    {"\x00\x00\xFE\xFF"sv, "UTF-32BE", 4, true},
    {"\xFF\xFE\x00\x00"sv, "UTF-32LE", 4, true},
    {"\x00\x00\x00\x3C"sv, "UTF-32BE", 4, false},
    {"\x3C\x00\x00\x00"sv, "UTF-32LE", 4, false},
    {"\xEF\xBB\xBF"sv, "", 1, true},
    {"\xFE\xFF"sv, "UTF-16BE", 2, true},
    {"\xFF\xFE"sv, "UTF-16LE", 2, true},
    {"\x00\x3C"sv, "UTF-16BE", 2, false},
    {"\x3C\x00"sv, "UTF-16LE", 2, false},
};

// "<?xm" in every EBCDIC code page that has the invariant characters in their places.
constexpr std::string_view k_ebcdic = "\x4C\x6F\xA7\x94"sv;
constexpr const char* k_any_ebcdic = "IBM037";

bool same_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        const auto lower = [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        };
        return lower(x) == lower(y);
    });
}

bool starts_with_ignoring_case(std::string_view text, std::string_view start) {
    return same_ignoring_case(text.substr(0, start.size()), start);
}

// Bytes of a code unit in an encoding of this name; 1 for all that are not Unicode's wide ones.
std::size_t unit_of(std::string_view encoding) {
    for (const std::string_view two : {"UTF-16", "UTF16", "ISO-10646-UCS-2", "UCS-2", "UNICODE"}) {
        if (starts_with_ignoring_case(encoding, two) &&
            !same_ignoring_case(encoding, "UNICODE-1-1"))
            return 2;
    }
    for (const std::string_view four : {"UTF-32", "UTF32", "ISO-10646-UCS-4", "UCS-4"}) {
        if (starts_with_ignoring_case(encoding, four)) return 4;
    }
    return 1;
}

std::string_view skip_spaces(std::string_view text) {
    while (!text.empty() && is_space(text.front()))
        text.remove_prefix(1);
    return text;
}

}  // namespace

std::string_view declared_encoding(std::string_view text) {
    if (!text.starts_with("<?xml") || text.size() < 6 || !is_space(text[5])) return {};
    text = text.substr(0, text.find("?>"));
    const std::size_t at = text.find("encoding");
    if (at == std::string_view::npos) return {};
    text = skip_spaces(text.substr(at + 8));
    if (!text.starts_with('=')) return {};
    text = skip_spaces(text.substr(1));
    if (text.empty() || (text[0] != '"' && text[0] != '\'')) return {};
    const std::size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos) return {};
    const std::string_view name = text.substr(1, end - 1);
    // XML 1.0 4.3.3 [81] EncName; nothing else gets to iconv.
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    });
    return good ? name : std::string_view();
}

Utf8Text::Utf8Text() = default;
Utf8Text::Utf8Text(Utf8Text&&) noexcept = default;
Utf8Text& Utf8Text::operator=(Utf8Text&&) noexcept = default;
Utf8Text::~Utf8Text() = default;

// An open iconv, kept for the next document of the same encoding.
class TextConverter {
  public:
    explicit TextConverter(const std::string& from)
        : from_(from), handle_(iconv_open("UTF-8", from.c_str())) {}
    TextConverter(const TextConverter&) = delete;
    TextConverter& operator=(const TextConverter&) = delete;
    ~TextConverter() {
        if (open()) iconv_close(handle_);
    }

    // iconv's failure is the pointer value -1.
    bool open() const { return reinterpret_cast<std::intptr_t>(handle_) != -1; }
    const std::string& from() const { return from_; }
    iconv_t handle() const { return handle_; }

  private:
    std::string from_;
    iconv_t handle_;
};

namespace {

// The XML declaration at the start of a document in EBCDIC; its characters are where code page 037
// has them.
std::string ebcdic_declaration(std::string_view text) {
    constexpr std::string_view k_end = "\x6F\x6E"sv;  // "?>"
    const std::size_t end = text.find(k_end);
    if (end == std::string_view::npos) return {};
    std::string copy(text.substr(0, end + k_end.size()));
    std::string declaration(2 * copy.size(), '\0');
    char* in = copy.data();
    std::size_t in_left = copy.size();
    char* out = declaration.data();
    std::size_t out_left = declaration.size();
    const TextConverter reader(k_any_ebcdic);
    if (reader.open()) iconv(reader.handle(), &in, &in_left, &out, &out_left);
    declaration.resize(declaration.size() - out_left);
    return declaration;
}

}  // namespace

Result<SourceEncoding> detect_encoding(Bytes start) {
    const std::string_view text = as_text(start);
    SourceEncoding found;
    for (const Signature& signature : k_signatures) {
        if (!text.starts_with(signature.bytes)) continue;
        found.mark = signature.mark ? signature.bytes.size() : 0;
        found.unit = signature.unit;
        found.iconv_name = signature.encoding;
        if (!found.iconv_name.empty()) found.name = found.iconv_name;
        break;
    }
    if (found.unit > 1) return found;
    std::string converted;
    std::string_view declaration = text.substr(found.mark);
    if (text.starts_with(k_ebcdic)) {
        converted = ebcdic_declaration(text);
        declaration = converted;
        found.name = found.iconv_name = k_any_ebcdic;
    }
    const std::string_view declared = declared_encoding(declaration);
    if (declared.empty()) return found;
    if (unit_of(declared) > 1) {
        return error_at(declaration, static_cast<std::size_t>(declared.data() - declaration.data()),
                        Errc::malformed, k_mismatch);
    }
    if (found.mark != 0) return found;
    found.name = declared;
    found.ascii_only =
        same_ignoring_case(declared, "US-ASCII") || same_ignoring_case(declared, "ASCII");
    const bool same = found.ascii_only || same_ignoring_case(declared, "UTF-8") ||
                      same_ignoring_case(declared, "UTF8");
    found.iconv_name = same ? std::string() : found.name;
    return found;
}

Error second_mark() {
    return error_at({}, 0, Errc::malformed, "a second byte-order mark before the document");
}

Result<> Utf8Text::convert(Bytes input, std::size_t max_size) {
    const std::string& from = encoding_.iconv_name;
    if (converter_ == nullptr || converter_->from() != from) {
        converter_ = std::make_unique<TextConverter>(from);
        if (!converter_->open()) {
            converter_.reset();
            return error_at({}, 0, Errc::unsupported, "an encoding that iconv does not know");
        }
    }
    const iconv_t handle = converter_->handle();
    iconv(handle, nullptr, nullptr, nullptr, nullptr);
    // iconv's interface is older than const; it does not write to its input.
    char* in = reinterpret_cast<char*>(
        const_cast<std::uint8_t*>(input.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    std::size_t in_left = input.size();
    for (bool flushed = false; !flushed;) {
        const std::size_t room = std::max<std::size_t>(4096, in_left + in_left / 2);
        char* const start = reinterpret_cast<char*>(buffer_.prepare(room));
        char* out = start;
        std::size_t out_left = room;
        // Without input: what a shift state still holds.
        flushed = in_left == 0;
        const std::size_t status = flushed ? iconv(handle, nullptr, nullptr, &out, &out_left)
                                           : iconv(handle, &in, &in_left, &out, &out_left);
        const int error = errno;
        buffer_.commit(static_cast<std::size_t>(out - start));
        if (buffer_.size() > max_size) {
            return error_at(as_text(buffer_.view()), max_size, Errc::limit_exceeded, k_too_large);
        }
        if (status == static_cast<std::size_t>(-1) && error != E2BIG) {
            Error bad =
                error_at(as_text(buffer_.view()), buffer_.size(),
                         error == EINVAL ? Errc::truncated : Errc::malformed, k_not_of_encoding);
            bad.offset = input.size() - in_left;
            return bad;
        }
    }
    return {};
}

// A wide encoding must not call itself a narrow one, nor one of another width.
Result<> Utf8Text::check_declared() const {
    if (encoding_.unit == 1) return {};
    const std::string_view text = as_text(buffer_.view());
    const std::string_view declared = declared_encoding(text);
    if (declared.empty() || unit_of(declared) == encoding_.unit) return {};
    return error_at(text, static_cast<std::size_t>(declared.data() - text.data()), Errc::malformed,
                    k_mismatch);
}

Result<std::string_view> Utf8Text::read(Bytes input, Form form, std::size_t max_size) {
    buffer_.clear();
    encoding_ = {};
    if (input.size() > max_size) {
        return error_at({}, 0, Errc::limit_exceeded, k_too_large);
    }
    auto found = detect_encoding(input);
    if (!found) return found.error();
    encoding_ = std::move(*found);
    const bool converted = !encoding_.iconv_name.empty();
    const Bytes body = input.subspan(encoding_.mark);
    if (converted) {
        if (auto done = convert(body, max_size); !done) return done.error();
        if (auto good = check_declared(); !good) return good.error();
    } else if (encoding_.ascii_only) {
        const auto* high = std::find_if(body.data(), body.data() + body.size(),
                                        [](std::uint8_t byte) { return byte >= 0x80; });
        if (high != body.data() + body.size()) {
            return error_at(as_text(body), static_cast<std::size_t>(high - body.data()),
                            Errc::malformed, k_not_of_encoding);
        }
    }
    const std::string_view text = as_text(converted ? buffer_.view() : body);
    if (text.starts_with(k_mark)) return second_mark();
    if (!converted && form == Form::borrowed) return text;
    if (!converted) buffer_.append(body);
    const std::size_t size = buffer_.size();
    buffer_.u8(0);
    return as_text(buffer_.view().first(size));
}

}  // namespace perfrelay::xml
