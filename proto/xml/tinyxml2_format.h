#pragma once
// "xml:tinyxml2": tinyxml2's DOM, parsed and walked; written by its XMLPrinter from a DOM of its
// own that `prepare` builds.
//
// tinyxml2 knows neither namespaces nor DTDs nor encodings; a namespace layer is added, and timed.
// What it loses or cannot read is refused by cannot_represent. Contract: XmlFormat
// (proto/codec/make_codec.h); text decoded lives until the next decode.
// Tested by tests/unit/proto/xml/engines_test.cpp and tests/contract/.

#include <optional>
#include <string>
#include <string_view>

#include <tinyxml2.h>

#include "proto/codec/codec.h"
#include "proto/xml/doctype.h"
#include "proto/xml/dom_namespaces.h"

namespace perfrelay::xml {

class Tinyxml2Format {
  public:
    static constexpr bool k_text_is_stable = true;
    static constexpr bool k_is_xml_text = true;

    Tinyxml2Format(std::string spec, const Limits& limits);
    Tinyxml2Format(const Tinyxml2Format&) = delete;
    Tinyxml2Format& operator=(const Tinyxml2Format&) = delete;
    ~Tinyxml2Format() = default;

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
    Error fault(const tinyxml2::XMLNode* node, const char* where) const;

    // In document order, up and down the tree without recursion.
    template <XmlSink S>
    Result<> walk(S& sink) {
        const tinyxml2::XMLNode* node = parsed_.FirstChild();
        bool root_seen = false;
        while (node != nullptr) {
            if (const tinyxml2::XMLElement* element = node->ToElement()) {
                if (namespaces_.depth() == 0 && root_seen) {
                    return fault(node, "a second root element");
                }
                root_seen = true;
                if (!start(sink, *element)) return fault(node, nullptr);
                if (node->FirstChild() != nullptr) {
                    node = node->FirstChild();
                    continue;
                }
                namespaces_.end(sink);
            } else if (const char* broken = leaf(sink, *node); broken != nullptr) {
                return fault(node, broken);
            }
            while (node->NextSibling() == nullptr && namespaces_.depth() > 0) {
                node = node->Parent();
                namespaces_.end(sink);
            }
            node = node->NextSibling();
        }
        if (!root_seen) return Error{.code = Errc::truncated, .where = "no root element"};
        return {};
    }

    template <XmlSink S>
    bool start(S& sink, const tinyxml2::XMLElement& element) {
        return namespaces_.start(sink, element.Name(), [&element](const auto& each) {
            for (const tinyxml2::XMLAttribute* attribute = element.FirstAttribute();
                 attribute != nullptr; attribute = attribute->Next()) {
                each(attribute->Name(), [attribute] { return attribute->Value(); });
            }
        });
    }

    // Null, or what is wrong with the node.
    template <XmlSink S>
    const char* leaf(S& sink, const tinyxml2::XMLNode& node) {
        const std::string_view value = node.Value();
        if (node.ToText() != nullptr) {
            if (namespaces_.depth() == 0) return "text outside the root element";
            if (!value.empty()) sink.characters(value);
            return nullptr;
        }
        if (node.ToComment() != nullptr) {
            sink.comment(value);
            return nullptr;
        }
        if (node.ToDeclaration() != nullptr) {
            std::string_view target;
            std::string_view data;
            if (!split_instruction(value, target, data)) return "not a processing instruction";
            if (target != "xml") {
                sink.processing_instruction(target, data);
            } else if (node.PreviousSibling() != nullptr) {
                return "an XML declaration that is not at the start";
            }
            return nullptr;
        }
        if (!is_doctype(node)) return "a declaration that tinyxml2 does not know";
        sink.doctype(doctype_.doctype());
        return nullptr;
    }

    static bool split_instruction(std::string_view value, std::string_view& target,
                                  std::string_view& data);
    bool is_doctype(const tinyxml2::XMLNode& node);

    Limits limits_;
    CodecInfo info_;
    tinyxml2::XMLDocument parsed_;
    tinyxml2::XMLDocument built_;
    // Straight into the caller's buffer; XMLPrinter itself gathers a text to be copied.
    class Printer final : public tinyxml2::XMLPrinter {
      public:
        Printer() : XMLPrinter(nullptr, true) {}
        void write_to(Buffer& out) { out_ = &out; }

      protected:
        void Write(const char* data, std::size_t size) override {
            out_->append(std::string_view(data, size));
        }
        void Putc(char c) override { out_->u8(static_cast<std::uint8_t>(c)); }

      private:
        Buffer* out_ = nullptr;
    };
    Printer printer_;
    DomNamespaces namespaces_;
    DoctypeText doctype_;
};

}  // namespace perfrelay::xml
