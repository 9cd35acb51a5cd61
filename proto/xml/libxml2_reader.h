#pragma once
// Libxml2Reader: XML text into any sink, by libxml2's SAX2 interface.
//
// Parser, its dictionary, the name table and the input's copy are used again from document to
// document. Namespace errors, which libxml2 would parse on after, are errors here. XML_PARSE_HUGE
// lifts libxml2's own bounds on depth and text; Limits bounds them instead, and entity expansion is
// counted at every reference, before it happens. Nothing outside the document is ever read.
// Names are interned by the addresses libxml2's dictionary gives them: no hashing of characters.
// Contract: texts live during the call only.
// Tested by tests/unit/proto/xml/engines_test.cpp.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libxml/parser.h>

#include "common/base/bytes.h"
#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/codec/document.h"
#include "proto/model/name_table.h"
#include "proto/model/xml_sink.h"
#include "proto/xml/doctype.h"
#include "proto/xml/name_cache.h"
#include "proto/xml/survey.h"
#include "proto/xml/text_source.h"
#include "proto/xml/utf8_text.h"

namespace perfrelay::xml {

class Libxml2Reader {
  public:
    // libxml2 compares every attribute of an element with every other.
    static constexpr std::size_t k_most_attributes = 16384;

    explicit Libxml2Reader(const Limits& limits);
    ~Libxml2Reader();
    Libxml2Reader(const Libxml2Reader&) = delete;
    Libxml2Reader& operator=(const Libxml2Reader&) = delete;

    // "2.9.14", of the library that is running.
    static std::string version();

    // Why this reader cannot give back a document written with its DOCTYPE, or, when `source`, its
    // own text; or nothing.
    static std::optional<std::string> cannot_read(const Survey& survey, const Document& document,
                                                  bool source);

    template <XmlSink S>
    Result<> decode(Bytes input, S& sink) {
        if (auto ready = begin(input); !ready) return ready.error();
        return decode(sink);
    }
    // While the bytes arrive, in pieces of 4,000; libxml2 looks 250 ahead.
    template <XmlSink S>
    Result<> decode(ByteSource& input, S& sink) {
        TextSource text(input, limits_);
        if (auto ready = begin(text); !ready) return ready.error();
        auto done = decode(sink);
        source_ = nullptr;
        return done;
    }

  private:
    template <XmlSink S>
    Result<> decode(S& sink) {
        sink_ = &sink;
        xmlSAXHandler& handlers = *context_->sax;
        handlers.startElementNs = on_start<S>;
        handlers.endElementNs = on_end<S>;
        handlers.characters = on_characters<S>;
        handlers.ignorableWhitespace = on_characters<S>;
        handlers.cdataBlock = on_characters<S>;
        handlers.comment = on_comment<S>;
        handlers.processingInstruction = on_instruction<S>;
        handlers.reference = on_reference<S>;
        handlers.internalSubset = on_doctype<S>;
        handlers.getEntity = on_get_entity<S>;
        sink.start_document();
        if (auto done = parse(); !done) return done.error();
        sink.end_document();
        return {};
    }

    struct FreeContext {
        void operator()(xmlParserCtxtPtr context) const;
    };
    // A name as the parser's dictionary has it: equal texts are one address.
    struct Addresses {
        const xmlChar* local = nullptr;
        const xmlChar* prefix = nullptr;
        const xmlChar* uri = nullptr;

        bool operator==(const Addresses&) const = default;
        std::uint64_t hash() const {
            const std::uint64_t mix = reinterpret_cast<std::uintptr_t>(local) +
                                      reinterpret_cast<std::uintptr_t>(prefix) * 31 +
                                      reinterpret_cast<std::uintptr_t>(uri) * 131;
            return mix * 0x9E3779B97F4A7C15U >> 32U;
        }
    };

    static std::string_view view(const xmlChar* text) {
        if (text == nullptr) return {};
        return reinterpret_cast<const char*>(text);
    }
    static std::string_view view(const xmlChar* text, std::size_t size) {
        return {reinterpret_cast<const char*>(text), size};
    }
    static Libxml2Reader& self(void* user) { return *static_cast<Libxml2Reader*>(user); }
    template <class S>
    S& sink() {
        return *static_cast<S*>(sink_);
    }

    Result<> begin(Bytes input);
    Result<> begin(TextSource& text);
    // The parser, made ready for the next document; `stream` makes its input.
    template <class MakeInput>
    Result<> begin_with(MakeInput make);
    int read(char* out, int room);
    Result<> at_end();
    Result<> parse();
    void new_context();
    void fail(Errc code, const char* where);
    bool enter(int attributes, int declarations);
    void deliver(std::size_t bytes);
    void expand(const xmlEntity& entity);
    bool take_text(std::size_t bytes);
    // Counts what the entity will add. Null when that is too much, or there is none of this name.
    xmlEntityPtr find_entity(const xmlChar* name);
    void start_doctype(const xmlChar* name, const xmlChar* public_id, const xmlChar* system_id);

