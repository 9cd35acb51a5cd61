#pragma once
// The neutral notation of object graphs: JSON in which every value says what it is. The common
// language of the conformance tests, and what `convert --graph` prints. README.md describes it.
//
// Identity: a node that takes part in references has an `id`, counted from 0 in order of first
// appearance; a later occurrence is {"t":"ref","id":N}. Which kinds carry one depends on where the
// graph came from (ObjectGraph::origin): a date or bytes of Hessian have none.
// Lone surrogates are \uD83D escapes, in and out, which few JSON libraries take: they are put into
// their three bytes before RapidJSON reads, which copies bytes as they are.
// Iterative both ways. Tested by tests/unit/proto/neutral_json_test.cpp.

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

// Appends; UTF-8, one line, no line break at its end.
void write_neutral_json(const ObjectGraph& graph, Buffer& out);

// Whether JSON is this notation: an object whose first member is "t" with one of the kinds.
bool is_neutral_json(Bytes json);

// Clears `graph` first. Equal texts become one, equal class descriptions too.
Result<> read_neutral_json(Bytes json, const Limits& limits, ObjectGraph& graph);

}  // namespace perfrelay
