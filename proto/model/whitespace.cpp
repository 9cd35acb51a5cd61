#include "proto/model/whitespace.h"

namespace perfrelay {

std::string_view whitespace_name(Whitespace policy) {
    switch (policy) {
        case Whitespace::automatic: return "auto";
        case Whitespace::keep: return "keep";
        case Whitespace::drop: return "drop";
    }
    return "";
}

std::size_t apply_whitespace(Whitespace policy, XmlTape& document) {
    if (policy == Whitespace::keep) return 0;
    using Kind = XmlTape::Kind;
    WhitespaceRule rule(policy);
    std::vector<XmlTape::Event>& events = document.events_;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const XmlTape::Event event = events[i];
        switch (event.kind()) {
            case Kind::start_element: rule.start_element(); break;
            case Kind::attribute: rule.attribute(*event.name, event.text_view()); break;
            case Kind::end_element: rule.end_element(); break;
            case Kind::entity_reference: rule.reference(); break;
            case Kind::comment:
            case Kind::processing_instruction: rule.other(); break;
            case Kind::doctype:
            case Kind::namespace_declaration: break;
            case Kind::characters: {
                // A tape has no two texts in a row, and no text at its end.
                const Kind next = events[i + 1].kind();
                const bool stays =
                    !is_whitespace(event.text_view()) ||
                    rule.keeps(next == Kind::end_element        ? WhitespaceRule::Next::end_element
                               : next == Kind::entity_reference ? WhitespaceRule::Next::reference
                                                                : WhitespaceRule::Next::other);
                if (!stays) continue;
                break;
            }
        }
        events[kept++] = event;
    }
    const std::size_t dropped = events.size() - kept;
    events.resize(kept);
    return dropped;
}

}  // namespace perfrelay
