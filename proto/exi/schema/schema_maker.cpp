#include "proto/exi/schema/schema_maker.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "proto/exi/schema/content_model.h"
#include "proto/exi/schema/relations.h"

namespace perfrelay::exi {

namespace {

// What a type's content is, apart from its attributes: productions of its first state, and what
// they lead to.
struct Content {
    std::vector<Production> first;
    std::uint32_t state = 0;  // the same as a state of content: EXI 8.5.4.4.1, content2
};

class SchemaMaker {
  public:
    SchemaMaker(const Components& from, std::size_t room)
        : from_(from), relations_(from), room_(room), schema_(std::make_shared<Schema>()) {}

    Result<std::shared_ptr<const Schema>> make() {
        schema_->uris = relations_.uris();
        schema_->simple_types = from_.simple_types;
        ended_ = add_state({end_element()}, StateKind::informed_content_end);
        empty_ = entry_of({}, std::nullopt, {{end_element()}, ended_}, Schema::k_none);
        // Elements lead to types, whose states name elements: all first states come first.
        for (std::uint32_t i = 0; i < from_.simple_types.size(); ++i)
            reserve({false, i});
        for (std::uint32_t i = 0; i < from_.complex_types.size(); ++i)
            reserve({true, i});
        element_entries_.resize(from_.elements.size());
        for (std::size_t i = 0; i < from_.elements.size(); ++i)
            element_entries_[i] = entry_of_element(from_.elements[i]);
        for (std::uint32_t i = 0; i < from_.simple_types.size(); ++i)
            fill_simple(i);
        for (std::uint32_t i = 0; i < from_.complex_types.size(); ++i) {
            if (!fill_complex(i)) return too_large();
        }
        make_document();
        make_fragment();
        index_globals();
        if (schema_->productions.size() + schema_->states.size() > 2 * k_most_productions)
            return too_large();
        schema_->finish();
        return std::shared_ptr<const Schema>(std::move(schema_));
    }

  private:
    static Error too_large() {
        return {.code = Errc::limit_exceeded,
                .where = "EXI 8.5.4: the content models have more states than the limit"};
    }

    // ---- States

    static Production end_element() { return {.event = Event::end_element}; }

    std::uint32_t add_state(const std::vector<Production>& productions, StateKind kind,
                            StateKind strict = StateKind::bare) {
        const auto number = static_cast<std::uint32_t>(schema_->states.size());
        schema_->states.emplace_back();
        set_state(number, productions, kind, strict);
        return number | Schema::k_state;
    }
    void set_state(std::uint32_t number, const std::vector<Production>& productions, StateKind kind,
                   StateKind strict) {
        Schema::State& state = schema_->states[number & ~Schema::k_state];
        state.first = static_cast<std::uint32_t>(schema_->productions.size());
        state.count = static_cast<std::uint32_t>(productions.size());
        state.attributes = static_cast<std::uint32_t>(
            std::count_if(productions.begin(), productions.end(),
                          [](const Production& p) { return p.event == Event::attribute; }));
        state.kinds = {kind, strict};
        state.content = number | Schema::k_state;
        schema_->productions.insert(schema_->productions.end(), productions.begin(),
                                    productions.end());
    }
    static StateKind with_end(StateKind kind, const std::vector<Production>& productions) {
        const bool has = std::any_of(productions.begin(), productions.end(),
                                     [](const auto& p) { return p.event == Event::end_element; });
        return has ? static_cast<StateKind>(static_cast<unsigned>(kind) + 1) : kind;
    }

