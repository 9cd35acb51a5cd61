#pragma once
// AMF3 bytes into an ObjectGraph: every marker, reference table and legal form (A 1 and 3).
//
// One value, and nothing behind it. The graph shares and cycles as the bytes do; a text that the
// bytes repeat in full is a text of its own with an index of its own (A 1.3.2). Externalizable
// bodies have no length, so only classes whose body is one value are read: those of wire.h, and
// those registered. Strings in UTF-8 and CESU-8; anything else is an error.
// Iterative; no count is believed beyond the bytes that are left.
// Tested by tests/unit/proto/amf3/ and tests/conformance/.

#include <string>
#include <string_view>
#include <vector>

#include "proto/amf3/wire.h"
#include "proto/model/graph_reader.h"

namespace perfrelay::amf3 {

class Reader : private GraphReader {
  public:
    explicit Reader(const Limits& limits)
        : GraphReader(limits, "AMF3: the bytes end within a value") {}

    // An externalizable class whose body is one value.
    void add_one_value_class(std::string_view name) { one_value_classes_.emplace_back(name); }

    // Clears `graph` first; after an error it is empty. Copies whatever it keeps.
    Result<> read(Bytes input, ObjectGraph& graph);

  private:
    enum class Phase : std::uint8_t { items, fields, assoc };
    struct Frame {
        graph::Node* node;
        graph::Value* next;  // where the next value goes, up to end
        graph::Value* end;
        std::size_t base;     // of its named members in named_
        std::uint32_t count;  // dense items still to be made room for
        Phase phase;
    };

    bool document();
    bool finish_frame();
    Step value(graph::Value& to);
    Step array(graph::Value& to);
    Step object(graph::Value& to);
    Step date(graph::Value& to);
    Step xml(graph::Value& to, std::uint8_t flags);
    Step byte_array(graph::Value& to);
    Step numbers(graph::Value& to, graph::ElementKind element);
    Step vector(graph::Value& to);
    Step dictionary(graph::Value& to);

    bool u29(std::uint32_t& to);
    bool real(graph::Value& to);
    const graph::Text* string();
    const graph::Class* traits(std::uint32_t header);
    bool is_one_value_class(std::string_view name) const;
    // A reference to an object of one of two kinds.
    Step reference(graph::Value& to, std::uint32_t index, graph::NodeKind kind,
                   graph::NodeKind or_kind);
    graph::Node* enter(graph::NodeKind kind, graph::Value& to);
    bool room_for(std::uint64_t values, std::uint64_t bytes_each);
    Step open(graph::Node* node, graph::Value* values, std::size_t count, Phase phase);
    Step items(graph::Node* node, std::size_t count);

    std::vector<std::string> one_value_classes_;

    std::vector<Frame> frames_;
    std::vector<graph::Value> named_;
    std::vector<const graph::Text*> names_;
    // A 1.3.2: the three tables.
    std::vector<const graph::Text*> strings_;
    std::vector<graph::Node*> objects_;
    std::vector<const graph::Class*> traits_;
};

}  // namespace perfrelay::amf3
