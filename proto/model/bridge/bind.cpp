#include "proto/model/bridge/bind.h"

#include <algorithm>
#include <string>
#include <vector>

#include "proto/model/bridge/lexical.h"
#include "proto/model/bridge/schema_values.h"
#include "proto/model/bridge/survey.h"

namespace perfrelay::bridge {

using graph::Class;
using graph::Node;
using graph::NodeKind;
using graph::Text;
using graph::Value;
using Kind = XmlTape::Kind;
using Shape = ElementClass::Shape;

namespace {

class Binder {
  public:
    Binder(const XmlTape& document, Binding binding, std::span<const ValueType> types,
           ObjectGraph& graph)
        : document_(document),
          value_types_(types),
          survey_(document, types),
          typed_(binding == Binding::typed),
          graph_(graph),
          types_(survey_.element_count()) {}

    void run() {
        graph_.clear();
        const auto& events = document_.events();
        for (std::size_t i = 0; i < events.size(); ++i)
            take(events[i], i < value_types_.size() ? value_types_[i] : ValueType());
        graph_.promise_unique_texts();
    }

  private:
    // The classes of the graph for one of the survey's.
    struct Type {
        const Class* type = nullptr;
        const Class* boxed = nullptr;  // of a leaf, where its name must be said
    };
    struct Open {
        std::uint32_t name;
        Node* node;                  // null: a leaf
        std::uint32_t first = 0;     // field behind those of the attributes
        std::uint32_t run = k_none;  // the child whose list is open
        Node* attributes = nullptr;  // their list, while it is open
        Node* list = nullptr;        // the run's, or the content
        std::size_t base = 0;        // where its items begin in items_
        std::string text = {};       // not yet delivered
        ValueType value_type = {};   // of that text
    };

    void take(const XmlTape::Event& event, ValueType type) {
        const bool in_start_tag =
            event.kind() == Kind::namespace_declaration || event.kind() == Kind::attribute;
        if (!in_start_tag && !open_.empty()) close_attributes(open_.back());
        switch (event.kind()) {
            case Kind::start_element: start(survey_.element_name(*event.name)); break;
            case Kind::namespace_declaration:
                attribute(survey_.declaration(event.first_view()),
                          Value::of(graph_.intern(event.text_view())));
                break;
            case Kind::attribute:
                attribute(survey_.attribute_name(*event.name), value(event.text_view(), type));
                break;
            case Kind::characters:
                open_.back().text += event.text_view();
                if (!type.is_text()) open_.back().value_type = type;
                break;
            case Kind::entity_reference: entity_reference(event.text_view()); break;
            case Kind::end_element: end(); break;
            case Kind::doctype:
            case Kind::comment:
            case Kind::processing_instruction: break;
        }
    }

    Value value(std::string_view text, ValueType type) {
        if (!type.is_text()) return schema_value(text, type, graph_);
        if (typed_) {
            if (const auto scalar = typed_scalar(text)) return *scalar;
            if (const auto millis = typed_date(text)) {
                Node* const date = graph_.new_node(NodeKind::date);
                date->millis = *millis;
                return Value::of(date);
            }
        }
        return Value::of(graph_.intern(text));
    }

    const Class* new_class(std::string_view name, const std::vector<std::string>& fields) {
        std::vector<const Text*> names;
        names.reserve(fields.size());
        for (const std::string& field : fields)
            names.push_back(graph_.intern(field));
        return graph_.new_class(graph_.intern(name), names, Class::k_ordered);
    }

    const Class* type_of(std::uint32_t name) {
        Type& type = types_[name];
        if (type.type != nullptr) return type.type;
        const ElementClass& found = survey_.type(name);
        std::vector<std::string> fields;
        if (found.attributes_listed) {
            fields.emplace_back(k_attributes);
        } else {
            for (const std::uint32_t attribute : found.attributes)
                fields.push_back(survey_.attribute(attribute));
        }
        if (found.shape == Shape::content) {
            fields.emplace_back(k_content);
        } else {
            if (found.has_text) fields.emplace_back(k_text);
            const std::size_t first = fields.size();
            fields.resize(first + found.children.size());
            for (const ElementClass::Child& child : found.children)
                fields[first + child.place] = survey_.element(child.name);
        }
        return type.type = new_class(class_name(survey_.element(name)), fields);
    }

    Node* new_object(const Class* type) {
        Node* const node = graph_.new_node(NodeKind::object);
        node->type = type;
        node->count = type->field_count;
        node->items = graph_.new_values(type->field_count);
        std::fill_n(node->items, node->count, Value::null());
        return node;
    }

    void start(std::uint32_t name) {
        const ElementClass& type = survey_.type(name);
        if (open_.empty()) {
            root_ = new_object(new_class(k_document, {survey_.element(name)}));
            graph_.root = Value::of(root_);
        } else {
            announce(open_.back(), name);
        }
        Open open{.name = name, .node = nullptr};
        if (type.shape != Shape::leaf) {
            open.node = new_object(type_of(name));
            open.first =
                type.attributes_listed ? 1 : static_cast<std::uint32_t>(type.attributes.size());
        }
        open_.push_back(std::move(open));
    }

