#pragma once
// "exi": W3C Efficient XML Interchange 1.0, with a schema where there is one.
//
// Bare, it writes the smallest header (one byte, no options) and preserves nothing: what efxperf
// calls EFX. A stream whose header has options is read by these; others by the SPEC's.
// Contract: XmlFormat (proto/codec/make_codec.h); streams both ways. Values decoded from a block of
// memory live until the next decode.
// Tested by tests/unit/proto/exi/, tests/conformance/exi and tests/contract/.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proto/codec/codec.h"
#include "proto/codec/spec.h"
#include "proto/compress/raw_deflate.h"
#include "proto/exi/channels.h"
#include "proto/exi/encoder.h"
#include "proto/exi/stream_reader.h"

namespace perfrelay::exi {

// What a codec is made for, beside its SPEC.
struct ExiContext {
    Limits limits;
    bool by_libdeflate = false;
    std::shared_ptr<const Schema> schema = {};
    std::string schema_name = {};
};

class ExiFormat {
  public:
    static constexpr bool k_text_is_stable = true;
    static constexpr bool k_encoder_appends = true;

    ExiFormat(std::string spec, EncoderOptions options, bool by_libdeflate, const Limits& limits);

    const CodecInfo& info() const { return info_; }
    // EXI 5.4: by the options in the stream's header, where it has some.
    Fidelity delivered() const { return kept_by(reader_.options()); }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const;
    // Strict, with a schema: where the document does not match it, and what it has there.
    std::optional<std::string> mismatch(const Document& document) const;
    // A file is decoded by the options in its header, and by the SPEC's where those are none or the
    // same: a row says in its name what it measures.
    bool reads_source(const Document& document) const;
    Result<> prepare(const Document&) { return {}; }
    Result<> encode(const Document& document, Buffer& out);
    // Encodes what `source(sink)` pushes; its texts live during the call only.
    template <class Source>
    Result<> encode_from(Source&& source, Buffer& out) {
        return write_stream<false>(source, out);
    }

    template <XmlSink S>
    Result<> decode(Bytes input, S& sink) {
        if (input.size() > limits_.max_document) return too_large();
        NoTrace trace;
        return reader_.read(Input::of(input), options_, sink, trace);
    }
    template <XmlSink S>
    Result<> decode(ByteSource& input, S& sink) {
        NoTrace trace;
        return reader_.read(Input::of(input, limits_.max_document), options_, sink, trace);
    }

    // Codec::trace
    Result<> trace(Bytes input, TraceListener& listener);

  private:
    static Fidelity kept_by(const Options& options) {
        const Preserve& keep = options.preserve;
        const bool doctype = keep.dtd && !options.fragment;  // EXI 8.4.2: a fragment has none
        return {.comments = keep.comments,
                .processing_instructions = keep.pis,
                .doctype = doctype,
                .internal_subset = doctype,
                .prefixes = keep.prefixes,
                .entity_references = keep.dtd};
    }
    static Error too_large() {
        return {.code = Errc::limit_exceeded,
                .where = "EXI 4: the stream is longer than the limit on a document"};
    }
    template <bool k_stable, class Source>
    Result<> write_stream(Source& source, Buffer& out) {
        const Schema* schema = nullptr;
        const Datatypes* datatypes = nullptr;
        if (auto found = informed_.choose(options_.stream, options_, schema, datatypes); !found)
            return found;
        tables_.reset(options_.stream, schema, datatypes);
        BitWriter<Packing::bits> header(out);
        write_header(header, options_);
        const Options& stream = options_.stream;
        switch (stream.alignment) {
            case Alignment::bit_packed: return write<k_stable>(source, header, WrittenInPlace());
            case Alignment::byte_aligned:
                return write<k_stable>(source, BitWriter<Packing::bytes>(out), WrittenInPlace());
            case Alignment::pre_compression:
                return write<k_stable>(source, BitWriter<Packing::bytes>(tables_.structure),
                                       WriteChannels<false>(out, stream.block_size, nullptr));
            case Alignment::compression:
                return write<k_stable>(source, BitWriter<Packing::bytes>(tables_.structure),
                                       WriteChannels<true>(out, stream.block_size, &deflater_));
        }
        return {};
    }
    template <bool k_stable, class Source, Packing packing, class Values>
    Result<> write(Source& source, BitWriter<packing> writer, Values values) {
        if (tables_.schema != nullptr) {
            Encoder<packing, Values, k_stable, true> encoder(options_, tables_, writer, values);
            if (auto pushed = source(encoder); !pushed) return pushed;
            return encoder.finish();
        }
        Encoder<packing, Values, k_stable> encoder(options_, tables_, writer, values);
        if (auto pushed = source(encoder); !pushed) return pushed;
        return encoder.finish();
    }

    EncoderOptions options_;
    Limits limits_;
    CodecInfo info_;
    StreamReader reader_;
    Informed informed_;
    EncoderTables tables_;
    compress::RawDeflater deflater_;
};

// What a SPEC's options come to in that context; or nothing and `why`.
std::optional<EncoderOptions> options_of(const SpecPart& format, const ExiContext& context,
                                         std::string& why);

// The SPEC's codec, or its format alone, or null and `why`.
std::unique_ptr<Codec> make_exi(const SpecPart& format, const std::string& spec,
                                const ExiContext& context, std::string& why);
std::unique_ptr<ExiFormat> make_exi_format(const SpecPart& format, const std::string& spec,
                                           const ExiContext& context, std::string& why);

}  // namespace perfrelay::exi
