#include "proto/exi/trace.h"

#include "proto/exi/exi_format.h"
#include "proto/model/digest_sink.h"

namespace perfrelay::exi {

namespace {

// Table 4-1. A declared or learned production has the name in it, SE(*) and AT(*) in the stream.
std::string_view name_of(Event event) {
    switch (event) {
        case Event::start_element: return "SE";
        case Event::any_element: return "SE(*)";
        case Event::end_element: return "EE";
        case Event::attribute: return "AT";
        case Event::any_attribute: return "AT(*)";
        case Event::characters: return "CH";
        case Event::namespace_declaration: return "NS";
        case Event::comment: return "CM";
        case Event::processing_instruction: return "PI";
        case Event::entity_reference: return "ER";
        case Event::doctype: return "DT";
        case Event::self_contained: return "SC";
        case Event::end_document: return "ED";
        case Event::any_element_of: return "SE(uri:*)";
        case Event::any_attribute_of: return "AT(uri:*)";
        case Event::type_attribute: return "AT(xsi:type)";
        case Event::nil_attribute: return "AT(xsi:nil)";
        case Event::untyped_attribute: return "AT(*) untyped";
    }
    return "";
}

}  // namespace

void ListenerTrace::event(const TracedEvent& event) {
    code_.clear();
    for (unsigned i = 0; i < event.part_count; ++i) {
        if (i != 0) code_ += '.';
        code_ += std::to_string(event.parts[i]);
    }
    listener_.event({.event = name_of(event.event),
                     .code = event.code_bits == 0 ? std::string_view() : code_,
                     .at = event.at,
                     .code_bits = event.code_bits,
                     .name_bits = event.name_bits,
                     .value_bits = event.value_bits,
                     .name = event.name,
                     .has_value = event.has_value,
                     .value = event.value,
                     .second = event.second});
}

Result<> ExiFormat::trace(Bytes input, TraceListener& listener) {
    if (input.size() > limits_.max_document) return too_large();
    DigestSink sink;
    ListenerTrace trace(listener);
    return reader_.read(Input::of(input), options_, sink, trace);
}

}  // namespace perfrelay::exi
