#include "proto/codec/document.h"

#include "proto/model/object_difference.h"

namespace perfrelay {

namespace {

void make_objects(Document& document, bridge::Binding binding, const Limits& limits) {
    auto objects = std::make_unique<ObjectGraph>();
    if (auto done = bridge::to_objects(document.xml, binding, limits, *objects, document.types);
        !done) {
        document.missing = done.error().where;
        return;
    }
    XmlTape again;
    if (auto done = bridge::to_xml(*objects, limits, again); !done) {
        document.bridge_fault = done.error().where;
    } else if (bridge::is_bound(*objects)) {
        if (auto found = difference(document.xml, again, bridge::bound_fidelity(binding))) {
            document.bridge_fault = "as objects it is another: " + *found;
        }
    }
    document.objects = std::move(objects);
}

void make_xml(Document& document, const Limits& limits) {
    if (auto done = bridge::to_xml(*document.objects, limits, document.xml); !done) {
        document.missing = done.error().where;
        return;
    }
    ObjectGraph again;
    const auto binding = bridge::Binding::text;
    if (bridge::is_bound(*document.objects)) return;  // a document: every row verifies it
    if (auto done = bridge::to_objects(document.xml, binding, limits, again); !done) {
        document.bridge_fault = done.error().where;
    } else if (auto found = difference(*document.objects, again)) {
        document.bridge_fault = "as XML they are others: " + *found;
    }
}

}  // namespace

void complete(Document& document, Model wanted, bridge::Binding binding, const Limits& limits) {
    if (wanted == Model::objects && document.objects == nullptr) {
        make_objects(document, binding, limits);
    } else if (wanted == Model::xml && document.xml.empty() && document.objects != nullptr) {
        make_xml(document, limits);
    }
}

std::string_view describe_mapping(const Document& document, bridge::Binding binding) {
    const bool bound = document.source_is_objects ? bridge::is_bound(*document.objects)
                                                  : !bridge::shows_graph(document.xml);
    if (!bound) return bridge::describe_showing();
    // A document that names no schema.
    if (binding == bridge::Binding::schema && document.types.empty())
        binding = bridge::Binding::text;
    return bridge::describe_binding(binding);
}

}  // namespace perfrelay
