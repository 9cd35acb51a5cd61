#include "proto/exi/exi_format.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "proto/codec/make_codec.h"
#include "proto/exi/exi_spec.h"
#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/typed_value.h"

namespace perfrelay::exi {

namespace {

std::string upper(std::string text) {
    for (char& c : text) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
}

bool is_schema_location(const QName& name, std::string_view) {
    return name.uri == k_xsi_uri &&
           (name.local == "schemaLocation" || name.local == "noNamespaceSchemaLocation");
}
bool is_nil_false(const QName& name, std::string_view value) {
    return name.uri == k_xsi_uri && name.local == "nil" && value == "false";
}
bool is_either(const QName& name, std::string_view value) {
    return is_schema_location(name, value) || is_nil_false(name, value);
}
bool (*left_out_by(const EncoderOptions& options))(const QName&, std::string_view) {
    if (options.keep_schema_location) return options.keep_nil_false ? nullptr : is_nil_false;
    return options.keep_nil_false ? is_schema_location : is_either;
}

// There are no more than names, and those of EXI D.1.
std::size_t count_uris(const NameTable& names) {
    if (names.size() + 3 < k_most_uris) return names.size() + 3;
    std::unordered_set<std::string_view> uris{"", k_xml_uri, k_xsi_uri};
    for (std::uint32_t id = 0; id < names.size(); ++id)
        uris.insert(names[id]->uri);
    return uris.size();
}

// Prefixes are kept by their declarations (EXI 7.1.7): a name without one cannot keep its own.
class PrefixSurvey {
  public:
    static const char* run(const XmlTape& tape) {
        PrefixSurvey survey;
        for (const XmlTape::Event& event : tape.events()) {
            if (!survey.see(event)) return "a name whose prefix has no declaration";
        }
        return survey.close() ? nullptr : "a name whose prefix has no declaration";
    }

  private:
    using Kind = XmlTape::Kind;
    struct Declared {
        std::string_view prefix;
        std::string_view uri;
        std::size_t depth;
    };

    bool see(const XmlTape::Event& event) {
        switch (event.kind()) {
            case Kind::namespace_declaration:
                scope_.push_back({event.first_view(), event.text_view(), depth_});
                return true;
            case Kind::attribute: waiting_.push_back(event.name); return true;
            case Kind::start_element:
                if (!close()) return false;
                ++depth_;
                waiting_.push_back(event.name);
                return true;
            case Kind::end_element:
                if (!close()) return false;
                --depth_;
                while (!scope_.empty() && scope_.back().depth > depth_)
                    scope_.pop_back();
                return true;
            default: return close();
        }
    }
    bool close() {
        for (const QName* name : waiting_) {
            if (!bound(*name)) return false;
        }
        waiting_.clear();
        return true;
    }
    bool bound(const QName& name) const {
        if (name.prefix == "xml") return true;
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (it->prefix == name.prefix && (it->uri == name.uri || !name.prefix.empty()))
                return it->uri == name.uri;
        }
        return name.prefix.empty() && name.uri.empty();
    }

    std::vector<Declared> scope_;
    std::vector<const QName*> waiting_;
    std::size_t depth_ = 0;
};

}  // namespace

// EXI 5.4
Result<> Informed::choose(const Options& stream, const EncoderOptions& outside,
                          const Schema*& schema, const Datatypes*& datatypes) {
    schema = outside.schema.get();
    switch (stream.schema_id.kind) {
        case SchemaId::Kind::absent: break;
        case SchemaId::Kind::no_schema: schema = nullptr; break;
        case SchemaId::Kind::built_in_types:
            if (built_in_ == nullptr) built_in_ = built_in_schema();
            schema = built_in_.get();
            break;
        case SchemaId::Kind::named:
            if (schema != nullptr) break;
            return Error{.code = Errc::unsupported,
                         .where = "EXI 5.4: the stream needs a schema, which was not given"};
    }
    if (schema == nullptr) return {};
    const bool lexical = stream.preserve.lexical_values;
    datatypes = lexical ? &schema->lexical : &schema->datatypes;
    // A map counts for lexical values too: the characters are the representation's (Table 7-2).
    if (stream.datatype_map.empty()) return {};
    if (mapped_ == nullptr || mapped_for_ != schema || mapped_lexical_ != lexical ||
        map_ != stream.datatype_map) {
        map_ = stream.datatype_map;
        mapped_for_ = schema;
        mapped_lexical_ = lexical;
        mapped_ = std::make_unique<Datatypes>(schema->simple_types, map_, lexical);
    }
    datatypes = mapped_.get();
    return {};
}

