#pragma once
// THE table of formats (formats.cpp): one line a format, one line a compressor. Command line, help,
// contract tests, fuzzers and benchmarks all read it; adding a format is adding a line.
//
// A FormatTable is a value, so that a test can add a faulty format to a copy of it.
// Tested by tests/unit/proto/formats_test.cpp and tests/contract/.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/limits.h"
#include "proto/codec/codec.h"
#include "proto/codec/spec.h"

namespace perfrelay {

namespace exi {
struct Schema;
}

enum class DeflateLibrary { zlib, libdeflate };

// What holds for every codec of a run.
struct CodecOptions {
    Limits limits = {};
    DeflateLibrary deflate =
        DeflateLibrary::zlib;  // the same for gzip, deflate and EXI compression
    // For formats that a schema can inform: none, or this one, which streams call so ("": XML
    // Schema's built-in types alone).
    std::shared_ptr<const exi::Schema> schema = {};
    std::string schema_name = {};
};

// What formats make of objects that several places refer to: rows of different groups do different
// work and are not to be compared without that in mind.
enum class RowGroup : std::uint8_t {
    keeps_references,  // they stay one
    tree,              // ids where there is a need, put there by us
    schema_known,      // as a schema says that is not in the bytes
    typed_values,      // decode delivers numbers, dates, octets in place of text
};
std::string_view group_name(RowGroup group);

struct FormatLine {
    std::string spec;     // "xml:tinyxml2": what it is asked for by
    std::string alias;    // "gzxml" for "xml+gzip"; also accepted before "+": "gzxml" = "xml+gzip"
    std::string summary;  // for --help
    bool headline = false;  // runs when no mode is named
    // Makes the format without its compressors. Null and `why` when an option is unknown.
    std::unique_ptr<Codec> (*make)(const Spec& spec, const CodecOptions& options,
                                   std::string& why) = nullptr;
    RowGroup group = RowGroup::tree;
    // The same with option `typed`, which `spec` has no more and `text` has: decode delivers typed
    // values. Null: there is no such row. Only with a schema.
    std::unique_ptr<Codec> (*make_typed)(const Spec& spec, const std::string& text,
                                         const CodecOptions& options, std::string& why) = nullptr;
};

struct CompressorLine {
    std::string name;     // "zstd"
    std::string summary;  // with its levels and default, for --help
    std::unique_ptr<Codec> (*wrap)(std::unique_ptr<Codec> inner, const SpecPart& part,
                                   const CodecOptions& options, std::string& why) = nullptr;
    // Appends what is packed inside, for inputs that come packed. "" or why not.
    std::string (*unpack)(Bytes packed, const SpecPart& part, const CodecOptions& options,
                          Buffer& out) = nullptr;
};

class FormatTable {
  public:
    static FormatTable built_in();

    std::vector<FormatLine> formats;
    std::vector<CompressorLine> compressors;

    // Every SPEC a name stands for: aliases replaced, "xml:all" one per engine. Empty and `why`
    // (one line, with the nearest name as a suggestion) when it names nothing in this build.
    std::vector<std::string> expand(std::string_view spec, std::string& why) const;

    // The codec of one expanded SPEC. Null and `why` when it cannot be made.
    std::unique_ptr<Codec> make(std::string_view spec, const CodecOptions& options,
                                std::string& why) const;

    // Of a SPEC that can be made.
    RowGroup group_of(std::string_view spec) const;

    std::vector<std::string> headline() const;
};

}  // namespace perfrelay
