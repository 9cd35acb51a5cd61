#include "proto/exi/schema/xsd_loader.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <pthread.h>
#include <xercesc/framework/LocalFileInputSource.hpp>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/framework/XMLGrammarPoolImpl.hpp>
#include <xercesc/parsers/XercesDOMParser.hpp>
#include <xercesc/sax/SAXException.hpp>
#include <xercesc/util/OutOfMemoryException.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/SecurityManager.hpp>
#include <xercesc/util/XMLEntityResolver.hpp>
#include <xercesc/util/XMLResourceIdentifier.hpp>
#include <xercesc/validators/common/Grammar.hpp>

#include "proto/exi/schema/schema_for_schemas.h"
#include "proto/exi/schema/xsd_components.h"
#include "proto/exi/schema/xsd_survey.h"

#if defined(__SANITIZE_ADDRESS__)
// Debian's Xerces-C++ 3.2.4 keeps a declaration for each DOCTYPE for good, on purpose: it mends
// CVE-2018-1311 so.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT: the sanitizer's name
    return "leak:xercesc_3_2::XMLScanner::scanProlog";
}
#endif

namespace perfrelay::exi {

namespace x = xercesc;

namespace {

namespace fs = std::filesystem;

// Xerces-C++ goes by recursion from file to file and from definition to definition, each of which
// may name one that comes later. It does so on a stack that has room for as many elements as there
// may be; only what it needs of that is memory.
constexpr std::size_t k_most_files = 1000;
constexpr std::size_t k_most_elements = 400'000;
constexpr std::size_t k_stack = std::size_t{1} << 30U;
constexpr std::size_t k_few_elements = 1000;  // any stack has room for so many
// Of substitution groups in each other: it makes all pairs of those, and compares them.
constexpr std::size_t k_most_heads = 100;

// Files here, or nothing.
class LocalResolver final : public x::XMLEntityResolver {
  public:
    LocalResolver(const XsdCatalogue& catalogue, FirstError& errors)
        : catalogue_(catalogue), errors_(errors) {}

    x::InputSource* resolveEntity(x::XMLResourceIdentifier* wanted) override {
        using Id = x::XMLResourceIdentifier;
        const Id::ResourceIdentifierType kind = wanted->getResourceIdentifierType();
        std::string location = utf8_of(wanted->getSystemId());
        if (location.empty()) location = utf8_of(wanted->getSchemaLocation());
        // A DTD says nothing that a schema is about; what of it is used is missed then.
        if (kind == Id::ExternalEntity && location.ends_with(".dtd")) return nothing();
        if (kind != Id::SchemaGrammar && kind != Id::SchemaImport && kind != Id::SchemaInclude &&
            kind != Id::SchemaRedefine) {
            miss("the external entity " + location + " is refused");
            return nothing();
        }
        for (const std::string& key : {location, utf8_of(wanted->getNameSpace())}) {
            if (const auto found = catalogue_.find(key); found != catalogue_.end())
                return file(found->second, location);
        }
        std::string base = utf8_of(wanted->getBaseURI());
        if (base.rfind("file://", 0) == 0) base.erase(0, 7);
        std::string path = location;
        if (path.rfind("file://", 0) == 0) path.erase(0, 7);
        if (path.find("://") != std::string::npos || path.rfind("urn:", 0) == 0) {
            miss(base + ": " + location + " is not fetched; a catalogue can say where it is");
            return nothing();
        }
        return file((fs::path(base).parent_path() / path).string(), location);
    }

    // The file, checked; null and `missing`.
    std::unique_ptr<x::InputSource> checked(const std::string& path, XsdSurvey check) {
        if (!check.fault.empty()) {
            miss(check.fault);
            return nullptr;
        }
        elements_ += check.elements;
        if (++files_ > k_most_files || elements_ > k_most_elements) {
            miss(path + ": the schema has more " + (files_ > k_most_files ? "files" : "elements") +
                 " than the limit");
            return nullptr;
        }
        const bool more_heads = !check.heads.empty();
        heads_.merge(check.heads);
        if (more_heads && !sound_heads()) {
            miss(path + ": substitution groups in each other deeper than the limit");
            return nullptr;
        }
        if (!check.own) return std::make_unique<x::LocalFileInputSource>(wide_of(path).c_str());
        errors_.beyond_doubt = path;
        texts_.push_back(with_stand_in(path).value_or(""));
        return std::make_unique<x::MemBufInputSource>(
            reinterpret_cast<const XMLByte*>(texts_.back().data()), texts_.back().size(),
            wide_of(path).c_str());
    }

    std::string missing;

  private:
    void miss(const std::string& what) {
        if (missing.empty()) missing = what;
    }
    x::InputSource* file(const std::string& named, const std::string& location) {
        // One name a file: Xerces takes what is read under two for two schemas.
        std::error_code error;
        const fs::path canonical = fs::weakly_canonical(named, error);
        const std::string path = error ? named : canonical.string();
        if (!fs::is_regular_file(path, error)) {
            miss(path + ": there is no such file, which the schema names as " + location);
            return nothing();
        }
        std::unique_ptr<x::InputSource> source = checked(path, survey_xsd(path));
        return source != nullptr ? source.release() : nothing();
    }
    // An empty schema, so that Xerces looks no further.
    static x::InputSource* nothing() {
        static constexpr char k_empty[] = " ";
        return new x::MemBufInputSource(reinterpret_cast<const XMLByte*>(k_empty), 1, "nothing");
    }

