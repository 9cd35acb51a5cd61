#pragma once
// digest_of: what a timed decode of objects is told by, the same work whatever the format was.
//
// One pass over the nodes in the order in which they were made: every value's kind and content,
// every text's size. A guard that each timed decode delivered the same; that it delivered the right
// thing is verified apart, by comparing graphs (object_difference.h), untimed. Decoding itself has
// copied every byte of every text.
// Tested by tests/unit/proto/object_codec_test.cpp.

#include "proto/model/digest_sink.h"
#include "proto/model/object_graph.h"

namespace perfrelay {

inline Digest digest_of(const ObjectGraph& graph) {
    Digest digest;
    // Sums do not wait for one another; what is summed depends on its place in the node.
    const auto add = [&digest](std::span<const graph::Value> values) {
        std::uint64_t sum = 0;
        std::uint64_t place = 0;
        for (const graph::Value& value : values) {
            std::uint64_t content = value.bits;
            if (value.is(graph::ValueKind::text)) {
                content = value.text->size;
                digest.text_bytes += value.text->size;
            } else if (value.is(graph::ValueKind::node)) {
                content = value.node->id;
            } else if (value.is(graph::ValueKind::null) || value.is(graph::ValueKind::undefined)) {
                content = 0;
            }
            sum += (content + static_cast<std::uint64_t>(value.kind) * 0x9E37U + ++place) *
                   0x9E3779B97F4A7C15U;
        }
        digest.value = std::rotl(digest.value, 7) + sum;
        digest.events += values.size();
    };
    add({&graph.root, 1});
    for (std::uint32_t id = 0; id < graph.node_count(); ++id) {
        const graph::Node& node = graph.node(id);
        ++digest.events;
        digest.value = std::rotl(digest.value, 7) * 0x9E3779B97F4A7C15U +
                       static_cast<std::uint64_t>(node.kind) + node.count;
        if (node.holds_values()) {
            add(node.values());
            if (node.more_count != 0) add(node.more_values());
        } else if (node.kind == graph::NodeKind::date) {
            digest.value += node.millis_bits;
        } else if (node.kind == graph::NodeKind::bytes || node.kind == graph::NodeKind::block) {
            digest.text_bytes += node.count;
        }
    }
    return digest;
}

}  // namespace perfrelay
