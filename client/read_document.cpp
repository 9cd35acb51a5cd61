#include "client/read_document.h"

#include <algorithm>
#include <utility>

#include "client/generate.h"
#include "client/input_kind.h"
#include "client/inputs.h"
#include "client/option_values.h"
#include "client/sqlite_objects.h"
#include "proto/model/declare_namespaces.h"
#include "proto/model/neutral_json.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {
namespace {

// More are no document's packing, but an attack on whoever unpacks.
constexpr int k_most_layers = 4;

class SourceReader {
  public:
    SourceReader(const Options& options, const FormatTable& formats)
        : options_(options), formats_(formats) {}

    // Unpacks, and finds out how to read what was inside. "" or why not.
    std::string read(ReadDocument& out, std::string_view name) {
        return options_.from.empty() ? read_unknown(out, name) : read_as(out, options_.from);
    }

  private:
    std::string read_unknown(ReadDocument& out, std::string_view name) {
        for (int layer = 0;; ++layer) {
            const auto found = detect_kind(out.document.source.view(), name);
            if (!found) return "nothing says what kind of document it is; name it with --from SPEC";
            const InputKind& kind = *found->kind;
            out.recognised = std::string(kind.title) + " " + found->by;
            if (!kind.packed) {
                out.document.source_spec = kind.name;
                return "";
            }
            if (layer == k_most_layers) return "packed more than four times over";
            if (std::string why = unpack(out.document, {std::string(kind.name), {}});
                !why.empty()) {
                return out.recognised + ": " + why;
            }
            name = without_ending(name, kind);
        }
    }

    // `from` can be made: the command line was checked.
    std::string read_as(ReadDocument& out, const std::string& from) {
        std::string why;
        const auto one = single_format(formats_, from, why);
        std::optional<Spec> spec = one ? parse_spec(*one, why) : std::nullopt;
        if (!spec) return why;
        for (; !spec->compressors.empty(); spec->compressors.pop_back()) {
            const SpecPart& part = spec->compressors.back();
            if (why = unpack(out.document, part); !why.empty()) return part.name + ": " + why;
        }
        out.document.source_spec = spec->text();
        return "";
    }

    std::string unpack(Document& document, const SpecPart& part) {
        const auto line = std::find_if(formats_.compressors.begin(), formats_.compressors.end(),
                                       [&](const auto& each) { return each.name == part.name; });
        if (line == formats_.compressors.end()) return "not in this build";
        Buffer unpacked;
        std::string why = line->unpack(document.source.view(), part, options_.codecs, unpacked);
        if (!why.empty()) return why;
        if (unpacked.empty()) return "nothing inside";
        document.source = std::move(unpacked);
        return "";
    }

