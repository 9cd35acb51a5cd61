#pragma once
// An ObjectGraph with Java's parts into a Java Object Serialization Stream (J 6.4), as the JDK
// writes it: a stream that the graph was read from comes back byte for byte (as long as its blocks
// are cut where the JDK cuts them).
//
// Every node must have its parts (ObjectGraph::has_java_parts): the reader's graphs have, lower.h
// gives them to others. Iterative. The output only grows: it may be drained while it is written.
// Tested by tests/unit/proto/javaser/ and tests/conformance/.

#include <vector>

#include "common/base/result.h"
#include "proto/javaser/wire.h"
#include "proto/model/fast_out.h"
#include "proto/model/object_graph.h"

namespace perfrelay::javaser {

class Writer {
  public:
    // Appends. Errors: a value that is to be made an object first, a name of more than 65,535
    // bytes.
    Result<> write(const ObjectGraph& graph, Buffer& out);

  private:
    enum class State : std::uint8_t {
        desc_annotation,  // of type: its annotation, then its superclass
        object_begin,     // the description is written
        references,       // of a level
        annotation,       // of a level
        array_begin,
        items,
        enum_begin,
        class_begin,
    };
    struct Frame {
        State state;
        const graph::Node* node = nullptr;
        const graph::Class* type = nullptr;
        const graph::Value* values = nullptr;
        std::uint32_t level = 0;
        std::uint32_t index = 0;
    };

    void start(const ObjectGraph& graph);
    bool top_level(FastOut& out, const graph::Value& value, const ObjectGraph& graph);
    bool run(FastOut& out);
    bool step(FastOut& out);
    bool content(FastOut& out, const graph::Value& value);
    bool annotation_value(FastOut& out, const graph::Value& value);
    bool node(FastOut& out, const graph::Node& node);
    bool string(FastOut& out, const graph::Text& text);
    bool short_utf(FastOut& out, const graph::Text& text);
    void block(FastOut& out, Bytes bytes);
    void handle(FastOut& out, std::uint32_t index);

    bool desc(FastOut& out, const graph::Class* type);
    bool class_desc(FastOut& out, const graph::Class& type);
    bool level(FastOut& out, Frame& frame);
    bool primitives(FastOut& out, Frame& frame);
    bool references(FastOut& out, Frame& frame);
    bool primitive(FastOut& out, char type, const graph::Value& value);
    bool array(FastOut& out, Frame& frame);

    void push(State state, const graph::Node* node, const graph::Class* type);
    bool fail(const char* where);

    const char* why_ = nullptr;
    std::uint32_t next_handle_ = 0;
    ReferenceTable texts_;
    ReferenceTable nodes_;
    ReferenceTable classes_;
    std::vector<Frame> frames_;
};

}  // namespace perfrelay::javaser
