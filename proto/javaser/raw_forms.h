#pragma once
// RawForms: what the JDK's own classes write, for values that are to become their objects: boxes,
// dates, big numbers, and the collections and maps, each with the fields and annotations of its
// class. The meaning of what is made is set as a reader would (meaning.h).
//
// Items of collections are values of the graph that is lowered; where their mapped forms go is told
// in `wanted`, for the caller to take.
// Tested by tests/unit/proto/object_formats_test.cpp (CollectionsOfTheJdkComeBack, BigNumbers).

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/javaser/class_maker.h"
#include "proto/model/object_graph.h"

namespace perfrelay::javaser {

class RawForms {
  public:
    struct Wanted {
        std::span<const graph::Value> values;
        graph::Value* to;
    };

    RawForms(ObjectGraph& to, ClassMaker& classes) : to_(to), classes_(classes) {}

    // To be mapped, the last first.
    std::vector<Wanted>& wanted() { return wanted_; }

    // Java's parts for `node`: fields with these values, and nothing annotated yet.
    graph::Annotation* give(graph::Node& node, const graph::Class* type,
                            std::initializer_list<graph::Value> values);
    graph::Annotation* give(graph::Node& node, const graph::Class* type, graph::Value* fields);
    // The same for what has a description and no fields.
    void describe(graph::Node& node, const graph::Class* type);
    // An annotation: these, the items (to be mapped), and those.
    void annotate(graph::Annotation& annotation, std::initializer_list<graph::Value> before,
                  std::span<const graph::Value> items,
                  std::initializer_list<graph::Value> behind = {});

    // A boolean, number or character as the object it is in a list.
    graph::Node* box(const graph::Value& value);
    void date(graph::Node& made, std::int64_t millis);
    // Null when `text` is no number, or one of too many digits.
    graph::Node* big_integer(std::string_view text);
    bool big_decimal(graph::Node& made, std::string_view text);

    // Whether the JDK's class `type` holds this kind, and so many values.
    static bool fits(std::string_view type, graph::NodeKind kind, std::size_t values);
    // Makes `made` an object of that class.
    void collection(graph::Node& made, const std::string& type, graph::NodeKind kind,
                    std::span<const graph::Value> items);

  private:
    void want(std::span<const graph::Value> values, graph::Value* to) {
        if (!values.empty()) wanted_.push_back({values, to});
    }
    graph::Value block(std::initializer_list<std::uint32_t> numbers);
    graph::Node* object_array(std::string_view name, std::span<const graph::Value> items);
    static void defaults(const graph::Class& type, std::uint32_t size, graph::NodeKind kind,
                         graph::Value* fields);
    void key_type(graph::Value* fields, std::span<const graph::Value> items);
    void wrap(graph::Node& made, const std::string& name, graph::NodeKind kind,
              std::span<const graph::Value> items, graph::Value* fields);

    ObjectGraph& to_;
    ClassMaker& classes_;
    std::vector<Wanted> wanted_;
};

}  // namespace perfrelay::javaser
