#pragma once
// ContentModel: a content model's particles as deterministic states (EXI 8.5.4.1.5 to 8.5.4.2.2).
//
// The proto-grammars of particles are not copied out. A place is a leaf of the tree of particles
// and how many instances of each repeated particle around it are complete; a state is the set of
// places that its last event may have been at. States are made as they are reached, from a work
// list. Where a copy of a term may be left out, the one behind it may do nothing that it may not:
// only the earliest is a place (EXI 8.5.4.2.2 would merge them).
// Contract: states and events together stay below a limit, whatever the numbers of occurrence.
// Tested by tests/unit/proto/exi/content_model_test.cpp.

#include <cstdint>
#include <span>
#include <vector>

#include "proto/exi/grammar.h"
#include "proto/exi/schema/components.h"

namespace perfrelay::exi {

// What the maker of grammars knows of names: numbers of names and URIs.
struct ContentNames {
    // By element declaration: its name's number, and the declarations that may stand for it, itself
    // included, in the order of EXI 8.5.4.1.6.
    std::vector<std::uint32_t> of_element;
    std::vector<std::vector<std::uint32_t>> substitutes;
    // By wildcard: URIs in the order of the schema; none: any.
    std::vector<std::vector<std::uint32_t>> of_wildcard;
};

class ContentModel {
  public:
    struct Step {
        Event event = Event::start_element;  // or any_element_of, any_element
        std::uint32_t name = 0;              // of the element; the URI
        std::uint32_t element = 0;           // its declaration
        std::uint32_t next = 0;
    };
    struct State {
        std::vector<Step> steps;  // by event code (EXI 8.5.4.3)
        bool end = false;         // the content may end here
    };

    // `room`: steps and states it may make, of which it takes its share.
    static constexpr std::size_t k_most_depth = 500;
    // False when there is not enough, or groups are nested deeper than k_most_depth.
    bool make(const Components& components, const ContentNames& names, const Particle& particle,
              std::size_t& room);

    // State 0 is where the content begins.
    const std::vector<State>& states() const { return states_; }

  private:
    class Maker;
    std::vector<State> states_;
};

}  // namespace perfrelay::exi
