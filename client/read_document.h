#pragma once
// Any input into a document: a file, a pipe, or a generator's work; XML in any encoding, any other
// format of the table, packed or not.
//
// How it is read: as --from says, else as its content or its name does (input_kind.h). Packed
// inputs are unpacked first, within the limits, up to four layers. XML is read by the loader; every
// other format, and an XML engine that --from names, by its codec into a tape or a graph.
// (`complete` of document.h makes the other model.) Contract: failures are one line with the name,
// the kind and what is wrong. Tested by tests/unit/client/read_document_test.cpp and
// tests/integration/convert.py.

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>

#include "client/options.h"
#include "proto/codec/document.h"
#include "proto/formats.h"

namespace perfrelay::client {

struct ReadDocument {
    Document document;           // whitespace as it stands in the input: see apply_policy
    std::size_t file_bytes = 0;  // as given, packed or not
    Fidelity kept;               // what its format keeps of a document
    CodecOptions codecs;         // the run's, with the schema that holds for this document
    std::string schema;          // its files, for reports; "" for none
    std::string schema_by;       // --schema-auto: what in the document names it, or that none does
    std::string recognised;      // "EXI by its first bytes"; "" where --from says
};

// The document's bytes, unpacked, and in `source_spec` how they are to be read. Of `options`: from,
// codecs, generator_seed. Of XML, a schema that the document names is not known yet. `stop` as for
// read_input.
std::optional<ReadDocument> read_source(const Input& input, const Options& options,
                                        const FormatTable& formats, SchemaShelf& schemas,
                                        const std::atomic<int>* stop, std::string& why);

std::optional<ReadDocument> read_document(const Input& input, const Options& options,
                                          const FormatTable& formats, SchemaShelf& schemas,
                                          const std::atomic<int>* stop, std::string& why);

// What `options` bind the document to, of the other model (`complete`): typed by its schema, if so
// asked. Its whitespace is settled.
void make_model(ReadDocument& read, Model wanted, const Options& options);

// One reader policy for every format of a run.
void apply_policy(Whitespace policy, Document& document);

}  // namespace perfrelay::client
