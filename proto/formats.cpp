#include "proto/formats.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

#include "common/cli/spelling.h"
#include "proto/codec/make_codec.h"
#include "proto/codec/transcode_codec.h"
#include "proto/compress/brotli_compressor.h"
#include "proto/compress/compressed_codec.h"
#include "proto/compress/libdeflate_compressor.h"
#include "proto/compress/lz4_compressor.h"
#include "proto/compress/zlib_compressor.h"
#include "proto/compress/zstd_compressor.h"
#include "proto/exi/exi_format.h"
#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/typed_format.h"
#include "proto/object_formats.h"
#include "proto/xml/default_format.h"
#include "proto/xml/expat_format.h"
#include "proto/xml/libxml2_format.h"
#include "proto/xml/pugixml_format.h"
#include "proto/xml/survey.h"
#include "proto/xml/tinyxml2_format.h"

namespace perfrelay {

namespace {

// The format without its compressors, as the user names it.
std::string format_text(const Spec& spec) {
    return Spec{spec.format, {}}.text();
}

// What stands after "name:".
std::string options_text(const Spec& spec) {
    return format_text(spec).substr(spec.format.name.size() + 1);
}

// A format whose options are all said by its table line.
template <XmlFormat F>
std::unique_ptr<Codec> fixed(const Spec& spec, const CodecOptions& options, std::string& /*why*/) {
    return make_codec<F>(format_text(spec), options.limits);
}

// A format that has no options of its own: those with options are other lines.
template <XmlFormat F>
std::unique_ptr<Codec> plain(const Spec& spec, const CodecOptions& options, std::string& why) {
    if (spec.format.options.empty()) return fixed<F>(spec, options, why);
    why = "format " + spec.format.name + " has no option " + quoted(options_text(spec));
    return nullptr;
}

exi::ExiContext exi_context(const CodecOptions& options) {
    return {.limits = options.limits,
            .by_libdeflate = options.deflate == DeflateLibrary::libdeflate,
            .schema = options.schema,
            .schema_name = options.schema_name};
}

std::unique_ptr<Codec> exi_format(const Spec& spec, const CodecOptions& options, std::string& why) {
    return exi::make_exi(spec.format, format_text(spec), exi_context(options), why);
}

std::unique_ptr<Codec> typed_exi(const Spec& spec, const std::string& text,
                                 const CodecOptions& options, std::string& why) {
    return exi::make_typed_exi(spec.format, text, exi_context(options), why);
}

template <XmlFormat F>
std::unique_ptr<Codec> typed_xml(const Spec& /*spec*/, const std::string& text,
                                 const CodecOptions& options, std::string& /*why*/) {
    return exi::make_typed_xml<F>(text, exi_context(options));
}

std::unique_ptr<Codec> objects(const Spec& spec, const CodecOptions& options, std::string& why) {
    return make_object_codec(spec.format, options.limits, why);
}

// Both ways between XML text and EXI, whose options are the SPEC's.
std::unique_ptr<Codec> transcode(const Spec& spec, const CodecOptions& options, std::string& why) {
    using Transcoder = TranscodeCodec<exi::ExiFormat, xml::Libxml2Reader, xml::XmlWriter>;
    const std::string own = format_text(spec);
    const std::string exi = "exi" + own.substr(spec.format.name.size());
    auto format = exi::make_exi_format(spec.format, exi, exi_context(options), why);
    if (format == nullptr) return nullptr;
    CodecInfo info;
    info.spec = own;
    info.title = "TRANSCODE" + format->info().title.substr(std::string_view("EFX").size());
    info.reader = "perfrelay EXI 1.0 into the perfrelay XML writer";
    info.writer = "libxml2 " + xml::Libxml2Reader::version() + " SAX2 into perfrelay EXI 1.0";
    info.notes = format->info().notes;
    info.notes.emplace_back(
        "encode is XML text to EXI, decode EXI to XML text; no document between");
    const auto cannot_read = [](const Document& document) {
        return xml::Libxml2Reader::cannot_read(xml::survey(document.xml), document, true);
    };
    return std::make_unique<Transcoder>(std::move(info), cannot_read, options.limits,
                                        std::move(format));
}

using MakeCompressor = std::unique_ptr<compress::Compressor>(const SpecPart&, const Limits&,
                                                             std::string&);

std::unique_ptr<Codec> wrapped(std::unique_ptr<Codec> inner, const SpecPart& part,
                               const Limits& limits,
                               std::unique_ptr<compress::Compressor> compressor) {
    if (compressor == nullptr) return nullptr;
    return std::make_unique<compress::CompressedCodec>(std::move(inner), std::move(compressor),
                                                       part, limits);
}

template <MakeCompressor make>
std::unique_ptr<Codec> packed(std::unique_ptr<Codec> inner, const SpecPart& part,
                              const CodecOptions& options, std::string& why) {
    return wrapped(std::move(inner), part, options.limits, make(part, options.limits, why));
}

template <compress::DeflateWrapper wrapper>
std::unique_ptr<Codec> deflated(std::unique_ptr<Codec> inner, const SpecPart& part,
                                const CodecOptions& options, std::string& why) {
    const auto make =
        options.deflate == DeflateLibrary::zlib ? compress::make_zlib : compress::make_libdeflate;
    return wrapped(std::move(inner), part, options.limits,
                   make(wrapper, part, options.limits, why));
}

// "" or why not.
std::string unpacked_by(std::unique_ptr<compress::Compressor> compressor, Bytes packed, Buffer& out,
                        const std::string& why) {
    if (compressor == nullptr) return why;
    const auto done = compressor->decompress(packed, out);
    return done ? "" : describe(done.error());
}

template <MakeCompressor make>
std::string unpacked(Bytes packed, const SpecPart& part, const CodecOptions& options, Buffer& out) {
    std::string why;
    auto compressor = make(part, options.limits, why);
    return unpacked_by(std::move(compressor), packed, out, why);
}

template <compress::DeflateWrapper wrapper>
std::string inflated(Bytes packed, const SpecPart& /*level*/, const CodecOptions& options,
                     Buffer& out) {
    std::string why;
    auto compressor = compress::make_zlib(wrapper, SpecPart{}, options.limits, why);
    return unpacked_by(std::move(compressor), packed, out, why);
}

// The one of `known` that `wrong` is nearest to, if any is near. Beginnings are.
std::optional<std::string> nearest(std::string_view wrong, const std::vector<std::string>& known) {
    constexpr std::size_t k_longest = 64;
    if (wrong.size() > k_longest) return std::nullopt;
    std::optional<std::string> found;
    std::size_t least = std::min<std::size_t>(3, wrong.size() / 2 + 1);
    for (const std::string& one : known) {
        const bool beginning = wrong.size() >= 2 && one.starts_with(wrong);
        const std::size_t far = beginning ? 1 : edit_distance(wrong, one);
        if (far >= least) continue;
        least = far;
        found = one;
    }
    return found;
}

// Ends a refusal: ": did you mean xml:pugixml?", or what there is when nothing is near.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
    if (const auto near = nearest(wrong, known)) return ": did you mean " + *near + "?";
    std::string all;
    for (const std::string& one : known)
        all += (all.empty() ? "; there are " : ", ") + one;
    return all;
}

// The SPEC with an alias replaced by what it stands for: "gzxml+zstd" is "xml+gzip+zstd".
std::optional<Spec> unaliased(const FormatTable& table, std::string_view text, std::string& why) {
    std::optional<Spec> spec = parse_spec(text, why);
    if (!spec) return std::nullopt;
    for (const FormatLine& line : table.formats) {
        if (line.alias.empty() || line.alias != spec->format.name) continue;
        if (!spec->format.options.empty()) {
            why = line.alias + " takes no options; it is short for " + line.spec;
            return std::nullopt;
        }
        std::optional<Spec> meant = parse_spec(line.spec, why);
        if (!meant) return std::nullopt;
        meant->compressors.insert(meant->compressors.end(), spec->compressors.begin(),
                                  spec->compressors.end());
        return meant;
    }
    return spec;
}

bool is_all(const Spec& spec) {
    return spec.format.options.size() == 1 && spec.format.options[0].key == "all" &&
           !spec.format.options[0].value;
}

std::vector<std::string> format_names(const FormatTable& table) {
    std::vector<std::string> names;
    for (const FormatLine& line : table.formats)
        names.push_back(line.alias.empty() ? line.spec : line.alias);
    return names;
}

// The line that says exactly this, else the one with the bare name, which knows its options.
const FormatLine* find_format(const FormatTable& table, const Spec& spec) {
    const FormatLine* bare = nullptr;
    for (const FormatLine& line : table.formats) {
        if (line.spec == format_text(spec)) return &line;
        if (line.spec == spec.format.name) bare = &line;
    }
    return bare;
}

bool is_typed_option(const SpecOption& option) {
    return option.key == "typed" && !option.value;
}

bool is_typed(const Spec& spec) {
    return std::any_of(spec.format.options.begin(), spec.format.options.end(), is_typed_option);
}

std::unique_ptr<Codec> make_typed(const FormatTable& table, Spec spec, const CodecOptions& options,
                                  std::string& why) {
    const std::string text = format_text(spec);
    std::erase_if(spec.format.options, is_typed_option);
    const FormatLine* const line = find_format(table, spec);
    if (line == nullptr || line->make_typed == nullptr) {
        why = "format " + format_text(spec) + " has no option \"typed\"; what has it:";
        for (const FormatLine& each : table.formats) {
            if (each.make_typed != nullptr) why += " " + each.spec;
        }
        return nullptr;
    }
    if (options.schema != nullptr) return line->make_typed(spec, text, options, why);
    why = text + ": typed values need a schema, as in -schema FILE.xsd";
    return nullptr;
}

std::unique_ptr<Codec> make_format(const FormatTable& table, const Spec& spec,
                                   const CodecOptions& options, std::string& why) {
    if (is_typed(spec)) return make_typed(table, spec, options, why);
    if (const FormatLine* const line = find_format(table, spec)) {
        std::unique_ptr<Codec> codec = line->make(spec, options, why);
        if (codec != nullptr || spec.format.options.empty()) return codec;
        if (const auto near = nearest(format_text(spec), format_names(table))) {
            why += ": did you mean " + *near + "?";
        }
        return codec;
    }
    why = "no format " + quoted(format_text(spec)) +
          suggestion(format_text(spec), format_names(table));
    return nullptr;
}

const CompressorLine* find_compressor(const FormatTable& table, const SpecPart& part,
                                      std::string& why) {
    std::vector<std::string> known;
    for (const CompressorLine& line : table.compressors) {
        if (line.name == part.name) return &line;
        known.push_back(line.name);
    }
    why = "no compressor " + quoted(part.name) + suggestion(part.name, known);
    return nullptr;
}

}  // namespace

