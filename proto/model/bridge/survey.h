#pragma once
// What the elements of a document have in common, name by name: the classes that its objects will
// be of. Two passes over the tape; linear but for the sorting of the children's names.
//
// One class for each name of elements. Its children's order is that in which they follow one
// another in all elements of the name; where there is no such order, or text among elements, or too
// many fields would be empty (a document of n elements may hold n/2 names: n^2/4 fields), the
// content stays a list.
// Tested by tests/unit/proto/bridge_test.cpp.

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "proto/model/bridge/bridge.h"
#include "proto/model/bridge/names.h"
#include "proto/model/xml_tape.h"

namespace perfrelay::bridge {

// Texts numbered in order of first appearance.
class Numbers {
  public:
    std::uint32_t of(std::string text) {
        const auto [at, fresh] =
            ids_.emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
        if (fresh) texts_.push_back(&at->first);
        return at->second;
    }
    const std::string& operator[](std::uint32_t id) const { return *texts_[id]; }
    std::size_t size() const { return texts_.size(); }

  private:
    std::unordered_map<std::string, std::uint32_t> ids_;
    std::vector<const std::string*> texts_;
};

inline constexpr std::uint32_t k_none = 0xFFFFFFFFU;

struct ElementClass {
    enum class Shape : std::uint8_t {
        leaf,     // nothing but text: no object
        record,   // attributes, then text or children, each name in a field of its own
        content,  // attributes, then everything else in a list
    };
    struct Child {
        std::uint32_t name = 0;   // of Survey::elements
        bool repeated = false;    // several in a row, somewhere: a list everywhere
        std::uint32_t place = 0;  // among the children's fields
    };

    Shape shape = Shape::leaf;
    bool has_text = false;                  // of a record
    bool has_list = false;                  // a text is a list: no leaf, whose list would be others
    bool attributes_listed = false;         // too few elements have each: name and value in a list
    std::vector<std::uint32_t> attributes;  // of Survey::attributes
    std::vector<Child> children;

    // While surveying.
    std::uint64_t elements = 0;
    std::uint64_t attributes_seen = 0;
    std::uint64_t children_seen = 0;      // runs of one name
    std::vector<std::uint64_t> followed;  // child << 32 | the child behind it
};

class Survey {
  public:
    explicit Survey(const XmlTape& document, std::span<const ValueType> types = {});

    const std::string& element(std::uint32_t name) const { return elements_[name]; }
    const std::string& attribute(std::uint32_t name) const { return attributes_[name]; }
    const ElementClass& type(std::uint32_t element) const { return types_[element]; }
    std::size_t element_count() const { return types_.size(); }

    // Numbers of names of the tape.
    std::uint32_t element_name(const QName& name) const { return element_names_[name.id]; }
    std::uint32_t attribute_name(const QName& name) const { return attribute_names_[name.id]; }
    std::uint32_t declaration(std::string_view prefix) {
        return attributes_.of(declaration_name(prefix));
    }
    // Of the class's attributes, children; both are there.
    std::uint32_t attribute_index(std::uint32_t type, std::uint32_t name) const {
        return attribute_index_.at(key(type, name));
    }
    std::uint32_t child_index(std::uint32_t type, std::uint32_t name) const {
        return child_index_.at(key(type, name));
    }

  private:
    struct Open {
        std::uint32_t type;
        std::uint32_t last = k_none;  // child
        bool text = false;
    };

    static std::uint64_t key(std::uint32_t type, std::uint32_t name) {
        return std::uint64_t{type} << 32U | name;
    }
    void number_names(const XmlTape& document);
    void look_at(const XmlTape& document, std::span<const ValueType> types);
    void start(std::uint32_t name);
    void child(Open& parent, std::uint32_t name);
    void attribute_of(std::uint32_t type, std::uint32_t name);
    void decide(ElementClass& type);
    static bool order_children(ElementClass& type);

    Numbers elements_;
    Numbers attributes_;
    std::vector<std::uint32_t> element_names_;    // by QName::id
    std::vector<std::uint32_t> attribute_names_;  // by QName::id
    std::vector<ElementClass> types_;             // by element
    std::vector<Open> open_;
    std::unordered_map<std::uint64_t, std::uint32_t> attribute_index_;
    std::unordered_map<std::uint64_t, std::uint32_t> child_index_;
};

}  // namespace perfrelay::bridge
