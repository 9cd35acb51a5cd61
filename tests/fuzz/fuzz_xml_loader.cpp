// The XML loader against any input: what it loads, the default format writes and the loader loads
// again, equal in everything.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "proto/formats.h"
#include "proto/xml/loader.h"
#include "tests/fuzz/require.h"

namespace perfrelay {
namespace {

void check(Codec& writer, Bytes input, const Limits& limits) {
    Document document;
    document.source.append(input);
    if (!xml::load(document, limits)) return;
    if (writer.cannot_represent(document, false)) return;
    Document again;
    const Result<> prepared = writer.prepare(document);
    require(prepared, "prepare");
    const Result<> written = writer.encode(document, again.source);
    require(written, "encode");
    const Result<> loaded = xml::load(again, limits);
    require(loaded, "load again");
    const auto different = difference(document.xml, again.xml, Fidelity{});
    require(!different, different.value_or(""));
}

}  // namespace
}  // namespace perfrelay

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const perfrelay::Limits limits{.max_depth = 200};
    static const auto writer = [] {
        std::string why;
        return perfrelay::FormatTable::built_in().make("xml", {}, why);
    }();
    perfrelay::check(*writer, {data, size}, limits);
    return 0;
}