FormatTable FormatTable::built_in() {
    using compress::DeflateWrapper;
    FormatTable table;
    table.formats = {
        {"xml", "", "XML text: libxml2's SAX2 reads, our own streaming writer writes", true,
         plain<xml::DefaultFormat>, RowGroup::tree, typed_xml<xml::DefaultFormat>},
        {"xml:libxml2", "", "XML text: libxml2 reads (SAX2) and writes (xmlTextWriter)", false,
         fixed<xml::Libxml2Format>},
        {"xml:expat", "", "XML text: expat reads, our own streaming writer writes", false,
         fixed<xml::ExpatFormat>, RowGroup::tree, typed_xml<xml::ExpatFormat>},
        {"xml:tinyxml2", "", "XML text: tinyxml2 reads and writes, by its DOM", true,
         fixed<xml::Tinyxml2Format>},
        {"xml:pugixml", "", "XML text: pugixml reads and writes, by its DOM", false,
         fixed<xml::PugixmlFormat>, RowGroup::tree, typed_xml<xml::PugixmlFormat>},
        {"xml+gzip", "gzxml", "xml, packed by gzip", true, plain<xml::DefaultFormat>},
        {"transcode", "", "XML text to EXI and EXI to XML text; the options of exi", false,
         transcode},
        {"exi", "efx", "W3C Efficient XML Interchange 1.0; with -schema informed by it", true,
         exi_format, RowGroup::tree, typed_exi},
        {"amf3", "", "AMF3; options profile=plain|blazeds|graniteds, text=utf8|cesu8", true,
         objects, RowGroup::keeps_references},
        {"hessian2", "hessian", "Hessian 2.0", true, objects, RowGroup::keeps_references},
        {"javaser", "", "Java Object Serialization Stream, protocol 2", false, objects,
         RowGroup::keeps_references},
        {"json", "", "JSON of objects: RapidJSON reads and writes", false, objects},
        {"json:nlohmann", "", "JSON of objects: nlohmann/json, written by its DOM", false, objects},
        {"cbor", "", "CBOR of objects: libcbor", false, objects},
        {"msgpack", "", "MessagePack of objects: msgpack-cxx", false, objects},
        {"bson", "", "BSON of objects: libbson", false, objects},
    };
    table.compressors = {
        {"gzip", "RFC 1952, level 0 to 9, default 6 (libdeflate: 0 to 12)",
         deflated<DeflateWrapper::gzip>, inflated<DeflateWrapper::gzip>},
        {"deflate", "DEFLATE in its zlib wrapper, RFC 1950, as in HTTP; levels as for gzip",
         deflated<DeflateWrapper::zlib>, inflated<DeflateWrapper::zlib>},
        {"zstd",
         "RFC 8878, level 1 to 22, default 3; negative ones are faster; dict=FILE: with a "
         "dictionary that both sides hold (train-dictionary)",
         packed<compress::make_zstd>, unpacked<compress::make_zstd>},
        {"brotli", "RFC 7932, level 0 to 11, default 5", packed<compress::make_brotli>,
         unpacked<compress::make_brotli>},
        {"lz4", "LZ4 frame, level 0 (fastest, default) to 12", packed<compress::make_lz4>,
         unpacked<compress::make_lz4>},
    };
    return table;
}

