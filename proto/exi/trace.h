#pragma once
// Tracing: what a decoder tells about each event it reads, to whoever wants to see where the bits
// of a stream go. A decoder is a template over it; with NoTrace nothing of it is compiled.
//
// A Trace has
//   static constexpr bool k_active = true;
//   void header(std::uint64_t bits);                 the whole header
//   void event(const TracedEvent&);                  in stream order of the structure
//   void value(const QName*, std::string_view, std::uint64_t bits);
//                                                    values in channels (EXI 9.2.2), by channel
//   void packed(std::uint64_t from, std::uint64_t to)  bytes: a DEFLATE stream and what came of it

#include <array>
#include <cstdint>
#include <string_view>

#include "proto/exi/grammar.h"
#include "proto/model/name_table.h"

namespace perfrelay::exi {

struct TracedEvent {
    Event event = Event::end_document;  // any_element, any_attribute: with the name in the stream
    std::array<std::uint32_t, 3> parts{};
    unsigned part_count = 0;
    std::uint64_t code_bits = 0;
    std::uint64_t name_bits = 0;   // qualified name, or prefix and URI of a declaration
    std::uint64_t value_bits = 0;  // value, or text
    const QName* name = nullptr;
    std::string_view value;
};

struct NoTrace {
    static constexpr bool k_active = false;
};

}  // namespace perfrelay::exi
