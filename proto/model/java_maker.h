#pragma once
// JavaMaker: a graph of what Java would hold, made by hand: classes of one level, their instances,
// collections. For documents that come from no stream: the data sets, rows of a database.
// Tested by tests/unit/proto/sample_objects_test.cpp.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proto/model/object_graph.h"

namespace perfrelay {

class JavaMaker {
  public:
    struct Field {
        std::string signature;  // "I", "Ljava/lang/String;"
        std::string name;

        bool is_primitive() const { return signature[0] != 'L' && signature[0] != '['; }
    };

    // Clears `graph`.
    explicit JavaMaker(ObjectGraph& graph) : graph_(graph) {
        graph.clear();
        graph.origin = ObjectGraph::Origin::javaser;
    }

    // The order in which Java's streams have fields: primitives first, each kind by name (J 4.3).
    static bool in_order(const Field& a, const Field& b) {
        if (a.is_primitive() != b.is_primitive()) return a.is_primitive();
        return a.name < b.name;
    }

    // The fields will be in that order.
    const graph::Class* type(std::string_view name, std::vector<Field> fields) {
        std::sort(fields.begin(), fields.end(), in_order);
        std::vector<const graph::Text*> names;
        auto* const types = graph_.array<graph::JavaField>(fields.size());
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const std::string& signature = fields[i].signature;
            names.push_back(graph_.intern(fields[i].name));
            types[i] = {.type = signature[0],
                        .signature = signature.size() > 1 ? graph_.intern(signature) : nullptr};
        }
        graph::Class* const made = graph_.new_class(graph_.intern(name), names, 0);
        auto* const level = graph_.array<const graph::Class*>(1);
        level[0] = made;
        graph::JavaClass java;
        java.suid = 1;
        java.flags = graph::JavaClass::k_serializable;
        java.fields = types;
        java.levels = {level, 1};
        java.all_fields = made->field_count;
        made->java = graph_.arena().create(java);
        return made;
    }

    // Its values are to be set.
    graph::Node* object(const graph::Class* type) {
        graph::Node* const node = graph_.new_node(graph::NodeKind::object);
        auto* const annotations = graph_.array<graph::Annotation>(1);
        annotations[0] = {};
        node->type = type;
        node->count = type->field_count;
        node->items = graph_.new_values(node->count);
        node->java = graph_.arena().create(
            graph::JavaParts{.type = type, .fields = node->items, .annotations = annotations});
        return node;
    }
    // Its items are to be set.
    graph::Node* list(std::string_view type, std::size_t size) {
        graph::Node* const node = graph_.new_node(graph::NodeKind::list);
        node->name = graph_.intern(type);
        node->items = graph_.new_values(size);
        node->count = static_cast<std::uint32_t>(size);
        return node;
    }
    graph::Value date(std::int64_t millis) {
        graph::Node* const node = graph_.new_node(graph::NodeKind::date);
        node->millis = millis;
        return graph::Value::of(node);
    }
    // A string of its own; as in Java, the empty one is always the same.
    graph::Value text(std::string_view text) { return graph::Value::of(graph_.text(text)); }
    // The one string of that content.
    graph::Value constant(std::string_view text) { return graph::Value::of(graph_.intern(text)); }

  private:
    ObjectGraph& graph_;
};

}  // namespace perfrelay
