// The readers of the object formats against any input: that of PERFRELAY_READER (AMF3, Hessian 2 or
// Java serialization), or one that the first byte chooses: JSON by RapidJSON and by nlohmann, CBOR,
// MessagePack, BSON, the neutral notation.
//
// Held: a graph that was read can be shown, also as a document of XML, and reads back from what is
// shown as the same graph; in each format that can carry it, it is written, and reads back as it
// was written.
#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/amf3/format.h"
#include "proto/bson/format.h"
#include "proto/cbor/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/json/nlohmann_format.h"
#include "proto/json/rapidjson_format.h"
#include "proto/model/bridge/bridge.h"
#include "proto/model/neutral_json.h"
#include "proto/model/object_difference.h"
#include "proto/msgpack/format.h"
#include "tests/fuzz/require.h"

namespace perfrelay {
namespace {

Limits fuzz_limits() {
    Limits limits;
    limits.max_depth = 1000;
    limits.max_document = std::size_t{16} << 20U;
    return limits;
}

void same(const ObjectGraph& expected, const ObjectGraph& actual, const char* what) {
    const auto found = difference(expected, actual);
    require(!found, what + (": " + found.value_or("")));
}

template <class Format>
void carry(const ObjectGraph& graph, const char* name) {
    Format format{fuzz_limits()};
    ObjectGraph lowered;
    const ObjectGraph* own = &graph;
    bool as_it_is = false;
    if constexpr (requires { Format::is_own(graph); }) as_it_is = Format::is_own(graph);
    if (!as_it_is) {
        if (!format.lower(graph, lowered)) return;
        own = &lowered;
    }
    Buffer out;
    if (const auto done = format.encode(*own, out); !done) {
        // The one bound that only the encoded form meets.
        require(done.error().code == Errc::limit_exceeded, name + describe(done.error()));
        return;
    }
    ObjectGraph again;
    const auto read = format.decode(out.view(), again);
    require(read, name);
    same(*own, again, name);
}

// What the notation has no word for: class descriptions as values.
bool has_descriptions(const ObjectGraph& graph) {
    for (std::uint32_t id = 0; id < graph.node_count(); ++id) {
        if (graph.node(id).kind == graph::NodeKind::class_desc) return true;
    }
    return false;
}

// As a document of XML, and back: the graph, or of one that pretends to be a document, an error.
void bridge_and_back(const ObjectGraph& graph) {
    // Beside the objects, the graph and annotations are levels.
    Limits limits = fuzz_limits();
    limits.max_depth *= 3;
    XmlTape document;
    if (!bridge::to_xml(graph, limits, document)) return;
    ObjectGraph again;
    const auto read = bridge::to_objects(document, bridge::Binding::text, limits, again);
    require(read, "as XML");
    if (!bridge::is_bound(graph)) same(graph, again, "as XML");
}

void check(const ObjectGraph& graph) {
    bridge_and_back(graph);
    Buffer shown;
    write_neutral_json(graph, shown);
    if (!has_descriptions(graph)) {
        ObjectGraph again;
        const auto read = read_neutral_json(shown.view(), fuzz_limits(), again);
        if (read) same(graph, again, "neutral notation");
        require(read || read.error().code == Errc::limit_exceeded, "what is shown cannot be read");
    }
    carry<amf3::Amf3Format>(graph, "amf3");
    carry<hessian2::Hessian2Format>(graph, "hessian2");
    carry<javaser::JavaserFormat>(graph, "javaser");
    carry<json::RapidjsonFormat>(graph, "json");
    carry<json::NlohmannFormat>(graph, "json:nlohmann");
    carry<cbor::CborFormat>(graph, "cbor");
    carry<msgpack::MsgpackFormat>(graph, "msgpack");
    carry<bson::BsonFormat>(graph, "bson");
}

#ifdef PERFRELAY_READER
Result<> read(Bytes input, ObjectGraph& graph) {
    return PERFRELAY_READER(fuzz_limits()).decode(input, graph);
}
#else
Result<> read(Bytes input, ObjectGraph& graph) {
    if (input.empty()) return Error{};
    const Limits limits = fuzz_limits();
    const unsigned which = input[0] % 6U;
    input = input.subspan(1);
    switch (which) {
        case 0: return json::RapidjsonFormat(limits).decode(input, graph);
        case 1: return json::NlohmannFormat(limits).decode(input, graph);
        case 2: return cbor::CborFormat(limits).decode(input, graph);
        case 3: return msgpack::MsgpackFormat(limits).decode(input, graph);
        case 4: return bson::BsonFormat(limits).decode(input, graph);
        default: return read_neutral_json(input, limits, graph);
    }
}
#endif

}  // namespace
}  // namespace perfrelay

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace perfrelay;  // NOLINT(google-build-using-namespace)
    ObjectGraph graph;
    if (read(Bytes(data, size), graph)) check(graph);
    return 0;
}
