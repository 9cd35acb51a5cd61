#pragma once
// XmlSink: whoever wants an XML document is one; whoever has one pushes it, event by event.
//
// Order of events (XML Information Set, as EXI 1.0 section 4 orders them):
//   start_document
//     doctype? (comment | processing_instruction)*          before, between, after
//     start_element namespace_declaration* attribute*
//       (characters | entity_reference | comment | processing_instruction | start_element ...)*
//     end_element
//   end_document
// Contract:
//  - names are interned by whoever pushes, and live until the next document of the same source;
//  - texts are UTF-8, without NUL, valid during the call only, unless the source says
//    `k_text_is_stable` (then: until its input or itself goes);
//  - characters may come in pieces; empty text gives no event; line ends are LF already;
//  - attributes include defaulted ones and never xmlns; declarations come in document order, a
//    prefix is declared at most once an element.
// Sinks are templates' arguments: calls are inlined, none is virtual.
// A sink may also take typed values (integer, decimal, ...): typed_sink.h.

#include <concepts>
#include <string_view>

#include "proto/model/name_table.h"

namespace perfrelay {

struct Doctype {
    std::string_view name;  // the name as written, with its prefix
    std::string_view public_id;
    std::string_view system_id;
    std::string_view internal_subset;  // what stands between [ and ], as written, in UTF-8
    bool has_system_id = false;        // SYSTEM "" and no external identifier differ
    bool has_internal_subset = false;
};

template <class S>
concept XmlSink = requires(S& sink, const QName* name, std::string_view text,
                           const Doctype& doctype) {
    sink.start_document();
    sink.doctype(doctype);
    sink.start_element(name);
    sink.namespace_declaration(text, text);  // prefix ("" = default), uri ("" = undeclared)
    sink.attribute(name, text);
    sink.characters(text);
    sink.comment(text);
    sink.processing_instruction(text, text);  // target, data
    sink.entity_reference(text);              // an entity that was not expanded
    sink.end_element(name);
    sink.end_document();
};

}  // namespace perfrelay