    // A list stands before its items, so that nodes are numbered as a reader would number them.
    void announce(Open& parent, std::uint32_t name) {
        const ElementClass& type = survey_.type(parent.name);
        if (type.shape == Shape::content) {
            flush_text(parent);
            open_content(parent);
            return;
        }
        const std::uint32_t child = survey_.child_index(parent.name, name);
        if (parent.run == child) return;
        close_list(parent);
        parent.run = child;
        if (!type.children[child].repeated) return;
        parent.list = new_list();
        parent.base = items_.size();
        parent.node->items[slot(parent, child)] = Value::of(parent.list);
    }

    static std::uint32_t place(const ElementClass& type, std::uint32_t child) {
        return (type.has_text ? 1U : 0U) + type.children[child].place;
    }
    std::uint32_t slot(const Open& open, std::uint32_t child) const {
        return open.first + place(survey_.type(open.name), child);
    }

    Node* new_list() { return graph_.new_node(NodeKind::list); }

    void close_list(Open& open) {
        if (open.list == nullptr) return;
        fill(*open.list, open.base);
        open.list = nullptr;
    }

    void fill(Node& list, std::size_t base) {
        const std::span<const Value> items(items_.data() + base, items_.size() - base);
        list.items = graph_.copy(items).data();
        list.count = static_cast<std::uint32_t>(items.size());
        items_.resize(base);
    }

    void open_content(Open& open) {
        if (open.list != nullptr) return;
        open.list = new_list();
        open.base = items_.size();
        open.node->items[open.first] = Value::of(open.list);
    }

    void flush_text(Open& open) {
        if (open.text.empty()) return;
        open_content(open);
        items_.push_back(Value::of(graph_.intern(open.text)));
        open.text.clear();
    }

    void attribute(std::uint32_t name, Value value) {
        Open& open = open_.back();
        if (!survey_.type(open.name).attributes_listed) {
            open.node->items[survey_.attribute_index(open.name, name)] = value;
            return;
        }
        if (open.attributes == nullptr) {
            open.attributes = new_list();
            open.node->items[0] = Value::of(open.attributes);
            open.base = items_.size();
        }
        items_.push_back(Value::of(graph_.intern(survey_.attribute(name))));
        items_.push_back(value);
    }

    // Behind the start tag.
    void close_attributes(Open& open) {
        if (open.attributes == nullptr) return;
        fill(*open.attributes, open.base);
        open.attributes = nullptr;
    }

    void entity_reference(std::string_view name) {
        Open& open = open_.back();
        flush_text(open);
        open_content(open);
        if (entity_ == nullptr) entity_ = new_class(k_entity_reference, {std::string(k_text)});
        Node* const node = new_object(entity_);
        node->items[0] = Value::of(graph_.intern(name));
        items_.push_back(Value::of(node));
    }

    void end() {
        Open& open = open_.back();
        const ElementClass& type = survey_.type(open.name);
        if (type.shape == Shape::content) {
            flush_text(open);
        } else if (type.shape == Shape::record && type.has_text && !open.text.empty()) {
            open.node->items[open.first] = value(open.text, open.value_type);
        }
        close_list(open);
        const Open done = std::move(open);
        open_.pop_back();
        deliver(done);
    }

    void deliver(const Open& done) {
        if (open_.empty()) {
            root_->items[0] = plain(done);
            return;
        }
        Open& parent = open_.back();
        const ElementClass& type = survey_.type(parent.name);
        if (type.shape == Shape::content) {
            items_.push_back(named(done));
        } else if (parent.list != nullptr) {
            items_.push_back(plain(done));
        } else {
            parent.node->items[slot(parent, parent.run)] = plain(done);
        }
    }

    Value plain(const Open& done) {
        return done.node != nullptr ? Value::of(done.node) : value(done.text, done.value_type);
    }
    Value named(const Open& done) {
        if (done.node != nullptr) return Value::of(done.node);
        Type& type = types_[done.name];
        if (type.boxed == nullptr) {
            type.boxed = new_class(class_name(survey_.element(done.name)), {std::string(k_text)});
        }
        Node* const node = new_object(type.boxed);
        node->items[0] = value(done.text, done.value_type);
        return Value::of(node);
    }

    const XmlTape& document_;
    std::span<const ValueType> value_types_;
    Survey survey_;
    bool typed_;
    ObjectGraph& graph_;
    std::vector<Type> types_;
    std::vector<Open> open_;
    std::vector<Value> items_;  // of the lists that are open, those of the innermost last
    Node* root_ = nullptr;
    const Class* entity_ = nullptr;
};

}  // namespace

void bind(const XmlTape& document, Binding binding, std::span<const ValueType> types,
          ObjectGraph& graph) {
    Binder(document, binding, types, graph).run();
}

}  // namespace perfrelay::bridge
