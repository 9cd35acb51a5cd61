#pragma once
// Rows of typed values: EXI's ("exi:typed") and, for any XML text format, the same out of text
// ("xml:typed"), whose values are parsed as the schema's types.
//
// Contract: TypedCodec (proto/codec/typed_codec.h). An EXI row takes the options of exi but those
// that keep what is no value, or lay values apart (align=pre, align=comp). Streams without a
// schema, and with values apart, are refused. Tested by tests/unit/proto/exi/typed_rows_test.cpp.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proto/codec/typed_codec.h"
#include "proto/exi/exi_format.h"
#include "proto/exi/typed_delivery.h"
#include "proto/exi/typer.h"

namespace perfrelay::exi {

// What a Typer finds, into a TypedSink.
template <TypedSink S>
class ValueHandler {
  public:
    ValueHandler(const Datatypes& datatypes, S& sink) : datatypes_(datatypes), sink_(sink) {}

    void start_document() { sink_.start_document(); }
    void start_element(const QName* name) { sink_.start_element(name); }
    void end_element(const QName* name) { sink_.end_element(name); }
    void end_document() { sink_.end_document(); }
    void attribute(const QName* name, std::string_view text, std::uint32_t) {
        sink_.attribute(name, text);
    }
    void type_attribute(const QName* name, std::string_view uri, std::string_view local) {
        sink_.attribute_of(name);
        sink_.type(uri, local);
    }
    void typed_attribute(const QName* name, std::uint32_t type, const Value& value, std::uint32_t) {
        sink_.attribute_of(name);
        hand_over(datatypes_, datatypes_[type], value, item_, arena_, sink_);
    }
    void characters(std::string_view text) { sink_.characters(text); }
    void typed_characters(std::uint32_t type, const Value& value, std::uint32_t) {
        const Datatype& datatype = datatypes_[type];
        const bool is_text = datatype.representation == Representation::string ||
                             datatype.representation == Representation::list ||
                             datatype.representation == Representation::base64_binary ||
                             datatype.representation == Representation::hex_binary;
        if (is_text && value.text.empty()) return;
        sink_.content();
        hand_over(datatypes_, datatype, value, item_, arena_, sink_);
    }

  private:
    const Datatypes& datatypes_;
    S& sink_;
    Value item_;
    Arena arena_;
};

// What typed decoding says of a document.
Digest typed_digest_of(const XmlTape& tape, const Schema& schema, bool strict);

// Why typed values cannot carry the document; or nothing.
std::optional<std::string> cannot_type(const Document& document);

// How a row's CodecInfo says that it is one of typed values.
void describe_typed(CodecInfo& info, const std::string& spec);

class TypedExi : public ExiFormat {
  public:
    TypedExi(std::string spec, EncoderOptions options, bool by_libdeflate, const Limits& limits)
        : ExiFormat(spec, options, by_libdeflate, limits),
          info_(ExiFormat::info()),
          schema_(options.schema),
          strict_(options.stream.strict) {
        describe_typed(info_, spec);
    }

    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const {
        if (auto why = cannot_type(document)) return why;
        return ExiFormat::cannot_represent(document, source);
    }
    // Whitespace of no type, all that a policy leaves out but of strings, says nothing to a sink.
    template <class Input, TypedSink S>
    Result<> decode_typed(Input& input, S& sink, Whitespace) {
        return decode(input, sink);
    }
    Digest typed_digest(const Document& document) const {
        return typed_digest_of(document.xml, *schema_, strict_);
    }

  private:
    CodecInfo info_;
    std::shared_ptr<const Schema> schema_;
    bool strict_;
};

// `F`: an XmlFormat whose encoded form is XML text.
template <class F>
class TypedXml : public F {
  public:
    TypedXml(std::string spec, const Limits& limits, std::shared_ptr<const Schema> schema)
        : F(spec, limits), info_(F::info()), schema_(std::move(schema)), tables_(*schema_) {
        describe_typed(info_, spec);
    }

    const CodecInfo& info() const { return info_; }
    std::optional<std::string> cannot_represent(const Document& document, bool source) const {
        if (auto why = cannot_type(document)) return why;
        return F::cannot_represent(document, source);
    }
    template <class Input, TypedSink S>
    Result<> decode_typed(Input& input, S& sink, Whitespace policy) {
        ValueHandler<S> values(schema_->datatypes, sink);
        Typer<ValueHandler<S>> typer(tables_, false, values);
        if (policy == Whitespace::keep) return F::decode(input, typer);
        WhitespaceFilter filter(typer, policy);
        return F::decode(input, filter);
    }
    Digest typed_digest(const Document& document) const {
        return typed_digest_of(document.xml, *schema_, false);
    }

  private:
    CodecInfo info_;
    std::shared_ptr<const Schema> schema_;
    TyperTables tables_;
};

// The SPEC's codec without the option `typed`, which `spec` still has; or null and `why`.
std::unique_ptr<Codec> make_typed_exi(const SpecPart& format, const std::string& spec,
                                      const ExiContext& context, std::string& why);

template <class F>
std::unique_ptr<Codec> make_typed_xml(const std::string& spec, const ExiContext& context) {
    return std::make_unique<TypedCodec<TypedXml<F>>>(spec, context.limits, context.schema);
}

}  // namespace perfrelay::exi
