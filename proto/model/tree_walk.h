#pragma once
// walk_tree: a tree (what lower_to_tree makes) told to a writer, value by value, in document order.
//
// A writer offers
//   bool value(const Value&)          null, boolean, int32, int64, float32, float64 or text
//   bool leaf(const Node&)            date or bytes
//   bool begin(const Node&)           list or map, of node.count values (of a map keys and values)
//   bool key(const Text&)             of the value that comes next
//   bool end(const Node&)
// and says false to stop. Iterative: depth costs memory, not stack.
// Tested by the formats' tests.

#include <algorithm>
#include <cassert>
#include <vector>

#include "proto/model/object_graph.h"

namespace perfrelay {

template <class Writer>
bool walk_tree(const ObjectGraph& tree, Writer& writer) {
    using graph::Node;
    using graph::NodeKind;
    using graph::Value;
    struct Frame {
        const Node* node;
        const Value* next;
        const Value* end;
    };
    std::vector<Frame> open;
    const auto tell = [&](const Value& value) {
        if (!value.is(graph::ValueKind::node)) return writer.value(value);
        const Node& node = *value.node;
        if (node.kind != NodeKind::list && node.kind != NodeKind::map) return writer.leaf(node);
        open.push_back({&node, node.items, node.items + node.count});
        return writer.begin(node);
    };
    if (!tell(tree.root)) return false;
    while (!open.empty()) {
        Frame& frame = open.back();
        if (frame.next == frame.end) {
            const Node& node = *frame.node;
            open.pop_back();
            if (!writer.end(node)) return false;
            continue;
        }
        if (frame.node->kind == NodeKind::map) {
            assert(frame.next->is(graph::ValueKind::text));
            if (!writer.key(*frame.next++->text)) return false;
        }
        if (!tell(*frame.next++)) return false;
    }
    return true;
}

// Lists and maps within each other, at most.
inline std::size_t tree_depth(const ObjectGraph& tree) {
    struct Depth {
        std::size_t now = 0;
        std::size_t most = 0;
        bool value(const graph::Value& /*value*/) { return true; }
        bool leaf(const graph::Node& /*node*/) { return true; }
        bool begin(const graph::Node& /*node*/) {
            most = std::max(most, ++now);
            return true;
        }
        bool key(const graph::Text& /*key*/) { return true; }
        bool end(const graph::Node& /*node*/) {
            --now;
            return true;
        }
    } depth;
    (void)walk_tree(tree, depth);
    return depth.most;
}

}  // namespace perfrelay
