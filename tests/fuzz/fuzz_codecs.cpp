// Every codec of the format table against any input. The first byte is the line of the table, the
// second the compressor (0: none; 0x80 added: libdeflate), both modulo their numbers; the rest is
// decoded. Lines that are added at the end leave the meaning of the corpus alone.
//
// Held: both decodes agree, with the same digest; what was decoded, if the codec says it can carry
// it, is encoded, decodes again, and is the same under the declared fidelity.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "proto/formats.h"
#include "proto/model/tape_digest.h"
#include "tests/fuzz/require.h"

namespace perfrelay {
namespace {

// Tight, so that a run finds the way out of them; the same for all codecs.
Limits fuzz_limits() {
    Limits limits;
    limits.max_depth = 200;
    limits.max_document = std::size_t{1} << 20U;
    limits.max_names = 1000;
    limits.max_attributes = 200;
    return limits;
}

class Codecs {
  public:
    Codec& chosen_by(std::uint8_t format, std::uint8_t compressor) {
        std::string spec = table_.formats[format % table_.formats.size()].spec;
        const std::size_t packed = (compressor & 0x7FU) % (table_.compressors.size() + 1);
        if (packed != 0) spec += "+" + table_.compressors[packed - 1].name;
        const bool zlib = (compressor & 0x80U) == 0;
        std::unique_ptr<Codec>& codec = made_[{spec, zlib}];
        if (codec == nullptr) {
            std::string why;
            codec =
                table_.make(spec,
                            {.limits = fuzz_limits(),
                             .deflate = zlib ? DeflateLibrary::zlib : DeflateLibrary::libdeflate},
                            why);
        }
        return *codec;
    }

  private:
    FormatTable table_ = FormatTable::built_in();
    std::map<std::pair<std::string, bool>, std::unique_ptr<Codec>> made_;
};

void require(bool holds, const Codec& codec, const std::string& what) {
    if (!holds) perfrelay::require(false, codec.info().spec + ": " + what);
}

void check(Codec& codec, Bytes input) {
    const Result<Digest> digest = codec.decode(input);
    XmlTape decoded;
    const Result<> done = codec.decode(input, decoded);
    if (codec.digests_events()) {
        require(digest.has_value() == done.has_value(), codec, "the two decodes disagree");
        require(!done || *digest == digest_of(decoded), codec, "the digest is not the tape's");
    }
    // What is decoded may be more than XML can hold, but not less than the tape.
    require(digest.has_value() || !done, codec, "only one of the decodes fails");
    if (!done) return;

    // A copy: the tape may borrow from the codec until it decodes again.
    Document document;
    document.source.append(input);
    TapeSink<true> keep(document.xml);
    decoded.play(keep);
    complete(document, codec.model(), bridge::Binding::typed, fuzz_limits());
    require(document.bridge_fault.empty(), codec, document.bridge_fault);
    if (codec.cannot_represent(document, false)) return;
    Buffer out;
    const Result<> prepared = codec.prepare(document);
    require(prepared.has_value(), codec, prepared ? "" : "prepare: " + describe(prepared.error()));
    const Result<> encoded = codec.encode(document, out);
    require(encoded.has_value(), codec, encoded ? "" : "encode: " + describe(encoded.error()));
    const Result<> again = codec.decode(out.view(), decoded);
    require(again.has_value(), codec, again ? "" : "decode again: " + describe(again.error()));
    // Of objects that are no document the format's own terms may be others.
    if (document.objects != nullptr && !bridge::is_bound(*document.objects)) return;
    const auto different = difference(document.xml, decoded, codec.info().fidelity);
    require(!different, codec, different.value_or(""));
}

}  // namespace
}  // namespace perfrelay

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static perfrelay::Codecs codecs;
    if (size < 2) return 0;
    perfrelay::check(codecs.chosen_by(data[0], data[1]), perfrelay::Bytes(data, size).subspan(2));
    return 0;
}
