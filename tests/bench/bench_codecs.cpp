// Documents x formats: how fast each line of the format table encodes and decodes.
//
//   bench_codecs [--benchmark_... flags] [XML file...]       default: test.xml and a small message
//
// Rows: memcpy of the document first, as the bound of the machine; then encode and decode of every
// line of the table, and of the first one packed by every compressor. Decode starts from the file's
// own bytes where the format is XML text, else from what encode wrote; it ends in a DigestSink.
// Every row is verified before it is timed: one that does not give the document back shows an error
// and the program exits 1; one that cannot carry it says why.
// "xml" is bytes of the XML file a second, whatever the format (M: 1e6); "event" is the time for
// one event of the document; "bytes" is the size of the encoded form. The heap is kept and buffers
// are reused: page faults are not measured.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "common/base/heap.h"
#include "proto/formats.h"
#include "proto/xml/loader.h"

namespace perfrelay {
namespace {

std::size_t events_of(const Document& document) {
    DigestSink sink;
    document.xml.play(sink);
    return sink.digest().events;
}

void count(benchmark::State& state, const Document& document, std::size_t bytes) {
    using benchmark::Counter;
    state.counters["xml"] =
        Counter(static_cast<double>(document.source.size()), Counter::kIsIterationInvariantRate);
    state.counters["event"] = Counter(static_cast<double>(events_of(document)),
                                      Counter::kIsIterationInvariantRate | Counter::kInvert);
    state.counters["bytes"] = static_cast<double>(bytes);
}

void copy(benchmark::State& state, const Document& document) {
    std::vector<std::uint8_t> to(document.source.size());
    while (state.KeepRunning()) {
        std::memcpy(to.data(), document.source.data(), to.size());
        benchmark::ClobberMemory();
    }
    count(state, document, to.size());
}

// One format and one document, in one direction.
class Row {
  public:
    Row(std::string spec, const Document& document, bool decode)
        : spec_(std::move(spec)), document_(document), decode_(decode) {}

    bool failed() const { return failed_; }

    void run(benchmark::State& state) {
        if (codec_ == nullptr) why_ = get_ready();
        if (why_) {
            state.SkipWithError(why_->c_str());
            return;
        }
        if (decode_) {
            while (state.KeepRunning()) {
                const Result<Digest> done = codec_->decode(input_.view());
                if (!done) return fail(state, done.error());
                benchmark::DoNotOptimize(done->value);
            }
        } else {
            while (state.KeepRunning()) {
                out_.clear();
                const Result<> done = codec_->encode(document_, out_);
                if (!done) return fail(state, done.error());
                benchmark::DoNotOptimize(out_.data());
            }
        }
        count(state, document_, input_.size());
    }

  private:
    // Makes the codec, prepares and verifies. What is wrong, or nothing.
    std::optional<std::string> get_ready() {
        std::string why;
        codec_ = FormatTable::built_in().make(spec_, {}, why);
        failed_ = true;
        if (codec_ == nullptr) return why;
        if (auto unfit = codec_->cannot_represent(document_, decode_)) {
            failed_ = false;
            return "not representable: " + *unfit;
        }
        if (auto done = codec_->prepare(document_); !done) return describe(done.error());
        Result<bool> from_source = false;
        if (decode_) from_source = codec_->source_form(document_, input_);
        if (!from_source) return describe(from_source.error());
        if (!*from_source) {
            if (auto done = codec_->encode(document_, input_); !done) return describe(done.error());
        }
        XmlTape tape;
        if (auto done = codec_->decode(input_.view(), tape); !done) return describe(done.error());
        if (auto different = difference(document_.xml, tape, codec_->info().fidelity)) {
            return "decoded document differs: " + *different;
        }
        failed_ = false;
        return std::nullopt;
    }

    void fail(benchmark::State& state, const Error& error) {
        failed_ = true;
        state.SkipWithError(describe(error).c_str());
    }

    std::string spec_;
    const Document& document_;
    bool decode_;
    std::unique_ptr<Codec> codec_;
    Buffer input_;  // what is decoded; for encode, what was verified
    Buffer out_;
    std::optional<std::string> why_;
    bool failed_ = false;
};

std::vector<std::string> specs() {
    const FormatTable table = FormatTable::built_in();
    std::vector<std::string> all;
    for (const FormatLine& line : table.formats)
        all.push_back(line.spec);
    for (const CompressorLine& compressor : table.compressors) {
        std::string spec = table.formats.front().spec + "+" + compressor.name;
        if (std::find(all.begin(), all.end(), spec) == all.end()) all.push_back(std::move(spec));
    }
    return all;
}

std::unique_ptr<Document> load(const std::string& path) {
    auto document = std::make_unique<Document>();
    document->name = path.substr(path.rfind('/') + 1);
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    document->source.append(text);
    const Result<> loaded = xml::load(*document, Limits{});
    if (file && loaded) return document;
    std::fprintf(stderr, "%s: %s\n", path.c_str(),
                 file ? describe(loaded.error()).c_str() : "cannot be read");
    return nullptr;
}

int run(const std::vector<std::string>& files) {
    std::vector<std::unique_ptr<Document>> documents;
    std::vector<std::unique_ptr<Row>> rows;
    for (const std::string& file : files) {
        documents.push_back(load(file));
        if (documents.back() == nullptr) return 1;
        const Document& document = *documents.back();
        benchmark::RegisterBenchmark(("memcpy/" + document.name).c_str(),
                                     [&document](auto& state) { copy(state, document); });
        for (const bool decode : {false, true}) {
            for (const std::string& spec : specs()) {
                Row* const row =
                    rows.emplace_back(std::make_unique<Row>(spec, document, decode)).get();
                const std::string name =
                    std::string(decode ? "decode/" : "encode/") + document.name + "/" + spec;
                benchmark::RegisterBenchmark(name.c_str(), [row](auto& state) { row->run(state); });
            }
        }
    }
    const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
    for (const auto& row : rows) {
        if (row->failed()) return 1;
    }
    return ran == 0 ? 1 : 0;
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    perfrelay::keep_heap();
    benchmark::Initialize(&argc, argv);
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) files = {PERFRELAY_DATA "test.xml", PERFRELAY_DATA "contract/records.xml"};
    benchmark::AddCustomContext("heap", "kept, buffers reused");
    const int result = perfrelay::run(files);
    benchmark::Shutdown();
    return result;
}
