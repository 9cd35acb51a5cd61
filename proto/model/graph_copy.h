#pragma once
// GraphCopy: a graph made anew in a format's own terms. What is common to all such mappings: the
// walk (iterative, in the order of the values), identity (a node becomes one node), texts made
// unique or, for Java, kept apart as they were. The mapping itself is the derived class.
//
// Derived offers:
//   bool map(const Value& from, Value& to)   one value; for a node usually: `known`, or `become`
//   and
//                                            its children by `want`; false: `fail` said why not
// Tested by the formats' tests.

#include <span>
#include <vector>

#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

template <class Derived>
class GraphCopy {
  public:
    GraphCopy(const ObjectGraph& from, ObjectGraph& to, bool unique_texts = true)
        : from_(from),
          to_(to),
          nodes_(from.node_count()),
          texts_(from.text_count(), nullptr),
          unique_texts_(unique_texts) {}

    // The new graph. It is empty after an error: `code`, with what `fail` said.
    Result<> run(Errc code = Errc::unsupported) {
        to_.clear();
        want({&from_.root, 1}, &to_.root);
        while (!wanted_.empty()) {
            Wanted& last = wanted_.back();
            const graph::Value& from = *last.from++;
            graph::Value& to = *last.to++;
            if (last.from == last.end) wanted_.pop_back();
            if (!static_cast<Derived*>(this)->map(from, to)) {
                to_.clear();
                return Error{.code = code, .where = why_};
            }
        }
        if (unique_texts_) to_.promise_unique_texts();
        return {};
    }

  protected:
    bool fail(const char* why) {
        why_ = why;
        return false;
    }

    // The text of the new graph for `text`.
    const graph::Text* text(const graph::Text* text) {
        if (text == nullptr) return nullptr;
        const graph::Text*& known = texts_[text->id];
        if (known == nullptr) {
            known = unique_texts_ ? to_.intern(text->view()) : to_.own_text(text->view());
        }
        return known;
    }

    // What `node` became, if it was met before.
    bool known(const graph::Node& node, graph::Value& to) const {
        if (nodes_[node.id].kind != graph::ValueKind::node) return false;
        to = nodes_[node.id];
        return true;
    }
    // A new node for `node`, with nothing in it.
    graph::Node* become(const graph::Node& node, graph::NodeKind kind, graph::Value& to) {
        graph::Node* const made = to_.new_node(kind);
        to = nodes_[node.id] = graph::Value::of(made);
        return made;
    }

    // `node` has become one that was made already.
    graph::Value became(const graph::Node& node, graph::Node* made) {
        return nodes_[node.id] = graph::Value::of(made);
    }

    // These values are to be mapped, before whatever was wanted earlier. They and their places
    // stay where they are.
    void want(std::span<const graph::Value> values, graph::Value* to) {
        if (!values.empty()) {
            wanted_.push_back({values.data(), values.data() + values.size(), to});
        }
    }
    void want_items(std::span<const graph::Value> values, graph::Node& made) {
        made.items = to_.new_values(values.size());
        made.count = static_cast<std::uint32_t>(values.size());
        want(values, made.items);
    }
    // The same, values[order[i]] to the ith place; no order: as they are.
    void want_items(std::span<const graph::Value> values, std::span<const std::uint32_t> order,
                    graph::Node& made) {
        if (order.empty()) return want_items(values, made);
        made.items = to_.new_values(values.size());
        made.count = static_cast<std::uint32_t>(values.size());
        for (std::size_t i = order.size(); i-- > 0;)
            want(values.subspan(order[i], 1), made.items + i);
    }
    // Names and values: names are texts of nodes already.
    void want_more(std::span<const graph::Value> values, graph::Node& made) {
        made.more = to_.new_values(values.size());
        made.more_count = static_cast<std::uint32_t>(values.size());
        want(values, made.more);
    }
    void copy_bytes(const graph::Node& node, graph::Node& made) {
        const std::string_view kept = to_.arena().copy(as_text(node.bytes()));
        made.data = as_bytes(kept).data();
        made.count = node.count;
    }

    const ObjectGraph& from_;
    ObjectGraph& to_;

  private:
    struct Wanted {
        const graph::Value* from;
        const graph::Value* end;
        graph::Value* to;
    };
    std::vector<graph::Value> nodes_;
    std::vector<const graph::Text*> texts_;
    bool unique_texts_;
    std::vector<Wanted> wanted_;
    const char* why_ = "";
};

}  // namespace perfrelay
