#pragma once
// Amf3Format: AMF3 as an ObjectFormat (proto/codec/object_format.h).
//
// Options: profile=plain|blazeds|graniteds (lower.h), text=utf8|cesu8 (writer.h).
// Tested by tests/conformance/ and tests/unit/proto/amf3/.

#include <string_view>

#include "proto/amf3/lower.h"
#include "proto/amf3/reader.h"
#include "proto/amf3/writer.h"

namespace perfrelay::amf3 {

class Amf3Format {
  public:
    explicit Amf3Format(const Limits& limits, Profile profile = Profile::plain,
                        TextForm form = TextForm::utf8)
        : profile_(profile), reader_(limits), writer_(form) {}

    // An externalizable class whose body is one value.
    void add_one_value_class(std::string_view name) { reader_.add_one_value_class(name); }

    Result<> lower(const ObjectGraph& document, ObjectGraph& own);
    Result<> encode(const ObjectGraph& own, Buffer& out) { return writer_.write(own, out); }
    Result<> decode(Bytes input, ObjectGraph& graph) { return reader_.read(input, graph); }

  private:
    Profile profile_;
    Reader reader_;
    Writer writer_;
};

}  // namespace perfrelay::amf3
