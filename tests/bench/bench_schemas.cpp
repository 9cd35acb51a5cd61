// Compiling schemas beside what Xerces-C++ itself takes to load them: the same files, in turns, the
// least of each.
//
//   bench_schemas [-r ROUNDS] [-v] FILE...    an XSD, or a table (.tsv) whose column `schema` or
//                                             `xsd` names some, from its own directory
//
// "compile" is load_xsd and make_schema: read, checked, components, grammars. Exit 1 when one takes
// more than three times as long, 77 when nothing that was named is there.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <xercesc/framework/LocalFileInputSource.hpp>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/framework/XMLGrammarPoolImpl.hpp>
#include <xercesc/parsers/XercesDOMParser.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/XMLEntityResolver.hpp>
#include <xercesc/util/XMLResourceIdentifier.hpp>
#include <xercesc/util/XMLString.hpp>
#include <xercesc/validators/common/Grammar.hpp>

#include "common/base/heap.h"
#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/schema/xsd_loader.h"
#include "tests/conformance/exi/vector_files.h"

namespace perfrelay {
namespace {

constexpr double k_most = 3;

template <class Work>
double seconds(Work&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string plain(const XMLCh* text) {
    if (text == nullptr) return {};
    char* made = xercesc::XMLString::transcode(text);
    std::string out = made;
    xercesc::XMLString::release(&made);
    return out.rfind("file://", 0) == 0 ? out.substr(7) : out;
}
xercesc::InputSource* local_file(const std::string& path) {
    XMLCh* wide = xercesc::XMLString::transcode(path.c_str());
    auto* const source = new xercesc::LocalFileInputSource(wide);
    xercesc::XMLString::release(&wide);
    return source;
}

// What load_xsd finds, and nothing of the network.
class Files final : public xercesc::XMLEntityResolver {
  public:
    xercesc::InputSource* resolveEntity(xercesc::XMLResourceIdentifier* wanted) override {
        namespace fs = std::filesystem;
        const std::string location = plain(
            wanted->getSystemId() != nullptr ? wanted->getSystemId() : wanted->getSchemaLocation());
        const fs::path path = fs::path(plain(wanted->getBaseURI())).parent_path() / location;
        if (fs::is_regular_file(path)) return local_file(fs::weakly_canonical(path).string());
        static constexpr XMLByte k_empty[] = {' '};
        return new xercesc::MemBufInputSource(k_empty, 1, "nothing");
    }
};

void load_by_xerces(const std::string& path) {
    Files files;
    xercesc::XMLGrammarPoolImpl pool;
    xercesc::XercesDOMParser parser(nullptr, xercesc::XMLPlatformUtils::fgMemoryManager, &pool);
    parser.setDoNamespaces(true);
    parser.setDoSchema(true);
    parser.setLoadExternalDTD(false);
    parser.setHandleMultipleImports(true);
    parser.setDisableDefaultEntityResolution(true);
    parser.setXMLEntityResolver(&files);
    const std::unique_ptr<xercesc::InputSource> source(
        local_file(std::filesystem::weakly_canonical(path).string()));
    (void)parser.loadGrammar(*source, xercesc::Grammar::SchemaGrammarType, true);
    // Its own model of what it has loaded, without which nobody else knows.
    pool.lockPool();
    bool changed = false;
    (void)pool.getXSModel(changed);
}

// Why not, or "".
std::string compile(const std::string& path) {
    std::string why;
    const auto components = exi::load_xsd(path, {}, why);
    if (!components) return why;
    const auto made = exi::make_schema(*components);
    return made ? "" : path + ": " + describe(made.error());
}

std::vector<std::string> schemas_of(const std::string& named) {
    namespace fs = std::filesystem;
    if (!named.ends_with(".tsv"))
        return fs::exists(named) ? std::vector{named} : std::vector<std::string>{};
    std::set<std::string> found;
    const auto rows = vectors::read_manifest(named);
    for (const vectors::Row& row : rows.value_or(std::vector<vectors::Row>{})) {
        for (const char* const column : {"schema", "xsd"}) {
            const auto at = row.find(column);
            if (at == row.end()) continue;
            const fs::path path = fs::path(named).parent_path() / at->second;
            if (fs::is_regular_file(path)) found.insert(path.string());
        }
    }
    return {found.begin(), found.end()};
}

int run(const std::vector<std::string>& files, int rounds, bool verbose) {
    keep_heap();
    xercesc::XMLPlatformUtils::Initialize();
    std::size_t refused = 0;
    std::size_t slow = 0;
    std::vector<double> ratios;
    for (const std::string& file : files) {
        if (const std::string why = compile(file); !why.empty()) {
            std::printf("%s\n", why.c_str());
            ++refused;
            continue;
        }
        double xerces = 1e9;
        double ours = 1e9;
        for (int i = 0; i < rounds; ++i) {
            xerces = std::min(xerces, seconds([&] { load_by_xerces(file); }));
            ours = std::min(ours, seconds([&] { (void)compile(file); }));
        }
        ratios.push_back(ours / xerces);
        if (ratios.back() > k_most) ++slow;
        if (verbose || ratios.back() > k_most)
            std::printf("%-70s %8.2f ms, Xerces %8.2f ms: %.2f\n", file.c_str(), ours * 1e3,
                        xerces * 1e3, ratios.back());
    }
    if (ratios.empty()) {
        std::printf("SKIP: no schema is there\n");
        return 77;
    }
    std::sort(ratios.begin(), ratios.end());
    std::printf("%zu schemas, %zu refused: median %.2f, most %.2f times Xerces; %zu above %.0f\n",
                ratios.size() + refused, refused, ratios[ratios.size() / 2], ratios.back(), slow,
                k_most);
    return slow == 0 ? 0 : 1;
}

}  // namespace
}  // namespace perfrelay

int main(int argc, char** argv) {
    int rounds = 5;
    bool verbose = false;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "-v") == 0) {
            verbose = true;
        } else if (std::strcmp(argv[i], "-r") == 0 && i + 1 < argc) {
            rounds = std::max(1, std::atoi(argv[++i]));
        } else {
            for (std::string& file : perfrelay::schemas_of(argv[i]))
                files.push_back(std::move(file));
        }
    }
    if (argc < 2) {
        std::printf("usage: bench_schemas [-r ROUNDS] [-v] FILE...\n");
        return 2;
    }
    return perfrelay::run(files, rounds, verbose);
}
