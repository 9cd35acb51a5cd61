#pragma once
// StreamReader: one decode: header, then the body that it calls for, under a schema if there is one
// (EXI 5.4). The format reads with it, and whoever wants a trace.
//
// Each sink is eight decoders: four alignments, without a schema and with one. Those that every
// codec has are compiled once, in the files that are named below.
// Tested by tests/unit/proto/exi/ and tests/conformance/exi.

#include <memory>
#include <utility>
#include <vector>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/compress/raw_deflate.h"
#include "proto/exi/channels.h"
#include "proto/exi/decoder.h"
#include "proto/exi/header.h"
#include "proto/exi/options.h"
#include "proto/model/digest_sink.h"
#include "proto/model/whitespace.h"
#include "proto/model/xml_tape.h"

namespace perfrelay::exi {

// Which schema a stream is coded with, and how its values are.
class Informed {
  public:
    // By a stream's options and, where they do not say, those out of band. Null: without a schema.
    Result<> choose(const Options& stream, const EncoderOptions& outside, const Schema*& schema,
                    const Datatypes*& datatypes);

  private:
    std::shared_ptr<const Schema> built_in_;
    // Under the last datatype representation map that there was.
    std::vector<DatatypeMapping> map_;
    const Schema* mapped_for_ = nullptr;
    bool mapped_lexical_ = false;
    std::unique_ptr<Datatypes> mapped_;
};

class StreamReader {
  public:
    explicit StreamReader(const Limits& limits) : limits_(limits), inflater_(limits) {}

    // `options` out of band: for streams whose header has none, and `preview`.
    template <XmlSink S, class Trace>
    Result<> read(const Input& input, const EncoderOptions& options, S& sink, Trace& trace);

    // Of the last stream.
    const Options& options() const { return options_; }

  private:
    template <Packing packing, class Values, XmlSink S, class Trace>
    Result<> body(BitReader<packing> reader, Values& values, S& sink, Trace& trace);

    Limits limits_;
    Options options_;
    Informed informed_;
    DecoderTables tables_;
    Block block_;
    compress::RawInflater inflater_;
};

template <XmlSink S, class Trace>
Result<> StreamReader::read(const Input& input, const EncoderOptions& options, S& sink,
                            Trace& trace) {
    BitReader<Packing::bits> reader(input);
    Result<Header> header = read_header(reader, limits_, options.preview);
    if (!header) return header.error();
    if (header->options) {
        options_ = std::move(*header->options);
    } else {
        options_ = options.stream;
    }
    const Schema* schema = nullptr;
    const Datatypes* datatypes = nullptr;
    if (auto found = informed_.choose(options_, options, schema, datatypes); !found) return found;
    if constexpr (TypedSink<S>) {
        if (schema == nullptr || options_.alignment == Alignment::pre_compression ||
            options_.alignment == Alignment::compression) {
            return Error{.code = Errc::unsupported,
                         .where =
                             "typed values need a stream with a schema, and with its values "
                             "in place (bit- or byte-aligned)"};
        }
    }
    if (options_.alignment != Alignment::bit_packed) reader.align();
    if constexpr (Trace::k_active) trace.header(reader.position());
    tables_.reset(options_, schema, datatypes);
    switch (options_.alignment) {
        case Alignment::bit_packed: {
            InPlace values;
            return body(std::move(reader), values, sink, trace);
        }
        case Alignment::byte_aligned: {
            InPlace values;
            return body(BitReader<Packing::bytes>(reader.rest()), values, sink, trace);
        }
        case Alignment::pre_compression: {
            ReadChannels<false> values(block_, options_.block_size, nullptr);
            return body(BitReader<Packing::bytes>(reader.rest()), values, sink, trace);
        }
        case Alignment::compression: {
            InputSource rest(reader.rest());
            inflater_.open(rest);
            ReadChannels<true> values(block_, options_.block_size, &inflater_);
            return body(BitReader<Packing::bytes>(Input::of(inflater_, SIZE_MAX)), values, sink,
                        trace);
        }
    }
    return {};
}

template <Packing packing, class Values, XmlSink S, class Trace>
Result<> StreamReader::body(BitReader<packing> reader, Values& values, S& sink, Trace& trace) {
    if (tables_.schema != nullptr) {
        return Decoder<packing, Values, S, Trace, true>(options_, limits_, tables_,
                                                        std::move(reader), values, sink, trace)
            .run();
    }
    return Decoder<packing, Values, S, Trace>(options_, limits_, tables_, std::move(reader), values,
                                              sink, trace)
        .run();
}

// decode_digest.cpp
extern template Result<> StreamReader::read(const Input&, const EncoderOptions&, DigestSink&,
                                            NoTrace&);
// decode_tape.cpp
extern template Result<> StreamReader::read(const Input&, const EncoderOptions&, TapeSink<false>&,
                                            NoTrace&);
extern template Result<> StreamReader::read(const Input&, const EncoderOptions&, TapeSink<true>&,
                                            NoTrace&);
// decode_filtered.cpp
extern template Result<> StreamReader::read(const Input&, const EncoderOptions&,
                                            WhitespaceFilter<DigestSink>&, NoTrace&);
extern template Result<> StreamReader::read(const Input&, const EncoderOptions&,
                                            WhitespaceFilter<TapeSink<true>>&, NoTrace&);

}  // namespace perfrelay::exi
