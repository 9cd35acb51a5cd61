#include "proto/exi/schema/components.h"

#include <iterator>

#include "proto/exi/names.h"

namespace perfrelay::exi {

namespace {

struct BuiltIn {
    std::string_view name;
    std::string_view base;
    std::string_view item = {};
    const char* min = "";
    const char* max = "";
};

// XML Schema 1.0 part 2, 3.2 and 3.3; bases before what is derived from them.
constexpr BuiltIn k_built_in[] = {
    {"anySimpleType", ""},
    {"string", "anySimpleType"},
    {"boolean", "anySimpleType"},
    {"decimal", "anySimpleType"},
    {"float", "anySimpleType"},
    {"double", "anySimpleType"},
    {"duration", "anySimpleType"},
    {"dateTime", "anySimpleType"},
    {"time", "anySimpleType"},
    {"date", "anySimpleType"},
    {"gYearMonth", "anySimpleType"},
    {"gYear", "anySimpleType"},
    {"gMonthDay", "anySimpleType"},
    {"gDay", "anySimpleType"},
    {"gMonth", "anySimpleType"},
    {"hexBinary", "anySimpleType"},
    {"base64Binary", "anySimpleType"},
    {"anyURI", "anySimpleType"},
    {"QName", "anySimpleType"},
    {"NOTATION", "anySimpleType"},
    {"normalizedString", "string"},
    {"token", "normalizedString"},
    {"language", "token"},
    {"NMTOKEN", "token"},
    {"NMTOKENS", "anySimpleType", "NMTOKEN"},
    {"Name", "token"},
    {"NCName", "Name"},
    {"ID", "NCName"},
    {"IDREF", "NCName"},
    {"IDREFS", "anySimpleType", "IDREF"},
    {"ENTITY", "NCName"},
    {"ENTITIES", "anySimpleType", "ENTITY"},
    {"integer", "decimal"},
    {"nonPositiveInteger", "integer", "", "", "0"},
    {"negativeInteger", "nonPositiveInteger", "", "", "-1"},
    {"long", "integer", "", "-9223372036854775808", "9223372036854775807"},
    {"int", "long", "", "-2147483648", "2147483647"},
    {"short", "int", "", "-32768", "32767"},
    {"byte", "short", "", "-128", "127"},
    {"nonNegativeInteger", "integer", "", "0"},
    {"unsignedLong", "nonNegativeInteger", "", "0", "18446744073709551615"},
    {"unsignedInt", "unsignedLong", "", "0", "4294967295"},
    {"unsignedShort", "unsignedInt", "", "0", "65535"},
    {"unsignedByte", "unsignedShort", "", "0", "255"},
    {"positiveInteger", "nonNegativeInteger", "", "1"},
};

}  // namespace

std::uint32_t built_in_type(std::string_view local) {
    for (std::uint32_t i = 0; i < std::size(k_built_in); ++i) {
        if (k_built_in[i].name == local) return i;
    }
    return k_no_component;
}

Components::Components() {
    for (const BuiltIn& from : k_built_in) {
        SimpleType& type = simple_types.emplace_back();
        type.name = {std::string(k_xsd_uri), std::string(from.name)};
        type.built_in = true;
        type.min_inclusive = from.min;
        type.max_inclusive = from.max;
        if (from.base.empty()) {
            type.variety = SimpleType::Variety::ur_type;
            type.white_space = WhiteSpace::preserve;
            continue;
        }
        type.base = built_in_type(from.base);
        if (!from.item.empty()) {
            type.variety = SimpleType::Variety::list;
            type.item = built_in_type(from.item);
        }
        if (from.name == "string") {
            type.white_space = WhiteSpace::preserve;
        } else if (from.name == "normalizedString") {
            type.white_space = WhiteSpace::replace;
        } else if (from.base == "anySimpleType" || from.name == "token") {
            type.white_space = WhiteSpace::collapse;
        }
    }
    // XML Schema 1.0 part 1, 3.4.7
    wildcards.emplace_back();
    groups.push_back({ModelGroup::Compositor::sequence,
                      {{Particle::Term::wildcard, 0, 0, Particle::k_unbounded}}});
    ComplexType& any = complex_types.emplace_back();
    any.name = {std::string(k_xsd_uri), "anyType"};
    any.base = {true, 0};
    any.content = ComplexType::Content::mixed;
    any.particle = Particle{Particle::Term::group, 0, 1, 1};
    any.attribute_wildcard = Wildcard();
}

}  // namespace perfrelay::exi
