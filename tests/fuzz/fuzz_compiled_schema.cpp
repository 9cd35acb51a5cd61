// Compiled schemas: whatever the bytes, reading ends in an error or in a schema that decodes.
//
// Input: a length (two bytes), so much of the body of a compiled schema, then an EXI stream. The
// checksum is put right, so that damage reaches the reader. Held: what was read is written and read
// again as the same bytes; decoding by it ends.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "common/base/crc32c.h"
#include "proto/exi/schema/compiled_schema.h"
#include "proto/formats.h"

namespace perfrelay {
namespace {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

void check(Bytes input) {
    if (input.size() < 2) return;
    const std::size_t length = std::min<std::size_t>(
        static_cast<std::size_t>(input[0]) << 8U | input[1], input.size() - 2);
    const Bytes body = input.subspan(2, length);
    Buffer file;
    file.append("EXCS");
    file.u16(exi::k_compiled_version);
    file.u32(crc32c(body));
    file.append(body);
    const auto schema = exi::read_compiled_schema(file.view());
    if (!schema) return;
    Buffer again;
    exi::write_compiled_schema(**schema, again);
    const auto second = exi::read_compiled_schema(again.view());
    require(second.has_value(), "what was written is not read");
    Limits limits;
    limits.max_depth = 200;
    limits.max_names = 1000;
    limits.max_attributes = 200;
    for (const char* const spec : {"exi", "exi:strict", "exi:align=pre", "exi:lexical,prefixes"}) {
        std::string why;
        const auto codec =
            FormatTable::built_in().make(spec, {.limits = limits, .schema = *schema}, why);
        require(codec != nullptr, why.c_str());
        Document document;
        if (codec->decode(input.subspan(2 + length), document.xml)) {
            Buffer out;
            (void)codec->encode(document, out);
        }
    }
}

}  // namespace
}  // namespace perfrelay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    perfrelay::check(perfrelay::Bytes(data, size));
    return 0;
}