    // The states of a start tag, from the last to the first (EXI 8.5.4.1.3.2, 8.5.4.1.4). `uses`
    // are sorted. Returns the productions of the first, for a first state to have.
    struct Use {
        std::uint32_t name = 0;
        std::uint32_t type = 0;
        bool required = false;
    };
    std::vector<Production> start_tag(const std::vector<Use>& uses,
                                      const std::optional<Wildcard>& wildcard,
                                      const Content& content) {
        std::vector<Production> any;  // loops; where to is put in below
        if (wildcard && wildcard->any) any.push_back({.event = Event::any_attribute});
        if (wildcard && !wildcard->any) {
            std::vector<std::uint32_t> ids = relations_.uris_of(*wildcard);
            std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
                return schema_->uris[a].text < schema_->uris[b].text;
            });
            for (const std::uint32_t id : ids)
                any.push_back({.event = Event::any_attribute_of, .name = id});
        }
        std::vector<Production> productions;
        std::uint32_t behind = 0;
        for (std::size_t i = uses.size() + 1; i-- != 0;) {
            // Names of this and those that may follow it, wildcards, then the content's.
            std::vector<Production> attributes;
            std::vector<Production> rest = content.first;
            if (i < uses.size()) {
                attributes.push_back({.event = Event::attribute,
                                      .name = uses[i].name,
                                      .next = behind,
                                      .target = uses[i].type});
                rest.clear();
                if (!uses[i].required) {
                    for (const Production& p : productions) {
                        if (p.event == Event::attribute) {
                            attributes.push_back(p);
                        } else if (p.event != Event::any_attribute &&
                                   p.event != Event::any_attribute_of) {
                            rest.push_back(p);
                        }
                    }
                }
            }
            productions = std::move(attributes);
            // The state itself, whose number is the next.
            behind = static_cast<std::uint32_t>(schema_->states.size()) | Schema::k_state;
            for (Production p : any) {
                p.next = behind;
                productions.push_back(p);
            }
            productions.insert(productions.end(), rest.begin(), rest.end());
            add_state(productions, with_end(StateKind::informed_start, productions));
            schema_->states.back().content = content.state;
        }
        return productions;
    }
    // What a first state does with wildcards: it stays, where only its own grammar has them at that
    // place; else what it goes to is a union of several (EXI 8.5.4.2.2).
    static std::vector<Production> of_entry(std::vector<Production> productions,
                                            const std::vector<Use>& uses, std::uint32_t entry) {
        if (!uses.empty() && !uses.front().required) return productions;
        for (Production& p : productions) {
            if (p.event == Event::any_attribute || p.event == Event::any_attribute_of)
                p.next = entry;
        }
        return productions;
    }

    // A first state of its own, for an element or type.
    std::uint32_t entry_of(const std::vector<Use>& uses, const std::optional<Wildcard>& wildcard,
                           const Content& content, std::uint32_t empty) {
        std::vector<Production> productions = start_tag(uses, wildcard, content);
        const auto entry = static_cast<std::uint32_t>(schema_->states.size()) | Schema::k_state;
        productions = of_entry(std::move(productions), uses, entry);
        (void)add_state(productions, with_end(StateKind::informed_entry, productions));
        Schema::State& state = schema_->states.back();
        state.content = content.state;
        state.empty = empty == Schema::k_none ? entry : empty;
        return entry;
    }

    // ---- Types and elements

    static constexpr std::size_t k_strict_kinds = 4;
    static StateKind strict_kind(bool type, bool nil) {
        if (type && nil) return StateKind::strict_type_nil;
        return type ? StateKind::strict_type : nil ? StateKind::strict_nil : StateKind::bare;
    }

    // First states: of the type's grammar, and of elements of that type.
    struct Entries {
        std::array<std::uint32_t, k_strict_kinds> of{Schema::k_none, Schema::k_none, Schema::k_none,
                                                     Schema::k_none};
    };
    Entries& entries(const TypeRef& type) { return entries_[type.complex ? 1 : 0][type.index]; }
    void reserve(const TypeRef& type) {
        entries_[type.complex ? 1 : 0].emplace_back();
        (void)entry(type, false, false);
    }
    std::uint32_t entry(const TypeRef& type, bool with_type, bool with_nil) {
        std::uint32_t& known = entries(type).of[(with_type ? 1U : 0U) + (with_nil ? 2U : 0U)];
        if (known == Schema::k_none)
            known = add_state({}, StateKind::informed_entry, strict_kind(with_type, with_nil));
        return known;
    }
    std::uint32_t entry_of_element(const ElementDeclaration& element) {
        const TypeRef& type = element.type;
        const bool is_union = !type.complex && from_.simple_types[type.index].variety ==
                                                   SimpleType::Variety::union_of;
        const bool with_type = relations_.has_subtypes(type) || is_union;
        return entry(type, with_type, element.nillable);
    }

    // All first states of the type are alike but for their second level.
    void fill_entries(const TypeRef& type, const std::vector<Production>& productions,
                      const std::vector<Use>& uses, const Content& content, std::uint32_t empty) {
        for (const std::uint32_t number : entries(type).of) {
            if (number == Schema::k_none) continue;
            Schema::State& state = schema_->states[number & ~Schema::k_state];
            set_state(number, of_entry(productions, uses, number),
                      with_end(StateKind::informed_entry, productions), state.kinds[1]);
            state.content = content.state;
            state.empty = empty;
        }
    }

    // EXI 8.5.4.1.3.1
    Content simple_content(std::uint32_t type) {
        Content content;
        content.first = {{.event = Event::characters, .next = ended_, .target = type}};
        content.state = add_state(content.first, StateKind::informed_content);
        return content;
    }
    void fill_simple(std::uint32_t type) {
        const Content content = simple_content(type);
        fill_entries({false, type}, content.first, {}, content, empty_);
    }

