#pragma once
// CompressedCodec: any codec with its encoded form packed by a compressor. Documents, fidelity,
// whether it is XML text inside (CodecInfo::text_xml), and what cannot be represented are the inner
// codec's; times contain both.
// Tested by tests/unit/proto/compress/compressed_codec_test.cpp and tests/contract/.

#include <memory>
#include <optional>
#include <string>

#include "proto/codec/codec.h"
#include "proto/codec/spec.h"
#include "proto/compress/compressor.h"

namespace perfrelay::compress {

class CompressedCodec final : public Codec {
  public:
    // `part` is the compressor as the user named it: it ends the SPEC and the title.
    CompressedCodec(std::unique_ptr<Codec> inner, std::unique_ptr<Compressor> compressor,
                    const SpecPart& part, const Limits& limits);

    const CodecInfo& info() const override { return info_; }
    bool digests_events() const override { return inner_->digests_events(); }
    std::optional<Digest> typed_digest(const Document& document) const override {
        return inner_->typed_digest(document);
    }
    std::optional<std::string> cannot_represent(const Document& document,
                                                bool source) const override;
    Result<> prepare(const Document& document) override;
    Result<> encode(const Document& document, Buffer& out) override;
    Result<bool> source_form(const Document& document, Buffer& out) override;
    Result<Digest> decode(Bytes input) override;
    Result<> decode(Bytes input, XmlTape& document) override;
    Model model() const override { return inner_->model(); }
    Result<> decode_objects(Bytes input, ObjectGraph& graph) override;
    Result<> read_objects(Bytes input, ObjectGraph& graph) override;
    const ObjectGraph* prepared() const override { return inner_->prepared(); }

    // Where both the inner codec and the library can.
    Fidelity delivered() const override { return inner_->delivered(); }
    void read_under(Whitespace policy) override { inner_->read_under(policy); }

    Streaming streaming() const override;
    Result<> encode(const Document& document, ByteDrain& out) override;
    Result<Digest> decode(ByteSource& input) override;
    Result<> decode(ByteSource& input, XmlTape& document) override;

  private:
    void expect(std::size_t size);

    std::unique_ptr<Codec> inner_;
    std::unique_ptr<Compressor> compressor_;
    CodecInfo info_;
    Buffer to_pack_;  // what the inner codec wrote
    std::optional<PackingDrain> packing_;
    std::optional<UnpackingSource> unpacking_;
    Buffer unpacked_;  // what it reads; a tape may borrow from here until the next decode
};

}  // namespace perfrelay::compress
