#pragma once
// What reading and writing an options document share: the schema of EXI's appendix C, as names and
// as the order of children, and the options that such a document itself is coded under.

#include <string_view>

#include "proto/exi/names.h"
#include "proto/exi/options.h"

namespace perfrelay::exi {

// D.3: the names of elements and types of appendix C, sorted.
inline constexpr std::string_view k_exi_names[] = {"alignment",
                                                   "base64Binary",
                                                   "blockSize",
                                                   "boolean",
                                                   "byte",
                                                   "comments",
                                                   "common",
                                                   "compression",
                                                   "datatypeRepresentationMap",
                                                   "date",
                                                   "dateTime",
                                                   "decimal",
                                                   "double",
                                                   "dtd",
                                                   "fragment",
                                                   "gDay",
                                                   "gMonth",
                                                   "gMonthDay",
                                                   "gYear",
                                                   "gYearMonth",
                                                   "header",
                                                   "hexBinary",
                                                   "ieeeBinary32",
                                                   "ieeeBinary64",
                                                   "integer",
                                                   "lesscommon",
                                                   "lexicalValues",
                                                   "pis",
                                                   "pre-compress",
                                                   "prefixes",
                                                   "preserve",
                                                   "schemaId",
                                                   "selfContained",
                                                   "strict",
                                                   "string",
                                                   "time",
                                                   "uncommon",
                                                   "valueMaxLength",
                                                   "valuePartitionCapacity"};

// Children of the elements of appendix C, in their order.
enum HeaderChild : unsigned { k_lesscommon, k_common, k_strict };
enum LessCommonChild : unsigned { k_uncommon, k_preserve, k_block_size };
enum UncommonChild : unsigned { k_alignment, k_self_contained, k_max_length, k_capacity, k_map };
enum PreserveChild : unsigned { k_dtd, k_prefixes, k_lexical, k_comments, k_pis };
enum CommonChild : unsigned { k_compression, k_fragment, k_schema_id };

inline Options options_of_header() {
    Options options;
    options.strict = true;
    return options;
}

// The tables of one options document: XML Schema's and appendix C's names are known.
template <class Tables>
void know_names(Tables& tables) {
    tables.names.add_locals(tables.names.add_uri(k_exi_uri), k_exi_names);
}

}  // namespace perfrelay::exi
