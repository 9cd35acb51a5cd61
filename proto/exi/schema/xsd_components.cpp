#include "proto/exi/schema/xsd_components.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <xercesc/framework/psvi/XSAttributeDeclaration.hpp>
#include <xercesc/framework/psvi/XSAttributeGroupDefinition.hpp>
#include <xercesc/framework/psvi/XSAttributeUse.hpp>
#include <xercesc/framework/psvi/XSComplexTypeDefinition.hpp>
#include <xercesc/framework/psvi/XSElementDeclaration.hpp>
#include <xercesc/framework/psvi/XSModelGroup.hpp>
#include <xercesc/framework/psvi/XSModelGroupDefinition.hpp>
#include <xercesc/framework/psvi/XSNamedMap.hpp>
#include <xercesc/framework/psvi/XSNamespaceItem.hpp>
#include <xercesc/framework/psvi/XSParticle.hpp>
#include <xercesc/framework/psvi/XSSimpleTypeDefinition.hpp>
#include <xercesc/framework/psvi/XSWildcard.hpp>

#include "proto/exi/bit_reader.h"
#include "proto/exi/bit_writer.h"
#include "proto/exi/names.h"

namespace perfrelay::exi {

namespace x = xercesc;

std::string utf8_of(const XMLCh* text) {
    std::string out;
    char bytes[4];
    for (; text != nullptr && *text != 0; ++text) {
        std::uint32_t c = *text;
        if ((c & 0xFC00U) == 0xD800U && (text[1] & 0xFC00U) == 0xDC00U)
            c = 0x10000U + ((c & 0x3FFU) << 10U) + (*++text & 0x3FFU);
        out.append(bytes, put_utf8(bytes, c));
    }
    return out;
}

std::basic_string<XMLCh> wide_of(const std::string& text) {
    std::basic_string<XMLCh> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::uint32_t c = next_code_point(text, at);
        if (c >= 0x10000) out += static_cast<XMLCh>(0xD7C0U + (c >> 10U));
        out += static_cast<XMLCh>(c >= 0x10000 ? 0xDC00U | (c & 0x3FFU) : c);
    }
    return out;
}

namespace {

class ModelReader {
  public:
    explicit ModelReader(x::XSModel& model) : model_(model) {}

    Components run() {
        each<x::XSTypeDefinition>(x::XSConstants::TYPE_DEFINITION,
                                  [&](x::XSTypeDefinition& type) { (void)type_of(&type); });
        each<x::XSElementDeclaration>(
            x::XSConstants::ELEMENT_DECLARATION,
            [&](x::XSElementDeclaration& element) { (void)element_of(&element); });
        each<x::XSAttributeDeclaration>(x::XSConstants::ATTRIBUTE_DECLARATION,
                                        [&](x::XSAttributeDeclaration& attribute) {
                                            // Xerces declares xsi's own; EXI D.3 does not.
                                            if (utf8_of(attribute.getNamespace()) != k_xsi_uri)
                                                (void)attribute_of(&attribute);
                                        });
        // Declarations in groups that nothing refers to have names as well (EXI D.3).
        each<x::XSModelGroupDefinition>(x::XSConstants::MODEL_GROUP_DEFINITION,
                                        [&](x::XSModelGroupDefinition& group) {
                                            if (group.getModelGroup() != nullptr)
                                                (void)group_of(group.getModelGroup());
                                        });
        each<x::XSAttributeGroupDefinition>(
            x::XSConstants::ATTRIBUTE_GROUP_DEFINITION, [&](x::XSAttributeGroupDefinition& group) {
                uses_of(group.getAttributeUses(), [](const AttributeUse&) {});
            });
        if (const auto* const items = model_.getNamespaceItems()) {
            for (XMLSize_t i = 0; i < items->size(); ++i)
                out_.target_namespaces.push_back(
                    utf8_of(items->elementAt(i)->getSchemaNamespace()));
        }
        // Types refer to elements and these to types: they are numbered when met, filled here.
        while (!work_.empty()) {
            x::XSObject* const next = work_.back();
            work_.pop_back();
            switch (next->getType()) {
                case x::XSConstants::ELEMENT_DECLARATION:
                    fill(static_cast<x::XSElementDeclaration&>(*next));
                    break;
                case x::XSConstants::ATTRIBUTE_DECLARATION:
                    fill(static_cast<x::XSAttributeDeclaration&>(*next));
                    break;
                case x::XSConstants::TYPE_DEFINITION: {
                    auto& type = static_cast<x::XSTypeDefinition&>(*next);
                    if (type.getTypeCategory() == x::XSTypeDefinition::COMPLEX_TYPE) {
                        fill(static_cast<x::XSComplexTypeDefinition&>(type));
                    } else {
                        fill(static_cast<x::XSSimpleTypeDefinition&>(type));
                    }
                    break;
                }
                default: break;
            }
        }
        return std::move(out_);
    }

  private:
    template <class T, class Visit>
    void each(x::XSConstants::COMPONENT_TYPE kind, Visit&& visit) {
        auto* const map = model_.getComponents(kind);
        if (map == nullptr) return;
        for (XMLSize_t i = 0; i < map->getLength(); ++i)
            visit(static_cast<T&>(*map->item(i)));
    }

