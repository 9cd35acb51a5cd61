#pragma once
// Fidelity: what of a document a format, with its options, keeps. Declared by each codec, used by
// the verification: decode(encode(document)) must equal the document in all that is declared kept.
// Attribute order never counts (XML 1.0 section 3.1); elements, attributes and text always do.

#include <string_view>

#include "proto/model/name_table.h"

namespace perfrelay {

struct Fidelity {
    bool comments = true;
    bool processing_instructions = true;
    bool doctype = true;          // its name and identifiers
    bool internal_subset = true;  // and the text between its brackets
    // Prefixes and namespace declarations; else expanded names alone, that of an xsi:type too.
    bool prefixes = true;
    bool entity_references = true;
    // Values come back as values, not as texts ("1.50" as "1.5"): whether the second text is what
    // becomes of the first. Null: texts come back as they were.
    bool (*same_value)(std::string_view written, std::string_view read) = nullptr;
    // Elements may come back with an xsi:type of XML Schema's anyType that they had not, and with
    // the declaration of its prefix (EXI Profile 3.1): it says nothing of them.
    bool may_add_any_type = false;
    // Whether such an attribute is left out. Null: none is.
    bool (*leaves_out)(const QName& attribute, std::string_view value) = nullptr;

    friend bool operator==(const Fidelity&, const Fidelity&) = default;
};

}  // namespace perfrelay
