#pragma once
// make_codec<F>: wraps a class that satisfies the XmlFormat concept into a Codec. The format's
// templates are instantiated here, once per sink; the only virtual calls are Codec's own.
// Tested by tests/contract/.

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proto/codec/codec.h"

namespace perfrelay {

// What a format offers:
//   static constexpr bool k_text_is_stable   texts handed to a sink live as long as the input and
//                                            the format object, until its next decode
//   const CodecInfo& info() const
//   optional<string> cannot_represent(const Document&, bool source) const
//   Result<> prepare(const Document&)
//   Result<> encode(const Document&, Buffer&)
//   template <XmlSink S> Result<> decode(Bytes, S&)
// and, when its streams say for themselves what they keep:
//   Fidelity delivered() const               of the last decode
// and, when it is XML text:
//   static constexpr bool k_is_xml_text      true, as CodecInfo::text_xml
// and, when files of the format are measured as they are:
//   bool reads_source(const Document&) const    the document's source is what its options read
// and, when it can say where its bits go:
//   Result<> trace(Bytes, TraceListener&)
// and, to stream:
//   static constexpr bool k_encoder_appends  true: it never goes back to bytes it has written
//   template <XmlSink S> Result<> decode(ByteSource&, S&)   texts live during the call only
template <class F>
concept XmlFormat = requires(F format, const F constant, const Document& document, Buffer& out,
                             Bytes in, DigestSink& sink) {
    { F::k_text_is_stable } -> std::convertible_to<bool>;
    { constant.info() } -> std::same_as<const CodecInfo&>;
    { constant.cannot_represent(document, true) } -> std::same_as<std::optional<std::string>>;
    { format.prepare(document) } -> std::same_as<Result<>>;
    { format.encode(document, out) } -> std::same_as<Result<>>;
    { format.decode(in, sink) } -> std::same_as<Result<>>;
};

template <class F>
concept XmlText = requires {
    requires F::k_is_xml_text;
};
template <class F>
concept ReadsSource = requires(const F format, const Document& document) {
    { format.reads_source(document) } -> std::same_as<bool>;
};
template <class F>
concept StreamsOut = requires {
    requires F::k_encoder_appends;
};
template <class F>
concept StreamsIn = requires(F format, ByteSource& in, DigestSink& sink) {
    { format.decode(in, sink) } -> std::same_as<Result<>>;
};

// Bytes a streaming encoder hands over at once: a few segments of a real link, and few system
// calls.
inline constexpr std::size_t k_stream_piece = std::size_t{32} << 10U;

template <XmlFormat F>
class XmlCodec : public Codec {
  public:
    template <class... Args>
    explicit XmlCodec(Args&&... args) : format_(std::forward<Args>(args)...) {}

    const CodecInfo& info() const override { return format_.info(); }
    std::optional<std::string> cannot_represent(const Document& document,
                                                bool source) const override {
        return format_.cannot_represent(document, source);
    }
    Fidelity delivered() const override {
        if constexpr (requires { format_.delivered(); }) return format_.delivered();
        return format_.info().fidelity;
    }
    Result<> prepare(const Document& document) override { return format_.prepare(document); }
    Result<> encode(const Document& document, Buffer& out) override {
        return format_.encode(document, out);
    }
    Result<bool> source_form(const Document& document, Buffer& out) override {
        bool own = format_.info().text_xml && document.source_is_xml;
        if constexpr (ReadsSource<F>) own = format_.reads_source(document);
        if (own) out.append(document.source.view());
        return own;
    }
    Result<Digest> decode(Bytes input) override {
        DigestSink sink;
        if (auto done = decode_into(input, sink); !done) return done.error();
        return sink.digest();
    }
    Result<> decode(Bytes input, XmlTape& document) override {
        // Borrowed texts live until the next decode, or until the input goes: as long as the
        // caller of Codec::decode may look at the tape.
        if (F::k_text_is_stable && whitespace_ == Whitespace::keep) {
            TapeSink<false> sink(document);
            return decode_into(input, sink);
        }
        TapeSink<true> sink(document);
        return decode_into(input, sink);
    }

    Result<> trace(Bytes input, TraceListener& listener) override {
        if constexpr (requires { format_.trace(input, listener); })
            return format_.trace(input, listener);
        return Codec::trace(input, listener);
    }

    void read_under(Whitespace policy) override { whitespace_ = policy; }

    Streaming streaming() const override {
        return {.encode = StreamsOut<F>, .decode = StreamsIn<F>};
    }
    Result<> encode(const Document& document, ByteDrain& drain) override {
        if constexpr (StreamsOut<F>) {
            Buffer out(drain, k_stream_piece);
            if (auto done = format_.encode(document, out); !done) return done;
            return out.finish();
        } else {
            return Codec::encode(document, drain);
        }
    }
    Result<Digest> decode(ByteSource& input) override {
        if constexpr (StreamsIn<F>) {
            DigestSink sink;
            if (auto done = decode_into(input, sink); !done) return done.error();
            return sink.digest();
        } else {
            return Codec::decode(input);
        }
    }
    Result<> decode(ByteSource& input, XmlTape& document) override {
        if constexpr (StreamsIn<F>) {
            TapeSink<true> sink(document);
            return decode_into(input, sink);
        } else {
            return Codec::decode(input, document);
        }
    }

  protected:
    F format_;
    Whitespace whitespace_ = Whitespace::keep;

  private:
    // The filter is compiled for formats with a source form, and in nobody's way who does not need
    // it. It hands on whitespace that it held back from memory of its own.
    template <class Input, XmlSink S>
    Result<> decode_into(Input& input, S& sink) {
        if constexpr (XmlText<F> || ReadsSource<F>) {
            if (whitespace_ != Whitespace::keep) {
                WhitespaceFilter<S> filter(sink, whitespace_);
                return format_.decode(input, filter);
            }
        }
        return format_.decode(input, sink);
    }
};

template <XmlFormat F, class... Args>
std::unique_ptr<Codec> make_codec(Args&&... args) {
    return std::make_unique<XmlCodec<F>>(std::forward<Args>(args)...);
}

}  // namespace perfrelay