    bool sound_heads() const {
        for (const auto& [member, head] : heads_) {
            std::size_t steps = 1;
            for (auto at = heads_.find(head); at != heads_.end(); at = heads_.find(at->second)) {
                if (++steps > k_most_heads) return false;
            }
        }
        return true;
    }

    const XsdCatalogue& catalogue_;
    FirstError& errors_;
    std::map<std::string, std::string> heads_;
    std::size_t files_ = 0;
    std::size_t elements_ = 0;
    std::deque<std::string> texts_;
};

// Waits for `work`, done on a thread. False: there is none with such a stack.
template <class Work>
bool on_large_stack(Work& work) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, k_stack);
    const auto run = [](void* what) -> void* {
        (*static_cast<Work*>(what))();
        return nullptr;
    };
    pthread_t thread{};
    const bool started = pthread_create(&thread, &attributes, run, &work) == 0;
    pthread_attr_destroy(&attributes);
    if (started) pthread_join(thread, nullptr);
    return started;
}

std::optional<Components> load(const std::vector<std::string>& paths,
                               std::vector<XsdSurvey>& surveys, const XsdCatalogue& catalogue,
                               std::string& why) {
    x::XMLGrammarPoolImpl pool;
    FirstError errors;
    LocalResolver resolver(catalogue, errors);
    std::vector<std::unique_ptr<x::InputSource>> sources;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        sources.emplace_back(
            resolver.checked(fs::weakly_canonical(paths[i]).string(), std::move(surveys[i])));
        if (sources.back() == nullptr) {
            why = resolver.missing;
            return std::nullopt;
        }
    }
    x::SecurityManager security;
    security.setEntityExpansionLimit(k_most_entities);
    x::XercesDOMParser parser(nullptr, x::XMLPlatformUtils::fgMemoryManager, &pool);
    parser.setErrorHandler(&errors);
    parser.setXMLEntityResolver(&resolver);
    parser.setSecurityManager(&security);
    parser.setDoNamespaces(true);
    parser.setDoSchema(true);
    parser.setLoadExternalDTD(false);
    parser.setHandleMultipleImports(true);
    parser.setDisableDefaultEntityResolution(true);
    for (const auto& source : sources)
        (void)parser.loadGrammar(*source, x::Grammar::SchemaGrammarType, true);
    if (!resolver.missing.empty()) {
        why = resolver.missing;
        return std::nullopt;
    }
    if (!errors.text.empty()) {
        why = errors.text;
        return std::nullopt;
    }
    pool.lockPool();
    bool changed = false;
    x::XSModel* const model = pool.getXSModel(changed);
    if (model == nullptr) {
        why = paths.front() + ": no schema";
        return std::nullopt;
    }
    Components components = components_of(*model);
    if (!errors.beyond_doubt.empty()) give_back_namespace(components);
    return components;
}

}  // namespace

std::optional<Components> load_xsd(const std::string& path, const XsdCatalogue& catalogue,
                                   std::string& why) {
    return load_xsds({path}, catalogue, why);
}

std::optional<Components> load_xsds(const std::vector<std::string>& paths,
                                    const XsdCatalogue& catalogue, std::string& why) {
    std::string names;
    for (const std::string& path : paths) {
        std::error_code error;
        if (!fs::is_regular_file(path, error)) {
            why = path + ": cannot be read";
            return std::nullopt;
        }
        names += (names.empty() ? "" : ", ") + path;
    }
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    std::optional<Components> components;
    const auto guarded = [&](auto&& work) {
        try {
            work();
        } catch (const x::XMLException& thrown) {
            why = names + ": " + utf8_of(thrown.getMessage());
        } catch (const x::SAXException& thrown) {
            why = names + ": " + utf8_of(thrown.getMessage());
        } catch (const x::OutOfMemoryException&) {
            why = names + ": no memory for it";
        } catch (const std::exception& thrown) {
            why = names + ": " + thrown.what();
        }
    };
    std::vector<XsdSurvey> surveys;
    guarded([&] {
        static const bool initialised = [] {
            x::XMLPlatformUtils::Initialize();
            return true;
        }();
        (void)initialised;
        for (const std::string& path : paths)
            surveys.push_back(survey_xsd(fs::weakly_canonical(path).string()));
    });
    if (surveys.size() != paths.size()) return std::nullopt;
    const bool small =
        paths.size() == 1 && !surveys.front().refers && surveys.front().elements <= k_few_elements;
    auto work = [&] { guarded([&] { components = load(paths, surveys, catalogue, why); }); };
    if (small) {
        work();
    } else if (!on_large_stack(work)) {
        why = names + ": no memory for the stack to read it on";
    }
    return components;
}

}  // namespace perfrelay::exi
