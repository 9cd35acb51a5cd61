#pragma once
// The classes that a document which shows a graph begins with, and what it says of them.
// A class is made when its first object comes: those above it may stand behind it.
// Tested by tests/unit/proto/bridge_test.cpp.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/model/object_graph.h"

namespace perfrelay::bridge {

// What a value is, apart from its content.
struct ShownSort {
    std::string t = "string";
    std::string type = {};
    bool has_type = false;
};

struct ShownClass {
    std::string name;
    bool dynamic = false;
    bool java = false;
    bool writes = false;  // data of its own
    std::optional<std::string> super_key = std::nullopt;
    std::vector<const graph::Text*> names = {};  // of fields, all levels
    std::vector<ShownSort> sorts = {};           // the usual one of each
    const graph::Class* made = nullptr;
};

class ShownClasses {
  public:
    explicit ShownClasses(ObjectGraph& graph) : graph_(graph) {}

    // Null when the key is taken. Its fields may be added until the first `find`.
    ShownClass* add(const std::string& key, ShownClass type);
    // Null when there is none, or those above it make no sense.
    const graph::Class* find(const std::string& key);
    // Of a class that `find` gave.
    const ShownClass& facts(const graph::Class& type) const { return *by_id_[type.id]; }
    // An externalizable's: its name is all.
    const graph::Class* external(const std::string& name);

  private:
    const graph::Class* make(ShownClass& type, const graph::Class* super);

    ObjectGraph& graph_;
    std::unordered_map<std::string, ShownClass> types_;
    std::vector<const ShownClass*> by_id_;
    std::unordered_map<std::string, const graph::Class*> external_;
};

}  // namespace perfrelay::bridge
