#pragma once
// "xml:libxml2": libxml2 both ways, its SAX2 parser to read and its xmlTextWriter to write.
//
// xmlTextWriter wants strings that end in NUL: values are copied once more for it, names are kept.
// Contract: XmlFormat (proto/codec/make_codec.h). Text decoded lives during the call only.
// Tested by tests/unit/proto/xml/engines_test.cpp and tests/contract/.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <libxml/xmlwriter.h>

#include "proto/codec/codec.h"
#include "proto/xml/libxml2_reader.h"

namespace perfrelay::xml {

class Libxml2Format {
  public:
    static constexpr bool k_text_is_stable = false;
    static constexpr bool k_is_xml_text = true;
    static constexpr bool k_encoder_appends = true;

    Libxml2Format(std::string spec, const Limits& limits);
    ~Libxml2Format();
    Libxml2Format(const Libxml2Format&) = delete;
    Libxml2Format& operator=(const Libxml2Format&) = delete;

    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const;
    Result<> prepare(const Document&) { return {}; }
    Result<> encode(const Document& document, Buffer& out);
    template <class Input, XmlSink S>
    Result<> decode(Input&& input, S& sink) {
        return reader_.decode(input, sink);
    }

  private:
    class Sink;
    CodecInfo info_;
    Libxml2Reader reader_;
    std::unique_ptr<Sink> sink_;
};

}  // namespace perfrelay::xml
