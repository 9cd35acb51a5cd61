#pragma once
// An ObjectGraph in Hessian 2's own terms into its bytes: the shortest forms, as Caucho's library
// writes them.
//
// "In its own terms": lower.h makes any graph one. Lists have lengths (not every reader takes those
// without). Characters beyond U+FFFF are two surrogates of three bytes: the reference reader takes
// nothing else. -0.0 is written in full, so that its sign stays (Caucho writes 0.0).
// The output only grows: it may be drained while it is written.
// Tested by tests/unit/proto/hessian2/ and tests/conformance/.

#include <vector>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/fast_out.h"
#include "proto/model/object_graph.h"

namespace perfrelay::hessian2 {

class Writer {
  public:
    explicit Writer(const Limits& limits) : limits_(limits) {}

    // Appends. Errors: a kind that Hessian has not; more than limits.max_document bytes of texts
    // and binaries, which have no references and may be many times what the graph holds.
    Result<> write(const ObjectGraph& graph, Buffer& out);

  private:
    struct Frame {
        const graph::Value* next;
        const graph::Value* end;
        bool ended;  // the end code behind it
    };

    bool value(FastOut& out, const graph::Value& value);
    bool node(FastOut& out, const graph::Node& node);
    bool object(FastOut& out, const graph::Node& node);
    bool list(FastOut& out, const graph::Node& node);
    bool string(FastOut& out, const graph::Text& text);
    bool long_string(FastOut& out, std::string_view text, std::size_t units);
    bool type(FastOut& out, const graph::Text& name);
    bool binary(FastOut& out, Bytes bytes);
    bool take(std::size_t bytes);
    bool fail(Errc code, const char* where);

    Limits limits_;
    Error error_;
    std::size_t taken_ = 0;
    ReferenceTable objects_;
    ReferenceTable classes_;
    ReferenceTable types_;
    std::vector<Frame> frames_;
};

}  // namespace perfrelay::hessian2
