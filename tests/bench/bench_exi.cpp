// EXI against text XML: what the project promises of its speed, in one interleaved run.
//
//   bench_exi [-t SECONDS] [XML file...]      default: test.xml, and generated documents of each
//                                             kind, records of 1 MB and of 20 MB among them
//
// Each document: decode of the file's own text by expat, libxml2 and pugixml (parse and walk) and
// of its EXI, bit-packed and byte-aligned; encode by xmlTextWriter and into EXI. All rows of a
// document take turns in one schedule; decode delivers every event with its text to a DigestSink,
// under one whitespace policy. Rows are verified first. Times are processor time. Then, as lines:
// median, nanoseconds an event, and the ratios that are promised with whether they hold. Exits 1
// when a row is wrong, never because of a time: that is for whoever reads.
//
//   bench_exi [-t SECONDS] -schema FILE.xsd [XML file...]      default: test.xml
//
// The same files with a schema: decode of EXI without it and with it, as texts and as typed values,
// in place of the encoders; XML engines that convert the same values. First, how long the schema
// takes to compile, and what was compiled to load.
//
//   bench_exi --memory                        the peak of memory of decoding 20 MB, beyond input
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include "client/generate.h"
#include "common/base/heap.h"
#include "common/measure/schedule.h"
#include "common/measure/summary.h"
#include "proto/formats.h"
#include "proto/model/whitespace.h"
#include "proto/schema_files.h"
#include "proto/xml/loader.h"

