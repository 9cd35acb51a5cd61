#pragma once
// Hessian 2 bytes into an ObjectGraph: every code, both reference tables and the class definitions,
// legal long forms included (H 3 to 6).
//
// One value, and nothing behind it. Lists, maps and objects are what references count (H 5.1), in
// the order in which they start; types and class definitions are numbered apart (H 5.2, 5.3), and
// one that repeats an earlier one still has a number of its own. A definition may stand wherever a
// value is due and is none.
// Strings: lengths are UTF-16 units; each unit on its own, as Caucho writes them, or characters of
// four bytes. Iterative; no count is believed beyond the bytes that are left.
// Tested by tests/unit/proto/hessian2/ and tests/conformance/.

#include <string>
#include <vector>

#include "proto/model/graph_reader.h"

namespace perfrelay::hessian2 {

class Reader : private GraphReader {
  public:
    explicit Reader(const Limits& limits)
        : GraphReader(limits, "Hessian: the bytes end within a value") {}

    // Clears `graph` first; after an error it is empty. Copies whatever it keeps.
    Result<> read(Bytes input, ObjectGraph& graph);

  private:
    enum class Phase : std::uint8_t { items, list, map };  // counted; up to the end code
    struct Frame {
        graph::Node* node;
        graph::Value* next;
        graph::Value* end;
        std::size_t base;  // of its values in collected_, when they are not counted
        Phase phase;
    };

    bool document();
    bool finish_frame();
    Step value(graph::Value& to);
    Step by_code(std::uint8_t code, graph::Value& to);
    Step by_letter(std::uint8_t code, graph::Value& to);
    template <class T, class Make>
    Step scalar(graph::Value& to, Make make);
    Step list(graph::Value& to, const graph::Text* type, std::int64_t count);
    Step open_ended(graph::Value& to, graph::NodeKind kind, const graph::Text* type);
    Step typed_map(graph::Value& to);
    Step object(graph::Value& to, std::int64_t index);
    Step reference(graph::Value& to);
    Step date(graph::Value& to, std::int64_t millis);
    Step string_value(std::uint8_t code, graph::Value& to);
    Step binary_value(std::uint8_t code, graph::Value& to);
    bool class_definition();

    bool integer(std::int64_t& to);  // any of the four forms of an int
    bool string_code(std::uint8_t code, std::uint32_t& units, bool& last);
    bool binary_code(std::uint8_t code, std::uint32_t& size, bool& last);
    bool units(std::uint32_t count);
    const graph::Text* string();
    const graph::Text* string(std::uint8_t code);
    const graph::Text* type();

    bool room_for(std::uint64_t values);
    Step open(graph::Node* node, graph::Value* values, std::size_t count, Phase phase);
    graph::Node* enter(graph::NodeKind kind, graph::Value& to);

    std::vector<Frame> frames_;
    std::vector<graph::Value> collected_;
    std::vector<const graph::Text*> names_;
    std::string gathered_;
    std::vector<graph::Node*> objects_;         // H 5.1
    std::vector<const graph::Class*> classes_;  // H 5.2
    std::vector<const graph::Text*> types_;     // H 5.3
};

}  // namespace perfrelay::hessian2
