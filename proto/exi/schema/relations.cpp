#include "proto/exi/schema/relations.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace perfrelay::exi {

Relations::Relations(const Components& from) : from_(from) {
    number_names();
    find_subtypes();
    gather_substitutes();
    gather_attribute_types();
}

// EXI 7.3.1, D
void Relations::number_names() {
    std::map<std::string, std::set<std::string>, std::less<>> locals;
    const auto add = [&](const ExpandedName& name) {
        if (!name.local.empty()) locals[name.uri].insert(name.local);
    };
    for (const char* const local : {"base", "id", "lang", "space"})
        locals[std::string(k_xml_uri)].insert(local);
    for (const char* const local : {"nil", "type"})
        locals[std::string(k_xsi_uri)].insert(local);
    for (const std::string_view local : xsd_type_names())
        locals[std::string(k_xsd_uri)].insert(std::string(local));
    for (const SimpleType& type : from_.simple_types)
        add(type.name);
    for (const ComplexType& type : from_.complex_types)
        add(type.name);
    for (const ElementDeclaration& element : from_.elements)
        add(element.name);
    for (const AttributeDeclaration& attribute : from_.attributes)
        add(attribute.name);
    for (const std::string& uri : from_.target_namespaces)
        locals[uri];
    const auto add_uris = [&](const Wildcard& wildcard) {
        for (const std::string& uri : wildcard.uris)
            locals[uri];
    };
    for (const Wildcard& wildcard : from_.wildcards)
        add_uris(wildcard);
    for (const ComplexType& type : from_.complex_types) {
        if (type.attribute_wildcard) add_uris(*type.attribute_wildcard);
    }
    const auto take = [&](std::string_view uri) {
        const auto at = locals.find(uri);
        uri_ids_.emplace(uri, static_cast<std::uint32_t>(uris_.size()));
        PresetUri& to = uris_.emplace_back();
        to.text = uri;
        if (at == locals.end()) return;
        for (const std::string& local : at->second) {
            numbers_.emplace(ExpandedName{to.text, local},
                             static_cast<std::uint32_t>(numbers_.size()));
            to.locals.push_back(local);
        }
        locals.erase(at);
    };
    for (const std::string_view uri : {std::string_view(), k_xml_uri, k_xsi_uri, k_xsd_uri})
        take(uri);
    while (!locals.empty())
        take(std::string(locals.begin()->first));
}

std::optional<TypeRef> Relations::base_of(const TypeRef& type) const {
    if (type.complex) {
        const TypeRef& base = from_.complex_types[type.index].base;
        return base == type ? std::nullopt : std::optional(base);
    }
    const std::uint32_t base = from_.simple_types[type.index].base;
    // The simple ur-type derives from anyType.
    return base == k_no_component ? TypeRef{true, 0} : TypeRef{false, base};
}

// EXI 8.5.4.4.2: which types have named sub-types.
void Relations::find_subtypes() {
    for (const bool complex : {false, true}) {
        std::vector<bool>& has = has_subtypes_[complex ? 1 : 0];
        has.resize(complex ? from_.complex_types.size() : from_.simple_types.size());
    }
    const auto mark = [&](TypeRef type) {
        if (!is_named(type)) return;
        for (std::optional<TypeRef> base = base_of(type); base; base = base_of(type)) {
            type = *base;
            std::vector<bool>& has = has_subtypes_[type.complex ? 1 : 0];
            if (has[type.index]) return;
            has[type.index] = true;
        }
    };
    for (std::uint32_t i = 0; i < from_.simple_types.size(); ++i)
        mark({false, i});
    for (std::uint32_t i = 0; i < from_.complex_types.size(); ++i)
        mark({true, i});
}

// EXI 8.5.4.1.6
void Relations::gather_substitutes() {
    names_.of_element.reserve(from_.elements.size());
    names_.substitutes.resize(from_.elements.size());
    for (const ElementDeclaration& element : from_.elements)
        names_.of_element.push_back(number(element.name));
    for (std::uint32_t i = 0; i < from_.elements.size(); ++i) {
        std::uint32_t head = i;
        for (std::size_t steps = 0; head != k_no_component && steps < from_.elements.size();
             ++steps) {
            names_.substitutes[head].push_back(i);
            head = from_.elements[head].substitutes;
        }
    }
    for (std::vector<std::uint32_t>& all : names_.substitutes) {
        std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
            return by_local_then_uri(from_.elements[a].name, from_.elements[b].name);
        });
    }
    for (const Wildcard& wildcard : from_.wildcards)
        names_.of_wildcard.push_back(uris_of(wildcard));
}
std::vector<std::uint32_t> Relations::uris_of(const Wildcard& wildcard) const {
    std::vector<std::uint32_t> ids;
    for (const std::string& uri : wildcard.uris)
        ids.push_back(uri_ids_.find(uri)->second);
    return ids;
}

void Relations::gather_attribute_types() {
    for (const AttributeDeclaration& attribute : from_.attributes) {
        const auto [known, is_new] = attribute_types_.try_emplace(attribute.name, attribute.type);
        if (is_new || !known->second) continue;
        const TypeRef first{false, *known->second};
        const TypeRef other{false, attribute.type};
        if (!is_named(other) || !(name_of(first) == name_of(other))) known->second.reset();
    }
}

}  // namespace perfrelay::exi
