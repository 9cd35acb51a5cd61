#pragma once
// load: the bytes of an XML document, of any encoding, into its tape and the facts about its
// source.
//
// Conforms to XML 1.0 as a non-validating processor that reads the internal subset (expat checks
// well-formedness) and to Namespaces in XML 1.0 (checked here). Kept: prefixes and declarations in
// document order, comments, instructions, the DOCTYPE with its internal subset as text. CDATA
// sections become text, references to entities of the internal subset what they stand for,
// attributes and declarations that it defaults are there. External entities are never read: a
// reference to one, or to an entity that may be declared where nobody has looked, becomes an
// entity_reference. XML 1.1 documents are read as 1.0, as that asks.
// Errors have line and column, both from 1, columns in characters; `where` says what is wrong.
// Tested by tests/unit/proto/xml/loader_test.cpp.

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/codec/document.h"

namespace perfrelay::xml {

// Fills `document.xml` and `document.facts` from `document.source`. On an error both are left in no
// particular state.
Result<> load(Document& document, const Limits& limits);

}  // namespace perfrelay::xml