std::vector<std::string> FormatTable::expand(std::string_view spec, std::string& why) const {
    const std::optional<Spec> parsed = unaliased(*this, spec, why);
    if (!parsed) return {};
    std::vector<std::string> specs;
    if (is_all(*parsed)) {
        for (const FormatLine& line : formats) {
            std::optional<Spec> one = parse_spec(line.spec, why);
            if (!one || one->format.name != parsed->format.name || !one->compressors.empty()) {
                continue;
            }
            one->compressors = parsed->compressors;
            specs.push_back(one->text());
        }
    }
    // Nothing of that name: the look-up says why. A format of one line may have an option "all" of
    // its own.
    if (specs.size() < 2) specs = {parsed->text()};
    // libdeflate has the wider range of levels, and some options need a schema; what a run's own
    // refuse, `make` will say.
    const CodecOptions widest{
        .limits = {}, .deflate = DeflateLibrary::libdeflate, .schema = exi::built_in_schema()};
    for (const std::string& one : specs) {
        if (make(one, widest, why) == nullptr) return {};
    }
    return specs;
}

std::unique_ptr<Codec> FormatTable::make(std::string_view spec, const CodecOptions& options,
                                         std::string& why) const {
    const std::optional<Spec> parsed = unaliased(*this, spec, why);
    if (!parsed) return nullptr;
    std::unique_ptr<Codec> codec = make_format(*this, *parsed, options, why);
    for (const SpecPart& part : parsed->compressors) {
        if (codec == nullptr) break;
        const CompressorLine* const compressor = find_compressor(*this, part, why);
        if (compressor == nullptr) return nullptr;
        codec = compressor->wrap(std::move(codec), part, options, why);
    }
    return codec;
}

RowGroup FormatTable::group_of(std::string_view spec) const {
    std::string why;
    const std::optional<Spec> parsed = unaliased(*this, spec, why);
    if (parsed && is_typed(*parsed)) return RowGroup::typed_values;
    const FormatLine* const line = parsed ? find_format(*this, *parsed) : nullptr;
    return line == nullptr ? RowGroup::tree : line->group;
}

std::string_view group_name(RowGroup group) {
    switch (group) {
        case RowGroup::keeps_references: return "keeps references";
        case RowGroup::tree: return "tree";
        case RowGroup::schema_known: return "schema known";
        case RowGroup::typed_values: break;
    }
    return "typed values";
}

std::vector<std::string> FormatTable::headline() const {
    std::vector<std::string> specs;
    for (const FormatLine& line : formats) {
        if (line.headline) specs.push_back(line.spec);
    }
    return specs;
}

}  // namespace perfrelay