namespace perfrelay {
namespace {

// Of this thread, so that what else the machine does is not measured: all of it is in memory.
measure::Nanoseconds processor_time() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return measure::Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class Row final : public measure::Subject {
  public:
    Row(std::string name, std::string spec, bool decodes, const Document& document,
        const CodecOptions& options)
        : name_(std::move(name)),
          spec_(std::move(spec)),
          decodes_(decodes),
          document_(document),
          options_(options) {}

    // Why it cannot be timed; "" if it can. `events`: what a decode of it delivers.
    std::string prepare(std::uint64_t& events) {
        std::string why;
        codec_ = FormatTable::built_in().make(spec_, options_, why);
        if (codec_ == nullptr) return why;
        Result<bool> own = decodes_ ? codec_->source_form(document_, input_) : Result<bool>(false);
        if (!own) return describe(own.error());
        if (auto unfit = codec_->cannot_represent(document_, *own)) return *unfit;
        if (auto done = codec_->prepare(document_); !done) return describe(done.error());
        if (*own && document_.whitespace_dropped != 0) codec_->read_under(document_.whitespace);
        if (!*own) {
            if (auto done = codec_->encode(document_, input_); !done) return describe(done.error());
        }
        XmlTape tape;
        if (auto done = codec_->decode(input_.view(), tape); !done) return describe(done.error());
        if (auto found = difference(document_.xml, tape, codec_->info().fidelity)) return *found;
        const auto digest = codec_->decode(input_.view());
        if (!digest) return describe(digest.error());
        digest_ = *digest;
        const auto typed = codec_->typed_digest(document_);
        if (typed && *typed != digest_) return "other typed values than the document's";
        if (!typed) events = digest_.events;
        return "";
    }

    bool run(std::uint32_t batch, measure::Sample& sample) override {
        sample = {};
        sample.batch = batch;
        const measure::Nanoseconds start = sample.start = processor_time();
        for (std::uint32_t i = 0; i < batch; ++i) {
            if (decodes_) {
                const auto digest = codec_->decode(input_.view());
                wrong_ = wrong_ || !digest || *digest != digest_;
            } else {
                out_.clear();
                const auto done = codec_->encode(document_, out_);
                wrong_ = wrong_ || !done || out_.size() != input_.size();
            }
        }
        sample.phase[0] = sample.total = processor_time() - start;
        return !wrong_;
    }

    const std::string& name() const { return name_; }
    bool decodes() const { return decodes_; }
    std::size_t size() const { return input_.size(); }

  private:
    std::string name_;
    std::string spec_;
    bool decodes_;
    const Document& document_;
    const CodecOptions& options_;
    std::unique_ptr<Codec> codec_;
    Buffer input_;
    Buffer out_;
    Digest digest_;
    bool wrong_ = false;
};

// Promised: `row` at least `times` as fast as `against`.
struct Promise {
    const char* row;
    const char* against;
    double times;
    bool records_only;  // else of records and messages; an encoder's holds for all
};
constexpr Promise k_promises[] = {{"exi decode", "expat decode", 3, false},
                                  {"exi decode", "libxml2 decode", 1.5, false},
                                  {"exi decode", "pugixml decode", 1, true},
                                  {"exi:byte decode", "pugixml decode", 1.2, false},
                                  {"exi encode", "xmlTextWriter encode", 2, false},
                                  {"schema decode", "exi decode", 1, false},
                                  {"strict decode", "exi decode", 1, false},
                                  {"typed decode", "schema decode", 1.3, false},
                                  {"typed decode", "xml:typed decode", 1, false},
                                  {"typed decode", "pugixml,typed decode", 1, false}};

struct Measured {
    std::string name;
    double median = 0;
};

bool promised(const Promise& promise, const std::string& document) {
    const bool records = document.starts_with("records");
    const bool encode = std::string_view(promise.row).ends_with("encode");
    const bool schema = !std::string_view(promise.row).starts_with("exi");
    if (encode || records || schema) return true;
    return !promise.records_only && document.starts_with("messages");
}

void print(const std::string& document, const std::vector<Measured>& rows) {
    const auto find = [&](std::string_view name) -> const Measured* {
        const auto at = std::find_if(rows.begin(), rows.end(),
                                     [&](const Measured& row) { return row.name == name; });
        return at != rows.end() ? &*at : nullptr;
    };
    for (const Promise& promise : k_promises) {
        const Measured* const row = find(promise.row);
        const Measured* const against = find(promise.against);
        if (row == nullptr || against == nullptr) continue;
        const double ratio = against->median / row->median;
        const char* verdict = "";
        if (promised(promise, document)) verdict = ratio >= promise.times ? ", holds" : ", MISSED";
        std::printf("  %-16s %6.2fx %-22s (%.1fx%s)\n", promise.row, ratio, promise.against,
                    promise.times, verdict);
    }
}

// Decoders of a document with a schema, which those without one do not look at.
constexpr const char* k_with_schema[][2] = {{"libxml2 decode", "xml"},
                                            {"schema decode", "exi"},
                                            {"strict decode", "exi:strict"},
                                            {"typed decode", "exi:typed"},
                                            {"byte,typed decode", "exi:align=byte,typed"},
                                            {"xml:typed decode", "xml:typed"},
                                            {"expat,typed decode", "xml:expat,typed"},
                                            {"pugixml,typed decode", "xml:pugixml,typed"}};

bool measure_document(const Document& document, double seconds, const CodecOptions& options) {
    constexpr const char* k_decoders[][2] = {{"expat decode", "xml:expat"},
                                             {"libxml2 decode", "xml"},
                                             {"pugixml decode", "xml:pugixml"},
                                             {"exi decode", "exi"},
                                             {"exi:byte decode", "exi:align=byte"}};
    constexpr const char* k_encoders[][2] = {{"xmlTextWriter encode", "xml:libxml2"},
                                             {"exi encode", "exi"},
                                             {"exi:byte encode", "exi:align=byte"}};
    std::vector<std::unique_ptr<Row>> rows;
    std::vector<measure::Subject*> subjects;
    const CodecOptions none;
    std::uint64_t events = 0;
    bool right = true;
    const auto add = [&](const char* const(&row)[2], bool decodes) {
        const bool plain = std::string_view(row[0]).starts_with("exi");
        auto made =
            std::make_unique<Row>(row[0], row[1], decodes, document, plain ? none : options);
        if (const std::string why = made->prepare(events); !why.empty()) {
            std::printf("%s: %s: %s\n", document.name.c_str(), row[0], why.c_str());
            right = false;
            return;
        }
        subjects.push_back(made.get());
        rows.push_back(std::move(made));
    };
    if (options.schema != nullptr) {
        add(k_decoders[3], true);
        for (const auto& row : k_with_schema)
            add(row, true);
    } else {
        for (const auto& row : k_decoders)
            add(row, true);
        for (const auto& row : k_encoders)
            add(row, false);
    }

    const auto time = static_cast<measure::Nanoseconds>(seconds * 1e9);
    const measure::ScheduleOptions schedule{{time / 5, 2}, {time, 9}, 1};
    const std::atomic<int> stop = 0;
    const auto outcomes = measure::run_schedule(subjects, schedule, stop, nullptr);
    // EXI's events: what it does not keep (comments, declarations) is not among them.
    std::printf("%s: %zu bytes, %llu events\n", document.name.c_str(), document.source.size(),
                static_cast<unsigned long long>(events));
    std::vector<Measured> measured;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        right = right && !outcomes[i].failed;
        const auto summary = measure::summarise(outcomes[i].main.total_per_document());
        measured.push_back({rows[i]->name(), summary.median});
        std::printf("  %-22s %10.1f us (%.1f to %.1f) %7.1f ns an event %10zu bytes\n",
                    rows[i]->name().c_str(), summary.median / 1e3, summary.low / 1e3,
                    summary.high / 1e3, summary.median / static_cast<double>(events),
                    rows[i]->size());
    }
    print(document.name, measured);
    std::fflush(stdout);
    return right;
}

std::unique_ptr<Document> loaded(std::unique_ptr<Document> document) {
    if (auto done = xml::load(*document, Limits{}); !done) {
        std::printf("%s: %s\n", document->name.c_str(), describe(done.error()).c_str());
        return nullptr;
    }
    document->whitespace = Whitespace::automatic;
    document->whitespace_dropped = apply_whitespace(document->whitespace, document->xml);
    return document;
}

std::unique_ptr<Document> file(const std::string& path) {
    auto document = std::make_unique<Document>();
    document->name = path.substr(path.rfind('/') + 1);
    std::ifstream from(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(from), {}};
    document->source.append(std::string_view(text));
    return loaded(std::move(document));
}

std::unique_ptr<Document> generated(const std::string& what) {
    std::string why;
    const auto generator = client::parse_generator(what, why);
    if (!generator) return nullptr;
    auto document = std::make_unique<Document>();
    document->name = what;
    client::generate(*generator, 1, document->source);
    return loaded(std::move(document));
}

std::size_t peak_kib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_maxrss);
}

