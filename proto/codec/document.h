#pragma once
// Document: what is measured. The bytes it came as, and the prepared in-memory form that every
// format encodes from: events for formats of XML, objects for formats of objects, or both.

#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
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
    std::string name;           // as given by the user
    Buffer source;              // the file's bytes, unpacked; the tape may borrow from it
    bool source_is_xml = true;  // `source` is XML text; else what `xml` was decoded from
    XmlTape xml;
    std::unique_ptr<ObjectGraph> objects;      // null: it has none
    Whitespace whitespace = Whitespace::keep;  // the policy that `xml` is under
    std::size_t whitespace_dropped = 0;        // texts of `source` that it left out
    SourceFacts facts;
};

}  // namespace perfrelay
