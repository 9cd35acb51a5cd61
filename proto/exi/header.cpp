#include "proto/exi/header.h"

#include <string_view>

#include "proto/exi/options_document.h"

namespace perfrelay::exi {

namespace {
constexpr std::string_view k_cookie = "$EXI";
}

const char* Options::unfit() const {
    // EXI 5.4
    if (strict && (preserve.dtd || preserve.prefixes || preserve.comments || preserve.pis))
        return "strict excludes dtds, prefixes, comments and pis (EXI 5.4)";
    if (strict && self_contained) return "strict excludes self-contained elements (EXI 5.4)";
    if (self_contained && in_channels())
        return "self-contained elements exclude pre-compression and compression (EXI 5.4)";
    if (block_size == 0) return "a block has one value or more (EXI C)";
    return nullptr;
}

std::optional<Recognised> recognise(Bytes start) {
    if (start.size() >= k_cookie.size() && as_text(start.first(k_cookie.size())) == k_cookie) {
        return Recognised::by_cookie;
    }
    // EXI 5.2
    if (!start.empty() && (start[0] & 0xC0U) == 0x80U) return Recognised::by_distinguishing_bits;
    return std::nullopt;
}

Result<Header> read_header(BitReader<Packing::bits>& reader, const Limits& limits, bool preview) {
    Header header;
    std::uint32_t first = reader.bits(8);
    if (first == static_cast<unsigned char>(k_cookie[0])) {
        for (std::size_t i = 1; i < k_cookie.size(); ++i) {
            if (reader.bits(8) != static_cast<unsigned char>(k_cookie[i]))
                return Error{.offset = i, .where = "EXI 5.1: not an EXI stream"};
        }
        header.cookie = true;
        first = reader.bits(8);
    }
    if (reader.failed()) return reader.error();
    const std::size_t at = header.cookie ? k_cookie.size() : 0;
    // EXI 5.2: 1 0
    if (first >> 6U != 2) return Error{.offset = at, .where = "EXI 5.2: not an EXI stream"};
    const bool has_options = (first & 0x20U) != 0;
    header.preview = (first & 0x10U) != 0;
    std::uint32_t four = first & 0xFU;
    std::uint64_t version = 1 + std::uint64_t{four};
    for (unsigned more = 0; four == 15; ++more) {
        four = reader.bits(4);
        version += four;
        if (reader.failed()) return reader.error();
        if (more == 16) break;
    }
    // EXI 5.3: what other versions mean is not known.
    if (header.preview && !preview) {
        return Error{.code = Errc::unsupported,
                     .offset = at,
                     .where = "EXI 5.3: a preview version (option preview reads it)"};
    }
    if (!header.preview && version != 1) {
        return Error{
            .code = Errc::unsupported, .offset = at, .where = "EXI 5.3: a version other than 1"};
    }
    if (has_options) {
        header.options = read_options_document(reader, limits);
        if (reader.failed()) return reader.error();
        if (const char* why = header.options->unfit())
            return Error{.offset = reader.offset(), .where = why};
    }
    return header;
}

void write_header(BitWriter<Packing::bits>& writer, const EncoderOptions& options) {
    if (options.cookie) writer.characters(k_cookie);
    writer.bits(2, 2);
    writer.boolean(options.write_options);
    writer.bits(5, 0);  // final version 1
    if (options.write_options) write_options_document(writer, options);
    if (options.stream.alignment != Alignment::bit_packed) writer.align();
}

}  // namespace perfrelay::exi
