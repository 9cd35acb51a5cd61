#pragma once
// Schemas for codecs, from files: XSDs (proto/exi/schema/xsd_loader.h), what compile_schema made of
// one, and "xsd-types": XML Schema's built-in types alone.
//
// Beside formats.h the other door to formats: what reads XSDs needs a library (Xerces-C++) that
// nothing else here does. Tested by tests/unit/proto/exi/schema_files_test.cpp.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proto/formats.h"

namespace perfrelay {

// In place of a file's path: XML Schema's built-in types alone.
inline constexpr const char* k_built_in_types = "xsd-types";

// Where schema locations and namespaces are, when not beside the schema: by location or namespace.
using SchemaCatalogue = std::map<std::string, std::string>;

// Appends what a `choose` of that file's path has the same effect as. False, and `why` in one line.
bool compile_schema(const std::string& path, const SchemaCatalogue& catalogue, Buffer& out,
                    std::string& why);

// Puts what the schema of `codecs` says of each value into `document.types`, for
// bridge::Binding::schema; nothing where there is no schema. The document's whitespace is settled.
void type_values(Document& document, const CodecOptions& codecs);

// Every schema is loaded once, by the paths of its files, and then shared.
class SchemaShelf {
  public:
    explicit SchemaShelf(SchemaCatalogue catalogue = {}) : catalogue_(std::move(catalogue)) {}

    // Sets `codecs.schema` and `schema_name` (of the file, without its folder; "" for xsd-types);
    // "" sets none. False, and `why` in one line.
    bool choose(const std::string& path, CodecOptions& codecs, std::string& why);

    // The same of the schema that the document itself names: of XML, which must be loaded, in
    // xsi:schemaLocation and xsi:noNamespaceSchemaLocation of its root element (XML Schema 1.0
    // part 1, 4.3.2); of an EXI stream, which need not be decoded, in its header's schemaId
    // (EXI 5.4). Locations are files beside the document, or what the catalogue says; nothing is
    // fetched. Several make one schema. `named`: the files, and what names them; or that nothing
    // does, and then there is no schema.
    struct Named {
        std::vector<std::string> paths;
        std::string by;
    };
    bool choose_named(const Document& document, CodecOptions& codecs, Named& named,
                      std::string& why);

  private:
    bool choose(const std::vector<std::string>& paths, CodecOptions& codecs, std::string& why);

    SchemaCatalogue catalogue_;
    std::map<std::vector<std::string>, std::shared_ptr<const exi::Schema>> known_;
};

}  // namespace perfrelay