    std::optional<Content> content_of(const ComplexType& type) {
        const bool mixed = type.content == ComplexType::Content::mixed;
        if (type.content == ComplexType::Content::simple) return simple_content(type.simple);
        if (!type.particle && !mixed) return Content{{end_element()}, ended_};
        ContentModel model;
        // Mixed without a particle: text alone.
        Particle none;
        none.max = none.min = 0;
        if (!model.make(from_, relations_.content_names(), type.particle ? *type.particle : none,
                        room_))
            return std::nullopt;
        const auto first = static_cast<std::uint32_t>(schema_->states.size());
        Content content;
        content.state = first | Schema::k_state;
        for (std::uint32_t i = 0; i < model.states().size(); ++i) {
            const ContentModel::State& from = model.states()[i];
            std::vector<Production> productions;
            for (const ContentModel::Step& step : from.steps) {
                Production& p = productions.emplace_back();
                p.event = step.event;
                p.name = step.name;
                p.next = (first + step.next) | Schema::k_state;
                if (step.event == Event::start_element) p.target = element_entries_[step.element];
            }
            if (from.end) productions.push_back(end_element());
            // EXI 8.5.4.1.3.2: untyped, and it stays where it is.
            if (mixed)
                productions.push_back(
                    {.event = Event::characters, .next = (first + i) | Schema::k_state});
            add_state(productions, with_end(StateKind::informed_content, productions));
            if (i == 0) content.first = productions;
        }
        return content;
    }

    bool fill_complex(std::uint32_t index) {
        const ComplexType& type = from_.complex_types[index];
        std::vector<Use> uses;
        std::vector<const AttributeUse*> sorted;
        for (const AttributeUse& use : type.attributes)
            sorted.push_back(&use);
        std::sort(sorted.begin(), sorted.end(), [&](const AttributeUse* a, const AttributeUse* b) {
            return by_local_then_uri(from_.attributes[a->attribute].name,
                                     from_.attributes[b->attribute].name);
        });
        for (const AttributeUse* use : sorted) {
            const AttributeDeclaration& declared = from_.attributes[use->attribute];
            uses.push_back({relations_.number(declared.name), declared.type, use->required});
        }
        const std::optional<Content> content = content_of(type);
        if (!content) return false;
        const std::size_t cost = (uses.size() + 1) * (uses.size() + content->first.size() + 1);
        if (cost > room_) return false;
        room_ -= cost;
        // EXI 8.5.4.1.3: TypeEmpty has the attributes alone.
        std::uint32_t empty = empty_;
        if (!uses.empty() || type.attribute_wildcard)
            empty =
                entry_of(uses, type.attribute_wildcard, {{end_element()}, ended_}, Schema::k_none);
        fill_entries({true, index}, start_tag(uses, type.attribute_wildcard, *content), uses,
                     *content, empty);
        return true;
    }

    // ---- Documents and fragments

    // EXI 8.5.1
    void make_document() {
        std::vector<std::uint32_t> globals;
        for (std::uint32_t i = 0; i < from_.elements.size(); ++i) {
            if (from_.elements[i].global) globals.push_back(i);
        }
        std::sort(globals.begin(), globals.end(), [&](std::uint32_t a, std::uint32_t b) {
            return by_local_then_uri(from_.elements[a].name, from_.elements[b].name);
        });
        std::vector<Production> productions;
        for (const std::uint32_t i : globals) {
            productions.push_back({.event = Event::start_element,
                                   .name = relations_.content_names().of_element[i],
                                   .next = Grammars::k_document_end,
                                   .target = element_entries_[i]});
        }
        productions.push_back({.event = Event::any_element, .next = Grammars::k_document_end});
        schema_->documents = {add_state(productions, StateKind::bare),
                              add_state(productions, StateKind::document)};
    }

