#include "proto/exi/canonical.h"

#include <algorithm>

#include "proto/exi/exi_format.h"

namespace perfrelay::exi {

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
    canonical.canonical = true;
    canonical.cookie = false;
    canonical.write_options = header->options.has_value();
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