// In a process that has done nothing else: the peak of decoding is that of the process.
int decode_alone(const char* spec, const char* path) {
    std::ifstream from(path, std::ios::binary);
    Buffer input;
    from.seekg(0, std::ios::end);
    const auto size = static_cast<std::size_t>(from.tellg());
    from.seekg(0);
    from.read(reinterpret_cast<char*>(input.prepare(size)), static_cast<std::streamsize>(size));
    input.commit(size);
    std::string why;
    const auto codec = FormatTable::built_in().make(spec, {}, why);
    const std::size_t before = peak_kib();
    if (codec == nullptr || !codec->decode(input.view())) return 1;
    std::printf("  %-18s %8zu bytes, %6.1f MiB beyond the input\n", spec, size,
                static_cast<double>(peak_kib() - before) / 1024);
    return 0;
}

int memory(const std::string& self) {
    int status = 0;
    for (const char* kind : {"records:20MB", "mixed:20MB", "deep:20MB", "messages:20MB"}) {
        const auto document = generated(kind);
        if (document == nullptr) return 1;
        std::printf("%s\n", kind);
        std::fflush(stdout);
        for (const std::string spec :
             {"exi", "exi:align=byte", "exi:align=pre", "exi:align=comp"}) {
            std::string why;
            const auto codec = FormatTable::built_in().make(spec, {}, why);
            Buffer out;
            if (codec == nullptr || !codec->encode(*document, out)) return 1;
            const std::string path = self + ".tmp";
            std::ofstream(path, std::ios::binary)
                .write(reinterpret_cast<const char*>(out.data()),
                       static_cast<std::streamsize>(out.size()));
            const std::string command = "'" + self + "' --decode " + spec + " '" + path + "'";
            // NOLINTNEXTLINE(concurrency-mt-unsafe, cert-env33-c): our own program
            if (std::system(command.c_str()) != 0) status = 1;
            std::remove(path.c_str());
        }
    }
    return status;
}

