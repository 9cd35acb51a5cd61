#pragma once
// The bridge: XML documents as objects and objects as XML documents, so that every format of either
// model carries every document. README.md beside this file has both mappings in full.
//
//   to_objects(XML)  a document of another's: bound, elements become objects (bind.cpp);
//                    one that `to_xml` made of objects: those objects again (restore_graph.cpp)
//   to_xml(objects)  objects that were bound: the document again (unbind.cpp);
//                    any others: a document that shows the graph (show_graph.cpp)
//
// Contract: to_xml(to_objects(document)) is the document under k_bound_fidelity, also after the
// objects have been put into a format's own terms (`lower`) and back; to_objects(to_xml(graph)) is
// the graph (object_difference.h). Both iterate: depth costs memory, not stack. What comes from
// outside is checked: whatever the graph, what is made of it is a well-formed document or an error.
// Tested by tests/unit/proto/bridge_test.cpp and tests/contract/.

#include <span>
#include <string_view>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/fidelity.h"
#include "proto/model/object_graph.h"
#include "proto/model/xml_tape.h"

namespace perfrelay::bridge {

// What values of bound documents become: texts as they are; numbers, booleans and dates where the
// text is the one spelling of one (lexical.h); what the schema says that they are.
enum class Binding : std::uint8_t { text, typed, schema };

// What a schema says of the text of an attribute or element.
struct ValueType {
    enum class Kind : std::uint8_t {
        text,
        boolean,
        integer,
        decimal,
        floating,
        date,  // or a date with its time
        base64,
        hex,
    };
    Kind kind = Kind::text;
    bool list = false;  // of such values

    bool is_text() const { return kind == Kind::text && !list; }
};

// Of a document that was bound: what is said about it is not in the objects, what it says is.
inline constexpr Fidelity k_bound_fidelity{.comments = false,
                                           .processing_instructions = false,
                                           .doctype = false,
                                           .internal_subset = false};

// The same where values are the schema's: they come back as values, in a spelling of ours
// (schema_values.h).
Fidelity bound_fidelity(Binding binding);

// Clears `graph`. `types`, by event of the document: for Binding::schema; those of characters are
// their element's, whichever of its pieces has them. Errors: what is wrong with a document that
// shows a graph; unsupported, a fragment of several elements.
Result<> to_objects(const XmlTape& document, Binding binding, const Limits& limits,
                    ObjectGraph& graph, std::span<const ValueType> types = {});

// Clears `document`. Errors: malformed, the graph pretends to be a document and is none;
// unsupported, Java class descriptions that stand as values; limit_exceeded (a text of a graph may
// stand in many places).
Result<> to_xml(const ObjectGraph& graph, const Limits& limits, XmlTape& document);

// Whether the document is one that `to_xml` made of objects, by its root element.
bool shows_graph(const XmlTape& document);
// Whether the graph is a document that was bound.
bool is_bound(const ObjectGraph& graph);

// The mapping in one line each, for reports.
std::string_view describe_binding(Binding binding);
std::string_view describe_showing();

}  // namespace perfrelay::bridge
