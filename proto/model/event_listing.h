#pragma once
// The event listing: a document as text, one event a line, byte for byte the same for the same
// events. What `perfclient convert --events` prints, and what conformance vectors are written in.
//
//   SD | ED | SE {uri}local [" " prefix] | EE | NS prefix=uri | AT {uri}local = "value"
//   CH "text" | CM "text" | PI target "data" | ER name | DT name|public|system
//
// LF ends, UTF-8. In what stands in quotes, \" \\ \n \t \r, other characters below U+0020 as \u and
// four lower-case hex digits, all others raw. Outside quotes all stand raw, but LF and CR, which
// would break the line, as \n and \r (reading takes names and identifiers as they stand). After
// each SE its NS lines, then its AT lines, both sorted as whole lines in UTF-16 code units.
// Prefixes, NS lines and the blank behind SE are there when Fidelity::prefixes is. What Fidelity
// does not keep is not shown, and text around it is one CH; empty text gives no line. The internal
// subset is never shown. Contract: EventListing is an XmlSink; it appends to its Buffer, and
// allocates nothing once warm. Tested by tests/unit/proto/event_listing_test.cpp.

#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/fidelity.h"
#include "proto/model/xml_sink.h"
#include "proto/model/xml_tape.h"

namespace perfrelay {

class EventListing {
  public:
    explicit EventListing(Buffer& out, const Fidelity& shown = {}) : out_(out), shown_(shown) {}

    void start_document();
    void doctype(const Doctype& doctype);
    void start_element(const QName* name);
    void namespace_declaration(std::string_view prefix, std::string_view uri);
    void attribute(const QName* name, std::string_view value);
    void characters(std::string_view piece);
    void comment(std::string_view text);
    void processing_instruction(std::string_view target, std::string_view data);
    void entity_reference(std::string_view name);
    void end_element(const QName* name);
    void end_document();

  private:
    // Lines that wait for their fellows, so that they can be sorted.
    class Lines {
      public:
        std::string& open();  // append the line to it, then `close`
        void close();
        void write_sorted(Buffer& out);

      private:
        std::string text_;
        std::vector<std::size_t> ends_;
        std::vector<std::string_view> sorted_;
    };

    void begin_event();
    void line(std::string_view text);

    Buffer& out_;
    Fidelity shown_;
    Lines declarations_;
    Lines attributes_;
    std::string scratch_;
    bool in_tag_ = false;
    bool in_text_ = false;
};
static_assert(XmlSink<EventListing>);

// `text` as it stands in a listing's quotes.
void append_listed(std::string_view text, std::string& out);

// A listing back into a document, of several top-level elements if it is one of a fragment. Errors
// have the line, from 1. Prefixes of attributes, which a listing does not show, are those that NS
// lines in scope give; of several for one namespace, the innermost and first. Texts are checked to
// be UTF-8, names to be there; nothing else of XML's rules is.
Result<> read_event_listing(std::string_view listing, const Limits& limits, XmlTape& document);

}  // namespace perfrelay
