#include "proto/exi/canonical.h"

#include <algorithm>

#include "proto/exi/exi_format.h"

namespace perfrelay::exi {

void make_canonical(EncoderOptions& options) {
    options.canonical = true;
    options.write_options = !options.omit_options;
    Options& stream = options.stream;
    if (stream.alignment == Alignment::compression) stream.alignment = Alignment::pre_compression;
    if (options.omit_options) return;
    if (!stream.in_channels()) stream.block_size = Options{}.block_size;
    std::vector<DatatypeMapping>& map = stream.datatype_map;
    if (stream.preserve.lexical_values) map.clear();
    // EXI Table 7-1
    std::erase_if(map, [](const DatatypeMapping& one) {
        return one.type.uri == k_xsd_uri && one.representation.uri == k_exi_uri &&
               (one.type.local == one.representation.local ||
                (one.type.local == "float" && one.representation.local == "double"));
    });
    std::stable_sort(map.begin(), map.end(),
                     [](const DatatypeMapping& a, const DatatypeMapping& b) {
                         return a.type.local != b.type.local ? a.type.local < b.type.local
                                                             : a.type.uri < b.type.uri;
                     });
}

Result<> check_canonical(Bytes stream, const EncoderOptions& options, const Limits& limits) {
    StreamReader reader(limits);
    Document document;
    TapeSink<false> sink(document.xml);
    NoTrace trace;
    if (auto read = reader.read(Input::of(stream), options, sink, trace); !read) return read;

    BitReader<Packing::bits> start(Input::of(stream));
    const Result<Header> header = read_header(start, limits, options.preview);
    if (!header) return header.error();
    if (header->cookie) return Error{.where = "Canonical EXI 3: a cookie"};
    if (reader.options().alignment == Alignment::compression)
        return Error{.where = "Canonical EXI 3: compression, whose bytes are not determined"};
    EncoderOptions canonical = options;
    canonical.stream = reader.options();
    canonical.cookie = false;
    canonical.omit_options = !header->options;
    make_canonical(canonical);
    canonical.write_profile = header->options && header->options->profile.limits();

    ExiFormat format("exi", canonical, false, limits);
    Buffer again;
    if (auto written = format.encode(document, again); !written) return written;
    const Bytes expected = again.view();
    const auto [at, other] =
        std::mismatch(stream.begin(), stream.end(), expected.begin(), expected.end());
    if (at == stream.end() && other == expected.end()) return {};
    return Error{.offset = static_cast<std::size_t>(at - stream.begin()),
                 .where = "Canonical EXI 4: another byte is canonical here"};
}

}  // namespace perfrelay::exi