    template <class T>
    static ExpandedName name_of(T& of) {
        return {utf8_of(of.getNamespace()), utf8_of(of.getName())};
    }

    TypeRef type_of(x::XSTypeDefinition* type) {
        if (type == nullptr) return {true, 0};
        if (const auto known = types_.find(type); known != types_.end()) return known->second;
        const bool complex = type->getTypeCategory() == x::XSTypeDefinition::COMPLEX_TYPE;
        TypeRef ref{complex, 0};
        const ExpandedName name = type->getAnonymous() ? ExpandedName() : name_of(*type);
        if (name.uri == k_xsd_uri) {
            if (complex && name.local == "anyType") return types_[type] = ref;
            const std::uint32_t built_in = built_in_type(name.local);
            if (!complex && built_in != k_no_component) {
                ref.index = built_in;
                return types_[type] = ref;
            }
        }
        if (complex) {
            ref.index = static_cast<std::uint32_t>(out_.complex_types.size());
            out_.complex_types.emplace_back().name = name;
        } else {
            ref.index = static_cast<std::uint32_t>(out_.simple_types.size());
            out_.simple_types.emplace_back().name = name;
        }
        types_[type] = ref;
        work_.push_back(type);
        return ref;
    }
    std::uint32_t simple_of(x::XSSimpleTypeDefinition* type) {
        if (type == nullptr) return k_any_simple_type;
        const TypeRef ref = type_of(type);
        return ref.complex ? k_any_simple_type : ref.index;
    }
    std::uint32_t element_of(x::XSElementDeclaration* element) {
        const auto [at, is_new] =
            elements_.try_emplace(element, static_cast<std::uint32_t>(out_.elements.size()));
        if (is_new) {
            ElementDeclaration& to = out_.elements.emplace_back();
            to.name = name_of(*element);
            to.global = element->getScope() == x::XSConstants::SCOPE_GLOBAL;
            to.nillable = element->getNillable();
            work_.push_back(element);
        }
        return at->second;
    }
    std::uint32_t attribute_of(x::XSAttributeDeclaration* attribute) {
        const auto [at, is_new] =
            attributes_.try_emplace(attribute, static_cast<std::uint32_t>(out_.attributes.size()));
        if (is_new) {
            AttributeDeclaration& to = out_.attributes.emplace_back();
            to.name = name_of(*attribute);
            to.global = attribute->getScope() == x::XSConstants::SCOPE_GLOBAL;
            work_.push_back(attribute);
        }
        return at->second;
    }

    void fill(x::XSElementDeclaration& element) {
        const std::uint32_t index = elements_[&element];
        const TypeRef type = type_of(element.getTypeDefinition());
        out_.elements[index].type = type;
        if (x::XSElementDeclaration* const head = element.getSubstitutionGroupAffiliation()) {
            const std::uint32_t of = element_of(head);
            out_.elements[index].substitutes = of;
        }
    }
    void fill(x::XSAttributeDeclaration& attribute) {
        const std::uint32_t type = simple_of(attribute.getTypeDefinition());
        out_.attributes[attributes_[&attribute]].type = type;
    }

    void fill(x::XSSimpleTypeDefinition& from) {
        using From = x::XSSimpleTypeDefinition;
        SimpleType to;
        to.name = from.getAnonymous() ? ExpandedName() : name_of(from);
        auto* const base = from.getBaseType();
        to.base = base == nullptr || base->getTypeCategory() == x::XSTypeDefinition::COMPLEX_TYPE
                      ? k_any_simple_type
                      : type_of(base).index;
        switch (from.getVariety()) {
            case From::VARIETY_LIST:
                to.variety = SimpleType::Variety::list;
                to.item = simple_of(from.getItemType());
                break;
            case From::VARIETY_UNION: to.variety = SimpleType::Variety::union_of; break;
            default: to.variety = SimpleType::Variety::atomic; break;
        }
        const auto facet = [&](From::FACET which) {
            return from.isDefinedFacet(which) ? utf8_of(from.getLexicalFacetValue(which))
                                              : std::string();
        };
        to.min_inclusive = facet(From::FACET_MININCLUSIVE);
        to.min_exclusive = facet(From::FACET_MINEXCLUSIVE);
        to.max_inclusive = facet(From::FACET_MAXINCLUSIVE);
        to.max_exclusive = facet(From::FACET_MAXEXCLUSIVE);
        const std::string white_space = facet(From::FACET_WHITESPACE);
        if (white_space == "preserve") to.white_space = WhiteSpace::preserve;
        if (white_space == "replace") to.white_space = WhiteSpace::replace;
        if (white_space == "collapse") to.white_space = WhiteSpace::collapse;
        to.enumeration = texts_of(from.getLexicalEnumeration());
        // Xerces takes them apart at every "|", in brackets too.
        std::string pattern;
        for (const std::string& part : texts_of(from.getLexicalPattern()))
            pattern.append(pattern.empty() ? "" : "|").append(part);
        if (!pattern.empty()) to.patterns.push_back(std::move(pattern));
        out_.simple_types[types_[&from].index] = std::move(to);
    }
    static std::vector<std::string> texts_of(const x::StringList* list) {
        std::vector<std::string> texts;
        for (XMLSize_t i = 0; list != nullptr && i < list->size(); ++i)
            texts.push_back(utf8_of(list->elementAt(i)));
        return texts;
    }

