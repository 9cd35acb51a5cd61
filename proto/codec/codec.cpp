#include "proto/codec/codec.h"

namespace perfrelay {

namespace {

Error cannot_stream() {
    return {.code = Errc::unsupported, .where = "this format cannot work while its bytes travel"};
}

}  // namespace

Result<> Codec::decode_objects(Bytes /*input*/, ObjectGraph& /*graph*/) {
    return Error{.code = Errc::unsupported, .where = "a format of XML gives no objects"};
}

Result<> Codec::read_objects(Bytes input, ObjectGraph& graph) {
    return decode_objects(input, graph);
}

Result<> Codec::trace(Bytes /*input*/, TraceListener& /*listener*/) {
    return Error{.code = Errc::unsupported,
                 .where = "this format cannot say where its bits go; EXI can"};
}

Result<> Codec::encode(const Document& /*document*/, ByteDrain& /*out*/) {
    return cannot_stream();
}

Result<Digest> Codec::decode(ByteSource& /*input*/) {
    return cannot_stream();
}

Result<> Codec::decode(ByteSource& /*input*/, XmlTape& /*document*/) {
    return cannot_stream();
}

}  // namespace perfrelay
