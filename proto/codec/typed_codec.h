#pragma once
// TypedCodec<F>: a codec whose decode delivers typed values (proto/model/typed_sink.h) in place of
// texts. It encodes, and materialises for verification, as the format without that option does.
//
// What F, an XmlFormat, offers beside:
//   template <class Input, TypedSink S> Result<> decode_typed(Input&, S&, Whitespace)
//   Digest typed_digest(const Document&) const     of the same values, out of the tape
// Tested by tests/unit/proto/exi/typed_rows_test.cpp.

#include <optional>

#include "proto/codec/make_codec.h"
#include "proto/model/typed_sink.h"

namespace perfrelay {

template <class F>
class TypedCodec final : public XmlCodec<F> {
  public:
    using XmlCodec<F>::XmlCodec;
    using XmlCodec<F>::decode;

    bool digests_events() const override { return false; }
    std::optional<Digest> typed_digest(const Document& document) const override {
        return this->format_.typed_digest(document);
    }
    Result<Digest> decode(Bytes input) override { return digest(input); }
    Result<Digest> decode(ByteSource& input) override {
        if constexpr (StreamsIn<F>) {
            return digest(input);
        } else {
            return Codec::decode(input);
        }
    }

  private:
    template <class Input>
    Result<Digest> digest(Input& input) {
        TypedDigestSink sink;
        if (auto done = this->format_.decode_typed(input, sink, this->whitespace_); !done)
            return done.error();
        return sink.digest();
    }
};

}  // namespace perfrelay
