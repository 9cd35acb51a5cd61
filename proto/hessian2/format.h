#pragma once
// Hessian2Format: Hessian 2 as an ObjectFormat (proto/codec/object_format.h). No options.
// Tested by tests/conformance/ and tests/unit/proto/hessian2/.

#include "proto/hessian2/lower.h"
#include "proto/hessian2/reader.h"
#include "proto/hessian2/writer.h"

namespace perfrelay::hessian2 {

class Hessian2Format {
  public:
    explicit Hessian2Format(const Limits& limits) : reader_(limits), writer_(limits) {}

    Result<> lower(const ObjectGraph& document, ObjectGraph& own) {
        return hessian2::lower(document, own);
    }
    Result<> encode(const ObjectGraph& own, Buffer& out) { return writer_.write(own, out); }
    Result<> decode(Bytes input, ObjectGraph& graph) { return reader_.read(input, graph); }

  private:
    Reader reader_;
    Writer writer_;
};

}  // namespace perfrelay::hessian2
