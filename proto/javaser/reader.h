#pragma once
// A Java Object Serialization Stream into an ObjectGraph (J 6.4, protocol 2).
//
// No class is ever loaded or run: class descriptions are data, objects are the fields that the
// stream has for them. Objects of the JDK's collections, dates and numbers are given by what they
// mean (meaning.h), arrays, enumerations, class objects and proxies as such, everything else as
// objects with levels. Beside that, each node keeps its raw form, so that the stream can be written
// again. One top-level item is the root, several are a sequence.
// A class whose writeObject wrote neither its fields nor a replacement for them cannot be told from
// one that did (J 2.3): fields are taken to be there. Externalizable contents of protocol 1 have no
// end (J 6.3) and are refused, as is a stream that its writer broke off with an exception.
// Iterative; no count is believed beyond the bytes that are left.
// Tested by tests/unit/proto/javaser/ and tests/conformance/.

#include <string>
#include <vector>

#include "proto/javaser/wire.h"
#include "proto/model/graph_reader.h"

namespace perfrelay::javaser {

class Reader : private GraphReader {
  public:
    explicit Reader(const Limits& limits)
        : GraphReader(limits, "Java: the bytes end within an object") {}

    // Clears `graph` first; after an error it is empty. Copies whatever it keeps.
    Result<> read(Bytes input, ObjectGraph& graph);

  private:
    // What a frame does next. Those of the first line wait for a class description in desc_.
    enum class State : std::uint8_t {
        object_desc,
        array_desc,
        enum_desc,
        class_desc,
        bare_desc,
        primitives,       // the primitive fields of a level of an object
        references,       // its other fields, one by one
        annotation,       // what its writeObject added
        items,            // of an array
        desc_annotation,  // of a class description
        desc_super,       // waits for the superclass in desc_
    };
    struct Frame {
        State state;
        graph::Node* node = nullptr;
        graph::Class* type = nullptr;      // the description that is read
        graph::JavaClass* java = nullptr;  // of it
        graph::Value* values = nullptr;    // fields of the level, or items
        graph::Annotation* annotations = nullptr;
        std::uint32_t level = 0;
        std::uint32_t index = 0;
        std::uint32_t wanted = 0;  // values still to come that room was made for
        std::size_t base = 0;      // of its values in collected_
    };
    struct Handle {
        enum class Kind : std::uint8_t { node, text, type } kind;
        union {
            graph::Node* node;
            const graph::Text* text;
            const graph::Class* type;
        };
    };

    bool document();
    bool top_level();
    Step step();
    Step content(graph::Value& to);
    Step reference(graph::Value& to);
    Step string_content(const graph::Text*& to);
    Step new_string(bool is_long, const graph::Text*& to);
    Step open_node(graph::NodeKind kind, State state, graph::Value& to);
    Step collect();  // one more value of an annotation
    bool block(graph::Value& to);

    Step class_desc();
    Step new_class_desc();
    Step new_proxy_desc();
    bool fields(graph::Class& type, graph::JavaClass& java);
    bool finish_desc(const Frame& frame);

    Step begin_object(Frame& frame);
    Step begin_array(Frame& frame);
    Step begin_enum(Frame& frame);
    Step begin_level(Frame& frame);
    Step primitive_fields(Frame& frame);
    Step next_reference(Frame& frame);
    Step end_level(Frame& frame);
    bool primitive(char type, graph::Value& to);
    bool finish_node(graph::Node& node);

    Step push(const Frame& frame);
    void pop();
    bool room_for(std::uint64_t values, std::uint64_t bytes_each);
    bool usable(const graph::Class* type);
    graph::JavaParts* parts(graph::Node& node, const graph::Class* type);
    void add_handle(graph::Node* node);
    const graph::Text* utf(std::size_t size);
    const graph::Text* short_utf();

    bool at(Tc code) const { return next_ != end_ && *next_ == static_cast<std::uint8_t>(code); }

    const graph::Class* desc_ = nullptr;  // the class description read last; null for TC_NULL
    std::vector<Frame> frames_;
    std::vector<graph::Value> collected_;
    std::vector<graph::Node*> desc_nodes_;  // of descriptions that stand as values, by class id
    std::vector<Handle> handles_;
    std::vector<const graph::Text*> names_;
    std::vector<graph::JavaField> field_types_;
    std::string block_;
};

}  // namespace perfrelay::javaser
