#pragma once
// TreeFormat: what formats of trees (JSON, CBOR, MessagePack, BSON) have in common as an
// ObjectFormat (proto/codec/object_format.h). Those derive from it and add `encode` and `decode`:
// any graph is lowered to a tree in the format's terms, what is read is built into one and raised.
//
// A tree deeper than Limits::max_depth is neither read nor written, so that what is written can be
// read again. Tested by tests/unit/proto/tree_formats_test.cpp and tree_reading_test.cpp.

#include <algorithm>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/tree_builder.h"
#include "proto/model/tree_raise.h"
#include "proto/model/tree_terms.h"
#include "proto/model/tree_walk.h"

namespace perfrelay {

class TreeFormat {
  public:
    Result<> lower(const ObjectGraph& document, ObjectGraph& own) {
        return lower_to_tree(document, terms_, own);
    }
    Result<> raise(const ObjectGraph& own, ObjectGraph& document) {
        return raise_tree(own, document);
    }

  protected:
    TreeFormat(const Limits& limits, const TreeTerms& terms,
               std::size_t most_levels = ~std::size_t{0})
        : terms_(terms), builder_(limits) {
        terms_.most_levels = std::min(most_levels, limits.max_depth);
    }

    // Tells `own` to a writer of walk_tree's. Errors: unsupported, when it is not in these terms.
    template <class Writer>
    static Result<> write(const ObjectGraph& own, Writer&& writer) {
        if (walk_tree(own, writer)) return {};
        return Error{.code = Errc::unsupported, .where = "not a tree in this format's terms"};
    }

    // `read` is handed a TreeBuilder, which fills `graph`, and returns Result<>; after an error
    // `graph` is empty.
    template <class Read>
    Result<> build(ObjectGraph& graph, Read&& read) {
        builder_.start(graph);
        Result<> done = read(builder_);
        if (done) {
            builder_.finish();
        } else {
            graph.clear();
        }
        return done;
    }

  private:
    TreeTerms terms_;
    TreeBuilder builder_;
};

}  // namespace perfrelay