    void fill(x::XSComplexTypeDefinition& from) {
        using From = x::XSComplexTypeDefinition;
        ComplexType to;
        to.name = from.getAnonymous() ? ExpandedName() : name_of(from);
        to.base = type_of(from.getBaseType());
        switch (from.getContentType()) {
            case From::CONTENTTYPE_EMPTY: to.content = ComplexType::Content::empty; break;
            case From::CONTENTTYPE_SIMPLE:
                to.content = ComplexType::Content::simple;
                to.simple = simple_of(from.getSimpleType());
                break;
            case From::CONTENTTYPE_ELEMENT: to.content = ComplexType::Content::elements; break;
            case From::CONTENTTYPE_MIXED: to.content = ComplexType::Content::mixed; break;
        }
        if (from.getParticle() != nullptr && to.content != ComplexType::Content::simple)
            to.particle = particle_of(*from.getParticle());
        uses_of(from.getAttributeUses(),
                [&](const AttributeUse& use) { to.attributes.push_back(use); });
        if (from.getAttributeWildcard() != nullptr)
            to.attribute_wildcard = wildcard_of(*from.getAttributeWildcard());
        out_.complex_types[types_[&from].index] = std::move(to);
    }

    template <class Take>
    void uses_of(x::XSAttributeUseList* uses, Take&& take) {
        for (XMLSize_t i = 0; uses != nullptr && i < uses->size(); ++i) {
            x::XSAttributeUse& use = *uses->elementAt(i);
            take({attribute_of(use.getAttrDeclaration()), use.getRequired()});
        }
    }

    static Wildcard wildcard_of(x::XSWildcard& from) {
        Wildcard to;
        to.any = from.getConstraintType() != x::XSWildcard::NSCONSTRAINT_DERIVATION_LIST;
        if (!to.any) to.uris = texts_of(from.getNsConstraintList());
        return to;
    }

    Particle particle_of(x::XSParticle& from) {
        Particle to;
        to.min = occurs(from.getMinOccurs());
        to.max = from.getMaxOccursUnbounded() ? Particle::k_unbounded : occurs(from.getMaxOccurs());
        switch (from.getTermType()) {
            case x::XSParticle::TERM_ELEMENT:
                to.term = Particle::Term::element;
                to.index = element_of(from.getElementTerm());
                break;
            case x::XSParticle::TERM_WILDCARD:
                to.term = Particle::Term::wildcard;
                to.index = static_cast<std::uint32_t>(out_.wildcards.size());
                out_.wildcards.push_back(wildcard_of(*from.getWildcardTerm()));
                break;
            case x::XSParticle::TERM_MODELGROUP:
                to.index = group_of(from.getModelGroupTerm());
                break;
            case x::XSParticle::TERM_EMPTY: to.min = to.max = 0; break;
        }
        return to;
    }
    static std::uint32_t occurs(XMLSize_t count) {
        return count < Particle::k_unbounded ? static_cast<std::uint32_t>(count)
                                             : Particle::k_unbounded - 1;
    }

    // Groups nest as deep as the file does: xsd_loader bounds that.
    std::uint32_t group_of(x::XSModelGroup* from) {
        const auto [known, is_new] =
            groups_.try_emplace(from, static_cast<std::uint32_t>(out_.groups.size()));
        const std::uint32_t index = known->second;
        if (!is_new) return index;
        out_.groups.emplace_back();
        ModelGroup to;
        switch (from->getCompositor()) {
            case x::XSModelGroup::COMPOSITOR_SEQUENCE: break;
            case x::XSModelGroup::COMPOSITOR_CHOICE:
                to.compositor = ModelGroup::Compositor::choice;
                break;
            case x::XSModelGroup::COMPOSITOR_ALL:
                to.compositor = ModelGroup::Compositor::all;
                break;
        }
        const x::XSParticleList* const particles = from->getParticles();
        for (XMLSize_t i = 0; particles != nullptr && i < particles->size(); ++i)
            to.particles.push_back(
                particle_of(const_cast<x::XSParticle&>(*particles->elementAt(i))));
        out_.groups[index] = std::move(to);
        return index;
    }

    x::XSModel& model_;
    Components out_;
    std::vector<x::XSObject*> work_;
    std::unordered_map<const x::XSTypeDefinition*, TypeRef> types_;
    std::unordered_map<const x::XSElementDeclaration*, std::uint32_t> elements_;
    std::unordered_map<const x::XSAttributeDeclaration*, std::uint32_t> attributes_;
    std::unordered_map<const x::XSModelGroup*, std::uint32_t> groups_;
};

}  // namespace

Components components_of(x::XSModel& model) {
    return ModelReader(model).run();
}

}  // namespace perfrelay::exi
