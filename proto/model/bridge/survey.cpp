#include "proto/model/bridge/survey.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace perfrelay::bridge {

using Kind = XmlTape::Kind;
using Shape = ElementClass::Shape;

namespace {

// Fields that may stand empty for each that does not.
constexpr std::uint64_t k_most_empty = 16;

bool mostly_empty(std::uint64_t fields, std::uint64_t elements, std::uint64_t filled) {
    return fields * elements > (filled + elements) * k_most_empty;
}

}  // namespace

Survey::Survey(const XmlTape& document, std::span<const ValueType> types) {
    number_names(document);
    look_at(document, types);
    for (ElementClass& type : types_)
        decide(type);
}

// A name whose prefix is not declared where it stands, once, is written with its uri everywhere.
void Survey::number_names(const XmlTape& document) {
    const std::size_t names = document.names().size();
    std::vector<bool> element_undeclared(names, false);
    std::vector<bool> attribute_undeclared(names, false);
    Scope scope;
    std::vector<std::size_t> marks;
    const QName* pending = nullptr;  // a start tag, whose declarations follow
    std::vector<const QName*> pending_attributes;
    const auto settle = [&] {
        if (pending == nullptr) return;
        if (scope.uri_of(pending->prefix) != pending->uri) element_undeclared[pending->id] = true;
        for (const QName* const name : pending_attributes) {
            const bool declared =
                name->prefix.empty() ? name->uri.empty() : scope.uri_of(name->prefix) == name->uri;
            if (!declared) attribute_undeclared[name->id] = true;
        }
        pending = nullptr;
        pending_attributes.clear();
    };
    element_names_.assign(names, k_none);
    attribute_names_.assign(names, k_none);
    for (const XmlTape::Event& event : document.events()) {
        switch (event.kind()) {
            case Kind::start_element:
                settle();
                marks.push_back(scope.mark());
                pending = event.name;
                element_names_[event.name->id] = 0;
                break;
            case Kind::namespace_declaration:
                scope.declare(event.first_view(), event.text_view());
                break;
            case Kind::attribute:
                pending_attributes.push_back(event.name);
                attribute_names_[event.name->id] = 0;
                break;
            case Kind::end_element:
                settle();
                scope.leave(marks.back());
                marks.pop_back();
                break;
            default: break;
        }
    }
    for (std::uint32_t id = 0; id < names; ++id) {
        const QName& name = *document.names()[id];
        if (element_names_[id] != k_none) {
            element_names_[id] = elements_.of(written_name(name, element_undeclared[id]));
        }
        if (attribute_names_[id] != k_none) {
            attribute_names_[id] =
                attributes_.of("@" + written_name(name, attribute_undeclared[id]));
        }
    }
    types_.resize(elements_.size());
}

void Survey::look_at(const XmlTape& document, std::span<const ValueType> types) {
    for (std::size_t i = 0; i < document.events().size(); ++i) {
        const XmlTape::Event& event = document.events()[i];
        switch (event.kind()) {
            case Kind::start_element: start(element_name(*event.name)); break;
            case Kind::namespace_declaration:
                attribute_of(open_.back().type, declaration(event.first_view()));
                break;
            case Kind::attribute:
                attribute_of(open_.back().type, attribute_name(*event.name));
                break;
            case Kind::characters: {
                ElementClass& type = types_[open_.back().type];
                open_.back().text = type.has_text = true;
                if (i < types.size() && types[i].list) type.has_list = true;
                if (open_.back().last != k_none) type.shape = Shape::content;
                break;
            }
            case Kind::entity_reference: types_[open_.back().type].shape = Shape::content; break;
            case Kind::end_element: open_.pop_back(); break;
            case Kind::doctype:
            case Kind::comment:
            case Kind::processing_instruction: break;
        }
    }
}

void Survey::start(std::uint32_t name) {
    if (!open_.empty()) child(open_.back(), name);
    ++types_[name].elements;
    open_.push_back({.type = name});
}

void Survey::child(Open& parent, std::uint32_t name) {
    ElementClass& type = types_[parent.type];
    const auto [at, fresh] = child_index_.emplace(key(parent.type, name),
                                                  static_cast<std::uint32_t>(type.children.size()));
    if (fresh) type.children.push_back({.name = name});
    const std::uint32_t here = at->second;
    if (parent.text) type.shape = Shape::content;
    if (parent.last == here) {
        type.children[here].repeated = true;
        return;
    }
    ++type.children_seen;
    if (parent.last != k_none) {
        const std::uint64_t followed = key(parent.last, here);
        if (type.followed.empty() || type.followed.back() != followed) {
            type.followed.push_back(followed);
        }
    }
    parent.last = here;
}

void Survey::attribute_of(std::uint32_t type, std::uint32_t name) {
    ElementClass& its = types_[type];
    const auto [at, fresh] = attribute_index_.emplace(
        key(type, name), static_cast<std::uint32_t>(its.attributes.size()));
    if (fresh) its.attributes.push_back(at->first & 0xFFFFFFFFU);
    ++its.attributes_seen;
}

void Survey::decide(ElementClass& type) {
    type.attributes_listed =
        mostly_empty(type.attributes.size(), type.elements, type.attributes_seen);
    if (type.shape == Shape::content) return;
    if (type.attributes.empty() && type.children.empty() && !type.has_list) return;
    type.shape = Shape::record;
    if (mostly_empty(type.children.size(), type.elements, type.children_seen) ||
        !order_children(type)) {
        type.shape = Shape::content;
    }
}

// Gives each child its place, behind all that it follows anywhere and, for the rest, in order of
// first appearance. False when two follow one another in both orders, over whatever others: then a
// name that comes back behind another is among them.
bool Survey::order_children(ElementClass& type) {
    std::vector<std::uint64_t>& edges = type.followed;
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<std::uint32_t> before(type.children.size(), 0);
    for (const std::uint64_t edge : edges)
        ++before[edge & 0xFFFFFFFFU];
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
    for (std::uint32_t i = 0; i < before.size(); ++i) {
        if (before[i] == 0) free.push(i);
    }
    std::uint32_t place = 0;
    while (!free.empty()) {
        const std::uint32_t first = free.top();
        free.pop();
        type.children[first].place = place++;
        auto edge = std::lower_bound(edges.begin(), edges.end(), key(first, 0));
        for (; edge != edges.end() && *edge >> 32U == first; ++edge) {
            if (--before[*edge & 0xFFFFFFFFU] == 0) free.push(*edge & 0xFFFFFFFFU);
        }
    }
    return place == type.children.size();
}

}  // namespace perfrelay::bridge
