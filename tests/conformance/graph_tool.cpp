// graph_tool FORMAT FILE              prints the neutral notation of an object file
// graph_tool FORMAT FILE FORMAT       writes it in another format to standard output
//
// FORMAT: amf3, hessian2, javaser, json (the notation). Exit 1 and one line when it cannot.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "proto/amf3/format.h"
#include "proto/hessian2/format.h"
#include "proto/javaser/format.h"
#include "proto/model/neutral_json.h"

namespace perfrelay {
namespace {

Result<> unknown() {
    return Error{.code = Errc::unsupported, .where = "formats are amf3, hessian2, javaser, json"};
}

Result<> read(const std::string& format, Bytes input, ObjectGraph& graph) {
    const Limits limits;
    if (format == "amf3") return amf3::Amf3Format(limits).decode(input, graph);
    if (format == "hessian2") return hessian2::Hessian2Format(limits).decode(input, graph);
    if (format == "javaser") return javaser::JavaserFormat(limits).decode(input, graph);
    if (format == "json") return read_neutral_json(input, limits, graph);
    return unknown();
}

template <class Format>
Result<> encode(const ObjectGraph& graph, Buffer& out) {
    Format format{Limits()};
    if constexpr (requires { Format::is_own(graph); }) {
        if (Format::is_own(graph)) return format.encode(graph, out);
    }
    ObjectGraph own;
    if (auto done = format.lower(graph, own); !done) return done;
    return format.encode(own, out);
}

Result<> write(const std::string& format, const ObjectGraph& graph, Buffer& out) {
    if (format == "amf3") return encode<amf3::Amf3Format>(graph, out);
    if (format == "hessian2") return encode<hessian2::Hessian2Format>(graph, out);
    if (format == "javaser") return encode<javaser::JavaserFormat>(graph, out);
    if (format != "json") return unknown();
    write_neutral_json(graph, out);
    return {};
}

int run(int argc, char** argv) {
    if (argc != 3 && argc != 4) {
        (void)std::fprintf(stderr, "usage: graph_tool FORMAT FILE [FORMAT]\n");
        return 2;
    }
    std::ifstream file(argv[2], std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    ObjectGraph graph;
    Buffer out;
    auto done = read(argv[1], as_bytes(input), graph);
    if (done) done = write(argc == 4 ? argv[3] : "json", graph, out);
    if (!done) {
        (void)std::fprintf(stderr, "%s: %s\n", argv[2], describe(done.error()).c_str());
        return 1;
    }
    return std::fwrite(out.data(), 1, out.size(), stdout) == out.size() ? 0 : 1;
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    return perfrelay::run(argc, argv);
}
