#include "proto/model/bridge/bridge.h"

#include "proto/model/bridge/bind.h"
#include "proto/model/bridge/names.h"
#include "proto/model/bridge/schema_values.h"
#include "proto/model/bridge/shown_graph.h"
#include "proto/model/bridge/unbind.h"

namespace perfrelay::bridge {

namespace {

// One element and all text in it. (Fragments of EXI may be anything.)
bool is_whole(const XmlTape& document) {
    std::size_t depth = 0;
    std::size_t roots = 0;
    for (const XmlTape::Event& event : document.events()) {
        switch (event.kind()) {
            case XmlTape::Kind::start_element:
                if (depth++ == 0) ++roots;
                break;
            case XmlTape::Kind::end_element: --depth; break;
            case XmlTape::Kind::characters:
            case XmlTape::Kind::entity_reference:
                if (depth == 0) return false;
                break;
            default: break;
        }
    }
    return roots == 1;
}

}  // namespace

Result<> to_objects(const XmlTape& document, Binding binding, const Limits& limits,
                    ObjectGraph& graph, std::span<const ValueType> types) {
    graph.clear();
    if (!is_whole(document)) {
        return Error{.code = Errc::unsupported, .where = "a fragment, and no document"};
    }
    if (shows_graph(document)) return restore_graph(document, limits, graph);
    bind(document, binding, types, graph);
    return {};
}

Result<> to_xml(const ObjectGraph& graph, const Limits& limits, XmlTape& document) {
    document.clear();
    return is_bound(graph) ? unbind(graph, limits, document) : show_graph(graph, limits, document);
}

bool is_bound(const ObjectGraph& graph) {
    if (!graph.root.is(graph::ValueKind::node)) return false;
    const graph::Node& root = *graph.root.node;
    return root.kind == graph::NodeKind::object && root.type->name->view() == k_document &&
           root.count == 1 && root.more_count == 0;
}

Fidelity bound_fidelity(Binding binding) {
    Fidelity fidelity = k_bound_fidelity;
    if (binding == Binding::schema) fidelity.same_value = same_schema_value;
    return fidelity;
}

std::string_view describe_binding(Binding binding) {
    if (binding == Binding::typed) {
        return "typed: elements are objects of a class a name, repeated ones lists; attributes "
               "@name; "
               "numbers, booleans, dates where the text is their one spelling";
    }
    if (binding == Binding::schema) {
        return "schema: elements are objects of a class a name, repeated ones lists; attributes "
               "@name; values are what the schema says: numbers (integers below 2^53, decimals of "
               "up to 15 digits), booleans, dates in UTC, bytes, lists in #text; else text. They "
               "come back in one spelling: dates as UTC, bytes as base64";
    }
    return "text: elements are objects of a class a name, repeated ones lists; attributes @name; "
           "values as text";
}

std::string_view describe_showing() {
    return "objects as XML: an element a field, types and ids as attributes, ref for what was "
           "shown "
           "before, \\x00 for characters that XML has not";
}

}  // namespace perfrelay::bridge
