#pragma once
// declare_namespaces: a document whose format kept no prefixes, with the declarations that make it
// one of XML: what every format that keeps prefixes, XML text first, can write.
//
// Declarations and prefixes that are there stay. A name that is not in scope as it stands gets a
// declaration on its element: the default namespace for elements, or no default for those of no
// namespace; for attributes a prefix that is bound already, else "xml" and "xsi" for theirs, else
// "ns1", "ns2" ... as are free. Namespaces in XML 1.0, sections 5 and 6.
// Tested by tests/unit/proto/declare_namespaces_test.cpp.

#include "proto/model/xml_tape.h"

namespace perfrelay {

// `to` copies all texts.
void declare_namespaces(const XmlTape& from, XmlTape& to);

}  // namespace perfrelay
