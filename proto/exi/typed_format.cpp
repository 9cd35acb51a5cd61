#include "proto/exi/typed_format.h"

#include "proto/exi/exi_spec.h"

namespace perfrelay::exi {

Digest typed_digest_of(const XmlTape& tape, const Schema& schema, bool strict) {
    TyperTables tables(schema);
    TypedDigestSink sink;
    ValueHandler<TypedDigestSink> values(schema.datatypes, sink);
    Typer<ValueHandler<TypedDigestSink>> typer(tables, strict, values);
    tape.play(typer);
    return sink.digest();
}

std::optional<std::string> cannot_type(const Document& document) {
    for (const XmlTape::Event& event : document.xml.events()) {
        if (event.kind() == XmlTape::Kind::entity_reference)
            return "a reference to an entity that was not expanded, among typed values";
    }
    return std::nullopt;
}

void describe_typed(CodecInfo& info, const std::string& spec) {
    info.spec = spec;
    // EXI's says so already.
    if (info.title.find("TYPED") == std::string::npos)
        info.title += info.title.find(':') == std::string::npos ? ":TYPED" : ",TYPED";
    info.notes.emplace_back(
        "decode delivers values as numbers, booleans, dates, octets, items and strings, as the "
        "schema types them");
}

std::unique_ptr<Codec> make_typed_exi(const SpecPart& format, const std::string& spec,
                                      const ExiContext& context, std::string& why) {
    auto options = options_of(format, context, why);
    if (!options) return nullptr;
    const Options& stream = options->stream;
    const Preserve& keep = stream.preserve;
    const bool apart = stream.alignment == Alignment::pre_compression ||
                       stream.alignment == Alignment::compression;
    if (apart || keep.lexical_values || keep.comments || keep.pis || keep.dtd || keep.prefixes ||
        !stream.datatype_map.empty()) {
        why =
            "exi: option \"typed\" goes without align=pre, align=comp, comments, pis, dtds, "
            "prefixes, lexical and dtrm";
        return nullptr;
    }
    return std::make_unique<TypedCodec<TypedExi>>(spec, std::move(*options), context.by_libdeflate,
                                                  context.limits);
}

}  // namespace perfrelay::exi
