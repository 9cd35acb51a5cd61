#pragma once
// The parts of Encoder that are not in its way for most events: names met for the first time,
// prefixes, xsi:type, comments and the like, canonical order, self-contained elements. Included by
// encoder.h alone.

#include <algorithm>
#include <memory>

#include "proto/exi/encoder.h"  // IWYU pragma: keep

namespace perfrelay::exi {

// Where SE(*) or AT(*) is; the state behind.
template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::write_wildcard(State& from,
                                                                           Event event) {
    if (from.kind == StateKind::start_tag || from.kind == StateKind::content) {
        write_second(from, event);
        return grammars().content_of(state_);
    }
    // EXI 8.4.1, 8.4.2: the last production that has not moved, behind what was learned.
    const std::uint32_t at = from.kind == StateKind::fragment ? 1 : 0;
    if (from.kind == StateKind::document_end) {
        fail("EXI 8.4.1: a second root element; fragments may have several");
        return state_;
    }
    writer_.bits(from.width, static_cast<std::uint32_t>(from.productions.size()) - 1 - at);
    return from.productions[at].next;
}

// EXI 7.1.7
template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::write_qname(const QName* name) {
    const std::uint32_t number = known(name);
    if (number != k_none) {
        write_known_uri(names()[number].uri);
        write_local(number);
        return number;
    }
    const std::uint32_t added = names().number(write_uri(name->uri), name->local);
    know(name, added);
    write_local(added);
    return added;
}

// EXI 7.3.2
template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::write_uri(std::string_view text) {
    const std::uint32_t uri = names().find_uri(text);
    if (uri != Names::k_none) {
        write_known_uri(uri);
        return uri;
    }
    writer_.bits(width_of(names().uris() + std::uint64_t{1}), 0);
    writer_.string(text);
    return names().add_uri(text);
}
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_known_uri(std::uint32_t uri) {
    writer_.bits(width_of(names().uris() + std::uint64_t{1}), uri + 1);
}

// EXI 7.3.3
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_local(std::uint32_t number) {
    const Names::Name& name = names()[number];
    if (name.local != Names::k_none) {
        writer_.unsigned_integer(0);
        writer_.bits(width_of(names().uri(name.uri).names.size()), name.local);
        return;
    }
    writer_.unsigned_integer(count_characters(name.qname->local) + 1);
    writer_.characters(name.qname->local);
    names().add_local(number);
    written_->values.make_room(names().size());
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::know(const QName* name, std::uint32_t number) {
    if (name->expanded >= written_->known.size())
        written_->known.resize(name->expanded * std::size_t{2} + 16, k_none);
    written_->known[name->expanded] = number;
}

template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::look_up(const QName* name) {
    const std::uint32_t uri = names().find_uri(name->uri);
    if (uri == Names::k_none) return k_none;
    const std::uint32_t number = names().number(uri, name->local);
    written_->values.make_room(names().size());
    know(name, number);
    return number;
}

template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::search(State& from, Event event,
                                                                   std::uint32_t number) {
    constexpr std::size_t k_few = 12;
    if (number == k_none) return k_none;
    const std::size_t count = from.productions.size();
    for (std::size_t i = 0; i < std::min(count, k_few); ++i) {
        const Production& production = from.productions[count - 1 - i];
        if (production.name == number && production.event == event)
            return static_cast<std::uint32_t>(count - 1 - i);
    }
    for (; from.far + k_few < count; ++from.far) {
        const Production& production = from.productions[from.far];
        written_->far[far_key(production.event, production.name)] = from.far;
    }
    if (from.far == 0) return k_none;
    const auto found = written_->far.find(far_key(event, number));
    return found == written_->far.end() ? k_none : found->second;
}
template <Packing packing, class Values, bool k_stable, bool informed>
std::uint64_t Encoder<packing, Values, k_stable, informed>::far_key(Event event,
                                                                    std::uint32_t number) const {
    // Names are fewer than 2^17, states two for each.
    return std::uint64_t{state_} << 36U | std::uint64_t{number} << 4U |
           static_cast<std::uint64_t>(event);
}

// What the grammar has just learned, if it has, comes after the production before it.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::learned(std::size_t before) {
    State& from = grammars()[state_];
    if (from.productions.size() == before) return;
    const auto at = static_cast<std::uint32_t>(before);
    if (before != 0 && at <= UINT16_MAX)
        from.productions[from.last].hint = static_cast<std::uint16_t>(at);
    from.last = at;
}

// EXI 7.1.7
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_prefix(const QName* name,
                                                                std::uint32_t number,
                                                                bool element) {
    const std::uint32_t uri = names()[number].uri;
    const std::uint32_t id = names().find_prefix(uri, name->prefix);
    if (id == Names::k_none && !element)
        fail("EXI 7.1.7: an attribute's prefix that nothing declares cannot be kept");
    writer_.bits(width_of(names().uri(uri).prefixes.size()), id == Names::k_none ? 0 : id);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::namespace_declaration(std::string_view prefix,
                                                                         std::string_view uri) {
    t_.scope.push_back({t_.text.copy(prefix), t_.text.copy(uri), t_.open.size()});
    if (!keep_.prefixes) return;
    if (options_.canonical) {
        t_.declarations.emplace_back(t_.scope.back().prefix, t_.scope.back().uri);
        return;
    }
    write_declaration(prefix, uri);
}

// Canonical EXI 4.4
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_declarations() {
    std::sort(t_.declarations.begin(), t_.declarations.end());
    for (const auto& [prefix, uri] : t_.declarations)
        write_declaration(prefix, uri);
    t_.declarations.clear();
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_declaration(std::string_view prefix,
                                                                     std::string_view uri) {
    write_undeclared(Event::namespace_declaration);
    const std::uint32_t id = write_uri(uri);
    const std::uint32_t known = names().find_prefix(id, prefix);
    const unsigned width = width_of(names().uri(id).prefixes.size() + std::uint64_t{1});
    if (known != Names::k_none) {
        writer_.bits(width, known + 1);
    } else {
        writer_.bits(width, 0);
        writer_.string(prefix);
        (void)names().add_prefix(id, prefix);
    }
    // EXI 4: local-element-ns
    writer_.boolean(prefix == element_->prefix && uri == element_->uri);
}

// EXI 8.4.3: the value as a name; without a namespace for its prefix, all of it is the local name.
template <Packing packing, class Values, bool k_stable, bool informed>
std::uint32_t Encoder<packing, Values, k_stable, informed>::write_type(std::string_view text) {
    const std::size_t colon = text.find(':');
    std::string_view prefix = text.substr(0, colon == std::string_view::npos ? 0 : colon);
    std::string_view uri = prefix == "xml" ? k_xml_uri : std::string_view();
    for (auto it = t_.scope.rbegin(); it != t_.scope.rend(); ++it) {
        if (it->prefix != prefix) continue;
        uri = it->uri;
        break;
    }
    std::string_view local = text;
    if (uri.empty()) {
        prefix = {};
    } else if (colon != std::string_view::npos) {
        local = text.substr(colon + 1);
    }
    if (local.empty()) {
        fail("EXI 7.1.7: an xsi:type without a name; lexical values would keep it");
        return k_none;
    }
    if (written_->types.empty()) written_->types.resize(WrittenTables::k_types);
    WrittenTables::Type& type =
        written_->types[WriteValues::Key(text).hash % WrittenTables::k_types];
    if (type.text == text && type.uri == uri) {
        write_known_uri(type.uri_id);
        writer_.unsigned_integer(0);
        writer_.bits(width_of(names().uri(type.uri_id).names.size()), names()[type.number].local);
    } else {
        const std::uint32_t id = write_uri(uri);
        const std::uint32_t number = names().number(id, local);
        write_local(number);
        type = {t_.text.copy(text), names().uri(id).text, id, number};
    }
    if (!keep_.prefixes) return type.number;
    const std::uint32_t known = names().find_prefix(type.uri_id, prefix);
    writer_.bits(width_of(names().uri(type.uri_id).prefixes.size()),
                 known == Names::k_none ? 0 : known);
    return type.number;
}

template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::left_out(const QName* name,
                                                            std::string_view value) const {
    if (name->uri != k_xsi_uri) return false;
    if (name->local == "nil") return !options_.keep_nil_false && value == "false";
    return !options_.keep_schema_location &&
           (name->local == "schemaLocation" || name->local == "noNamespaceSchemaLocation");
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::comment(std::string_view text) {
    if (!keep_.comments) return;
    settle_part();
    (void)learns_no_more();
    write_undeclared(Event::comment);
    writer_.string(text);
    state_ = content_of(state_);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::processing_instruction(std::string_view target,
                                                                          std::string_view data) {
    if (!keep_.pis) return;
    settle_part();
    (void)learns_no_more();
    write_undeclared(Event::processing_instruction);
    writer_.string(target);
    writer_.string(data);
    state_ = content_of(state_);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::entity_reference(std::string_view name) {
    if (!keep_.dtd || !options_.keep_entity_references) return;
    settle_part();
    (void)learns_no_more();
    write_undeclared(Event::entity_reference);
    writer_.string(name);
    state_ = content_of(state_);
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::doctype(const Doctype& doctype) {
    if (!keep_.dtd || options_.stream.fragment) return;
    write_undeclared(Event::doctype);
    for (const std::string_view part :
         {doctype.name, doctype.public_id, doctype.system_id, doctype.internal_subset}) {
        writer_.string(part);
    }
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::end_document() {
    settle();
    write_end_document();
    if constexpr (k_in_channels) values_.end_block(t_, *written_, *this);
    writer_.align();
}

// EXI 8.4.1, 8.4.2: the first production there was.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_end_document() {
    if constexpr (informed) {
        if (Schema::is_state(state_)) return informed_end_document();
    }
    const State& from = grammars()[state_];
    writer_.bits(from.width, static_cast<std::uint32_t>(from.productions.size()) - 1);
}

// A code of the second level.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::write_undeclared(Event event) {
    if constexpr (informed) {
        if (Schema::is_state(state_)) {
            const Schema::State& from = informed_.schema.state(state_);
            const SecondLevel& level = t_.levels[from.kinds[informed_.strict]];
            const auto index = static_cast<std::size_t>(event);
            if (level.second_of[index] == SecondLevel::k_absent)
                return fail("EXI 8.5.4.4.2: an event that the schema does not allow here");
            writer_.bits(from.widths[informed_.strict], from.count);
            writer_.bits(level.width, level.second_of[index]);
            if (level.third_of[index] != SecondLevel::k_absent)
                writer_.bits(level.third_width, level.third_of[index]);
            return;
        }
    }
    write_second(grammars()[state_], event);
}

// In front of what may part a text in two.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::settle_part() {
    part_ = true;
    settle();
    part_ = false;
}

// EXI 6: xsi:type, xsi:nil, the others as they came; Canonical EXI 4.4: those by local name, then
// URI.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::sort_attributes() {
    const auto rank = [&](const EncoderTables::Attribute& attribute) {
        return attribute.number == names().xsi_type()  ? 0
               : attribute.number == names().xsi_nil() ? 1
                                                       : 2;
    };
    std::stable_sort(t_.attributes.begin(), t_.attributes.end(),
                     [&](const EncoderTables::Attribute& a, const EncoderTables::Attribute& b) {
                         if (rank(a) != rank(b)) return rank(a) < rank(b);
                         if (!options_.canonical) return false;
                         if (a.name->local != b.name->local) return a.name->local < b.name->local;
                         return a.name->uri < b.name->uri;
                     });
    sort_ = false;
}

template <Packing packing, class Values, bool k_stable, bool informed>
bool Encoder<packing, Values, k_stable, informed>::is_contained(const QName& name) const {
    return std::any_of(
        options_.self_contained.begin(), options_.self_contained.end(),
        [&](const ExpandedName& one) { return one.local == name.local && one.uri == name.uri; });
}

// EXI 8.4.3, SC: fresh tables, and the element once more as a fragment's.
template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::contain(const QName* name) {
    write_undeclared(Event::self_contained);
    writer_.align();
    t_.open.back().contained = true;
    const EncoderTables::Open outer = t_.open.back();
    t_.open.pop_back();
    ++contained_;
    if (t_.written.size() == contained_) t_.written.push_back(std::make_unique<WrittenTables>());
    written_ = t_.written[contained_].get();
    written_->reset(options_.stream, t_.levels, t_.schema);
    state_ = start_state(true);
    write_start(name);
    t_.open.back().contained = true;
    t_.open.back().next = outer.next;
}

template <Packing packing, class Values, bool k_stable, bool informed>
void Encoder<packing, Values, k_stable, informed>::release() {
    const std::uint32_t outer = state_;
    state_ = start_state(true);
    write_end_document();
    state_ = outer;
    writer_.align();
    --contained_;
    written_ = t_.written[contained_].get();
}

}  // namespace perfrelay::exi
