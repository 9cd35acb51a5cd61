#pragma once
// Codec: the virtual boundary, one call a document. Everything that client, tests and benchmarks
// know of a format.
//
// Contract:
//  - `encode` appends to a buffer the caller has cleared; the same document gives the same bytes;
//  - `decode` delivers every event, names resolved, values as text;
//  - both reuse their own memory from call to call and may be called in any order, by one thread at
//    a time (a codec per thread);
//  - `prepare` does what is not timed: a DOM to encode from. It must come before encode, once a
//  document;
//  - what streams (`streaming`) also encodes into a drain and decodes out of a source, the same
//    bytes and events, without keeping the document's whole encoded form; the rest says
//    unsupported;
//  - bad input gives an Error, never a crash, whatever the bytes.
// Tested by tests/contract/, over every line of the format table.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "common/base/stream.h"
#include "proto/codec/document.h"
#include "proto/model/digest_sink.h"
#include "proto/model/fidelity.h"
#include "proto/model/object_graph.h"
#include "proto/model/whitespace.h"

namespace perfrelay {

struct CodecInfo {
    std::string spec;   // canonical, what the user would type: "xml:tinyxml2+gzip:6"
    std::string title;  // short, for table headings: "XML", "XML:TINYXML2", "GZXML"
    // One line each, shown under the table: what engine reads and writes (with version), and what
    // this row does less, or otherwise, than the others ("no UTF-8 check"); `encoder_notes` where
    // it encodes ("from DOM").
    std::string reader;  // "libxml2 2.9.14 SAX2"
    std::string writer;  // "perfrelay streaming writer"
    std::vector<std::string> notes;
    std::vector<std::string> encoder_notes;
    Fidelity fidelity;
    // Bytes that both sides must hold before anything is sent, and that SIZE does not count: of a
    // dictionary.
    std::uint64_t shared_bytes = 0;
    // The format's encoded form is XML text: in a decode test the file's own bytes are the input.
    bool text_xml = false;
    // Its options ask for values exactly as written, so that converting to it drops no whitespace.
    bool values_as_written = false;
};

// Which directions work while the bytes travel.
struct Streaming {
    bool encode = false;
    bool decode = false;
};

class TraceListener;  // proto/codec/trace.h

class Codec {
  public:
    Codec() = default;
    Codec(const Codec&) = delete;
    Codec& operator=(const Codec&) = delete;
    virtual ~Codec() = default;

    virtual const CodecInfo& info() const = 0;

    // What the input of the last decode kept of its document: a stream may say so itself.
    virtual Fidelity delivered() const { return info().fidelity; }

    // Why this codec, by its declared limits, cannot carry the document ("nesting of 120 levels,
    // tinyxml2 9.0 reads 100"), or nothing. `source`: whether it is to read the document's own
    // text (decode test) and not only what it wrote itself.
    virtual std::optional<std::string> cannot_represent(const Document& document,
                                                        bool source) const = 0;

    virtual Result<> prepare(const Document& document) = 0;
    virtual Result<> encode(const Document& document, Buffer& out) = 0;

    // The input of a decode test, when it is not `encode`'s output: the file's own bytes, packed by
    // the compressors, where the file is of this format and what the codec's options read.
    virtual Result<bool> source_form(const Document& document, Buffer& out) = 0;

    virtual Result<Digest> decode(Bytes input) = 0;  // parse: into a DigestSink
    // materialise: into a tape, which may borrow from `input` and the codec until its next decode
    virtual Result<> decode(Bytes input, XmlTape& document) = 0;

    // What a codec carries: the document's events or its objects. A codec of objects decodes into a
    // graph, whose digest is its own; the events are what the bridge makes of it. What it decodes
    // must equal the graph it prepared: the document's, in the format's own terms.
    virtual Model model() const { return Model::xml; }
    virtual Result<> decode_objects(Bytes input, ObjectGraph& graph);
    // The document that somebody's input is: the same, but in no format's terms where those hide
    // what it was (a tree's references).
    virtual Result<> read_objects(Bytes input, ObjectGraph& graph);
    virtual const ObjectGraph* prepared() const { return nullptr; }

    // From now on `decode` reads other people's work and delivers it under `policy`: the source
    // form still has what the policy dropped from the document. Formats without one ignore it.
    virtual void read_under(Whitespace /*policy*/) {}

    // Decodes, telling where the bits of `input` go. Unsupported where a format cannot say.
    virtual Result<> trace(Bytes input, TraceListener& listener);

    // Of a codec that decodes into typed values (model/typed_sink.h): what decoding must say of the
    // document, read by nobody but the schema. Nothing of one that delivers text.
    virtual std::optional<Digest> typed_digest(const Document& /*document*/) const {
        return std::nullopt;
    }

    // Whether the digest is that of the document's events, the same for every such codec.
    virtual bool digests_events() const { return true; }

    virtual Streaming streaming() const { return {}; }
    virtual Result<> encode(const Document& document, ByteDrain& out);
    virtual Result<Digest> decode(ByteSource& input);
    // The tape borrows nothing from `input`, whose windows move.
    virtual Result<> decode(ByteSource& input, XmlTape& document);
};

}  // namespace perfrelay
