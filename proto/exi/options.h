#pragma once
// Options: what both ends must agree on to read a stream (EXI 5.4), and EncoderOptions: what an
// encoder is free to choose.
//
// `unfit` holds the combinations that EXI 5.4 excludes. Options travel in the stream's header
// (options_document.h) or outside of it (SPECs, exi_spec.h).
// Tested by tests/unit/proto/exi/header_test.cpp.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace perfrelay::exi {

struct Schema;

enum class Alignment : std::uint8_t { bit_packed, byte_aligned, pre_compression, compression };

// EXI 6.3
struct Preserve {
    bool comments = false;
    bool pis = false;
    bool dtd = false;
    bool prefixes = false;
    bool lexical_values = false;

    friend bool operator==(const Preserve&, const Preserve&) = default;
};

struct ExpandedName {
    std::string uri;
    std::string local;

    friend bool operator==(const ExpandedName&, const ExpandedName&) = default;
};

// EXI 5.4: absent means that nothing is said in the stream.
struct SchemaId {
    enum class Kind : std::uint8_t { absent, no_schema, built_in_types, named };
    Kind kind = Kind::absent;
    std::string name;  // of `named`

    friend bool operator==(const SchemaId&, const SchemaId&) = default;
};

// EXI 7.4
struct DatatypeMapping {
    ExpandedName type;
    ExpandedName representation;

    friend bool operator==(const DatatypeMapping&, const DatatypeMapping&) = default;
};

// EXI Profile 1.0: an encoder's promise, so that a decoder needs less memory. The stream stays one
// that any decoder reads; to keep to a limit on grammars an encoder needs a schema.
struct Profile {
    bool local_values = true;
    std::optional<std::uint32_t> max_grammars;     // built-in element grammars
    std::optional<std::uint32_t> max_productions;  // learned, of all of them together

    bool limits_grammars() const { return max_grammars || max_productions; }
    bool limits() const { return !local_values || limits_grammars(); }
    friend bool operator==(const Profile&, const Profile&) = default;
};

// Table 5-1, with its defaults.
struct Options {
    static constexpr std::uint64_t k_unbounded = UINT64_MAX;

    Alignment alignment = Alignment::bit_packed;
    bool strict = false;
    bool fragment = false;
    bool self_contained = false;
    Preserve preserve;
    std::uint64_t block_size = 1'000'000;
    std::uint64_t value_max_length = k_unbounded;
    std::uint64_t value_capacity = k_unbounded;  // valuePartitionCapacity
    SchemaId schema_id;
    std::vector<DatatypeMapping> datatype_map;
    Profile profile;

    // Values apart from structure, in blocks (EXI 9).
    bool in_channels() const {
        return alignment == Alignment::pre_compression || alignment == Alignment::compression;
    }
    // Why these options cannot be had together (EXI 5.4), or null.
    const char* unfit() const;

    friend bool operator==(const Options&, const Options&) = default;
};

struct EncoderOptions {
    Options stream;
    bool cookie = false;
    bool write_options = false;  // the options document, in the header
    bool write_profile = false;  // EXI Profile's parameters, there
    bool preview = false;        // read streams that say they are of a preview version
    bool canonical = false;      // Canonical EXI
    bool omit_options = false;   // its omitOptionsDocument
    bool utc = false;            // its utcTime: times with a zone are written as of UTC
    int level = 6;               // of DEFLATE
    // What EXIficient leaves out though no fidelity option of EXI 6.3 says so.
    bool keep_schema_location = true;  // xsi:schemaLocation, xsi:noNamespaceSchemaLocation
    bool keep_nil_false = true;        // xsi:nil="false"
    bool keep_entity_references = true;
    // What is known of documents, when the stream does not say that nothing is; and how a stream
    // names it (EXI 5.4), "" for the built-in types.
    std::shared_ptr<const Schema> schema;
    std::string schema_name;
    // Elements that are written self-contained.
    std::vector<ExpandedName> self_contained;
};

}  // namespace perfrelay::exi
