// Objects x formats: how fast graphs are encoded and decoded, beside a copy of the encoded bytes.
//
//   bench_objects [--benchmark_... flags]
//
// Data: amf-benchmark's small list and list of strings, the blog's companies (sample_objects.h).
// Beside the formats of objects, libraries of JSON, CBOR, MessagePack and BSON on the same graphs,
// as trees.
// Rows: memcpy of the encoded form; encode; encode from texts that are not unique (AMF3 alone has
// references to strings, and looks them up by content then); decode into a graph whose memory is
// reused; the same with the digest that a timed decode of perfclient adds. "x" is the time over
// that of memcpy in this run; "value" is the time for one value. Every row is verified before it is
// timed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "proto/amf3/format.h"
#include "proto/bson/format.h"
#include "proto/cbor/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/json/nlohmann_format.h"
#include "proto/json/rapidjson_format.h"
#include "proto/model/object_difference.h"
#include "proto/model/object_digest.h"
#include "proto/model/sample_objects.h"
#include "proto/msgpack/format.h"

namespace perfrelay {
namespace {

template <class Format>
struct Case {
    Case(const std::string& name, const ObjectGraph& document) : what(name) {
        Format lowering{Limits()};
        require(lowering.lower(document, own), "lower");
        require(format.encode(own, bytes), "encode");
        require(format.decode(bytes.view(), decoded), "decode");
        if (const auto found = difference(own, decoded)) {
            (void)std::fprintf(stderr, "%s: %s\n", what.c_str(), found->c_str());
            std::exit(1);  // NOLINT(concurrency-mt-unsafe)
        }
        values = digest_of(decoded).events;
    }
    void require(const Result<>& done, const char* doing) const {
        if (done) return;
        (void)std::fprintf(stderr, "%s: %s: %s\n", what.c_str(), doing,
                           describe(done.error()).c_str());
        std::exit(1);  // NOLINT(concurrency-mt-unsafe)
    }

    std::string what;
    Format format{Limits()};
    ObjectGraph own;
    ObjectGraph decoded;
    Buffer bytes;
    std::uint64_t values = 0;
};

double nanoseconds_of_memcpy(const Buffer& bytes) {
    std::vector<std::uint8_t> to(bytes.size());
    double best = 1e18;
    for (int i = 0; i < 300; ++i) {
        const auto start = std::chrono::steady_clock::now();
        std::memcpy(to.data(), bytes.data(), to.size());
        benchmark::ClobberMemory();
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
    }
    return best;
}

template <class Work>
void add(const std::string& name, std::uint64_t values, const Buffer& bytes, Work work) {
    const std::size_t size = bytes.size();
    const double copy = nanoseconds_of_memcpy(bytes);
    auto* const row = benchmark::RegisterBenchmark(
        name.c_str(), [work, values, size, copy](benchmark::State& state) {
            double best = 1e18;
            while (state.KeepRunning()) {
                const auto start = std::chrono::steady_clock::now();
                work();
                const std::chrono::duration<double, std::nano> took =
                    std::chrono::steady_clock::now() - start;
                best = std::min(best, took.count());
            }
            state.counters["best_us"] = best / 1000;
            state.counters["x"] = best / copy;
            state.counters["ns_value"] = best / static_cast<double>(values);
            state.counters["bytes"] = static_cast<double>(size);
        });
    row->Unit(benchmark::kMicrosecond);
}

template <class Format>
void rows(const std::string& name, const ObjectGraph& document) {
    const auto both = std::make_shared<Case<Format>>(name, document);
    add(name + "/encode", both->values, both->bytes, [both] {
        both->bytes.clear();
        benchmark::DoNotOptimize(both->format.encode(both->own, both->bytes));
    });
    if constexpr (std::is_same_v<Format, amf3::Amf3Format>) {
        // What was decoded makes no promise about its texts.
        const auto again = std::make_shared<Case<Format>>(name, document);
        add(name + "/encode_not_interned", both->values, both->bytes, [again] {
            again->bytes.clear();
            benchmark::DoNotOptimize(again->format.encode(again->decoded, again->bytes));
        });
    }
    const auto input = std::make_shared<Case<Format>>(name, document);
    add(name + "/decode", both->values, both->bytes, [input] {
        benchmark::DoNotOptimize(input->format.decode(input->bytes.view(), input->decoded));
    });
    add(name + "/decode_digest", both->values, both->bytes, [input] {
        benchmark::DoNotOptimize(input->format.decode(input->bytes.view(), input->decoded));
        benchmark::DoNotOptimize(digest_of(input->decoded));
    });
}

void all_rows() {
    for (const char* name : {"small-list-objects", "company", "big-list-strings"}) {
        ObjectGraph document;
        if (name[0] == 's') generate_objects(k_objects_seed, 50, document);
        if (name[0] == 'c') generate_company(k_company_seed, 1000, document);
        if (name[0] == 'b') generate_strings(k_objects_seed, 10'000, document);
        rows<amf3::Amf3Format>(std::string(name) + "/amf3", document);
        rows<hessian2::Hessian2Format>(std::string(name) + "/hessian2", document);
        rows<javaser::JavaserFormat>(std::string(name) + "/javaser", document);
        rows<json::RapidjsonFormat>(std::string(name) + "/json", document);
        rows<json::NlohmannFormat>(std::string(name) + "/json:nlohmann", document);
        rows<cbor::CborFormat>(std::string(name) + "/cbor", document);
        rows<msgpack::MsgpackFormat>(std::string(name) + "/msgpack", document);
        rows<bson::BsonFormat>(std::string(name) + "/bson", document);
    }
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    // The heap is kept: page faults are not measured.
    (void)mallopt(M_TRIM_THRESHOLD, -1);
    (void)mallopt(M_MMAP_MAX, 0);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    perfrelay::all_rows();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
