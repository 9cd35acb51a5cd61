#pragma once
// "xml:pugixml": pugixml's DOM, parsed in place in a copy that is kept, and walked; written by
// pugixml from a DOM of its own that `prepare` builds.
//
// pugixml knows neither namespaces nor DTDs; a namespace layer is added, and timed. What it loses
// or cannot read is refused by cannot_represent. Contract: XmlFormat (proto/codec/make_codec.h);
// text decoded lives until the next decode. Tested by tests/unit/proto/xml/engines_test.cpp and
// tests/contract/.

#include <optional>
#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "proto/codec/codec.h"
#include "proto/xml/doctype.h"
#include "proto/xml/dom_namespaces.h"

namespace perfrelay::xml {

class PugixmlFormat {
  public:
    static constexpr bool k_text_is_stable = true;
    static constexpr bool k_is_xml_text = true;
    static constexpr bool k_encoder_appends = true;

    PugixmlFormat(std::string spec, const Limits& limits);
    PugixmlFormat(const PugixmlFormat&) = delete;
    PugixmlFormat& operator=(const PugixmlFormat&) = delete;
    ~PugixmlFormat() = default;

    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const;
    Result<> prepare(const Document& document);
    Result<> encode(const Document& document, Buffer& out);

    template <XmlSink S>
    Result<> decode(Bytes input, S& sink) {
        if (auto done = parse(input); !done) return done.error();
        namespaces_.reset();
        sink.start_document();
        if (auto done = walk(sink); !done) return done.error();
        sink.end_document();
        return {};
    }

  private:
    class Builder;

    Result<> parse(Bytes input);

    // In document order, up and down the tree without recursion.
    template <XmlSink S>
    Result<> walk(S& sink) {
        pugi::xml_node node = parsed_.first_child();
        bool root_seen = false;
        while (node) {
            if (node.type() == pugi::node_element) {
                if (namespaces_.depth() == 0 && root_seen) {
                    return Error{.where = "a second root element"};
                }
                root_seen = true;
                if (!start(sink, node)) return namespaces_.fault();
                if (const pugi::xml_node child = node.first_child()) {
                    node = child;
                    continue;
                }
                namespaces_.end(sink);
            } else if (const char* broken = leaf(sink, node); broken != nullptr) {
                return Error{.where = broken};
            }
            pugi::xml_node next = node.next_sibling();
            while (!next && namespaces_.depth() > 0) {
                node = node.parent();
                namespaces_.end(sink);
                next = node.next_sibling();
            }
            node = next;
        }
        return {};
    }

    template <XmlSink S>
    bool start(S& sink, const pugi::xml_node& element) {
        return namespaces_.start(sink, element.name(), [&element](const auto& each) {
            for (pugi::xml_attribute attribute = element.first_attribute(); attribute;
                 attribute = attribute.next_attribute()) {
                each(attribute.name(), [&attribute] { return attribute.value(); });
            }
        });
    }

    // Null, or what is wrong with the node.
    template <XmlSink S>
    const char* leaf(S& sink, const pugi::xml_node& node) {
        const std::string_view value = node.value();
        switch (node.type()) {
            case pugi::node_pcdata:
            case pugi::node_cdata:
                if (namespaces_.depth() == 0) return "text outside the root element";
                if (!value.empty()) sink.characters(value);
                return nullptr;
            case pugi::node_comment: sink.comment(value); return nullptr;
            case pugi::node_pi: sink.processing_instruction(node.name(), value); return nullptr;
            case pugi::node_declaration:
                return node.previous_sibling() ? "an XML declaration that is not at the start"
                                               : nullptr;
            case pugi::node_doctype:
                if (!doctype_.parse(value)) return "a DOCTYPE that is not well-formed";
                sink.doctype(doctype_.doctype());
                return nullptr;
            case pugi::node_null:
            case pugi::node_document:
            case pugi::node_element: break;
        }
        return "not well-formed";
    }

    Limits limits_;
    CodecInfo info_;
    Buffer buffer_;  // what parsed_ points into
    pugi::xml_document parsed_;
    pugi::xml_document built_;
    DomNamespaces namespaces_;
    DoctypeText doctype_;
};

}  // namespace perfrelay::xml
