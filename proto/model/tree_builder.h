#pragma once
// TreeBuilder: the graph of a tree, built from what a reader meets, value by value.
//
// Contract: `start`; then values, `begin` and `end` as they stand in the input, of a map key,
// value, key ..; `finish`. Everything says whether to go on; when not, `error` says why. Nothing is
// made room for on the word of a count: a list takes its memory when it ends. Texts and bytes are
// copied. Tested by the formats' tests.

#include <limits>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

class TreeBuilder {
  public:
    explicit TreeBuilder(const Limits& limits) : limits_(limits) {}

    // Clears `graph` first.
    void start(ObjectGraph& graph) {
        graph.clear();
        graph_ = &graph;
        values_.clear();
        open_.clear();
        error_ = {};
    }

    bool value(graph::Value value) {
        values_.push_back(value);
        return true;
    }
    // Of 32 bits when it fits.
    bool integer(std::int64_t value) {
        return this->value(value >= std::numeric_limits<std::int32_t>::min() &&
                                   value <= std::numeric_limits<std::int32_t>::max()
                               ? graph::Value::int32(static_cast<std::int32_t>(value))
                               : graph::Value::int64(value));
    }
    // Beyond 63 bits a big number.
    bool unsigned_integer(std::uint64_t value) {
        if (value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
            return integer(static_cast<std::int64_t>(value));
        }
        graph::Node& made = *graph_->new_node(graph::NodeKind::big_integer);
        made.text = graph_->own_text(std::to_string(value));
        return this->value(graph::Value::of(&made));
    }
    bool text(Bytes bytes) {
        const graph::Text* const made = graph_->decode_text(bytes, NulForm::one_byte);
        return made != nullptr ? value(graph::Value::of(made))
                               : fail(Errc::malformed, "a text that is not UTF-8");
    }
    bool bytes(Bytes bytes) {
        graph::Node& made = *graph_->new_node(graph::NodeKind::bytes);
        made.data = as_bytes(graph_->arena().copy(as_text(bytes))).data();
        made.count = static_cast<std::uint32_t>(bytes.size());
        return value(graph::Value::of(&made));
    }
    bool date(std::int64_t millis) {
        graph::Node& made = *graph_->new_node(graph::NodeKind::date);
        made.millis = millis;
        return value(graph::Value::of(&made));
    }
    // Of no whole milliseconds, or beyond 64 bits of them.
    bool date(double millis) {
        graph::Node& made = *graph_->new_node(graph::NodeKind::date);
        made.set_date(millis);
        return value(graph::Value::of(&made));
    }
    // list or map
    bool begin(graph::NodeKind kind) {
        if (open_.size() >= limits_.max_depth) {
            return fail(Errc::limit_exceeded, "nested too deeply");
        }
        graph::Node* const made = graph_->new_node(kind);
        values_.push_back(graph::Value::of(made));
        open_.push_back({made, values_.size()});
        return true;
    }
    bool end() {
        const Open last = open_.back();
        open_.pop_back();
        const std::size_t count = values_.size() - last.first;
        if (last.node->kind == graph::NodeKind::map && count % 2 != 0) {
            return fail(Errc::malformed, "a key without a value");
        }
        last.node->items = graph_->copy({values_.data() + last.first, count}).data();
        last.node->count = static_cast<std::uint32_t>(count);
        values_.resize(last.first);
        return true;
    }

    bool fail(Errc code, const char* where) {
        error_ = {.code = code, .where = where};
        return false;
    }
    const Error& error() const { return error_; }

    // The document has ended.
    void finish() { graph_->root = values_.front(); }

  private:
    struct Open {
        graph::Node* node;
        std::size_t first;  // of values_
    };
    Limits limits_;
    ObjectGraph* graph_ = nullptr;
    std::vector<graph::Value> values_;  // of all open lists, and the root
    std::vector<Open> open_;
    Error error_;
};

}  // namespace perfrelay
