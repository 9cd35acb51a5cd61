#pragma once
// Grammars: which events may come, and their codes (EXI 6, 8).
//
// A state is the left-hand side of productions. Those of its first level lie in an array from the
// last to the first: the production with code c is at size-1-c. A built-in grammar that learns
// gives its new production code 0 and moves all others up (EXI 8.4.3), which is then one push at
// the back. Its second level is not stored at all: it is one of a few tables that the fidelity
// options make (EXI 8.3). An event takes one look-up in either; nothing is hashed.
//
// States are numbered: 0 and 1 are the document (content, end), 2 the fragment, then two for each
// element (start tag, content), made when it is first met; grammars made of schemas will be states
// of the same kind, with a `next` that is not one of these.
// Tested by tests/conformance/exi.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proto/exi/bit_reader.h"
#include "proto/exi/options.h"

namespace perfrelay::exi {

enum class Event : std::uint8_t {
    start_element,
    end_element,
    attribute,
    characters,
    // With a name of their own: the productions SE(*) and AT(*).
    any_element,
    any_attribute,
    namespace_declaration,
    comment,
    processing_instruction,
    entity_reference,
    doctype,
    self_contained,
    end_document,
    // With a schema: SE(uri:*) and AT(uri:*), and what no type declares (EXI 8.5.4.4):
    // AT(xsi:type), AT(xsi:nil), AT(qname) and AT(*) with an untyped value.
    any_element_of,
    any_attribute_of,
    type_attribute,
    nil_attribute,
    untyped_attribute,
};
inline constexpr std::size_t k_events = 18;

// Terminal, and where it leads.
struct Production {
    Event event = Event::end_document;
    std::uint16_t hint = 0;    // encoder: which one came after it in its state, last time
    std::uint32_t name = 0;    // SE, AT: the name (names.h)
    std::uint32_t next = 0;    // the state behind it
    std::uint32_t target = 0;  // SE: the state that the element starts in; AT, CH: the datatype
};

// EXI 8.3: what is left of the second and third part of a state's codes.
struct SecondLevel {
    static constexpr std::uint8_t k_absent = 0xFF;

    std::array<Event, 10> events{};                  // by second part
    std::array<std::uint8_t, k_events> second_of{};  // the second part of each event, or k_absent
    std::array<std::uint8_t, k_events> third_of{};
    std::uint8_t count = 0;  // of these
    // One second part more, for comments and instructions, told apart by the third.
    std::array<Event, 2> thirds{};
    std::uint8_t third_count = 0;
    std::uint8_t width = 0;
    std::uint8_t third_width = 0;

    bool empty() const { return count + third_count == 0; }
    void add(Event event) { events[count++] = event; }
    void add_third(Event event) { thirds[third_count++] = event; }
    void finish();
};

// By what its second level has. Those made of a schema: the first state of an element or type,
// those up to the content's first, those of content; each without and with EE among what is
// declared; in strict streams first states alone; or none.
enum class StateKind : std::uint8_t {
    document,
    document_end,
    fragment,
    start_tag,
    content,
    informed_entry,
    informed_entry_end,
    informed_start,
    informed_start_end,
    informed_content,
    informed_content_end,
    strict_type,
    strict_nil,
    strict_type_nil,
    bare,
};
inline constexpr std::size_t k_state_kinds = 15;

// The second levels under these options, by kind of state.
class SecondLevels {
  public:
    SecondLevels() = default;
    explicit SecondLevels(const Options& options);
    const SecondLevel& operator[](StateKind kind) const {
        return of_[static_cast<std::size_t>(kind)];
    }

  private:
    std::array<SecondLevel, k_state_kinds> of_;
};

struct State {
    std::vector<Production> productions;  // of the first level, last first
    StateKind kind = StateKind::start_tag;
    std::uint8_t width = 0;    // of the first part
    bool escape = false;       // there is a second level
    bool learned_end = false;  // EXI 8.4.3: these three are learned once
    bool learned_text = false;
    bool learned_type = false;
    // Encoder, EXI Profile 3.1: those learned after that many are written as if they were not.
    static constexpr std::uint16_t k_all = UINT16_MAX;
    std::uint16_t usable = k_all;
    // Encoder: where the production came last, and those that there is but one of are.
    std::uint32_t last = 0;
    std::uint32_t end_at = 0;
    std::uint32_t text_at = 0;
    std::uint32_t far = 0;  // so many are in WrittenTables::far

    void set_width() {
        width = static_cast<std::uint8_t>(width_of(productions.size() + (escape ? 1U : 0U)));
    }
    void learn(const Production& production) {
        productions.push_back(production);
        set_width();
    }
};

class Grammars {
  public:
    static constexpr std::uint32_t k_none = UINT32_MAX;
    static constexpr std::uint32_t k_document = 0;
    static constexpr std::uint32_t k_document_end = 1;
    static constexpr std::uint32_t k_fragment = 2;

    // As they are when a body begins (EXI 8.4). `known`, by name: the states in which elements with
    // a grammar of their own start, or k_none; what has none gets a built-in one.
    void reset(const SecondLevels& levels, std::span<const std::uint32_t> known = {});

    State& operator[](std::uint32_t index) { return states_[index]; }

    // Built-in element grammars that there are.
    std::uint32_t elements() const { return (used_ - 3) / 2; }

    // The element's grammar: made when there is none yet (EXI 8.4.3).
    std::uint32_t element(std::uint32_t name) {
        if (name >= element_of_.size() || element_of_[name] == k_none) return make_element(name);
        return element_of_[name];
    }

    // EXI 8.4.2, 8.4.3: what matching a production of the second level, or a wildcard, teaches.
    // `name` and `target` as in Production.
    void learn_element(std::uint32_t state, std::uint32_t name, std::uint32_t target);
    void learn_attribute(std::uint32_t state, std::uint32_t name, bool is_type);
    void learn_characters(std::uint32_t state);
    void learn_end(std::uint32_t state);

    // The state behind SE, CH and the like.
    std::uint32_t content_of(std::uint32_t state) const {
        return state + (states_[state].kind == StateKind::start_tag ? 1U : 0U);
    }

  private:
    std::uint32_t make_element(std::uint32_t name);

    std::vector<State> states_;  // those beyond used_ keep their memory
    std::uint32_t used_ = 0;
    std::vector<std::uint32_t> element_of_;  // by name
    std::span<const std::uint32_t> known_;
    const SecondLevels* levels_ = nullptr;
};

}  // namespace perfrelay::exi
