#include "proto/exi/grammar.h"

namespace perfrelay::exi {

namespace {

void add_rest(SecondLevel& level, const Options& options) {
    const Preserve& keep = options.preserve;
    if (keep.comments) level.add_third(Event::comment);
    if (keep.pis) level.add_third(Event::processing_instruction);
    level.finish();
}

// EXI 8.4.3: ChildContentItems
void add_child_content(SecondLevel& level, const Options& options) {
    level.add(Event::any_element);
    level.add(Event::characters);
    if (options.preserve.dtd) level.add(Event::entity_reference);
    add_rest(level, options);
}

}  // namespace

void SecondLevel::finish() {
    width = static_cast<std::uint8_t>(width_of(count + (third_count != 0 ? 1U : 0U)));
    third_width = static_cast<std::uint8_t>(width_of(third_count));
    second_of.fill(k_absent);
    third_of.fill(k_absent);
    for (std::uint8_t i = 0; i < count; ++i)
        second_of[static_cast<std::size_t>(events[i])] = i;
    for (std::uint8_t i = 0; i < third_count; ++i) {
        second_of[static_cast<std::size_t>(thirds[i])] = count;
        third_of[static_cast<std::size_t>(thirds[i])] = i;
    }
}

SecondLevels::SecondLevels(const Options& options) {
    const Preserve& keep = options.preserve;
    const auto level = [&](StateKind kind) -> SecondLevel& {
        return of_[static_cast<std::size_t>(kind)];
    };
    // EXI 8.4.1: DT 1.0, CM 1.1.0, PI 1.1.1 in front of the root; CM 1.0, PI 1.1 behind it, and in
    // fragments CM 2.0, PI 2.1 (EXI 8.4.2): there they have two parts.
    SecondLevel& document = level(StateKind::document);
    if (keep.dtd) document.add(Event::doctype);
    add_rest(document, options);
    for (const StateKind kind : {StateKind::document_end, StateKind::fragment}) {
        if (keep.comments) level(kind).add(Event::comment);
        if (keep.pis) level(kind).add(Event::processing_instruction);
        level(kind).finish();
    }
    // EXI 8.4.3
    SecondLevel& start = level(StateKind::start_tag);
    start.add(Event::end_element);
    start.add(Event::any_attribute);
    if (keep.prefixes) start.add(Event::namespace_declaration);
    if (options.self_contained) start.add(Event::self_contained);
    add_child_content(start, options);
    add_child_content(level(StateKind::content), options);
    // EXI 8.5.4.4.2
    level(StateKind::strict_type).add(Event::type_attribute);
    level(StateKind::strict_nil).add(Event::nil_attribute);
    level(StateKind::strict_type_nil).add(Event::type_attribute);
    level(StateKind::strict_type_nil).add(Event::nil_attribute);
    for (const StateKind kind : {StateKind::strict_type, StateKind::strict_nil,
                                 StateKind::strict_type_nil, StateKind::bare}) {
        level(kind).finish();
    }
    // EXI 8.5.4.4.1
    for (const StateKind kind : {StateKind::informed_entry, StateKind::informed_entry_end,
                                 StateKind::informed_start, StateKind::informed_start_end}) {
        SecondLevel& to = level(kind);
        const bool entry =
            kind == StateKind::informed_entry || kind == StateKind::informed_entry_end;
        const bool ends =
            kind == StateKind::informed_entry_end || kind == StateKind::informed_start_end;
        if (!ends) to.add(Event::end_element);
        if (entry) to.add(Event::type_attribute);
        if (entry) to.add(Event::nil_attribute);
        to.add(Event::any_attribute);
        to.add(Event::untyped_attribute);
        if (entry && keep.prefixes) to.add(Event::namespace_declaration);
        if (entry && options.self_contained) to.add(Event::self_contained);
        add_child_content(to, options);
    }
    level(StateKind::informed_content).add(Event::end_element);
    add_child_content(level(StateKind::informed_content), options);
    add_child_content(level(StateKind::informed_content_end), options);
}

void Grammars::reset(const SecondLevels& levels, std::span<const std::uint32_t> known) {
    levels_ = &levels;
    known_ = known;
    element_of_.clear();
    used_ = 3;
    if (states_.size() < used_) states_.resize(used_);
    const auto fill = [&](std::uint32_t index, StateKind kind) -> State& {
        State& state = states_[index];
        state.productions.clear();
        state.kind = kind;
        state.escape = !levels[kind].empty();
        state.last = state.end_at = state.text_at = state.far = 0;
        return state;
    };
    fill(k_document, StateKind::document)
        .productions.push_back({.event = Event::any_element, .next = k_document_end});
    fill(k_document_end, StateKind::document_end)
        .productions.push_back({.event = Event::end_document});
    State& fragment = fill(k_fragment, StateKind::fragment);
    fragment.productions.push_back({.event = Event::end_document});  // code 1
    fragment.productions.push_back({.event = Event::any_element, .next = k_fragment});
    for (std::uint32_t i = 0; i < used_; ++i)
        states_[i].set_width();
}

std::uint32_t Grammars::make_element(std::uint32_t name) {
    if (name >= element_of_.size()) element_of_.resize(name + std::size_t{1}, k_none);
    if (name < known_.size() && known_[name] != k_none) return element_of_[name] = known_[name];
    const std::uint32_t first = used_;
    used_ += 2;
    if (states_.size() < used_) states_.resize(used_ * std::size_t{2});
    for (const std::uint32_t index : {first, first + 1}) {
        State& state = states_[index];
        state.productions.clear();
        state.kind = index == first ? StateKind::start_tag : StateKind::content;
        state.escape = true;
        state.learned_end = state.learned_text = state.learned_type = false;
        state.last = state.end_at = state.text_at = state.far = 0;
        state.usable = State::k_all;
    }
    // EXI 8.4.3: ElementContent has EE with code 0 from the start.
    states_[first + 1].productions.push_back({.event = Event::end_element});
    states_[first + 1].learned_end = true;
    states_[first].set_width();
    states_[first + 1].set_width();
    element_of_[name] = first;
    return first;
}

void Grammars::learn_element(std::uint32_t state, std::uint32_t name, std::uint32_t target) {
    // EXI 8.4.1: the document grammar does not learn.
    const StateKind kind = states_[state].kind;
    if (kind == StateKind::document) return;
    if (kind == StateKind::fragment) {
        states_[state].learn({Event::start_element, 0, name, state, target});
        return;
    }
    states_[state].learn({Event::start_element, 0, name, content_of(state), target});
}

void Grammars::learn_attribute(std::uint32_t state, std::uint32_t name, bool is_type) {
    State& from = states_[state];
    if (is_type) {
        if (from.learned_type) return;
        from.learned_type = true;
    }
    from.learn({Event::attribute, 0, name, state, 0});
}

void Grammars::learn_characters(std::uint32_t state) {
    State& from = states_[state];
    if (from.learned_text) return;
    from.learned_text = true;
    from.text_at = static_cast<std::uint32_t>(from.productions.size());
    from.learn({.event = Event::characters, .next = content_of(state)});
}

void Grammars::learn_end(std::uint32_t state) {
    State& from = states_[state];
    if (from.learned_end) return;
    from.learned_end = true;
    from.end_at = static_cast<std::uint32_t>(from.productions.size());
    from.learn({.event = Event::end_element});
}

}  // namespace perfrelay::exi
