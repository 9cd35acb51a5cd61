#pragma once
// Names: the partitions of the string table that hold URIs, local names and prefixes (EXI 7.3.1,
// 7.3.2, D), and qualified names as dense numbers.
//
// Names are numbered from 0: values, channels and grammars keep what they know of a name in vectors
// indexed by its number. A name may have a number and not be in its partition yet. Used by decoders
// (which go by identifier) and encoders (which look names up). The QNames that a decoder hands on
// are entered into a table of its own, which outlives the string table of a self-contained element,
// and the document: the next one has mostly the same names, in the same order, and they are then
// found by one comparison.
// Contract: everything handed out lives until `reset`.
// Tested by tests/unit/proto/exi/string_table_test.cpp.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/arena.h"
#include "proto/model/name_table.h"

namespace perfrelay::exi {

inline constexpr std::string_view k_xml_uri = "http://www.w3.org/XML/1998/namespace";
inline constexpr std::string_view k_xsi_uri = "http://www.w3.org/2001/XMLSchema-instance";
inline constexpr std::string_view k_xsd_uri = "http://www.w3.org/2001/XMLSchema";
inline constexpr std::string_view k_exi_uri = "http://www.w3.org/2009/exi";

// D.1: where these are in the URI partition.
inline constexpr std::uint32_t k_no_uri_id = 0;
inline constexpr std::uint32_t k_xml_id = 1;
inline constexpr std::uint32_t k_xsi_id = 2;

// QNames that outlive their document.
class KeptNames {
  public:
    NameTable table;

    // Between documents. True: they had become too many, and all are gone.
    bool trim();

  private:
    std::uint32_t counted_ = 0;
    std::size_t bytes_ = 0;  // of the first counted_
};

class Names {
  public:
    static constexpr std::uint32_t k_none = UINT32_MAX;

    struct Uri {
        std::string_view text;
        std::vector<std::uint32_t> names;        // by local-name identifier
        std::vector<std::string_view> prefixes;  // by prefix identifier
    };
    struct Name {
        const QName* qname = nullptr;     // without prefix ("xml" apart)
        const QName* prefixed = nullptr;  // as last asked for
        std::uint32_t uri = 0;
        std::uint32_t local = k_none;  // its identifier in the partition of its URI
    };

    // D: as they are when a body begins. `with_schema`: XML Schema's types are known (D.3). QNames
    // are made in `handed_on`, which has not been cleared since the last reset, unless by `forget`.
    void reset(bool with_schema, NameTable& handed_on);
    void forget();

    std::size_t size() const { return used_; }
    const Name& operator[](std::uint32_t name) const { return names_[name]; }

    std::uint32_t uris() const { return used_uris_; }
    const Uri& uri(std::uint32_t id) const { return uris_[id]; }
    std::uint32_t find_uri(std::string_view text) const;  // or k_none
    std::uint32_t add_uri(std::string_view text);

    // The number of a name, whether or not it is in its partition.
    std::uint32_t number(std::uint32_t uri, std::string_view local);
    void add_local(std::uint32_t name);
    // Sorted presets (D.3).
    void add_locals(std::uint32_t uri, std::span<const std::string_view> sorted);

    std::uint32_t find_prefix(std::uint32_t uri, std::string_view prefix) const;  // or k_none
    std::string_view add_prefix(std::uint32_t uri, std::string_view prefix);
    const QName* with_prefix(std::uint32_t name, std::string_view prefix) {
        Name& known = names_[name];
        if (known.prefixed->prefix != prefix)
            known.prefixed = handed_on_->intern(uris_[known.uri].text, known.qname->local, prefix);
        return known.prefixed;
    }

    std::uint32_t xsi_type() const { return xsi_type_; }
    std::uint32_t xsi_nil() const { return xsi_nil_; }

  private:
    // So many URIs are looked through.
    static constexpr std::uint32_t k_few_uris = 8;

    struct Numbered {
        std::uint32_t document = 0;
        std::uint32_t number = 0;
    };

    const QName* name_of(std::uint32_t uri, std::string_view local);
    std::uint32_t enter_uri(std::string_view kept);
    void enter_prefix(std::uint32_t uri, std::string_view kept);

    NameTable* handed_on_ = nullptr;
    Arena arena_;
    std::vector<Name> names_;  // those beyond used_ are what the last document had there
    std::uint32_t used_ = 0;
    std::vector<Numbered> numbers_;  // by QName::expanded
    std::uint32_t document_ = 0;     // since `forget`
    std::vector<Uri> uris_;          // those beyond used_uris_ keep their memory
    std::uint32_t used_uris_ = 0;
    std::unordered_map<std::string_view, std::uint32_t> uri_ids_;  // of those that are not few
    std::uint32_t xsi_type_ = 0;
    std::uint32_t xsi_nil_ = 0;
};

// D.3, table D-5: the names of XML Schema's types, sorted.
std::span<const std::string_view> xsd_type_names();

}  // namespace perfrelay::exi
