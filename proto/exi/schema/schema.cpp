#include "proto/exi/schema/schema.h"

#include <algorithm>
#include <tuple>

namespace perfrelay::exi {

namespace {

// Fewer productions are looked through one by one.
constexpr std::uint32_t k_few = 12;

std::tuple<Event, std::uint32_t> key(const Production& production) {
    return {production.event, production.name};
}

}  // namespace

std::uint32_t Schema::find(const State& of, Event event, std::uint32_t name) const {
    if (of.count <= k_few) {
        for (std::uint32_t i = 0; i < of.count; ++i) {
            const Production& production = productions[of.first + i];
            if (production.name == name && production.event == event) return i;
        }
        return k_none;
    }
    const auto begin = by_name.begin() + of.first;
    const auto end = begin + of.count;
    const std::tuple<Event, std::uint32_t> wanted{event, name};
    const auto at = std::lower_bound(begin, end, wanted, [&](std::uint32_t i, const auto& value) {
        return key(productions[of.first + i]) < value;
    });
    if (at == end || key(productions[of.first + *at]) != wanted) return k_none;
    return *at;
}

void Schema::finish() {
    by_name.resize(productions.size());
    for (State& state : states) {
        for (const std::size_t strict : {0U, 1U}) {
            const bool escape = state.kinds[strict] != StateKind::bare;
            state.widths[strict] =
                static_cast<std::uint8_t>(width_of(state.count + (escape ? 1U : 0U)));
        }
        if (state.count <= k_few) continue;
        const auto begin = by_name.begin() + state.first;
        for (std::uint32_t i = 0; i < state.count; ++i)
            begin[i] = i;
        std::sort(begin, begin + state.count, [&](std::uint32_t a, std::uint32_t b) {
            return key(productions[state.first + a]) < key(productions[state.first + b]);
        });
    }
    datatypes = Datatypes(simple_types, {}, false);
    lexical = Datatypes(simple_types, {}, true);
}

}  // namespace perfrelay::exi
