#pragma once
// GraphReader: what the readers of AMF3, Hessian 2 and Java streams have in common: a walk over the
// bytes, the graph that they fill, and the first thing that was wrong.
//
// Contract: `start`, then the format's own reading, whose outcome goes to `finish`. Nothing is read
// beyond the end of the input. Tested by the formats' tests.

#include <cstdint>
#include <type_traits>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/model/fast_out.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

class GraphReader {
  protected:
    // What became of a value: it is whole, or its contents are what comes next.
    enum class Step : std::uint8_t { failed, done, opened };

    // `cut`: what is said of an input that ends too early.
    GraphReader(const Limits& limits, const char* cut) : limits_(limits), cut_(cut) {}

    // Clears `graph`.
    void start(Bytes input, ObjectGraph& graph, ObjectGraph::Origin origin) {
        graph.clear();
        graph.origin = origin;
        begin_ = next_ = input.data();
        end_ = begin_ + input.size();
        graph_ = &graph;
        error_ = {};
        pending_ = 0;
    }
    // After an error the graph is empty.
    Result<> finish(bool good) {
        if (good) return {};
        graph_->clear();
        return error_;
    }

    std::size_t left() const { return static_cast<std::size_t>(end_ - next_); }

    // All of these say false, or failed; the first error counts.
    bool fail(Errc code, const char* where) {
        if (*error_.where == '\0') {
            const auto offset = static_cast<std::size_t>(next_ - begin_);
            error_ = {.code = code, .offset = offset, .where = where};
        }
        return false;
    }
    bool cut() { return fail(Errc::truncated, cut_); }
    Step failed(Errc code, const char* where) {
        fail(code, where);
        return Step::failed;
    }
    Step failed_cut() {
        cut();
        return Step::failed;
    }

    // An integer in network order.
    template <class T>
    bool number(T& to) {
        if (left() < sizeof(T)) return cut();
        to = static_cast<T>(load_big_endian<std::make_unsigned_t<T>>(next_));
        next_ += sizeof(T);
        return true;
    }

    Limits limits_;
    const std::uint8_t* begin_ = nullptr;
    const std::uint8_t* next_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    ObjectGraph* graph_ = nullptr;
    std::uint64_t pending_ = 0;  // values that were counted and are still waited for

  private:
    const char* cut_;
    Error error_;
};

}  // namespace perfrelay
