// One XML engine (PERFRELAY_SPEC) against any input.
//
// Held: what the loader accepts and the engine does not decline beforehand is the same document to
// both, from the text and from what the engine writes; an engine that streams makes of pieces what
// it makes of the whole. The size of the pieces is the last byte's.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "proto/formats.h"
#include "proto/xml/loader.h"
#include "tests/fuzz/require.h"

namespace perfrelay {
namespace {

// Tight, so that a run finds the way out of them; the same for loader and engine.
constexpr Limits k_limits{.max_depth = 200,
                          .max_document = std::size_t{1} << 20U,
                          .max_names = 1000,
                          .max_attributes = 200};

void compare(const Codec& engine, const XmlTape& expected, const XmlTape& tape, const char* what) {
    const auto different = difference(expected, tape, engine.info().fidelity);
    require(!different, std::string(what) + ": " + different.value_or(""));
}

void check_stream(Codec& engine, Bytes input, std::size_t piece) {
    const Result<Digest> whole = engine.decode(input);
    MemorySource source(input, piece);
    const Result<Digest> streamed = engine.decode(source);
    // What streams need in UTF-8 may be anything otherwise.
    if (!streamed && streamed.error().code == Errc::unsupported) return;
    require(whole.has_value() == streamed.has_value(),
            "whole: " + (whole ? "accepted" : describe(whole.error())) +
                "; in pieces: " + (streamed ? "accepted" : describe(streamed.error())));
    if (whole) require(*whole == *streamed, "other events in pieces");
}

void check_document(Codec& engine, const Document& document) {
    XmlTape tape;
    if (!engine.cannot_represent(document, true)) {
        require(engine.decode(document.source.view(), tape), "the source");
        compare(engine, document.xml, tape, "the source");
    }
    if (engine.cannot_represent(document, false)) return;
    Buffer out;
    require(engine.prepare(document), "prepare");
    require(engine.encode(document, out), "encode");
    require(engine.decode(out.view(), tape), "decode again");
    compare(engine, document.xml, tape, "what it wrote");
}

}  // namespace
}  // namespace perfrelay

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace perfrelay;
    static const std::unique_ptr<Codec> engine = [] {
        std::string why;
        return FormatTable::built_in().make(PERFRELAY_SPEC, {.limits = k_limits}, why);
    }();
    if (size < 1) return 0;
    const Bytes input(data, size);
    if (engine->streaming().decode) check_stream(*engine, input, std::size_t{data[size - 1]} + 1);
    Document document;
    document.source.append(input);
    if (xml::load(document, k_limits)) {
        check_document(*engine, document);
    } else {
        XmlTape tape;
        (void)engine->decode(input, tape);
    }
    return 0;
}
