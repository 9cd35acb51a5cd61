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
// ListenerTrace is the one for Codec::trace. Tested by tests/unit/proto/exi/trace_test.cpp.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "proto/codec/trace.h"
#include "proto/exi/grammar.h"
#include "proto/model/name_table.h"

namespace perfrelay::exi {

struct TracedEvent {
    Event event = Event::end_document;  // any_element, any_attribute: with the name in the stream
    std::array<std::uint32_t, 3> parts{};
    unsigned part_count = 0;
    std::uint64_t at = 0;  // bits from the start of the stream, or of its block
    std::uint64_t code_bits = 0;
    std::uint64_t name_bits = 0;   // qualified name, or prefix and URI of a declaration
    std::uint64_t value_bits = 0;  // value, or text
    const QName* name = nullptr;
    bool has_value = false;
    std::string_view value;
    std::string_view second;
};

struct NoTrace {
    static constexpr bool k_active = false;
};

class ListenerTrace {
  public:
    static constexpr bool k_active = true;

    explicit ListenerTrace(TraceListener& listener) : listener_(listener) {}

    void header(std::uint64_t bits) { listener_.header(bits); }
    void event(const TracedEvent& event);
    void value(const QName* name, std::string_view text, std::uint64_t bits) {
        listener_.value(*name, text, bits);
    }
    void packed(std::uint64_t from, std::uint64_t to) { listener_.packed(from, to); }

  private:
    TraceListener& listener_;
    std::string code_;
};

}  // namespace perfrelay::exi
