#pragma once
// Schema: what a schema comes down to for a codec: names, datatypes and grammars (EXI 8.5) as flat
// arrays, shared by every stream and thread.
//
// A state is a range of productions; the one with event code c is the c-th, so that an event is one
// look-up. What undeclared productions (8.5.4.4) add is not stored: `kinds` names the second level
// that a state has, without strict and with it. States have k_state set in their number, so that
// they and the states of built-in grammars are of one space; the document's end is the latter's.
// Names are numbered by URI, then local name, as a string table that starts with them has them.
// Contract: immutable. Made by make_schema (schema_maker.h); written and read by compiled_schema.h.
// Tested by tests/unit/proto/exi/schema_test.cpp and tests/conformance/exi.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/exi/grammar.h"
#include "proto/exi/names.h"
#include "proto/exi/schema/components.h"
#include "proto/exi/schema/datatypes.h"

namespace perfrelay::exi {

struct Schema {
    static constexpr std::uint32_t k_none = UINT32_MAX;
    static constexpr std::uint32_t k_state = 1U << 31U;
    static bool is_state(std::uint32_t state) { return (state & k_state) != 0; }

    struct State {
        std::uint32_t first = 0;  // production
        std::uint32_t count = 0;
        std::uint32_t attributes = 0;  // the first of them: AT(qname)
        // Behind what is not declared (EXI 8.5.4.4.1, content2): the state itself in content.
        std::uint32_t content = 0;
        // Of an element's or type's first state: that of its TypeEmpty (EXI 8.5.4.1.3).
        std::uint32_t empty = 0;
        std::array<StateKind, 2> kinds{StateKind::bare, StateKind::bare};  // [strict]
        std::array<std::uint8_t, 2> widths{};                              // of the first part
    };

    const State& state(std::uint32_t number) const { return states[number & ~k_state]; }
    const Production* productions_of(const State& of) const { return &productions[of.first]; }
    // The production of `of` for this event and name, or k_none; relative to the first.
    std::uint32_t find(const State& of, Event event, std::uint32_t name) const;

    // By name: where a global element, a named type starts; the datatype of a global attribute, 0
    // for none. k_none: none.
    std::vector<std::uint32_t> elements;
    std::vector<std::uint32_t> types;
    std::vector<std::uint32_t> attributes;

    std::vector<State> states;
    std::vector<Production> productions;
    std::vector<std::uint32_t> by_name;  // of each state's productions, when they are many
    // Without and with a second level, which the fidelity options decide on.
    std::array<std::uint32_t, 2> documents{};
    std::array<std::uint32_t, 2> fragments{};

    std::vector<PresetUri> uris;
    std::vector<SimpleType> simple_types;
    Datatypes datatypes{{}, {}, false};
    Datatypes lexical{{}, {}, true};  // EXI Table 7-2

    // Puts in what follows from the rest: widths, by_name, datatypes.
    void finish();
    std::size_t names() const { return elements.size(); }
};

}  // namespace perfrelay::exi
