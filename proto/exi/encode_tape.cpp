#include "proto/exi/exi_format.h"

namespace perfrelay::exi {

Result<> ExiFormat::encode(const Document& document, Buffer& out) {
    const auto tape = [&](auto& sink) {
        sink.look_ahead(document.xml.events());
        document.xml.play(sink);
        return Result<>();
    };
    return write_stream<true>(tape, out);
}

}  // namespace perfrelay::exi
