#pragma once
// "xml": XML given its best. libxml2's SAX2 parser to read, our own streaming writer to write.
//
// Contract: XmlFormat (proto/codec/make_codec.h). Text decoded lives during the call only.
// Tested by tests/unit/proto/xml/engines_test.cpp and tests/contract/.

#include <optional>
#include <string>

#include "proto/codec/codec.h"
#include "proto/xml/libxml2_reader.h"
#include "proto/xml/writer.h"

namespace perfrelay::xml {

class DefaultFormat {
  public:
    static constexpr bool k_text_is_stable = false;
    static constexpr bool k_is_xml_text = true;
    static constexpr bool k_encoder_appends = true;

    DefaultFormat(std::string spec, const Limits& limits);

    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const;
    Result<> prepare(const Document&) { return {}; }
    Result<> encode(const Document& document, Buffer& out);
    template <class Input, XmlSink S>
    Result<> decode(Input&& input, S& sink) {
        return reader_.decode(input, sink);
    }

  private:
    CodecInfo info_;
    Libxml2Reader reader_;
    XmlWriter writer_;
};

}  // namespace perfrelay::xml
