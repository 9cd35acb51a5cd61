#pragma once
// Relations: what the declarations of a schema are to each other: the numbers of all names, as a
// string table begins with them (EXI 7.3.1, D), types with named sub-types (8.5.4.4.2),
// substitution groups (8.5.4.1.6), attributes of one name (8.5.3).
//
// Of components whose simple types are sound (datatypes.h). Contract: immutable; refers to them.
// Tested by tests/unit/proto/exi/schema_test.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "proto/exi/names.h"
#include "proto/exi/schema/components.h"
#include "proto/exi/schema/content_model.h"

namespace perfrelay::exi {

inline bool by_local_then_uri(const ExpandedName& a, const ExpandedName& b) {
    return std::tie(a.local, a.uri) < std::tie(b.local, b.uri);
}

class Relations {
  public:
    explicit Relations(const Components& from);

    const std::vector<PresetUri>& uris() const { return uris_; }
    std::size_t names() const { return numbers_.size(); }
    std::uint32_t number(const ExpandedName& name) const { return numbers_.find(name)->second; }
    std::vector<std::uint32_t> uris_of(const Wildcard& wildcard) const;

    const ExpandedName& name_of(const TypeRef& type) const {
        return type.complex ? from_.complex_types[type.index].name
                            : from_.simple_types[type.index].name;
    }
    bool is_named(const TypeRef& type) const { return !name_of(type).local.empty(); }
    bool has_subtypes(const TypeRef& type) const {
        return has_subtypes_[type.complex ? 1 : 0][type.index];
    }
    const ContentNames& content_names() const { return names_; }

    struct ByName {
        bool operator()(const ExpandedName& a, const ExpandedName& b) const {
            return by_local_then_uri(a, b);
        }
    };
    // EXI 8.5.3: by name, the type that all attributes of it have; nothing where they differ.
    using AttributeTypes = std::map<ExpandedName, std::optional<std::uint32_t>, ByName>;
    const AttributeTypes& attribute_types() const { return attribute_types_; }

  private:
    void number_names();
    std::optional<TypeRef> base_of(const TypeRef& type) const;
    void find_subtypes();
    void gather_substitutes();
    void gather_attribute_types();

    const Components& from_;
    std::vector<PresetUri> uris_;
    std::map<ExpandedName, std::uint32_t, ByName> numbers_;
    std::map<std::string, std::uint32_t, std::less<>> uri_ids_;
    std::array<std::vector<bool>, 2> has_subtypes_;  // [complex]
    ContentNames names_;
    AttributeTypes attribute_types_;
};

}  // namespace perfrelay::exi
