#pragma once
// The parts of Encoder that keep to limits on what built-in grammars learn (EXI Profile 3), which
// needs a schema. Included by encoder.h alone.
//
// Where a limit is reached, an element whose start tag has nothing yet gets an xsi:type of anyType,
// whose grammar does not learn; elsewhere the productions that a decoder learns from then on are
// there, because that is what decoders do, but are never written. Which elements get a type is
// EXIficient's choice, where the Profile leaves one.

#include <algorithm>
#include <optional>
#include <string>

#include "proto/exi/encoder.h"  // IWYU pragma: keep

namespace perfrelay::exi {

template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::over_limit(const State& from) const {
    const Profile& profile = options_.stream.profile;
    if (profile.max_productions && informed_.learned >= *profile.max_productions) return true;
    // A grammar that has learned before goes on.
    const std::vector<Production>& known = from.productions;
    const bool untouched =
        from.kind == StateKind::start_tag &&
        (known.empty() || (known.size() == 1 && known[0].name == written_->names.xsi_type() &&
                           known[0].event == Event::attribute));
    return untouched && profile.max_grammars &&
           written_->grammars.elements() > *profile.max_grammars;
}

// True: the state is another now, one of anyType.
template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::limit_learning() {
    if (Schema::is_state(state_)) return false;
    State& from = grammars()[state_];
    if (!over_limit(from)) return false;
    // Text needs a prefix, and whoever reads it that prefix's declaration.
    const bool nameable = keep_.prefixes || !keep_.lexical_values;
    if (from.kind == StateKind::start_tag && !informed_.attributed && nameable) {
        write_any_type();
        return Schema::is_state(state_);
    }
    constexpr std::size_t k_most = State::k_all - 1;
    from.usable = static_cast<std::uint16_t>(
        std::min({std::size_t{from.usable}, from.productions.size(), k_most}));
    return false;
}

template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::find_usable(
    const State& from, Event event, std::uint32_t number) const {
    const auto count = static_cast<std::uint32_t>(from.productions.size());
    for (std::uint32_t at = std::min<std::uint32_t>(from.usable, count); at-- != 0;) {
        const Production& production = from.productions[at];
        if (production.name == number && production.event == event) return at;
    }
    return k_none;
}

// EXI Profile 3.1: by AT(*), whose code has two parts, always.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_any_type() {
    std::string prefixes[2];
    if (keep_.prefixes) {
        prefixes[0] = declared_prefix(k_xsi_uri, "xsi");
        prefixes[1] = declared_prefix(k_xsd_uri, "xsdP");
    }
    const auto prefix_of = [&](std::uint32_t uri, const std::string& prefix) {
        if (!keep_.prefixes) return;
        const std::uint32_t id = names().find_prefix(uri, prefix);
        writer_.bits(width_of(names().uri(uri).prefixes.size()), id == k_none ? 0 : id);
    };
    write_type_attribute();
    prefix_of(k_xsi_id, prefixes[0]);
    if (keep_.lexical_values) return type_value(t_.text.copy(prefixes[1] + ":anyType"));
    const std::uint32_t uri = names().find_uri(k_xsd_uri);
    write_known_uri(uri);
    const std::uint32_t type = write_local(uri, "anyType");
    prefix_of(uri, prefixes[1]);
    go_to_type(type);
}

// A prefix that stands for `uri` here: one in scope, else it is declared as `wish`, or nearly so.
template <Packing packing, class Values, bool k_stable, bool informed>
std::string Encoder<packing, Values, k_stable, informed>::declared_prefix(std::string_view uri,
                                                                          std::string wish) {
    const auto meaning = [&](std::string_view prefix) -> const EncoderTables::Declared* {
        for (auto it = t_.scope.rbegin(); it != t_.scope.rend(); ++it) {
            if (it->prefix == prefix) return &*it;
        }
        return nullptr;
    };
    for (const EncoderTables::Declared& declared : t_.scope) {
        if (declared.uri == uri && meaning(declared.prefix)->uri == uri)
            return std::string(declared.prefix);
    }
    while (meaning(wish) != nullptr)
        wish += 'P';
    t_.scope.push_back({t_.text.copy(wish), uri, t_.open.size()});
    write_declaration(t_.scope.back().prefix, uri);
    return wish;
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_type_attribute() {
    State& from = grammars()[state_];
    write_second(from, Event::any_attribute);
    write_known_uri(k_xsi_id);
    write_local(names().xsi_type());
    // EXI Profile 3.2: such a production is not counted in a grammar beyond the limit on those.
    const std::optional<std::uint32_t>& most = options_.stream.profile.max_grammars;
    if (from.productions.empty() && (!most || grammars().elements() > *most)) {
        from.usable = 0;
    } else {
        count_learned();
    }
    const std::size_t before = from.productions.size();
    grammars().learn_attribute(state_, names().xsi_type(), true);
    learned(before);
    informed_.attributed = true;
}

// An xsi:type of the document's own.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::limited_type(const QName* name,
                                                                std::string_view text) {
    State& from = grammars()[state_];
    const std::uint32_t at =
        over_limit(from) ? k_none : find(from, Event::attribute, names().xsi_type());
    if (at != k_none) {
        write_first(from, at);
        informed_.attributed = true;
    } else {
        write_type_attribute();
    }
    if (keep_.prefixes) write_prefix(name, names().xsi_type(), false);
    type_value(text);
}

}  // namespace perfrelay::exi
