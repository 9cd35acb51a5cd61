#include "client/read_document.h"

#include <algorithm>
#include <utility>

#include "client/generate.h"
#include "client/input_kind.h"
#include "client/inputs.h"
#include "client/sqlite_objects.h"
#include "proto/model/neutral_json.h"
#include "proto/xml/loader.h"

namespace perfrelay::client {
namespace {

// More are no document's packing, but an attack on whoever unpacks.
constexpr int k_most_layers = 4;

class DocumentReader {
  public:
    DocumentReader(const Options& options, const FormatTable& formats)
        : options_(options), formats_(formats) {}

    // "" or why not.
    std::string read(ReadDocument& out, std::string_view name) {
        return options_.from.empty() ? read_unknown(out, name) : read_as(out, options_.from);
    }

    // What it is is known, whatever --from says of the other inputs.
    std::string read_known(ReadDocument& out, const std::string& format) {
        return decode(out, format);
    }

  private:
    std::string read_unknown(ReadDocument& out, std::string_view name) {
        for (int layer = 0;; ++layer) {
            const auto found = detect_kind(out.document.source.view(), name);
            if (!found) return "nothing says what kind of document it is; name it with --from SPEC";
            const InputKind& kind = *found->kind;
            const std::string as = std::string(kind.title) + " " + found->by;
            if (!kind.packed) {
                std::string why = decode(out, std::string(kind.name));
                return why.empty() || kind.name == "xml" ? why : as + ": " + why;
            }
            if (layer == k_most_layers) return "packed more than four times over";
            if (std::string why = unpack(out.document, kind.name); !why.empty()) {
                return as + ": " + why;
            }
            name = without_ending(name, kind);
        }
    }

    // `from` can be made: the command line was checked.
    std::string read_as(ReadDocument& out, const std::string& from) {
        std::string why;
        const std::vector<std::string> specs = formats_.expand(from, why);
        std::optional<Spec> spec =
            specs.size() == 1 ? parse_spec(specs.front(), why) : std::nullopt;
        if (!spec) return why;
        for (; !spec->compressors.empty(); spec->compressors.pop_back()) {
            const std::string& name = spec->compressors.back().name;
            if (why = unpack(out.document, name); !why.empty()) return name + ": " + why;
        }
        return decode(out, spec->text());
    }

    std::string unpack(Document& document, std::string_view compressor) {
        const auto line = std::find_if(formats_.compressors.begin(), formats_.compressors.end(),
                                       [&](const auto& each) { return each.name == compressor; });
        if (line == formats_.compressors.end()) return "not in this build";
        Buffer unpacked;
        const auto done = line->unpack(document.source.view(), options_.codecs, unpacked);
        if (!done) return describe(done.error());
        if (unpacked.empty()) return "nothing inside";
        document.source = std::move(unpacked);
        return "";
    }

    static ObjectGraph& begin_objects(Document& document, const std::string& spec) {
        document.objects = std::make_unique<ObjectGraph>();
        document.source_is_xml = false;
        document.source_is_objects = true;
        document.source_spec = spec;
        return *document.objects;
    }

    std::string decode(ReadDocument& out, const std::string& spec) {
        Document& document = out.document;
        if (spec == "xml") {
            const auto done = xml::load(document, options_.codecs.limits);
            return done ? "" : describe(done.error());
        }
        if (spec == "sqlite") {
            ObjectGraph& objects = begin_objects(document, spec);
            return read_sqlite(document.source.view(), options_.codecs.limits, objects);
        }
        if (spec == "json" && is_neutral_json(document.source.view())) {
            ObjectGraph& objects = begin_objects(document, "neutral");
            const auto done =
                read_neutral_json(document.source.view(), options_.codecs.limits, objects);
            return done ? "" : describe(done.error());
        }
        std::string why;
        const std::unique_ptr<Codec> codec = formats_.make(spec, options_.codecs, why);
        if (codec == nullptr) return why;
        if (codec->model() == Model::objects) {
            ObjectGraph& objects = begin_objects(document, spec);
            const auto done = codec->read_objects(document.source.view(), objects);
            return done ? "" : describe(done.error());
        }
        XmlTape borrowed;
        if (auto done = codec->decode(document.source.view(), borrowed); !done) {
            return describe(done.error());
        }
        TapeSink<true> sink(document.xml);
        borrowed.play(sink);
        document.source_is_xml = false;
        out.kept = codec->delivered();
        return "";
    }

    const Options& options_;
    const FormatTable& formats_;
};

}  // namespace

std::optional<ReadDocument> read_document(const Input& input, const Options& options,
                                          const FormatTable& formats, const std::atomic<int>* stop,
                                          std::string& why) {
    ReadDocument result;
    Document& document = result.document;
    std::string known;
    if (input.generated) {
        const std::optional<Generator> generator = parse_generator(input.path, why);
        if (!generator) return std::nullopt;
        const GeneratedKindLine& kind = line_of(generator->kind);
        const std::uint64_t seed = options.generator_seed.value_or(kind.seed);
        document.name = "generated " + input.path + " seed " + std::to_string(seed);
        generate(*generator, seed, document.source);
        known = kind.format;
    } else {
        auto read = read_input(input.path, options.codecs.limits, stop, why);
        if (!read) return std::nullopt;
        document = std::move(*read);
    }
    result.file_bytes = document.source.size();
    DocumentReader reader(options, formats);
    if (input.sqlite) known = "sqlite";
    why = known.empty() ? reader.read(result, input.path == "-" ? "" : input.path)
                        : reader.read_known(result, known);
    if (document.source_spec == "sqlite" && why.empty()) why = sqlite_company(input.path);
    if (why.empty()) return result;
    why = (input.path == "-" ? "standard input" : document.name) + ": " + why;
    return std::nullopt;
}

void apply_policy(Whitespace policy, Document& document) {
    document.whitespace = policy;
    document.whitespace_dropped = apply_whitespace(policy, document.xml);
}

}  // namespace perfrelay::client