    const Options& options_;
    const FormatTable& formats_;
};

ObjectGraph& begin_objects(Document& document) {
    document.objects = std::make_unique<ObjectGraph>();
    document.source_is_xml = false;
    document.source_is_objects = true;
    return *document.objects;
}

// The source by its SPEC. "" or why not.
std::string decode(ReadDocument& out, const FormatTable& formats) {
    const CodecOptions& options = out.codecs;
    Document& document = out.document;
    if (document.source_spec == "xml") {
        const auto done = xml::load(document, options.limits);
        return done ? "" : describe(done.error());
    }
    const std::string as = out.recognised.empty() ? "" : out.recognised + ": ";
    std::string why;
    if (document.source_spec == "sqlite") {
        why = read_sqlite(document.source.view(), options.limits, begin_objects(document));
        return why.empty() ? "" : as + why;
    }
    if (document.source_spec == "json" && is_neutral_json(document.source.view())) {
        document.source_spec = "neutral";
        const auto done =
            read_neutral_json(document.source.view(), options.limits, begin_objects(document));
        return done ? "" : as + describe(done.error());
    }
    const std::unique_ptr<Codec> codec = formats.make(document.source_spec, options, why);
    if (codec == nullptr) return as + why;
    if (codec->model() == Model::objects) {
        const auto done = codec->read_objects(document.source.view(), begin_objects(document));
        return done ? "" : as + describe(done.error());
    }
    XmlTape borrowed;
    if (auto done = codec->decode(document.source.view(), borrowed); !done) {
        return as + describe(done.error());
    }
    out.kept = codec->delivered();
    if (out.kept.prefixes) {
        TapeSink<true> sink(document.xml);
        borrowed.play(sink);
    } else {
        declare_namespaces(borrowed, document.xml);
    }
    document.source_is_xml = false;
    return "";
}

std::string with_name(const Document& document, const Input& input, const std::string& why) {
    return (input.path == "-" ? "standard input" : document.name) + ": " + why;
}

// The schema that the document names.
bool choose_named(ReadDocument& read, SchemaShelf& schemas, std::string& why) {
    SchemaShelf::Named named;
    if (!schemas.choose_named(read.document, read.codecs, named, why)) return false;
    for (const std::string& path : named.paths)
        read.schema += (read.schema.empty() ? "" : ", ") + path;
    read.schema_by = std::move(named.by);
    return true;
}

bool is_xml(const Document& document) {
    return spec_name(document.source_spec) == "xml";
}

// Without the schema.
std::optional<ReadDocument> read_bytes(const Input& input, const Options& options,
                                       const FormatTable& formats, const std::atomic<int>* stop,
                                       std::string& why) {
    ReadDocument result;
    Document& document = result.document;
    if (input.generated) {
        const std::optional<Generator> generator = parse_generator(input.path, why);
        if (!generator) return std::nullopt;
        const GeneratedKindLine& kind = line_of(generator->kind);
        const std::uint64_t seed = options.generator_seed.value_or(kind.seed);
        document.name = "generated " + input.path + " seed " + std::to_string(seed);
        generate(*generator, seed, document.source);
        result.file_bytes = document.source.size();
        // What a generator wrote is known, whatever --from says of the other inputs.
        document.source_spec = kind.format;
        return result;
    }
    auto read = read_input(input.path, options.codecs.limits, stop, why);
    if (!read) return std::nullopt;
    document = std::move(*read);
    result.file_bytes = document.source.size();
    if (input.sqlite) {
        document.source_spec = "sqlite";
        return result;
    }
    why = SourceReader(options, formats).read(result, input.path == "-" ? "" : input.path);
    if (why.empty()) return result;
    why = with_name(document, input, why);
    return std::nullopt;
}

}  // namespace

std::optional<ReadDocument> read_source(const Input& input, const Options& options,
                                        const FormatTable& formats, SchemaShelf& schemas,
                                        const std::atomic<int>* stop, std::string& why) {
    CodecOptions codecs = options.codecs;
    if (!schemas.choose(input.schema, codecs, why)) {
        why = "-schema " + why;
        return std::nullopt;
    }
    auto result = read_bytes(input, options, formats, stop, why);
    if (!result) return std::nullopt;
    result->codecs = std::move(codecs);
    result->schema = input.schema;
    if (input.schema_auto && !is_xml(result->document) && !choose_named(*result, schemas, why))
        return std::nullopt;
    return result;
}

std::optional<ReadDocument> read_document(const Input& input, const Options& options,
                                          const FormatTable& formats, SchemaShelf& schemas,
                                          const std::atomic<int>* stop, std::string& why) {
    auto result = read_source(input, options, formats, schemas, stop, why);
    if (!result) return std::nullopt;
    why = decode(*result, formats);
    if (result->document.source_spec == "sqlite" && why.empty()) why = sqlite_company(input.path);
    if (!why.empty()) {
        why = with_name(result->document, input, why);
        return std::nullopt;
    }
    if (input.schema_auto && is_xml(result->document) && !choose_named(*result, schemas, why))
        return std::nullopt;
    return result;
}

void make_model(ReadDocument& read, Model wanted, const Options& options) {
    Document& document = read.document;
    if (options.binding == bridge::Binding::schema && wanted == Model::objects)
        type_values(document, read.codecs);
    complete(document, wanted, options.binding, options.codecs.limits);
}

void apply_policy(Whitespace policy, Document& document) {
    document.whitespace = policy;
    document.whitespace_dropped = apply_whitespace(policy, document.xml);
}

}  // namespace perfrelay::client
