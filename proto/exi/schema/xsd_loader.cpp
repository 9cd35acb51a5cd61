#include "proto/exi/schema/xsd_loader.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include <xercesc/framework/LocalFileInputSource.hpp>
#include <xercesc/framework/MemBufInputSource.hpp>
#include <xercesc/framework/XMLGrammarPoolImpl.hpp>
#include <xercesc/parsers/SAXParser.hpp>
#include <xercesc/parsers/XercesDOMParser.hpp>
#include <xercesc/sax/ErrorHandler.hpp>
#include <xercesc/sax/HandlerBase.hpp>
#include <xercesc/sax/SAXParseException.hpp>
#include <xercesc/util/OutOfMemoryException.hpp>
#include <xercesc/util/PlatformUtils.hpp>
#include <xercesc/util/SecurityManager.hpp>
#include <xercesc/util/XMLEntityResolver.hpp>
#include <xercesc/util/XMLResourceIdentifier.hpp>
#include <xercesc/validators/common/Grammar.hpp>

#include "proto/exi/bit_writer.h"
#include "proto/exi/schema/xsd_components.h"

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

constexpr XMLSize_t k_most_expansions = 1000;  // of entities, a schema
constexpr const char* k_too_deep = ": elements nested deeper than the limit";

std::basic_string<XMLCh> wide(const std::string& text) {
    std::basic_string<XMLCh> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::uint32_t c = next_code_point(text, at);
        if (c >= 0x10000) out += static_cast<XMLCh>(0xD7C0U + (c >> 10U));
        out += static_cast<XMLCh>(c >= 0x10000 ? 0xDC00U | (c & 0x3FFU) : c);
    }
    return out;
}

// The first error, as one line.
class FirstError final : public x::ErrorHandler {
  public:
    void warning(const x::SAXParseException&) override {}
    void error(const x::SAXParseException& found) override { keep(found); }
    void fatalError(const x::SAXParseException& found) override { keep(found); }
    void resetErrors() override {}

    std::string text;

  private:
    void keep(const x::SAXParseException& found) {
        if (!text.empty()) return;
        std::string file = utf8_of(found.getSystemId());
        if (file.rfind("file://", 0) == 0) file.erase(0, 7);
        text = file + ": line " + std::to_string(found.getLineNumber()) + ", column " +
               std::to_string(found.getColumnNumber()) + ": " + utf8_of(found.getMessage());
    }
};

// Elements within each other. Xerces-C++ walks a schema by recursion.
constexpr std::size_t k_most_nested = 1000;

class DepthCheck final : public x::HandlerBase {
  public:
    void startElement(const XMLCh* const, x::AttributeList&) override {
        if (++depth_ > k_most_nested) too_deep = true;
        if (too_deep) throw x::SAXException("elements nested too deep");
    }
    void endElement(const XMLCh* const) override { --depth_; }
    x::InputSource* resolveEntity(const XMLCh* const, const XMLCh* const) override {
        static constexpr XMLByte k_empty[] = {' '};
        return new x::MemBufInputSource(k_empty, 1, "nothing");
    }

    bool too_deep = false;

  private:
    std::size_t depth_ = 0;
};

// Why the file is no XML that may be read as a schema; "": it may. Read on its own before, because
// Xerces-C++ bounds neither depth nor entities when it loads schemas.
std::string fault_of(const std::string& path) {
    DepthCheck check;
    FirstError errors;
    x::SecurityManager security;
    security.setEntityExpansionLimit(k_most_expansions);
    x::SAXParser parser;
    parser.setDocumentHandler(&check);
    parser.setErrorHandler(&errors);
    parser.setEntityResolver(&check);
    parser.setSecurityManager(&security);
    parser.setLoadExternalDTD(false);
    try {
        parser.parse(x::LocalFileInputSource(wide(path).c_str()));
    } catch (const x::XMLException& found) {
        return path + ": " + utf8_of(found.getMessage());
    } catch (const x::SAXException& found) {
        if (!check.too_deep) return path + ": " + utf8_of(found.getMessage());
    }
    return check.too_deep ? path + k_too_deep : errors.text;
}

// Files here, or nothing.
class LocalResolver final : public x::XMLEntityResolver {
  public:
    explicit LocalResolver(const XsdCatalogue& catalogue) : catalogue_(catalogue) {}

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
        if (const std::string fault = fault_of(path); !fault.empty()) {
            miss(fault);
            return nothing();
        }
        return new x::LocalFileInputSource(wide(path).c_str());
    }
    // An empty schema, so that Xerces looks no further.
    static x::InputSource* nothing() {
        static constexpr char k_empty[] = " ";
        return new x::MemBufInputSource(reinterpret_cast<const XMLByte*>(k_empty), 1, "nothing");
    }

    const XsdCatalogue& catalogue_;
};

std::optional<Components> load(const std::string& path, const XsdCatalogue& catalogue,
                               std::string& why) {
    why = fault_of(path);
    if (!why.empty()) return std::nullopt;
    x::XMLGrammarPoolImpl pool;
    FirstError errors;
    LocalResolver resolver(catalogue);
    x::SecurityManager security;
    security.setEntityExpansionLimit(k_most_expansions);
    x::XercesDOMParser parser(nullptr, x::XMLPlatformUtils::fgMemoryManager, &pool);
    parser.setErrorHandler(&errors);
    parser.setXMLEntityResolver(&resolver);
    parser.setSecurityManager(&security);
    parser.setDoNamespaces(true);
    parser.setDoSchema(true);
    parser.setLoadExternalDTD(false);
    parser.setHandleMultipleImports(true);
    parser.setDisableDefaultEntityResolution(true);
    const x::LocalFileInputSource source(wide(fs::weakly_canonical(path).string()).c_str());
    (void)parser.loadGrammar(source, x::Grammar::SchemaGrammarType, true);
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
        why = path + ": no schema";
        return std::nullopt;
    }
    return components_of(*model);
}

}  // namespace

std::optional<Components> load_xsd(const std::string& path, const XsdCatalogue& catalogue,
                                   std::string& why) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        why = path + ": cannot be read";
        return std::nullopt;
    }
    static std::mutex one_at_a_time;
    const std::lock_guard<std::mutex> lock(one_at_a_time);
    try {
        static const bool initialised = [] {
            x::XMLPlatformUtils::Initialize();
            return true;
        }();
        (void)initialised;
        return load(path, catalogue, why);
    } catch (const x::XMLException& thrown) {
        why = path + ": " + utf8_of(thrown.getMessage());
    } catch (const x::SAXException& thrown) {
        why = path + ": " + utf8_of(thrown.getMessage());
    } catch (const x::OutOfMemoryException&) {
        why = path + ": no memory for it";
    } catch (const std::exception& thrown) {
        why = path + ": " + thrown.what();
    }
    return std::nullopt;
}

}  // namespace perfrelay::exi
