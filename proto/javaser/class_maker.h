#pragma once
// ClassMaker: Java class descriptions for a graph that is being made: of the JDK's classes from a
// table, of others from what their objects hold.
//
// A class that no table knows has serialVersionUID 0: the true one depends on its methods, which no
// graph shows. A class that says its version and the types of its fields is taken at its word; else
// a field is a primitive when every object holds that primitive, else a reference of type
// java.lang.Object. Tested by tests/unit/proto/javaser/.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "proto/model/object_graph.h"

namespace perfrelay::javaser {

class ClassMaker {
  public:
    ClassMaker(const ObjectGraph& from, ObjectGraph& to);

    // A class of the JDK's, arrays included; `name` must be in the table or an array's.
    const graph::Class* known(std::string_view name);
    const graph::Class* array(std::string_view name);
    const graph::Class* enumeration(std::string_view name);
    // A class as the value of a field: described, never instantiated.
    const graph::Class* bare(std::string_view name);
    const graph::Class* proxy(std::string_view interfaces);  // joined by commas
    const graph::Class* with_one_field(std::string_view name, std::string_view field);

    // The class of objects of `from`. For a class without levels, `order` says where each field of
    // the new class was; with levels the order stays and `order` is empty.
    const graph::Class* of_objects(const graph::Class& from, std::vector<std::uint32_t>& order);

  private:
    struct Field {
        char type;
        std::string signature;
        std::string name;
    };
    const graph::Class* make(std::string_view name, std::int64_t suid, std::uint8_t flags,
                             const std::vector<Field>& fields, const graph::Class* super,
                             std::span<const graph::Value> annotation = {});
    std::span<const graph::Value> block(std::string_view bytes);
    graph::Class* finish(graph::Class* type, graph::JavaClass java, const graph::Class* super);
    const graph::Class* level(const graph::Class& from, const graph::Class* super, bool annotated);
    void learn(const graph::Class& type, const graph::Value* values);
    static std::vector<Field> parse_fields(std::string_view fields);
    Field field(const graph::Class& from, std::uint32_t index) const;

    ObjectGraph& to_;
    std::vector<std::string> types_;  // of the fields of each class of the graph given, as seen
    std::map<std::string, const graph::Class*, std::less<>> by_name_;
    std::map<std::uint32_t, const graph::Class*> by_level_;  // of the graph given
};

}  // namespace perfrelay::javaser
