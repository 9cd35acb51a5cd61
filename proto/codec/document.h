#pragma once
// Document: what is measured. The bytes it came as, and the prepared in-memory form that every
// format encodes from: events for formats of XML, objects for formats of objects, or both (bridge,
// below, makes one of the other).

#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "proto/model/bridge/bridge.h"
#include "proto/model/object_graph.h"
#include "proto/model/whitespace.h"
#include "proto/model/xml_tape.h"

namespace perfrelay {

// What the source text used that the events no longer show, and some engines cannot read.
struct SourceFacts {
    std::string encoding = "UTF-8";  // as detected or declared
    bool byte_order_mark = false;
    bool general_entities = false;      // a reference to a declared entity was expanded
    bool default_attributes = false;    // an attribute came from the internal subset
    bool tokenized_attributes = false;  // an attribute type other than CDATA is declared
    bool cdata_sections = false;
    bool namespaces_in_internal_subset = false;  // xmlns defaulted there
};

struct Document {
    std::string name;                 // as given by the user
    Buffer source;                    // the file's bytes, unpacked; the tape may borrow from it
    bool source_is_xml = true;        // `source` is XML text; else what `xml` was decoded from
    std::string source_spec = "xml";  // by which it is read
    XmlTape xml;
    std::unique_ptr<ObjectGraph> objects;  // null: it has none
    bool source_is_objects = false;        // `objects` came first, `xml` was made of them
    // What the schema says of the values of `xml`, by event: for Binding::schema.
    std::vector<bridge::ValueType> types;
    std::string missing;       // why the other model could not be made of the one there was
    std::string bridge_fault;  // what was wrong with the one that was made
    Whitespace whitespace = Whitespace::keep;  // the policy that `xml` is under
    std::size_t whitespace_dropped = 0;        // texts of `source` that it left out
    SourceFacts facts;
};

enum class Model { xml, objects };

// Makes the model that the document has not got of the one it has, and checks that it comes back:
// the events from the objects under bridge::k_bound_fidelity, or the graph from the events. Sets
// `missing` or `bridge_fault` when it cannot or does not. Nothing to do when the model is there.
void complete(Document& document, Model wanted, bridge::Binding binding, const Limits& limits);

// How `complete` makes the one of the other, in a line for reports.
std::string_view describe_mapping(const Document& document, bridge::Binding binding);

}  // namespace perfrelay