// Milliseconds that a schema's file takes, from nothing: the least of several.
double schema_time(const std::string& path, CodecOptions& options, std::string& why) {
    constexpr int k_runs = 7;
    double least = 1e9;
    for (int i = 0; i < k_runs; ++i) {
        // Not the processor's time of this thread: a large schema is compiled on another.
        const measure::Nanoseconds start = measure::now();
        if (!SchemaShelf().choose(path, options, why)) return -1;
        least = std::min(least, static_cast<double>(measure::now() - start) / 1e6);
    }
    return least;
}

// Compiled, then loaded.
bool take_schema(const std::string& self, const std::string& path, CodecOptions& options) {
    constexpr double k_promised = 20;
    std::string why;
    const double compiled = schema_time(path, options, why);
    Buffer out;
    if (compiled < 0 || !compile_schema(path, {}, out, why)) {
        std::printf("%s\n", why.c_str());
        return false;
    }
    const std::string file = self + ".cxs";
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size()));
    const double loaded = schema_time(file, options, why);
    std::remove(file.c_str());
    if (loaded < 0) {
        std::printf("%s\n", why.c_str());
        return false;
    }
    std::printf("%s: compiled in %.2f ms; %zu bytes, loaded in %.3f ms: %.1fx (%.0fx%s)\n",
                path.c_str(), compiled, out.size(), loaded, compiled / loaded, k_promised,
                compiled / loaded >= k_promised ? ", holds" : ", MISSED");
    return true;
}

int run(double seconds, const std::vector<std::string>& files, const CodecOptions& options) {
    std::vector<std::unique_ptr<Document>> documents;
    for (const std::string& path : files)
        documents.push_back(file(path));
    if (files.empty()) documents.push_back(file(PERFRELAY_DATA "test.xml"));
    if (files.empty() && options.schema == nullptr) {
        for (const char* kind : {"records:1MB", "records:20MB", "messages:1MB", "messages:20MB",
                                 "messages:1kB", "mixed:1MB", "deep:1MB"})
            documents.push_back(generated(kind));
    }
    bool right = true;
    for (const auto& document : documents)
        right = document != nullptr && measure_document(*document, seconds, options) && right;
    return right ? 0 : 1;
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 1 && words[0] == "--memory") return perfrelay::memory(argv[0]);
    if (words.size() == 3 && words[0] == "--decode")
        return perfrelay::decode_alone(argv[2], argv[3]);
    perfrelay::keep_heap();
    double seconds = 1;
    if (words.size() >= 2 && words[0] == "-t") {
        seconds = std::atof(words[1].c_str());
        words.erase(words.begin(), words.begin() + 2);
    }
    perfrelay::CodecOptions options;
    if (words.size() >= 2 && words[0] == "-schema") {
        if (!perfrelay::take_schema(argv[0], words[1], options)) return 1;
        words.erase(words.begin(), words.begin() + 2);
    }
    return perfrelay::run(seconds, words, options);
}
