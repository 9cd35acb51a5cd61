#include "proto/compress/compressed_codec.h"

#include <utility>

namespace perfrelay::compress {

namespace {

std::string part_text(const SpecPart& part) {
    std::string text = "+" + part.name;
    for (const SpecOption& option : part.options) {
        text += ":" + option.key;
        if (option.value) text += "=" + *option.value;
    }
    return text;
}

std::string upper(std::string text) {
    for (char& c : text) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

// For headings: in capitals, and of a file its name alone.
std::string part_title(const SpecPart& part) {
    std::string text = upper("+" + part.name);
    for (const SpecOption& option : part.options) {
        text += ":" + upper(option.key);
        if (!option.value) continue;
        std::string name = option.value->substr(option.value->rfind('/') + 1);
        if (name.ends_with('}') && name.find('{') == std::string::npos) name.pop_back();
        text += "=" + name;
    }
    return text;
}

}  // namespace

CompressedCodec::CompressedCodec(std::unique_ptr<Codec> inner,
                                 std::unique_ptr<Compressor> compressor, const SpecPart& part,
                                 const Limits& limits)
    : inner_(std::move(inner)), compressor_(std::move(compressor)), info_(inner_->info()) {
    const std::string text = part_text(part);
    info_.spec += text;
    // gzip of XML has had its name in tables since efxperf.
    info_.title = info_.spec == "xml+gzip" ? "GZXML" : info_.title + part_title(part);
    info_.shared_bytes += compressor_->shared();
    info_.notes.push_back(compressor_->description());
    if (StreamCoder* const packer = compressor_->packer()) packing_.emplace(*packer);
    if (StreamCoder* const unpacker = compressor_->unpacker()) {
        unpacking_.emplace(*unpacker, limits);
    }
}

std::optional<std::string> CompressedCodec::cannot_represent(const Document& document,
                                                             bool source) const {
    return inner_->cannot_represent(document, source);
}

Result<> CompressedCodec::prepare(const Document& document) {
    return inner_->prepare(document);
}

// The bound on bombs is for what others have packed.
void CompressedCodec::expect(std::size_t size) {
    compressor_->expect(size);
    if (unpacking_) unpacking_->expect(size);
}

Result<> CompressedCodec::encode(const Document& document, Buffer& out) {
    to_pack_.clear();
    if (auto done = inner_->encode(document, to_pack_); !done) return done.error();
    expect(to_pack_.size());
    return compressor_->compress(to_pack_.view(), out);
}

Result<bool> CompressedCodec::source_form(const Document& document, Buffer& out) {
    to_pack_.clear();
    const Result<bool> has = inner_->source_form(document, to_pack_);
    if (!has || !*has) return has;
    expect(to_pack_.size());
    if (auto done = compressor_->compress(to_pack_.view(), out); !done) return done.error();
    return true;
}

Result<Digest> CompressedCodec::decode(Bytes input) {
    unpacked_.clear();
    if (auto done = compressor_->decompress(input, unpacked_); !done) return done.error();
    return inner_->decode(unpacked_.view());
}

Result<> CompressedCodec::decode(Bytes input, XmlTape& document) {
    unpacked_.clear();
    if (auto done = compressor_->decompress(input, unpacked_); !done) return done.error();
    return inner_->decode(unpacked_.view(), document);
}

Result<> CompressedCodec::decode_objects(Bytes input, ObjectGraph& graph) {
    unpacked_.clear();
    if (auto done = compressor_->decompress(input, unpacked_); !done) return done.error();
    return inner_->decode_objects(unpacked_.view(), graph);
}

Result<> CompressedCodec::read_objects(Bytes input, ObjectGraph& graph) {
    unpacked_.clear();
    if (auto done = compressor_->decompress(input, unpacked_); !done) return done.error();
    return inner_->read_objects(unpacked_.view(), graph);
}

Streaming CompressedCodec::streaming() const {
    const Streaming inner = inner_->streaming();
    return {.encode = inner.encode && packing_, .decode = inner.decode && unpacking_};
}

Result<> CompressedCodec::encode(const Document& document, ByteDrain& out) {
    if (!packing_) return Codec::encode(document, out);
    if (auto ready = packing_->start(out); !ready) return ready;
    if (auto done = inner_->encode(document, *packing_); !done) return done;
    expect(packing_->given());
    return packing_->finish();
}

Result<Digest> CompressedCodec::decode(ByteSource& input) {
    if (!unpacking_) return Codec::decode(input);
    if (auto ready = unpacking_->start(input); !ready) return ready.error();
    auto digest = inner_->decode(*unpacking_);
    if (!digest) return digest;
    if (auto done = unpacking_->finish(); !done) return done.error();
    return digest;
}

Result<> CompressedCodec::decode(ByteSource& input, XmlTape& document) {
    if (!unpacking_) return Codec::decode(input, document);
    if (auto ready = unpacking_->start(input); !ready) return ready;
    if (auto done = inner_->decode(*unpacking_, document); !done) return done;
    return unpacking_->finish();
}

}  // namespace perfrelay::compress
