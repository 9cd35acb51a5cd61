#include "client/train_dictionary.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/command_words.h"
#include "client/generate.h"
#include "client/option_values.h"
#include "client/output_file.h"
#include "client/read_document.h"
#include "client/report/layout.h"
#include "client/signals.h"
#include "common/cli/units.h"
#include "proto/compress/zstd_compressor.h"
#include "proto/compress/zstd_dictionary.h"

namespace perfrelay::client {
namespace {

constexpr std::uint64_t k_usual_samples = 1000;
constexpr std::uint64_t k_most_samples = 1'000'000;
constexpr std::size_t k_held_out = 10;  // one of so many

constexpr const char* k_help =
    R"(perfclient train-dictionary makes a dictionary for small documents: +zstd:dict=OUT.

Usage: perfclient train-dictionary [options] IN... OUT
       perfclient train-dictionary [options] --generate KIND[:N] OUT

Each IN is one document like those that will be sent; some hundreds are usual. Each is encoded by
the format that will be packed, and the dictionary is trained on that (zstd's ZDICT). Every tenth
document is left out, to say what the dictionary is worth to documents it has not seen. Both sides
must hold it before anything is sent, as they must hold a schema.

Examples:
  perfclient train-dictionary messages/*.xml messages.dict
  perfclient --format xml+zstd:dict=messages.dict -efx -xml messages/17.xml
  perfclient train-dictionary --for exi --size 8KiB messages/*.xml exi.dict
  perfclient train-dictionary --generate messages --samples 500 messages.dict

Options:
  --for SPEC          the format that will be packed (xml)
  --size SIZE         of the dictionary at most (110KiB)
  --from SPEC         how to read IN; without it by its first bytes, or its name
  --ws auto|keep|drop whitespace-only texts of IN, as in a measurement (auto)
  --bind HOW          when XML becomes objects: text, typed or schema, as in a measurement (text)
  --schema FILE.xsd   the schema of all IN, for --for exi and --bind schema
  --catalogue L=FILE  where a schema that another imports is, by its location or namespace
  --generate KIND[:N] instead of IN: documents made here, with seeds that follow one another
  --samples N         how many of these (1000)
  --seed N            the first one's seed (1; of data sets their own)
  --max-document SIZE refuse a larger IN, and more than this altogether (1GiB)

Exit codes: 0 done; 2 usage; 5 IN cannot be read, or there is too little to
train on; 6 OUT cannot be written, or interrupted.
)";

struct TrainOptions {
    Options common;  // from, whitespace, binding, codecs
    std::vector<Input> inputs;
    std::string output;
    std::string format = "xml";
    std::string schema;
    std::uint64_t size = compress::k_usual_dictionary;
    std::uint64_t samples = k_usual_samples;
    bool help = false;
};

constexpr std::string_view k_values[] = {"for", "size", "samples", "generate", "schema"};
constexpr std::string_view k_shared[] = {"from", "ws", "bind", "seed", "max-document", "catalogue"};
constexpr Command k_command{"train-dictionary", {}, k_values, k_shared};

int refuse(ExitCode code, const std::string& line) {
    return complain(code, "train-dictionary: " + line);
}

bool in_range(std::uint64_t& to, std::optional<std::uint64_t> number, std::uint64_t least,
              std::uint64_t most, const std::string& value, std::string& why) {
    if (!number) return false;
    if (*number < least || *number > most) {
        why = "'" + value + "': from " + std::to_string(least) + " to " + std::to_string(most);
        return false;
    }
    to = *number;
    return true;
}

bool take_numbers(const CommandWords& read, TrainOptions& result, std::string& why) {
    const std::string size = read.value("size");
    if (!size.empty() &&
        !in_range(result.size, parse_bytes(size, why), compress::k_smallest_dictionary,
                  compress::k_largest_dictionary, size, why)) {
        why.insert(0, "--size ");
        return false;
    }
    const std::string samples = read.value("samples");
    if (!samples.empty() &&
        !in_range(result.samples, parse_count(samples, why), 1, k_most_samples, samples, why)) {
        why.insert(0, "--samples ");
        return false;
    }
    return true;
}

// Nothing and `why`.
std::optional<TrainOptions> parse(std::span<const char* const> words, std::string& why) {
    TrainOptions result;
    auto read = read_command(k_command, words, result.common, why);
    if (!read) return std::nullopt;
    result.help = read->has("help");
    if (result.help) return result;
    if (!take_numbers(*read, result, why)) return std::nullopt;
    if (read->has("for")) result.format = read->value("for");
    const bool generated = read->has("generate");
    if (read->files.size() < (generated ? 1U : 2U) || (generated && read->files.size() > 1)) {
        why =
            "IN and OUT are needed, or --generate and OUT; perfclient train-dictionary --help "
            "shows how";
        return std::nullopt;
    }
    result.schema = read->value("schema");
    if (result.common.binding == bridge::Binding::schema && result.schema.empty()) {
        why = "--bind schema needs one; add --schema FILE.xsd";
        return std::nullopt;
    }
    result.output = std::move(read->files.back());
    read->files.pop_back();
    for (std::string& file : read->files)
        result.inputs.push_back({std::move(file), result.schema});
    if (generated) result.inputs.push_back({read->value("generate"), result.schema, true});
    return result;
}

// Encoded documents, one behind the other.
struct Samples {
    Buffer bytes;
    std::vector<std::size_t> sizes;

    void add(Bytes document) {
        bytes.append(document);
        sizes.push_back(document.size());
    }
    std::size_t average() const { return bytes.size() / std::max<std::size_t>(sizes.size(), 1); }
};

class Trainer {
  public:
    Trainer(const TrainOptions& options, const FormatTable& formats)
        : options_(options), formats_(formats), stop_(install_signals()) {}

    int operator()() {
        std::string why;
        if (!schemas_.choose(options_.schema, codecs_, why))
            return refuse(ExitCode::bad_input, "--schema " + why);
        codec_ = make_codec(why);
        if (codec_ == nullptr) return refuse(ExitCode::usage, "--for " + why);
        for (const Input& input : options_.inputs) {
            if (!take(input, why))
                return refuse(stop_ != 0 ? ExitCode::partial : ExitCode::bad_input, why);
        }
        const auto dictionary =
            compress::train_dictionary(training_.bytes.view(), training_.sizes, options_.size, why);
        if (!dictionary) return refuse(ExitCode::bad_input, why);
        why = write_output(options_.output, dictionary->view(), stop_);
        if (!why.empty()) return refuse(ExitCode::partial, options_.output + ": " + why);
        return report(dictionary->view());
    }

  private:
    // One format, and no compressor: what is packed already is nothing to train on.
    std::unique_ptr<Codec> make_codec(std::string& why) const {
        const auto spec = single_format(formats_, options_.format, why);
        if (!spec) return nullptr;
        if (spec->find('+') != std::string::npos) {
            why = "'" + options_.format + "': the format alone, without a compressor";
            return nullptr;
        }
        return formats_.make(*spec, codecs_, why);
    }

    bool take(const Input& input, std::string& why) {
        if (!input.generated) return take_document(input, options_.common, why);
        const std::optional<Generator> generator = parse_generator(input.path, why);
        if (!generator) return false;
        Options numbered = options_.common;
        const std::uint64_t first =
            options_.common.generator_seed.value_or(line_of(generator->kind).seed);
        for (std::uint64_t i = 0; i < options_.samples; ++i) {
            numbered.generator_seed = first + i;
            if (!take_document(input, numbered, why)) return false;
        }
        return true;
    }

    bool take_document(const Input& input, const Options& common, std::string& why) {
        if (stop_ != 0) {
            why = "interrupted";
            return false;
        }
        auto read = read_document(input, common, formats_, schemas_, &stop_, why);
        if (!read) return false;
        Document& document = read->document;
        apply_policy(common.whitespace, document);
        make_model(*read, codec_->model(), common);
        why = encode(document);
        if (why.empty()) return true;
        why = document.name + ": " + why;
        return false;
    }

    // "" or why not.
    std::string encode(const Document& document) {
        if (!document.bridge_fault.empty()) return document.bridge_fault;
        if (!document.missing.empty()) return document.missing;
        if (auto why = codec_->cannot_represent(document, false)) return std::move(*why);
        if (auto done = codec_->prepare(document); !done) return describe(done.error());
        encoded_.clear();
        if (auto done = codec_->encode(document, encoded_); !done) return describe(done.error());
        const bool hold_out = ++taken_ % k_held_out == 0;
        Samples& to = hold_out ? held_out_ : training_;
        to.add(encoded_.view());
        const std::size_t most = options_.common.codecs.limits.max_document;
        if (to.bytes.size() > most) return "all documents together are larger than --max-document";
        return "";
    }

    // What the documents that were left out become, with the dictionary and without.
    int report(Bytes dictionary) const {
        // Where the dictionary itself is not.
        std::ostream& out = options_.output == "-" ? std::cerr : std::cout;
        out << printable(options_.output) << ": dictionary " << compress::dictionary_id(dictionary)
            << ", " << format_bytes(dictionary.size()) << ", from " << training_.sizes.size()
            << " documents of " << format_bytes(training_.average()) << " each ("
            << codec_->info().spec << ")\n";
        const auto plain = packed_average("");
        const auto with = packed_average("{" + options_.output + "}");
        if (plain && with) {
            out << held_out_.sizes.size() << " others: " << format_bytes(held_out_.average())
                << " each, by zstd " << *plain << ", with the dictionary " << *with << '\n';
        }
        out.flush();
        return status(out ? ExitCode::ok : ExitCode::partial);
    }

    std::optional<std::size_t> packed_average(const std::string& dictionary) const {
        if (held_out_.sizes.empty()) return std::nullopt;
        SpecPart part{.name = "zstd", .options = {}};
        if (!dictionary.empty()) part.options.push_back({"dict", dictionary});
        std::string why;
        const auto compressor = compress::make_zstd(part, options_.common.codecs.limits, why);
        if (compressor == nullptr) return std::nullopt;
        Buffer packed;
        std::size_t at = 0;
        for (const std::size_t size : held_out_.sizes) {
            const Bytes document = held_out_.bytes.view().subspan(at, size);
            if (!compressor->compress(document, packed)) return std::nullopt;
            at += size;
        }
        return packed.size() / held_out_.sizes.size();
    }

    const TrainOptions& options_;
    SchemaShelf schemas_{options_.common.catalogue};
    CodecOptions codecs_ = options_.common.codecs;  // with the schema
    const FormatTable& formats_;
    const std::atomic<int>& stop_;
    std::unique_ptr<Codec> codec_;
    Buffer encoded_;
    Samples training_;
    Samples held_out_;
    std::uint64_t taken_ = 0;
};

}  // namespace

int train_dictionary_main(std::span<const char* const> words, const FormatTable& formats) {
    std::string why;
    const std::optional<TrainOptions> options = parse(words, why);
    if (!options) return refuse(ExitCode::usage, why);
    if (options->help) {
        std::cout << k_help;
        return status(ExitCode::ok);
    }
    try {
        return Trainer(*options, formats)();
    } catch (const std::bad_alloc&) {
        return refuse(ExitCode::bad_input, "not enough memory for these documents");
    }
}

}  // namespace perfrelay::client