ExiFormat::ExiFormat(std::string spec, EncoderOptions options, bool by_libdeflate,
                     const Limits& limits)
    : options_(std::move(options)),
      limits_(limits),
      reader_(limits),
      deflater_(by_libdeflate, options_.level) {
    // efxperf's name for it.
    info_.title = "EFX" + upper(spec.substr(std::min<std::size_t>(spec.size(), 3)));
    info_.spec = std::move(spec);
    info_.reader = info_.writer = "perfrelay EXI 1.0";
    const Preserve& keep = options_.stream.preserve;
    info_.fidelity = kept_by(options_.stream);
    if (!options_.keep_entity_references) info_.fidelity.entity_references = false;
    info_.fidelity.leaves_out = left_out_by(options_);
    if (!options_.keep_schema_location)
        info_.notes.emplace_back("leaves out xsi:schemaLocation and its like (xsiloc=keep)");
    if (options_.schema != nullptr && !keep.lexical_values &&
        options_.stream.schema_id.kind != SchemaId::Kind::no_schema) {
        info_.fidelity.same_value = options_.utc ? same_utc_value : same_typed_value;
        info_.notes.emplace_back(
            "informed by the schema " +
            (options_.schema_name.empty() ? "of XML Schema's own types" : options_.schema_name) +
            ": values are typed, and come back in their canonical form");
    }
    if (options_.schema != nullptr && options_.stream.profile.limits_grammars()) {
        info_.fidelity.may_add_any_type = true;
        info_.notes.emplace_back(
            "elements may get an xsi:type of anyType, to keep to the limits on grammars");
    }
    info_.values_as_written = keep.lexical_values;
    if (options_.stream.alignment == Alignment::compression) {
        info_.notes.push_back(std::string("DEFLATE by ") +
                              compress::RawDeflater::library(by_libdeflate) + ", level " +
                              std::to_string(options_.level));
    }
}

std::optional<std::string> ExiFormat::cannot_represent(const Document& document, bool) const {
    // Not of the SPEC alone, which is looked at before a schema is read. EXI Profile keeps to its
    // limits by xsi:type="xs:anyType"; UTC is of typed values.
    if (options_.schema == nullptr && (options_.stream.profile.limits_grammars() || options_.utc))
        return "options maxgr, maxprod and utc need a schema, as in -schema FILE.xsd";
    if (document.xml.names().expanded_size() >= k_most_names)
        return "more than " + std::to_string(k_most_names - 1) + " distinct names";
    if (count_uris(document.xml.names()) >= k_most_uris)
        return "more than " + std::to_string(k_most_uris - 1) + " namespaces";
    if (options_.stream.strict && options_.schema != nullptr) {
        if (auto why = mismatch(document)) return why;
    }
    const Preserve& keep = options_.stream.preserve;
    if (keep.dtd) {
        for (const XmlTape::Event& event : document.xml.events()) {
            if (event.kind() != XmlTape::Kind::doctype) continue;
            // EXI Table 4-1: absent and empty are one.
            const Doctype& doctype = *event.doctype;
            if (doctype.has_internal_subset && doctype.internal_subset.empty())
                return "an empty internal subset";
            if (doctype.has_system_id && doctype.system_id.empty() && doctype.public_id.empty())
                return "an empty system identifier";
        }
    }
    if (keep.prefixes) {
        if (const char* why = PrefixSurvey::run(document.xml)) return why;
    }
    return std::nullopt;
}

std::optional<std::string> ExiFormat::mismatch(const Document& document) const {
    EncoderOptions options = options_;
    options.stream.alignment = Alignment::bit_packed;
    ExiFormat trial(info_.spec, std::move(options), false, limits_);
    Buffer out;
    if (trial.encode(document, out) || trial.tables_.mismatch.empty()) return std::nullopt;
    return "does not match the schema, which strict asks for: " + trial.tables_.mismatch;
}

bool ExiFormat::reads_source(const Document& document) const {
    std::string why;
    const std::optional<Spec> read_by = parse_spec(document.source_spec, why);
    if (!read_by || read_by->format.name != "exi") return false;
    BitReader<Packing::bits> reader(Input::of(document.source.view()));
    Result<Header> header = read_header(reader, limits_, options_.preview);
    if (!header) return false;
    if (header->options && options_.stream == Options()) return true;
    if (!header->options) {
        const int highest = compress::RawDeflater::highest_level(true);
        std::optional<EncoderOptions> outside = parse_options(read_by->format, highest, why);
        if (!outside) return false;
        header->options = std::move(outside->stream);
    }
    // Absent or "no schema": either way there is none.
    header->options->schema_id = options_.stream.schema_id;
    return *header->options == options_.stream;
}

std::optional<EncoderOptions> options_of(const SpecPart& format, const ExiContext& context,
                                         std::string& why) {
    EncoderOptions start;
    start.schema = context.schema;
    start.schema_name = context.schema_name;
    return parse_options(format, compress::RawDeflater::highest_level(context.by_libdeflate), why,
                         std::move(start));
}

std::unique_ptr<Codec> make_exi(const SpecPart& format, const std::string& spec,
                                const ExiContext& context, std::string& why) {
    auto options = options_of(format, context, why);
    if (!options) return nullptr;
    return make_codec<ExiFormat>(spec, std::move(*options), context.by_libdeflate, context.limits);
}

std::unique_ptr<ExiFormat> make_exi_format(const SpecPart& format, const std::string& spec,
                                           const ExiContext& context, std::string& why) {
    auto options = options_of(format, context, why);
    if (!options) return nullptr;
    return std::make_unique<ExiFormat>(spec, std::move(*options), context.by_libdeflate,
                                       context.limits);
}

}  // namespace perfrelay::exi
