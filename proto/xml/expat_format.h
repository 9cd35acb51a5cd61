#pragma once
// "xml:expat": expat's namespace parser to read; expat has no writer, ours writes.
//
// Names come glued ("uri \x01 local \x01 prefix", a separator that no XML text can hold) and are
// looked up whole. Contract: XmlFormat (proto/codec/make_codec.h). Text decoded
// lives during the call only. Tested by tests/unit/proto/xml/engines_test.cpp and tests/contract/.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/arena.h"
#include "proto/codec/codec.h"
#include "proto/xml/doctype.h"
#include "proto/xml/expat_session.h"
#include "proto/xml/name_cache.h"
#include "proto/xml/namespaces.h"
#include "proto/xml/text_source.h"
#include "proto/xml/utf8_text.h"
#include "proto/xml/writer.h"

namespace perfrelay::xml {

class ExpatFormat : ExpatSession {
  public:
    static constexpr bool k_text_is_stable = false;
    static constexpr bool k_is_xml_text = true;
    static constexpr bool k_encoder_appends = true;

    ExpatFormat(std::string spec, const Limits& limits);

    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const;
    Result<> prepare(const Document&) { return {}; }
    Result<> encode(const Document& document, Buffer& out);

    template <XmlSink S>
    Result<> decode(Bytes input, S& sink) {
        auto text = text_.read(input, Utf8Text::Form::borrowed, limits().max_document);
        if (!text) return text.error();
        return decode(*text, nullptr, sink);
    }
    // While the bytes arrive: all events of what has come are delivered.
    template <XmlSink S>
    Result<> decode(ByteSource& input, S& sink) {
        TextSource text(input, limits());
        const auto head = text.head();
        if (!head) return head.error();
        return decode(*head, &text, sink);
    }

  private:
    // `rest`: where more than `text` comes from.
    template <XmlSink S>
    Result<> decode(std::string_view text, TextSource* rest, S& sink) {
        if (auto ready = begin(text, rest != nullptr, on_reference<S>); !ready) {
            return ready.error();
        }
        sink_ = &sink;
        const XML_Parser expat = parser_.get();
        XML_SetElementHandler(expat, on_start<S>, on_end<S>);
        XML_SetCharacterDataHandler(expat, on_characters<S>);
        XML_SetCommentHandler(expat, on_comment<S>);
        XML_SetProcessingInstructionHandler(expat, on_instruction<S>);
        XML_SetStartDoctypeDeclHandler(expat, on_doctype<S>);
        sink.start_document();
        const auto done = rest != nullptr ? parse(text, *rest) : parse(text);
        if (!done) return done.error();
        sink.end_document();
        return {};
    }

    struct Glued {
        std::string_view text;

        bool operator==(const Glued&) const = default;
        std::uint64_t hash() const { return hash_text(text, 0); }
    };
    struct Declaration {
        const char* prefix;
        const char* uri;
    };

    static ExpatFormat& self(void* user) {
        return *static_cast<ExpatFormat*>(static_cast<ExpatSession*>(user));
    }
    template <class S>
    S& sink() {
        return *static_cast<S*>(sink_);
    }

    Result<> begin(std::string_view text, bool streamed, OnReference reference);
    bool enter(const char** attributes);
    bool find_doctype();
    bool check_target(const char* target);
    const QName* name(std::string_view glued) {
        return known_.find(Glued{glued}, [&] { return new_name(glued); });
    }
    std::pair<Glued, const QName*> new_name(std::string_view glued);
    void forget_names();

    template <XmlSink S>
    static void on_start(void* user, const char* glued, const char** attributes) {
        ExpatFormat& format = self(user);
        if (!format.enter(attributes)) return;
        const QName* element = format.name(glued);
        if (element == nullptr) return;
        S& sink = format.sink<S>();
        format.open_.push_back(element);
        sink.start_element(element);
        for (const Declaration& declaration : format.declarations_)
            sink.namespace_declaration(view(declaration.prefix), view(declaration.uri));
        format.declarations_.clear();
        for (; *attributes != nullptr; attributes += 2) {
            const QName* attribute = format.name(attributes[0]);
            if (attribute == nullptr) return;
            const std::string_view value = attributes[1];
            format.deliver(value.size());
            sink.attribute(attribute, value);
        }
    }

    template <XmlSink S>
    static void on_end(void* user, const char*) {
        ExpatFormat& format = self(user);
        if (format.failed()) return;
        format.end_text();
        format.sink<S>().end_element(format.open_.back());
        format.open_.pop_back();
    }

    template <XmlSink S>
    static void on_characters(void* user, const char* text, int size) {
        ExpatFormat& format = self(user);
        const auto bytes = static_cast<std::size_t>(size);
        if (format.take_text(bytes)) format.sink<S>().characters({text, bytes});
    }

    template <XmlSink S>
    static void on_comment(void* user, const char* text) {
        ExpatFormat& format = self(user);
        if (format.failed() || format.in_doctype_) return;
        format.end_text();
        format.sink<S>().comment(view(text));
    }

    template <XmlSink S>
    static void on_instruction(void* user, const char* target, const char* data) {
        ExpatFormat& format = self(user);
        if (!format.check_target(target) || format.in_doctype_) return;
        format.end_text();
        format.sink<S>().processing_instruction(view(target), view(data));
    }

    template <XmlSink S>
    static void on_reference(void* user, std::string_view name) {
        ExpatFormat& format = self(user);
        if (format.failed() || format.in_doctype_) return;
        format.end_text();
        format.sink<S>().entity_reference(name);
    }

    template <XmlSink S>
    static void on_doctype(void* user, const char*, const char*, const char*, int) {
        ExpatFormat& format = self(user);
        if (format.find_doctype()) format.sink<S>().doctype(format.doctype_.doctype());
    }

    CodecInfo info_;
    ExpatParser parser_;
    Utf8Text text_;
    DoctypeText doctype_;
    NameTable names_;
    std::size_t names_before_ = 0;  // of earlier documents
    Arena arena_;
    NameCache<Glued> known_;  // texts in arena_
    std::vector<const QName*> open_;
    std::vector<Declaration> declarations_;  // of the element that is about to start
    std::string_view input_;
    bool streamed_ = false;
    bool doctype_found_ = false;  // when streamed, looked up before its text went
    void* sink_ = nullptr;
    bool in_doctype_ = false;
    XmlWriter writer_;
};

}  // namespace perfrelay::xml
