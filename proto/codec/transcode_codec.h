#pragma once
// TranscodeCodec: from XML text to another form and back, event by event, without a document in
// between: what a gateway does. Encode reads the document's own text; decode ends in XML text.
//
// Times are those of reading and writing together. What is decoded is text, so the digest is the
// text's, not that of the events (`digests_events`); materialising reads the text into a tape,
// which is how it is verified. Contract: Codec. `Format` is an XmlFormat with encode_from; `Reader`
// decodes XML text into a sink (proto/xml/libxml2_reader.h), `Writer` is a sink that writes it
// (proto/xml/writer.h). Tested by tests/contract/ and tests/unit/proto/formats_test.cpp.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proto/codec/make_codec.h"

namespace perfrelay {

template <class Format, class Reader, class Writer>
class TranscodeCodec final : public Codec {
  public:
    // `cannot_read`: why Reader cannot read the document's own text, or nothing.
    using CannotRead = std::optional<std::string> (*)(const Document&);

    TranscodeCodec(CodecInfo info, CannotRead cannot_read, const Limits& limits,
                   std::unique_ptr<Format> format)
        : info_(std::move(info)),
          cannot_read_(cannot_read),
          format_(std::move(format)),
          reader_(limits) {
        info_.fidelity = format_->info().fidelity;
    }

    const CodecInfo& info() const override { return info_; }
    bool digests_events() const override { return false; }

    Fidelity delivered() const override { return format_->delivered(); }

    std::optional<std::string> cannot_represent(const Document& document,
                                                bool source) const override {
        // A file of the other form is only decoded.
        if (source && !document.source_is_xml) return format_->cannot_represent(document, source);
        if (!document.source_is_xml) return "the document is no XML text to transcode from";
        if (auto why = cannot_read_(document)) return why;
        return format_->cannot_represent(document, false);
    }
    Result<> prepare(const Document& document) override { return format_->prepare(document); }
    Result<> encode(const Document& document, Buffer& out) override {
        const auto text = [&](auto& sink) -> Result<> {
            if (document.whitespace_dropped == 0) {
                return reader_.decode(document.source.view(), sink);
            }
            WhitespaceFilter filter(sink, document.whitespace);
            return reader_.decode(document.source.view(), filter);
        };
        return format_->encode_from(text, out);
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        const bool own = format_->reads_source(document);
        if (own) out.append(document.source.view());
        return own;
    }
    void read_under(Whitespace policy) override { whitespace_ = policy; }
    Result<Digest> decode(Bytes input) override { return digest(input); }
    Result<> decode(Bytes input, XmlTape& tape) override { return materialise(input, tape); }

    Streaming streaming() const override {
        return {.encode = StreamsOut<Format>, .decode = StreamsIn<Format>};
    }
    Result<> encode(const Document& document, ByteDrain& drain) override {
        Buffer out(drain, k_stream_piece);
        if (auto done = encode(document, out); !done) return done;
        return out.finish();
    }
    Result<Digest> decode(ByteSource& input) override { return digest(input); }
    Result<> decode(ByteSource& input, XmlTape& tape) override { return materialise(input, tape); }

  private:
    template <class Input>
    Result<> to_text(Input&& input) {
        text_.clear();
        writer_.write_to(text_);
        if (auto done = decode_into_writer(input); !done) return done;
        return writer_.finish();
    }
    template <class Input>
    Result<> decode_into_writer(Input& input) {
        if (whitespace_ == Whitespace::keep) return format_->decode(input, writer_);
        WhitespaceFilter filter(writer_, whitespace_);
        return format_->decode(input, filter);
    }
    template <class Input>
    Result<Digest> digest(Input&& input) {
        if (auto done = to_text(input); !done) return done.error();
        DigestSink sink;
        sink.start_document();
        sink.characters(as_text(text_.view()));
        sink.end_document();
        return sink.digest();
    }
    template <class Input>
    Result<> materialise(Input&& input, XmlTape& tape) {
        if (auto done = to_text(input); !done) return done;
        TapeSink<true> sink(tape);
        return reader_.decode(text_.view(), sink);
    }

    CodecInfo info_;
    CannotRead cannot_read_;
    std::unique_ptr<Format> format_;
    Reader reader_;
    Writer writer_;
    Buffer text_;  // what was decoded last
    Whitespace whitespace_ = Whitespace::keep;
};

}  // namespace perfrelay