    const QName* name(const xmlChar* local, const xmlChar* prefix, const xmlChar* uri) {
        const Addresses key{local, prefix, uri};
        return known_.find(key, [&] { return std::pair(key, new_name(key)); });
    }
    const QName* new_name(const Addresses& key);

    template <XmlSink S>
    static void on_start(void* user, const xmlChar* local, const xmlChar* prefix,
                         const xmlChar* uri, int declaration_count, const xmlChar** declarations,
                         int attribute_count, int, const xmlChar** attributes) {
        Libxml2Reader& reader = self(user);
        if (!reader.enter(attribute_count, declaration_count)) return;
        const QName* element = reader.name(local, prefix, uri);
        if (element == nullptr) return;
        S& sink = reader.sink<S>();
        reader.open_.push_back(element);
        sink.start_element(element);
        for (int i = 0; i < declaration_count; ++i, declarations += 2)
            sink.namespace_declaration(view(declarations[0]), view(declarations[1]));
        for (int i = 0; i < attribute_count; ++i, attributes += 5) {
            const QName* name = reader.name(attributes[0], attributes[1], attributes[2]);
            if (name == nullptr) return;
            const auto size = static_cast<std::size_t>(attributes[4] - attributes[3]);
            reader.deliver(size);
            sink.attribute(name, view(attributes[3], size));
        }
    }

    template <XmlSink S>
    static void on_end(void* user, const xmlChar*, const xmlChar*, const xmlChar*) {
        Libxml2Reader& reader = self(user);
        if (reader.failed_ || reader.open_.empty()) return;
        reader.text_run_ = 0;
        reader.sink<S>().end_element(reader.open_.back());
        reader.open_.pop_back();
    }

    template <XmlSink S>
    static void on_characters(void* user, const xmlChar* text, int size) {
        Libxml2Reader& reader = self(user);
        const auto bytes = static_cast<std::size_t>(size);
        if (bytes == 0 || !reader.take_text(bytes)) return;
        reader.sink<S>().characters(view(text, bytes));
    }

    template <XmlSink S>
    static void on_comment(void* user, const xmlChar* text) {
        Libxml2Reader& reader = self(user);
        if (reader.failed_ || reader.in_doctype_) return;
        reader.text_run_ = 0;
        reader.sink<S>().comment(view(text));
    }

    template <XmlSink S>
    static void on_instruction(void* user, const xmlChar* target, const xmlChar* data) {
        Libxml2Reader& reader = self(user);
        if (reader.failed_ || reader.in_doctype_) return;
        reader.text_run_ = 0;
        reader.sink<S>().processing_instruction(view(target), view(data));
    }

    template <XmlSink S>
    static void on_reference(void* user, const xmlChar* name) {
        Libxml2Reader& reader = self(user);
        if (reader.failed_ || reader.in_doctype_) return;
        reader.text_run_ = 0;
        reader.sink<S>().entity_reference(view(name));
    }

    template <XmlSink S>
    static void on_doctype(void* user, const xmlChar* name, const xmlChar* public_id,
                           const xmlChar* system_id) {
        Libxml2Reader& reader = self(user);
        reader.start_doctype(name, public_id, system_id);
        if (!reader.failed_) reader.sink<S>().doctype(reader.doctype_.doctype());
    }

    // libxml2 asks here once for each reference. One to an external entity is not followed, and
    // stays a reference.
    template <XmlSink S>
    static xmlEntityPtr on_get_entity(void* user, const xmlChar* name) {
        xmlEntityPtr entity = self(user).find_entity(name);
        if (entity != nullptr && entity->etype == XML_EXTERNAL_GENERAL_PARSED_ENTITY) {
            on_reference<S>(user, name);
        }
        return entity;
    }

    static void on_error(void* user, xmlErrorPtr error);

    Limits limits_;
    std::unique_ptr<xmlParserCtxt, FreeContext> context_;
    Utf8Text text_;
    DoctypeText doctype_;
    NameTable names_;
    std::size_t names_before_ = 0;  // of earlier documents
    NameCache<Addresses> known_;
    std::vector<const QName*> open_;
    void* sink_ = nullptr;
    std::string_view input_;        // the whole text, or the head of a streamed one
    TextSource* source_ = nullptr;  // of a streamed one
    std::string_view arrived_;      // of it, not yet given to the parser
    Result<> source_state_;
    bool doctype_found_ = false;  // in a streamed one, looked up before its text went
    std::size_t text_run_ = 0;
    std::size_t delivered_ = 0;
    bool in_doctype_ = false;
    bool failed_ = false;
    Error error_;
};

}  // namespace perfrelay::xml
