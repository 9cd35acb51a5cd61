#pragma once
// Components: what a schema declares (XML Schema 1.0 part 1, 2.2), as plain data: types, elements,
// attributes, particles. A reader of XSDs fills it, make_schema (schema_maker.h) compiles it.
//
// Everything refers by index. The built-in simple types come first, the ur-type first of all;
// complex type 0 is anyType (XML Schema 1.0 part 1, 3.4.7). Nothing here knows where it came from.
// Tested by tests/unit/proto/exi/schema_test.cpp.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/exi/options.h"

namespace perfrelay::exi {

inline constexpr std::uint32_t k_no_component = UINT32_MAX;

// XML Schema part 2, 4.3.6
enum class WhiteSpace : std::uint8_t { preserve, replace, collapse };

struct SimpleType {
    enum class Variety : std::uint8_t { ur_type, atomic, list, union_of };

    ExpandedName name;  // local "": anonymous
    std::uint32_t base = k_no_component;
    Variety variety = Variety::atomic;
    std::uint32_t item = k_no_component;  // of a list
    std::optional<WhiteSpace> white_space;
    // Facets that this type itself has, in its own words.
    std::vector<std::string> enumeration;
    std::vector<std::string> patterns;
    std::string min_inclusive, min_exclusive, max_inclusive, max_exclusive;
    bool built_in = false;
};

struct TypeRef {
    bool complex = true;
    std::uint32_t index = 0;

    friend bool operator==(const TypeRef&, const TypeRef&) = default;
};

struct AttributeDeclaration {
    ExpandedName name;
    std::uint32_t type = 0;  // simple
    bool global = false;
};
struct AttributeUse {
    std::uint32_t attribute = 0;
    bool required = false;
};

// "any" and "not .." are the same to EXI (8.5.4.1.7).
struct Wildcard {
    bool any = true;
    std::vector<std::string> uris;  // otherwise; "" is no namespace
};

struct Particle {
    enum class Term : std::uint8_t { element, wildcard, group };
    static constexpr std::uint32_t k_unbounded = UINT32_MAX;

    Term term = Term::group;
    std::uint32_t index = 0;
    std::uint32_t min = 1;
    std::uint32_t max = 1;
};
struct ModelGroup {
    enum class Compositor : std::uint8_t { sequence, choice, all };
    Compositor compositor = Compositor::sequence;
    std::vector<Particle> particles;
};

struct ElementDeclaration {
    ExpandedName name;
    TypeRef type = {};
    bool nillable = false;
    bool global = false;
    std::uint32_t substitutes = k_no_component;  // {substitution group affiliation}
};

struct ComplexType {
    enum class Content : std::uint8_t { empty, simple, elements, mixed };

    ExpandedName name;
    TypeRef base;
    Content content = Content::empty;
    std::uint32_t simple = 0;          // type of simple content
    std::optional<Particle> particle;  // of elements and mixed
    std::vector<AttributeUse> attributes;
    std::optional<Wildcard> attribute_wildcard;
};

struct Components {
    // The built-in types.
    Components();

    std::vector<SimpleType> simple_types;
    std::vector<ComplexType> complex_types;
    std::vector<AttributeDeclaration> attributes;
    std::vector<ElementDeclaration> elements;
    std::vector<ModelGroup> groups;
    std::vector<Wildcard> wildcards;  // of particles
    std::vector<std::string> target_namespaces;

    const SimpleType& operator[](std::uint32_t simple) const { return simple_types[simple]; }
};

// Of the simple ur-type.
inline constexpr std::uint32_t k_any_simple_type = 0;
inline constexpr std::uint32_t k_boolean_type = 2;

// The built-in simple type of this local name, or k_no_component.
std::uint32_t built_in_type(std::string_view local);

}  // namespace perfrelay::exi
