#pragma once
// Fidelity: what of a document a format, with its options, keeps. Declared by each codec, used by
// the verification: decode(encode(document)) must equal the document in all that is declared kept.
// Attribute order never counts (XML 1.0 section 3.1); elements, attributes and text always do.

namespace perfrelay {

struct Fidelity {
    bool comments = true;
    bool processing_instructions = true;
    bool doctype = true;          // its name and identifiers
    bool internal_subset = true;  // and the text between its brackets
    // Prefixes and namespace declarations; else expanded names alone, that of an xsi:type too.
    bool prefixes = true;
    bool entity_references = true;

    friend bool operator==(const Fidelity&, const Fidelity&) = default;
};

}  // namespace perfrelay
