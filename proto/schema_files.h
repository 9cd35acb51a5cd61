#pragma once
// Schemas for codecs, from files: XSDs (proto/exi/schema/xsd_loader.h), what compile_schema made of
// one, and "xsd-types": XML Schema's built-in types alone.
//
// Beside formats.h the other door to formats: what reads XSDs needs a library (Xerces-C++) that
// nothing else here does. Tested by tests/unit/proto/exi/schema_files_test.cpp.

#include <map>
#include <memory>
#include <string>

#include "proto/formats.h"

namespace perfrelay {

// Where schema locations and namespaces are, when not beside the schema: by location or namespace.
using SchemaCatalogue = std::map<std::string, std::string>;

// Appends what a `choose` of that file's path has the same effect as. False, and `why` in one line.
bool compile_schema(const std::string& path, const SchemaCatalogue& catalogue, Buffer& out,
                    std::string& why);

// Every schema is loaded once, by path, and then shared.
class SchemaShelf {
  public:
    explicit SchemaShelf(SchemaCatalogue catalogue = {}) : catalogue_(std::move(catalogue)) {}

    // Sets `codecs.schema` and `schema_name` (of the file, without its folder; "" for xsd-types);
    // "" sets none. False, and `why` in one line.
    bool choose(const std::string& path, CodecOptions& codecs, std::string& why);

  private:
    SchemaCatalogue catalogue_;
    std::map<std::string, std::shared_ptr<const exi::Schema>> known_;
};

}  // namespace perfrelay