    // EXI 8.5.2, 8.5.3: each name once; where its declarations differ, the relaxed grammar.
    void make_fragment() {
        std::map<ExpandedName, std::vector<std::uint32_t>, decltype(&by_local_then_uri)> all(
            &by_local_then_uri);
        for (std::uint32_t i = 0; i < from_.elements.size(); ++i)
            all[from_.elements[i].name].push_back(i);
        const std::uint32_t relaxed =
            add_state({}, StateKind::informed_entry, StateKind::strict_type_nil);
        bool any_relaxed = false;
        std::vector<Production> elements;
        for (const auto& [name, declared] : all) {
            const ElementDeclaration& first = from_.elements[declared[0]];
            const bool same = std::all_of(declared.begin(), declared.end(), [&](std::uint32_t i) {
                const ElementDeclaration& other = from_.elements[i];
                return declared.size() == 1 ||
                       (relations_.is_named(other.type) &&
                        relations_.name_of(other.type) == relations_.name_of(first.type) &&
                        other.nillable == first.nillable);
            });
            any_relaxed = any_relaxed || !same;
            elements.push_back({.event = Event::start_element,
                                .name = relations_.number(name),
                                .target = same ? element_entries_[declared[0]] : relaxed});
        }
        elements.push_back({.event = Event::any_element});

        for (const StateKind kind : {StateKind::bare, StateKind::fragment}) {
            const auto self = static_cast<std::uint32_t>(schema_->states.size()) | Schema::k_state;
            std::vector<Production> fragment = elements;
            for (Production& p : fragment)
                p.next = self;
            fragment.push_back({.event = Event::end_document});
            schema_->fragments[kind == StateKind::bare ? 0 : 1] = add_state(fragment, kind);
        }
        if (any_relaxed) make_relaxed(relaxed, elements);
    }

    void make_relaxed(std::uint32_t entry, std::vector<Production> elements) {
        // ElementFragment 2; 1 is the same, in front of it.
        const auto content = static_cast<std::uint32_t>(schema_->states.size()) | Schema::k_state;
        elements.push_back(end_element());
        elements.push_back({.event = Event::characters});
        for (Production& p : elements)
            p.next = content;
        (void)add_state(elements, StateKind::informed_content_end);
        const auto attributes = [&](std::uint32_t next) {
            std::vector<Production> productions;
            for (const auto& [name, type] : relations_.attribute_types())
                productions.push_back({.event = Event::attribute,
                                       .name = relations_.number(name),
                                       .next = next,
                                       .target = type.value_or(0)});
            productions.push_back({.event = Event::any_attribute, .next = next});
            return productions;
        };
        const auto empty = static_cast<std::uint32_t>(schema_->states.size()) | Schema::k_state;
        std::vector<Production> nothing = attributes(empty);
        nothing.push_back(end_element());
        (void)add_state(nothing, StateKind::informed_entry_end);
        schema_->states.back().content = ended_;
        schema_->states.back().empty = empty;
        std::vector<Production> productions = attributes(entry);
        productions.insert(productions.end(), elements.begin(), elements.end());
        set_state(entry, productions, StateKind::informed_entry_end, StateKind::strict_type_nil);
        Schema::State& state = schema_->states[entry & ~Schema::k_state];
        state.content = content;
        state.empty = empty;
    }

    void index_globals() {
        schema_->elements.assign(relations_.names(), Schema::k_none);
        schema_->types.assign(relations_.names(), Schema::k_none);
        schema_->attributes.assign(relations_.names(), 0);
        for (std::uint32_t i = 0; i < from_.elements.size(); ++i) {
            if (from_.elements[i].global)
                schema_->elements[relations_.content_names().of_element[i]] = element_entries_[i];
        }
        for (const AttributeDeclaration& attribute : from_.attributes) {
            if (attribute.global)
                schema_->attributes[relations_.number(attribute.name)] = attribute.type;
        }
        for (std::uint32_t i = 0; i < from_.simple_types.size(); ++i) {
            if (relations_.is_named({false, i}))
                schema_->types[relations_.number(from_.simple_types[i].name)] =
                    entry({false, i}, false, false);
        }
        for (std::uint32_t i = 0; i < from_.complex_types.size(); ++i) {
            if (relations_.is_named({true, i}))
                schema_->types[relations_.number(from_.complex_types[i].name)] =
                    entry({true, i}, false, false);
        }
    }

    const Components& from_;
    const Relations relations_;
    std::size_t room_;
    std::shared_ptr<Schema> schema_;
    std::uint32_t ended_ = 0;                      // {EE}, in content
    std::uint32_t empty_ = 0;                      // {EE}, a first state: TypeEmpty of simple types
    std::array<std::vector<Entries>, 2> entries_;  // [complex][type]
    std::vector<std::uint32_t> element_entries_;
};

}  // namespace

Result<std::shared_ptr<const Schema>> make_schema(const Components& components, std::size_t room) {
    if (!sound_types(components.simple_types))
        return Error{.code = Errc::limit_exceeded,
                     .where = "a simple type is derived in more steps than the limit"};
    return SchemaMaker(components, room).make();
}

std::shared_ptr<const Schema> built_in_schema() {
    return *make_schema(Components());
}

}  // namespace perfrelay::exi
