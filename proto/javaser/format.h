#pragma once
// JavaserFormat: Java serialization as an ObjectFormat (proto/codec/object_format.h). No options.
// Tested by tests/conformance/ and tests/unit/proto/javaser/.

#include "proto/javaser/lower.h"
#include "proto/javaser/reader.h"
#include "proto/javaser/writer.h"

namespace perfrelay::javaser {

class JavaserFormat {
  public:
    explicit JavaserFormat(const Limits& limits) : reader_(limits) {}

    // A graph that has Java's parts needs nothing: it is written as it is.
    static bool is_own(const ObjectGraph& document) { return document.has_java_parts; }
    Result<> lower(const ObjectGraph& document, ObjectGraph& own) {
        return javaser::lower(document, own);
    }
    Result<> encode(const ObjectGraph& own, Buffer& out) { return writer_.write(own, out); }
    Result<> decode(Bytes input, ObjectGraph& graph) { return reader_.read(input, graph); }

  private:
    Reader reader_;
    Writer writer_;
};

}  // namespace perfrelay::javaser
